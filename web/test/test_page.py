"""The page in a real browser, held against the program."""

import json
import re

import numpy as np
import pytest
from conftest import ROOT, picked, program

SCENES = ROOT / "examples"


def test_the_gallery_is_drawn_by_the_gpu_as_the_program_draws_it(open_page, tmp_path):

    page = open_page("#scene=gallery").drawn()
    assert page.get("state.device.gpu"), page.get("state.device.reason")
    width, height = page.size()
    camera = page.get("state.camera.numbers()")
    assert len(page.ids()) == width * height
    numbers = lambda part: ",".join(map(repr, part))
    ran = program([
        "render", "examples/scenes/gallery.json", "--device", "cpu", "--size", f"{width}x{height}", "--eye",
        numbers(camera[:3]), "--target", numbers(camera[3:6]), "--up", numbers(camera[6:9]), "--fov-y", repr(camera[9]),
        "--out", str(tmp_path), "-q",
    ])
    assert ran.returncode == 0, ran.stderr
    ids = np.load(tmp_path / "render.npz")["geometry_ids"].ravel()
    distances = np.load(tmp_path / "render.npz")["distance"].ravel()
    shown = np.array(page.ids(), dtype=np.uint32)
    # A GPU may see the other surface at a silhouette.
    assert np.count_nonzero(ids != shown) <= 1e-4 * len(ids)
    same = (ids == shown) & (ids != 0xFFFFFFFF)
    of_page = np.array(page.get("Array.from(picture.distances, x => x === Infinity ? -1 : x)"))
    assert np.abs(of_page[same] / distances[same] - 1).max() < 1e-4
    assert len(set(shown.tolist())) > 10


def test_every_example_is_drawn_in_every_kind(open_page):
    page = open_page().drawn()
    names = page.tab.eval_on_selector_all("#examples option:not([disabled])", "all => all.map(o => o.value)")
    assert len(names) >= 8
    for name in names:
        page.tab.select_option("#examples", name)
        page.tab.wait_for_function("name => globalThis.raytwin.state.example === name", arg=name)
        page.drawn()
        assert page.tab.is_hidden("#fault"), (name, page.tab.text_content("#fault pre"))
        hits = sum(id != 0xFFFFFFFF for id in page.ids())
        assert hits > 0.02 * len(page.ids()), name
    for kind in ["distance", "ids", "normals", "shaded"]:
        page.tab.check(f"input[value={kind}]", force=True)
        page.drawn(kind)


