"""The page as a notebook's view frames it, without a server. The program stands for the kernel, whose scene it would be."""

import base64
import gzip
import json
import shutil
import struct
import subprocess
import zlib
from urllib.parse import urlencode, urljoin
from urllib.request import urlopen

import numpy as np
import pytest
from conftest import PAGE, PROGRAM, ROOT, Page
from test_view import check_picks, wait_for

VIEWS = ROOT / "python/raytwin/notebook"
ROBOT = ROOT / "examples/robots/arm.urdf"
# What anywidget gives a view: a model whose messages reach the kernel, and an element of the notebook.
HOST = """async ([source, traits]) => {
  const dataOf = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
  traits._picture = dataOf(traits._picture);
  const listeners = new Set();
  const model = {
    get: (name) => traits[name],
    on: (_, listener) => listeners.add(listener),
    off: (_, listener) => listeners.delete(listener),
    send: async (question) => {
      const reply = await globalThis.kernel(question);
      if (reply) for (const listener of [...listeners]) listener(reply[0], reply[1].map(dataOf));
    },
  };
  const { default: view } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  view.render({ model, el: document.querySelector("#cell") });
}"""


def png_of(width, height):
    """Returns a black picture."""
    part = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    pixels = zlib.compress(bytes(1 + width) * height)
    parts = [part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), part(b"IDAT", pixels), part(b"IEND", b"")]
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def page_of(_):
    names = [path.name for path in PAGE.iterdir() if path.is_file()]
    return {"names": names}, [gzip.compress((PAGE / name).read_bytes(), 1) for name in names]


@pytest.fixture
def notebook(browser):
    """Shows views in a page that no server has, whose kernel is a function."""
    context = browser.new_context(viewport={"width": 960, "height": 640})
    asked = []
    blank = "<!doctype html><link rel=icon href=data:,><div id=cell style='width: 920px'></div>"
    context.route("**/*", lambda route: (asked.append(route.request.url), route.fulfill(body=blank, content_type="text/html")))

    def show(sources, kernel, **traits):
        page = Page(context.new_page(), "http://localhost/notebook")

        def answer(question):
            reply = kernel(question)
            if reply is None:
                return None
            return [{**reply[0], "id": question["id"]}, [base64.b64encode(buffer).decode() for buffer in reply[1]]]

        page.tab.expose_function("kernel", answer)
        page.visit()
        page.tab.add_style_tag(content=(VIEWS / "view.css").read_text())
        source = "\n".join((VIEWS / name).read_text() for name in sources)
        page.tab.evaluate(HOST, [source, {"_picture": png_of(30, 10), "_told": "Scene()", **traits}])
        return page

    yield show
    context.close()
    assert asked == ["http://localhost/notebook"]


@pytest.fixture
def show_scene(notebook):
    """Shows a scene of the program, and returns the framed page."""
    running = []

    def show_scene(folder, *arguments, link="#scene=served&picture=shaded"):
        process = subprocess.Popen([PROGRAM, "view", *arguments, "--no-open", "-q"], cwd=folder, stdout=subprocess.PIPE, text=True)
        running.append(process)
        address = process.stdout.readline().strip()

        def scene(question):
            message = urlopen(urljoin(address, f"scene?{urlencode(question['joints'])}")).read()
            head, _, scene = message.partition(b"\n")
            return {"head": json.loads(head)}, [scene]

        answers = {"page": page_of, "scene": scene}
        sources = ["asking.js", "page_address.js", "scene_view.js"]
        page = notebook(sources, lambda question: answers[question["ask"]](question), _page="1", _link=link, _height=560)
        page.host = page.tab
        page.tab = page.host.wait_for_selector("#cell iframe", state="attached").content_frame()
        page.tab.wait_for_function("() => globalThis.raytwin")
        return page.drawn()

    yield show_scene
    for process in running:
        process.terminate()
        process.communicate()


def test_a_scene_is_drawn_picked_and_moved(show_scene, tmp_path):
    shutil.copy(ROBOT, tmp_path / "arm.urdf")
    page = show_scene(tmp_path, "arm.urdf", "--joint", "elbow=0.5")
    assert page.host.locator("#cell img").count() == 0 and page.host.is_visible("#cell iframe")
    assert page.get("state.device.gpu"), page.get("state.device.reason")
    check_picks(page, tmp_path)
    page.tab.locator("#picture").hover(position={"x": 290, "y": 250})
    page.tab.wait_for_selector("#answer dl:not([hidden])")
    for useless in ["#copy", "#link", "#examples", "#open-files", "header .main-action"]:
        assert page.tab.is_hidden(useless), useless

    before, camera = page.ids(), page.get("state.camera.numbers()")
    page.tab.locator("#joints input").nth(2).fill("1.25")
    wait_for(page, "Object.keys(state.wishes.joints ?? {}).length === 1 && state.scene")
    page.drawn()
    assert page.ids() != before and page.get("state.camera.numbers()") == camera
    check_picks(page, tmp_path)
    page.tab.press("#picture", "ArrowLeft")
    page.drawn()
    assert page.get("state.camera.numbers()") != camera
    # The view's link is written once it rests.
    page.tab.wait_for_function("camera => location.hash.includes(camera)", arg=str(page.get("state.camera.numbers()[0]")))
    assert page.faults == [] and page.complaints == []


def test_a_view_begins_where_its_link_says(show_scene):
    camera = [4, 3, 2, 0, 0, 0.5, 0, 0, 1, 35]
    page = show_scene(ROOT, "examples/robots/arm.urdf", link=f"#scene=served&camera={','.join(map(str, camera))}")
    assert page.get("state.camera.numbers()") == camera
    assert page.faults == [] and page.complaints == []


def test_a_picture_stays_without_a_kernel(notebook):
    page = notebook(["asking.js", "page_address.js", "scene_view.js"], lambda _: None, _page="none", _link="#", _height=300)
    page.tab.wait_for_selector("#cell img")
    assert "Run the cell" in page.tab.text_content("#cell")
    assert page.tab.locator("iframe").count() == 0


def test_a_kernel_without_the_page_says_so_below_the_picture(notebook):
    fail = lambda _: ({"error": "the page is gone"}, [])
    page = notebook(["asking.js", "page_address.js", "scene_view.js"], fail, _page="other", _link="#", _height=300)
    page.tab.wait_for_selector("small:has-text('the page is gone')")


def test_an_image_tells_what_is_under_the_pointer(notebook):
    # The left half hits at a distance of 2.5, the right one hits nothing, and the picture has a legend beside them.
    halves = lambda left, right, kind: np.tile(np.repeat(np.array([left, right], kind), 10), 10).tobytes()
    pixels = [halves(2.5, np.inf, np.float32), halves(7, 0xFFFFFFFF, np.uint32)]
    geometries = [{"id": 7, "type": "sphere", "path": "arm/ball"}]
    page = notebook(["asking.js", "image_view.js"], lambda _: ({"size": [20, 10], "geometries": geometries}, pixels))
    page.tab.wait_for_selector("small:has-text('Move the pointer')")
    page.tab.eval_on_selector("#cell img", "picture => Object.assign(picture.style, { width: '300px', height: '100px' })")
    said = []
    for x, y in [(55, 25), (155, 95), (255, 50)]:
        page.tab.locator("#cell img").hover(position={"x": x, "y": y})
        said.append(page.tab.text_content("#cell small"))
    assert said == ["(5, 2): arm/ball, distance 2.5, id 7", "(15, 9): no hit", "Move the pointer over the picture to see distances and ids."]
    assert page.faults == [] and page.complaints == []
