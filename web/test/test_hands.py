"""The page under fingers, and under what is dropped on it."""

import json
import math

import pytest
from conftest import ROOT


def touch(page, kind, points):
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    page.devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_one_finger_turns_and_two_zoom_and_move(open_page):
    page = open_page("#scene=arm&picture=ids", has_touch=True).drawn()
    page.devtools = page.tab.context.new_cdp_session(page.tab)
    box = page.tab.locator("#picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = page.get("state.camera.numbers()")
    distance = lambda camera: math.dist(camera[:3], camera[3:6])

    touch(page, "touchStart", [(x, y)])
    touch(page, "touchMove", [(x + 20, y)])
    touch(page, "touchMove", [(x + 90, y + 10)])
    touch(page, "touchEnd", [])
    turned = page.get("state.camera.numbers()")
    assert turned[:3] != before[:3] and turned[3:6] == before[3:6]
    assert math.isclose(distance(turned), distance(before), rel_tol=1e-9)

    # Fingers that part come nearer, about the same point but for what their middle moves.
    touch(page, "touchStart", [(x - 40, y), (x + 40, y)])
    for step in range(1, 5):
        touch(page, "touchMove", [(x - 40 - 10 * step, y), (x + 40 + 10 * step, y)])
    zoomed = page.get("state.camera.numbers()")
    assert 0.4 < distance(zoomed) / distance(turned) < 0.6
    for step in range(1, 5):
        touch(page, "touchMove", [(x - 80, y + 15 * step), (x + 80, y + 15 * step)])
    touch(page, "touchEnd", [])
    moved = page.get("state.camera.numbers()")
    assert moved[3:6] != zoomed[3:6]
    page.drawn()


def test_a_tap_answers_and_measures(open_page):
    page = open_page("#scene=gallery&picture=ids", has_touch=True).drawn()
    page.devtools = page.tab.context.new_cdp_session(page.tab)
    page.tab.click("#measure")
    page.tab.select_option("#measured select", "points")
    width, _ = page.size()
    hits = [index for index, id in enumerate(page.ids()) if id != 0xFFFFFFFF]
    box = page.tab.locator("#picture").bounding_box()
    scale = box["width"] / width
    for count, index in enumerate([hits[len(hits) // 3], hits[2 * len(hits) // 3]], 1):
        place = (box["x"] + (index % width + 0.5) * scale, box["y"] + (index // width + 0.5) * scale)
        touch(page, "touchStart", [place])
        touch(page, "touchEnd", [])
        page.tab.wait_for_function("count => globalThis.raytwin.state.marks.length === count", arg=count)
    assert page.tab.is_visible("#answer dl")
    points = page.get("state.marks.map(({ point }) => point)")
    assert float(page.tab.text_content("#measured li b")) == pytest.approx(math.dist(*points), rel=1e-6)


def test_a_dropped_folder_is_shown_with_its_meshes(open_page, tmp_path):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    package = tmp_path / "hand_description"
    (package / "meshes" / "visual").mkdir(parents=True)
    mesh = "meshes/visual/gripper.dae"
    (package / mesh).write_bytes((ROOT / "examples/meshes/gripper.dae").read_bytes())
    robot = (ROOT / "examples/meshes/wrist.urdf").read_text().replace("gripper.dae", f"package://hand_description/{mesh}")
    (package / "hand.urdf").write_text(robot)
    devtools = page.tab.context.new_cdp_session(page.tab)
    box = page.tab.locator("#picture").bounding_box()
    data = {"items": [], "files": [str(package)], "dragOperationsMask": 1}
    place = {"x": box["x"] + 100, "y": box["y"] + 100}
    drag = lambda kind: devtools.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    drag("dragEnter")
    drag("dragOver")
    page.tab.wait_for_selector("#drop:not([hidden])")
    # A drop counts only after the browser has heard that the page takes it.
    page.tab.wait_for_timeout(300)
    drag("dragOver")
    page.tab.wait_for_timeout(300)
    drag("drop")
    page.tab.wait_for_function("() => globalThis.raytwin.state.path.endsWith('hand.urdf')")
    page.drawn()
    assert page.get("state.scene.warnings") == []
    assert any(kind == "mesh" for kind, _ in page.get("state.scene.census"))


def test_the_files_cameras_and_the_styles_of_a_molecule_can_be_chosen(open_page):
    page = open_page("#scene=gallery&picture=ids").drawn()
    main = json.loads((ROOT / "examples/scenes/gallery.json").read_text())["cameras"][0]
    page.tab.click("#reset")
    whole = page.get("state.camera.numbers()")
    page.tab.select_option("#cameras", label="main")
    chosen = page.get("state.camera.numbers()")
    assert chosen[:6] == pytest.approx(main["eye"] + main["target"], rel=1e-6) and chosen[9] == main["fov_y_degrees"]
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowLeft")
    assert page.get("document.querySelector('#cameras').value") == ""
    page.tab.keyboard.press("Home")
    assert page.get("state.camera.numbers()") == whole

    page.tab.select_option("#examples", "caffeine")
    page.tab.wait_for_selector("#choices select[name=style]")
    page.drawn()
    page.tab.select_option("#choices select[name=style]", label="Space filling")
    page.tab.wait_for_function("() => globalThis.raytwin.state.wishes.style === 'space-filling'")
    page.drawn()
    assert page.get("state.scene.census") == [["sphere", 24]]
    page.tab.focus("#picture")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
    assert "--style space-filling" in page.get("pickCommand(state)")
