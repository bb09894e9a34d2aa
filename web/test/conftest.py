"""A server for the built page, a browser with WebGPU in software, and the program whose answers the page's are held against."""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import shlex
import subprocess
import threading

import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path(os.environ.get("RAYTWIN_PAGE", ROOT / "target/web"))
PROGRAM = os.environ.get("RAYTWIN", str(ROOT / "target/release/raytwin"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"]
# Software draws a scene in so many milliseconds at most.
PATIENCE = int(os.environ.get("PATIENCE", "120000"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    def translate_path(self, path):
        # The page must work under any path of a server.
        return super().translate_path(path.removeprefix("/any/path"))

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address():
    handler = functools.partial(Quiet, directory=str(PAGE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/any/path/"
    server.shutdown()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *WEBGPU])
        yield browser
        browser.close()


class Page:
    """The page in a tab, and what it shows."""

    def __init__(self, tab, address):
        self.tab = tab
        self.address = address
        self.faults = []
        self.complaints = []
        self.server = None
        tab.set_default_timeout(PATIENCE)
        tab.on("pageerror", lambda error: self.faults.append(str(error)))
        tab.on("console", lambda message: message.type == "error" and self.complaints.append(message.text))

    def visit(self, rest=""):
        self.tab.goto(self.address + rest)
        return self

    def drawn(self, kind=None):
        """Waits for a picture. One of ids is there sooner than a shaded one, whose light goes on for seconds in software."""
        self.tab.wait_for_selector(f"html[data-drawn{f'={kind}' if kind else ''}]:not([data-loading])")
        return self

    def get(self, expression):
        return self.tab.evaluate(f"() => {{ const {{ state, picture, tracer, look, pickCommand, diffCommand }} = globalThis.raytwin; return {expression}; }}")

    def size(self):
        size = self.get("picture.size()")
        return size["width"], size["height"]

    def ids(self):
        # A text of a hundred thousand numbers comes at once, and numbers come one by one.
        return json.loads(self.get("`[${picture.ids}]`"))

    def place(self, index):
        """Returns where a pixel of the picture lies in the window."""
        box = self.tab.locator("#picture").bounding_box()
        width, _ = self.size()
        scale = box["width"] / width
        return box["x"] + (index % width + 0.5) * scale, box["y"] + (index // width + 0.5) * scale

    def error(self):
        self.tab.wait_for_selector("#fault:not([hidden])")
        return self.tab.text_content("#fault pre")


@pytest.fixture
def open_page(browser, address):
    with contextlib.ExitStack() as stack:

        def open_page(rest="", address=address, before_worker="", **options):
            options.setdefault("viewport", {"width": 920, "height": 480})
            # Software draws a picture of a quarter of the pixels in a quarter of the time.
            options.setdefault("device_scale_factor", 0.5)
            context = browser.new_context(**options)
            stack.callback(context.close)
            if before_worker:
                # What a worker cannot be brought to do from outside is done by lines before its own.
                text = before_worker + (PAGE / "worker.js").read_text()
                context.route("**/worker.js*", lambda route: route.fulfill(body=text, content_type="text/javascript"))
            page = Page(context.new_page(), address)
            stack.callback(lambda: check(page))
            return page.visit(rest)

        def check(page):
            assert page.faults == []

        yield open_page


@pytest.fixture
def view(open_page):
    """Serves scenes by the program, and opens the page that it serves."""
    with contextlib.ExitStack() as stack:

        def view(arguments, folder, **options):
            # The program holds the page that was built before it; another one is named.
            page = ["--page", str(PAGE.resolve())] if "RAYTWIN_PAGE" in os.environ else []
            command = [PROGRAM, "view", *arguments, *page, "--no-open", "-q"]
            running = stack.enter_context(subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True))
            stack.callback(running.terminate)
            page = open_page(address=running.stdout.readline().strip(), **options)
            page.server = running
            return page

        yield view


def program(arguments, folder=ROOT):
    """Runs the program, and returns what it prints."""
    if isinstance(arguments, str):
        arguments = shlex.split(arguments)[1:]
    return subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)


def picked(command, folder=ROOT):
    """Runs a command that the page copied, and returns the answer."""
    ran = program(command + " --json", folder)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)
