"""The page when its device, its module or its patience is lost."""

import struct

import numpy as np

LOSABLE = """{
const devices = [];
let refuses = false;
const request = GPUAdapter.prototype.requestDevice;
GPUAdapter.prototype.requestDevice = async function (...wished) {
  if (refuses) throw new Error("no device any more");
  const device = await request.apply(this, wished);
  devices.push(device);
  return device;
};
addEventListener("message", (event) => {
  if (!event.data.lose) return;
  event.stopImmediatePropagation();
  refuses = event.data.lose === "for good";
  devices.splice(0).forEach((device) => device.destroy());
});
}"""


def lose(page, how):
    page.tab.evaluate("how => globalThis.raytwin.tracer.worker.postMessage({ lose: how })", how)
    page.tab.focus("#picture")
    page.tab.keyboard.press("Home")
    page.drawn()


def test_a_lost_device_is_replaced(open_page):
    page = open_page("#scene=arm", before_worker=LOSABLE).drawn()
    page.tab.click("#reset")
    page.drawn()
    before = page.ids()
    lose(page, "once")
    assert page.ids() == before
    assert page.get("state.device.gpu")


def test_without_another_device_the_float64_tracer_goes_on_and_the_page_says_so(open_page):
    # Where the line about the device wraps, the picture would be smaller after it changes.
    page = open_page("#scene=arm", before_worker=LOSABLE, viewport={"width": 1280, "height": 480}).drawn()
    page.tab.click("#reset")
    page.drawn()
    before = page.ids()
    lose(page, "for good")
    assert sum(a != b for a, b in zip(page.ids(), before, strict=True)) <= 1e-4 * len(before)
    assert not page.get("state.device.gpu")
    assert "the GPU failed" in page.tab.text_content("#device")
    assert page.get("state.device.reason")


def test_a_browser_that_gives_no_gpu_is_reported_with_how_to_get_one(open_page):
    no_adapter = "GPU.prototype.requestAdapter = async () => null;"
    page = open_page("#scene=arm&picture=ids", before_worker=no_adapter).drawn()
    assert not page.get("state.device.gpu")
    text = page.tab.text_content("#device")
    assert "has no access to a GPU" in text and "hardware acceleration" in text and "failed" not in text


def test_something_moves_while_the_module_loads(open_page):
    page = open_page("#scene=arm").drawn()
    assert page.tab.is_hidden("#starting")
    page.tab.context.route("**/*.wasm", lambda route: (page.tab.wait_for_timeout(1500), route.continue_()))
    page.tab.reload(wait_until="commit")
    page.tab.wait_for_selector("#starting p")
    moves = page.tab.evaluate("() => document.querySelector('#starting i').getAnimations({ subtree: true }).length")
    assert moves == 1
    page.drawn()
    assert page.tab.is_hidden("#starting")


TRAP = """{
const load = Session.load;
Session.load = (files, path, ...how) => {
  if (path.includes("trap")) throw new WebAssembly.RuntimeError("unreachable");
  return load.call(Session, files, path, ...how);
};
const pick = Session.prototype.pick;
Session.prototype.pick = function (...asked) {
  if (asked.at(-1) === 7) setTimeout(() => { throw new WebAssembly.RuntimeError("unreachable"); });
  return pick.apply(this, asked);
};
}"""