def test_dragging_turns_the_scene_and_the_link_brings_the_view_back(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    before, camera = page.ids(), page.get("state.camera.numbers()")
    box = page.tab.locator("#picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.tab.mouse.move(x, y)
    page.tab.mouse.down()
    page.tab.mouse.move(x + 150, y + 30, steps=6)
    page.tab.mouse.up()
    page.drawn()
    turned = page.get("state.camera.numbers()")
    assert turned[:3] != camera[:3] and turned[3:6] == camera[3:6]
    assert page.ids() != before
    page.tab.wait_for_function("eye => location.hash.includes(`camera=${eye}`)", arg=turned[0])
    link = page.get("location.hash")
    again = open_page(link).drawn()
    assert again.get("state.camera.numbers()") == turned
    assert again.ids() == page.ids()


def test_keys_turn_move_and_zoom(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    page.tab.focus("#picture")
    cameras = [page.get("state.camera.numbers()")]
    for key in ["ArrowLeft", "Shift+ArrowUp", "+"]:
        page.tab.keyboard.press(key)
        cameras.append(page.get("state.camera.numbers()"))
        assert cameras[-1] not in cameras[:-1], key
    page.tab.keyboard.press("Home")
    assert page.get("state.camera.numbers()") == page.get("state.whole().numbers()")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => /distance/.test(document.querySelector('#live').textContent)")


@pytest.mark.parametrize("scene", ["robot-room", "garden", "wrist"])
def test_what_is_under_the_cursor_is_what_the_copied_command_prints(open_page, scene):
    page = open_page(f"#scene={scene}&picture=ids").drawn()
    width, height = page.size()
    ids = page.ids()
    hits = [index for index, id in enumerate(ids) if id != 0xFFFFFFFF]
    checked = 0
    for index in hits[:: max(1, len(hits) // 9)]:
        x, y = index % width, index // width
        place = page.place(index)
        # Buttons lie over some of the picture.
        if page.tab.evaluate("([x, y]) => document.elementFromPoint(x, y).id", place) != "picture":
            continue
        page.tab.evaluate("() => { globalThis.raytwin.state.picked = null; }")
        page.tab.mouse.move(*place)
        page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
        answer = page.get("state.picked.answer")
        assert page.get("state.picked.pixel") == {"x": x, "y": y}
        program_says = picked(page.get("pickCommand(state)"))
        for key in ["hit", "geometry_id", "primitive_id", "path", "type", "t", "distance", "point", "normal"]:
            assert answer[key] == program_says[key], key
        checked += answer["hit"]
    assert checked >= 4
    assert page.tab.text_content("dd[data-of=path]")


def test_a_slider_moves_a_joint_as_the_flag_does(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    before = page.ids()
    names = page.tab.eval_on_selector_all("#joints label span", "all => all.map(e => e.textContent)")
    assert "waist" in names and "elbow" in names
    page.tab.locator("#joints input").nth(names.index("elbow")).fill("1.25")
    page.tab.wait_for_function("() => globalThis.raytwin.state.wishes.joints?.elbow === 1.25")
    page.drawn()
    assert page.ids() != before
    page.tab.focus("#picture")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
    command = page.get("pickCommand(state)")
    assert "--joint elbow=1.25" in command
    answer, program_says = page.get("state.picked.answer"), picked(command)
    assert (answer["distance"], answer["path"]) == (program_says["distance"], program_says["path"])


def test_the_answer_and_the_marks_follow_what_has_moved(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    hits = [index for index, id in enumerate(page.ids()) if id != 0xFFFFFFFF]
    width, _ = page.size()
    box = page.tab.locator("#picture").bounding_box()
    scale = box["width"] / width
    page.tab.click("#measure")
    # A pixel of the hand, which moves most.
    index = hits[0]
    page.tab.mouse.click(box["x"] + (index % width + 0.5) * scale, box["y"] + (index // width + 0.5) * scale)
    page.tab.wait_for_function("() => globalThis.raytwin.state.marks.length === 1")
    before = page.get("state.picked.answer")
    page.tab.mouse.move(2, 2)
    names = page.tab.eval_on_selector_all("#joints label span", "all => all.map(e => e.textContent)")
    page.tab.locator("#joints input").nth(names.index("waist")).fill("1.0")
    page.tab.wait_for_function("() => globalThis.raytwin.state.wishes.joints?.waist === 1")
    page.tab.wait_for_function("before => JSON.stringify(globalThis.raytwin.state.picked.answer) !== before", arg=json.dumps(before, separators=(",", ":")))
    after = page.get("state.picked.answer")
    command = page.get("pickCommand(state)")
    assert "--joint waist=1" in command
    says = picked(command)
    assert after == {key: value for key, value in says.items() if key != "command"}
    assert page.get("state.marks") == [] and page.tab.text_content("#measured p") == "Choose what to measure from."
    assert page.tab.is_visible("#copy")
    shown = page.tab.is_visible("#answer dl")
    assert shown == after["hit"]
    if shown:
        numbers = page.tab.text_content("dd[data-of=point_in_node]").split(", ")
        assert [float(number) for number in numbers] == pytest.approx(after["point_in_node"], rel=1e-6, abs=1e-9)
        assert page.tab.is_visible("dd[data-of=instance_id]") == (after.get("instance_id") is not None)
    # Another scene has none of it.
    page.tab.select_option("#examples", "gallery")
    page.tab.wait_for_function("() => globalThis.raytwin.state.example === 'gallery'")
    page.drawn()
    assert page.get("state.picked") is None and page.tab.is_hidden("#copy") and page.tab.is_hidden("#answer dl")


def test_the_choice_made_last_wins(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    # The files of the first choice come after those of the second one.
    page.tab.context.route("**/gallery.json", lambda route: (page.tab.wait_for_timeout(1500), route.continue_()))
    page.tab.select_option("#examples", "gallery")
    page.tab.select_option("#examples", "caffeine")
    page.tab.wait_for_function("() => globalThis.raytwin.state.example === 'caffeine'")
    page.drawn()
    page.tab.wait_for_timeout(2500)
    assert page.get("state.example") == "caffeine" and page.tab.input_value("#examples") == "caffeine"
    # A slow choice that fails reports nothing of a scene that nobody waits for.
    page.tab.context.route("**/pipe_rack.json", lambda route: (page.tab.wait_for_timeout(1000), route.abort()))
    page.tab.select_option("#examples", "pipe-rack")
    page.tab.select_option("#examples", "arm")
    page.tab.wait_for_function("() => globalThis.raytwin.state.example === 'arm'")
    page.tab.wait_for_timeout(1800)
    assert page.tab.is_hidden("#fault") and page.get("state.example") == "arm"


def test_a_link_carries_joints_and_style_and_acts_in_an_open_tab(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    names = page.tab.eval_on_selector_all("#joints label span", "all => all.map(e => e.textContent)")
    page.tab.locator("#joints input").nth(names.index("elbow")).fill("1.25")
    page.tab.wait_for_function("() => location.hash.includes('joint=elbow:1.25')")
    page.drawn()
    link, ids = page.get("location.hash"), page.ids()
    again = open_page(link).drawn()
    assert again.get("state.wishes.joints") == {"elbow": 1.25} and again.ids() == ids
    # The list of joints shows what the link said.
    assert again.tab.locator("#joints input").nth(names.index("elbow")).input_value() == "1.25"
    again.tab.evaluate("() => { location.hash = '#scene=caffeine&style=space-filling&picture=normals'; }")
    again.tab.wait_for_function("() => globalThis.raytwin.state.example === 'caffeine'")
    again.drawn("normals")
    assert again.get("state.wishes") == {"style": "space-filling"}
    assert again.tab.input_value("#choices select[name=style]") == "space-filling"
    # What leads to a part of the page is no link to a view.
    again.tab.evaluate("() => { location.hash = '#picture'; }")
    again.tab.wait_for_timeout(300)
    assert again.get("state.example") == "caffeine"


def test_ones_own_file_is_not_in_a_link(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    page.tab.set_input_files("#files", SCENES / "scenes/gallery.json")
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'gallery.json'")
    page.tab.click("#link")
    assert "your own file" in page.tab.text_content("#link")
    page.tab.wait_for_function("() => document.querySelector('#link').textContent === 'Copy link'")


def test_a_part_of_the_list_lights_its_pixels(open_page):
    page = open_page("#scene=robot-room&picture=ids").drawn()
    page.tab.fill("#search", "robot")
    page.tab.hover("#names li:first-child button")
    lit = page.get("picture.overlay.getContext('2d').getImageData(0, 0, ...Object.values(picture.size())).data.filter((_, i) => i % 4 === 3).reduce((n, a) => n + (a > 0), 0)")
    wanted = set(page.get("[...picture.lit]"))
    assert lit == sum(id in wanted for id in page.ids()) > 100


def test_a_robot_is_chosen_with_its_meshes_as_files_and_as_a_folder(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    files = [SCENES / "meshes/wrist.urdf", SCENES / "meshes/gripper.dae"]
    page.tab.set_input_files("#files", files)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'wrist.urdf'")
    page.drawn()
    assert page.get("state.scene.warnings") == []
    kinds = page.get("state.scene.census")
    assert any(kind == "mesh" for kind, _ in kinds)
    # A package is found by the name of its folder.
    package = tmp_path / "hand_description"
    (package / "meshes").mkdir(parents=True)
    (package / "meshes/gripper.dae").write_bytes(files[1].read_bytes())
    robot = files[0].read_text().replace("gripper.dae", "package://hand_description/meshes/gripper.dae")
    assert "package://" in robot
    (package / "hand.urdf").write_text(robot)
    page.tab.set_input_files("#folder", package)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'hand_description/hand.urdf'")
    assert page.get("state.scene.warnings") == []
    assert page.get("state.scene.census") == kinds
    # Without its mesh it says what to do, which the whole folder does.
    page.tab.set_input_files("#files", files[0])
    page.tab.wait_for_function("() => globalThis.raytwin.state.scene.warnings.length === 1")
    assert "Open the folder" in page.tab.text_content("#missing") and page.tab.is_visible("#missing")
    with page.tab.expect_file_chooser() as chooser:
        page.tab.click("#missing button")
    chooser.value.set_files(package)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'hand_description/hand.urdf'")
    assert page.tab.is_hidden("#missing")
    # A scene that cannot be read without it says the same.
    alone = tmp_path / "alone.json"
    alone.write_text('{ "raytwin": 1, "nodes": [ { "file": "gone.urdf" } ] }')
    page.tab.set_input_files("#files", alone)
    assert "gone.urdf" in page.error() and page.tab.is_visible("#fault p")


def test_a_dropped_file_is_shown(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    text = (SCENES / "molecules/buckminsterfullerene.xyz").read_text()
    drop = """text => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], "football.xyz"));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }"""
    page.tab.evaluate(drop, text)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'football.xyz'")
    page.drawn()
    assert page.get("state.scene.geometry_count") == 60 + 2 * 90


BROKEN = {
    "comma.json": '{ "raytwin": 1,\n  "shapes": [ , ] }',
    "radius.json": '{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0, 0, 0], "raduis": 1 } ] }',
    "robot.urdf": '<robot name="r"><link name="a"></robot>',
    "short.stl": "solid x\n  facet normal 0 0",
    "cut.glb": "glTF\x02",
    "not.npz": "no archive",
    "empty.x3d": "",
    "table.csv": "type,center_x\nsphere,1\n",
}


def test_broken_files_have_the_errors_of_the_program(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    for name, text in BROKEN.items():
        path = tmp_path / name
        path.write_text(text)
        page.tab.set_input_files("#files", path)
        ran = program(["info", name], tmp_path)
        assert ran.returncode != 0
        said = re.sub(r"^error: ", "", ran.stderr).strip()
        assert page.error() == said
        page.tab.click("#fault button")
        assert page.tab.is_hidden("#fault"), name
    # What was there stays, and can be drawn on.
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowLeft")
    page.drawn()
    assert page.get("state.path").endswith("caffeine.pdb")


def test_files_without_a_scene_are_refused_in_words(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    (tmp_path / "notes.txt").write_text("nothing")
    page.tab.set_input_files("#files", tmp_path / "notes.txt")
    assert page.error() == "none of these files is a scene that raytwin reads: notes.txt"


def test_without_webgpu_the_float64_tracer_draws_and_the_page_says_so(open_page):
    page = open_page("?cpu#scene=gallery").drawn()
    assert not page.get("state.device.gpu")
    assert "this page's address requests it" in page.tab.text_content("#device")
    on_gpu = open_page("#scene=gallery&picture=ids").drawn()
    # What computes in software is called so.
    assert "WebGPU in software" in on_gpu.tab.text_content("#device")
    differ = sum(a != b for a, b in zip(page.ids(), on_gpu.ids(), strict=True))
    assert differ <= 1e-4 * len(page.ids())


def test_a_hundred_scenes_give_their_memory_back(open_page):
    page = open_page("#scene=pipe-rack").drawn()
    reopen = "path => fetch(path).then(r => r.arrayBuffer()).then(b => globalThis.raytwin.open([{ path, bytes: new Uint8Array(b) }]))"
    sizes = []
    for count in range(100):
        page.tab.evaluate(reopen, "examples/scenes/pipe_rack.json")
        # Light takes memory, too, and comes only where a view rests.
        if count == 8:
            page.tab.wait_for_selector("#progress", state="hidden")
        sizes.append(page.get("tracer.ask('memory')"))
    # WebAssembly gives no page back, and gaps between what lives may make it take a few more; ninety scenes take many times as much.
    assert sizes[-1] <= 1.25 * sizes[9], sizes[::10]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("light", 880), ("dark", 360)])
def test_nothing_overflows_and_all_controls_have_names(open_page, scheme, width):
    viewport = {"width": width, "height": 760}
    page = open_page("#scene=robot-room&picture=ids", viewport=viewport, color_scheme=scheme).drawn()
    assert page.get("document.documentElement.scrollWidth") <= width
    # No button is cut off at a side, and no bar hides one behind its end.
    cut = page.tab.eval_on_selector_all(
        "button, select, .main-action, .kinds label",
        """all => all.filter(e => e.getClientRects().length > 0).filter(e => {
            const { left, right } = e.getBoundingClientRect();
            return left < 0 || right > innerWidth + 0.5;
        }).map(e => e.outerHTML)""",
    )
    assert cut == []
    nameless = page.tab.eval_on_selector_all(
        "button, select, input:not([hidden])",
        "all => all.filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.outerHTML)",
    )
    assert nameless == []