def test_a_trap_of_the_module_starts_it_again_with_the_scene_that_was_there(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids", before_worker=TRAP).drawn()
    before = page.ids()
    (tmp_path / "trap.json").write_text("{}")
    page.tab.set_input_files("#files", tmp_path / "trap.json")
    assert "defect of raytwin" in page.error()
    page.tab.click("#fault button")
    page.drawn()
    assert page.get("state.path").endswith("caffeine.pdb") and page.ids() == before
    # A trap outside of a call does not answer it.
    worker = page.get("tracer.worker && (globalThis.before = tracer.worker, 1)")
    assert worker == 1
    page.tab.evaluate("() => { document.documentElement.removeAttribute('data-drawn'); }")
    page.get("tracer.ask('pick', { look: look(), ...picture.size(), x: 9, y: 7 }).then(() => 1)")
    page.tab.wait_for_function("() => globalThis.raytwin.tracer.worker !== globalThis.before")
    page.drawn()
    assert page.ids() == before


def ticks_while(page, work):
    """Counts the frames that the page could show while it does something."""
    page.tab.evaluate("""() => {
        globalThis.ticks = 0;
        const tick = () => { globalThis.ticks += 1; requestAnimationFrame(tick); };
        requestAnimationFrame(tick);
    }""")
    work()
    return page.get("globalThis.ticks")


def test_the_page_stays_awake_while_a_file_of_fifty_megabytes_loads(open_page, tmp_path):
    count = 1_000_000
    facets = np.zeros(count, dtype=np.dtype([("normal", "<3f4"), ("corners", "<9f4"), ("rest", "<u2")]))
    column, row = np.arange(count) % 1000, np.arange(count) // 1000
    corner = np.stack([column, row, np.sin(0.02 * column) * 20 + np.cos(0.03 * row) * 20], axis=1)
    facets["corners"] = np.concatenate([corner, corner + [1, 0, 0], corner + [0, 1, 0]], axis=1)
    path = tmp_path / "terrain.stl"
    path.write_bytes(bytes(80) + struct.pack("<I", count) + facets.tobytes())
    assert path.stat().st_size > 50_000_000
    page = open_page("#scene=caffeine&picture=ids").drawn()

    def load():
        page.tab.set_input_files("#files", path)
        page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'terrain.stl'")

    # It takes seconds, of which a page that waits would show one frame.
    assert ticks_while(page, load) > 20
    page.drawn()
    assert page.get("state.scene.primitive_count") == count
    assert len({id for id in page.ids() if id != 0xFFFFFFFF}) == 1


def test_a_scene_of_a_hundred_thousand_cylinders_is_orbited(open_page, tmp_path):
    rows = ["type,start_x,start_y,start_z,end_x,end_y,end_z,radius"]
    rows += [f"cylinder,{n % 320},{n // 320},0,{n % 320 + 0.3},{n // 320},{1 + n % 7},0.2" for n in range(100_000)]
    path = tmp_path / "forest.csv"
    path.write_text("\n".join(rows))
    page = open_page("#scene=caffeine&picture=ids").drawn()
    page.tab.set_input_files("#files", path)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'forest.csv'")
    page.drawn()
    assert page.get("state.scene.census") == [["cylinder", 100_000]]
    # A first picture shows after every move, however the later ones are cut off.
    page.tab.evaluate("""() => {
        globalThis.seen = [];
        const { tracer } = globalThis.raytwin;
        const show = tracer.does.tile;
        tracer.does.tile = (tile) => { show(tile); globalThis.seen.push(tile); };
    }""")
    box = page.tab.locator("#picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()

    def orbit():
        for step in range(1, 13):
            page.tab.evaluate("() => { globalThis.seen.length = 0; }")
            page.tab.mouse.move(x + 12 * step, y + 2 * step)
            page.tab.wait_for_function("() => globalThis.seen.some(({ row, rows, size }) => row + rows === size[1])")

    assert ticks_while(page, orbit) > 12
    page.tab.mouse.up()
    page.drawn()


def test_a_link_that_makes_no_sense_costs_no_gpu_and_no_scene(open_page):
    # Each page takes seconds to be drawn, so it is opened with several at once.
    for nonsense in [
        "camera=1,1,1,1,1,1,0,0,1,40&cut=0,0,0,0,0,0",
        "camera=0,0,5,0,0,0,0,1,0,0&cut=1e300,0,0,1e300,0,0",
        "camera=0,0,5,0,0,0,0,0,1,40&style=nonsense&colors=nonsense&by=nonsense",
        "camera=1e30,0,0,0,0,0,0,0,1,40&hide=nonsense&joint=nonsense:1",
        "camera=NaN,0,0,0,0,0,0,0,1,40&picture=nonsense",
    ]:
        page = open_page(f"#scene=arm&{nonsense}&picture=ids").drawn()
        assert page.tab.is_hidden("#fault"), nonsense
        assert page.get("state.device.gpu") and page.complaints == [], nonsense
    # A view that cannot be taken is reported as one, and the next can be.
    page.tab.evaluate("() => { const { state } = globalThis.raytwin; state.camera.eye = [...state.camera.target]; }")
    page.tab.focus("#picture")
    page.tab.keyboard.press("+")
    assert page.error() and page.tab.text_content("#fault h2") == "This view cannot be shown"
    page.tab.keyboard.press("Escape")
    page.tab.click("#reset")
    page.drawn()
    assert page.get("state.device.gpu") and page.tab.is_hidden("#fault")
