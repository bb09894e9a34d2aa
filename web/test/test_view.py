"""The page as `raytwin view` serves it, with a scene of the program."""

import json
import shutil

import pytest
from conftest import ROOT, picked, program

ROBOT = ROOT / "examples/robots/arm.urdf"
BALL = {"type": "sphere", "name": "ball", "center": [0, 0, 1], "radius": 0.5}
PLATE = {"type": "box", "name": "plate", "center": [0, 0, 0], "half_extents": [1, 1, 0.1]}


def write(path, shapes):
    path.write_text(json.dumps({"raytwin": 1, "shapes": shapes}))


def count(page):
    return page.get("state.scene?.geometry_count")


def wait_for(page, expression):
    page.tab.wait_for_function(f"() => {{ const {{ state }} = globalThis.raytwin; return {expression}; }}")


def check_picks(page, folder):
    """Holds what the page answers for some pixels against what the copied command prints."""
    width, _ = page.size()
    ids = page.ids()
    hits = [index for index, id in enumerate(ids) if id != 0xFFFFFFFF]
    same = 0
    pick = "([x, y]) => globalThis.raytwin.tracer.ask('pick', { ...globalThis.raytwin.picture.size(), look: globalThis.raytwin.look(), x, y })"
    for index in hits[:: max(1, len(hits) // 4)]:
        pixel = [index % width, index // width]
        answer = page.tab.evaluate(pick, pixel)["answer"]
        picked_there = f"{{ ...state, picked: {{ look: look(), size: picture.size(), pixel: {{ x: {pixel[0]}, y: {pixel[1]} }} }} }}"
        says = picked(page.get(f"pickCommand({picked_there})"), folder)
        assert answer == {key: value for key, value in says.items() if key != "command"}
        same += ids[index] == answer["geometry_id"]
    # The picture may see the other surface at a silhouette.
    assert same >= 3


def test_the_scene_is_shown_with_its_flags(view, tmp_path):
    folder = tmp_path / "my robots"
    folder.mkdir()
    shutil.copy(ROBOT, folder / "arm one.urdf")
    page = view(["my robots/arm one.urdf", "--joint", "elbow=30deg", "--collision", "--ignore", "base"], tmp_path).drawn()
    assert page.tab.title() == "arm one.urdf · raytwin"
    assert page.tab.eval_on_selector("#examples", "select => select.selectedOptions[0].text") == "arm one.urdf"
    assert page.get("state.device.gpu"), page.get("state.device.reason")
    said = json.loads(program(["info", str(folder / "arm one.urdf"), "--collision", "--json"]).stdout)
    assert count(page) == said["geometry_count"]
    command = page.get("pickCommand({ ...state, picked: { look: look(), size: picture.size(), pixel: { x: 1, y: 1 } } })")
    assert command.startswith("raytwin pick 'my robots/arm one.urdf' --collision --joint elbow=30deg --ignore base --device cpu ")
    check_picks(page, tmp_path)
    # The browser's policy hinders nothing of the page.
    assert page.complaints == []


@pytest.mark.parametrize("scene", ["examples/molecules/caffeine.pdb", "examples/worlds/garden.x3d", "examples/scenes/robot_room.json"])
def test_every_format_is_served(view, scene):
    page = view([scene], ROOT).drawn()
    assert sum(id != 0xFFFFFFFF for id in page.ids()) > 0.02 * len(page.ids())
    check_picks(page, ROOT)
    assert page.complaints == []


def test_the_float64_tracer_draws_where_the_flag_asks_for_it(view):
    page = view(["examples/scenes/gallery.json", "--device", "cpu"], ROOT).drawn()
    assert not page.get("state.device.gpu")


def test_sliders_move_the_joints_of_the_program(view, tmp_path):
    shutil.copy(ROBOT, tmp_path / "arm.urdf")
    page = view(["arm.urdf", "--joint", "elbow=0.5"], tmp_path).drawn()
    before = page.ids()
    names = page.tab.eval_on_selector_all("#joints label span", "all => all.map(e => e.textContent)")
    slider = lambda name: page.tab.locator("#joints input").nth(names.index(name))
    assert float(slider("elbow").input_value()) == 0.5
    for name, value in [("waist", "0.75"), ("elbow", "1.25")]:
        slider(name).fill(value)
        wait_for(page, f"state.wishes.joints?.{name} === {value}")
    page.drawn()
    assert page.ids() != before
    assert page.get("state.served.typed") == "arm.urdf --joint waist=0.75 --joint elbow=1.25"
    check_picks(page, tmp_path)

    # A change of the file leaves the joints where they are.
    more = count(page) + 1
    ball = '<visual><geometry><sphere radius="0.2"/></geometry></visual></link>'
    (tmp_path / "arm.urdf").write_text(ROBOT.read_text().replace("</link>", ball, 1))
    wait_for(page, f"state.scene.geometry_count === {more}")
    assert page.get("state.wishes.joints") == {"waist": 0.75, "elbow": 1.25}
    assert float(slider("waist").input_value()) == 0.75
    page.drawn()
    check_picks(page, tmp_path)
    slider("waist").fill("0.5")
    wait_for(page, "state.wishes.joints.waist === 0.5 && state.wishes.joints.elbow === 1.25")


def test_what_the_page_saves_is_judged_by_the_copied_command(view, tmp_path):
    shutil.copy(ROBOT, tmp_path / "arm.urdf")
    page = view(["arm.urdf", "--joint", "elbow=0.5", "--ignore", "base"], tmp_path).drawn()
    page.tab.click("#save")
    page.tab.select_option("#saving select", "640x480")
    with page.tab.expect_download() as download:
        page.tab.click("[data-save=npz]")
    download.value.save_as(tmp_path / "render.npz")
    command = page.tab.text_content("[data-of=judge] code")
    assert command.startswith("raytwin diff arm.urdf --joint elbow=0.5 --ignore base --against render.npz ")
    ran = program(command + " --json", tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads(ran.stdout)["mismatches"] == 0
    assert page.complaints == []


def test_a_changed_file_is_shown_from_where_one_stands(view, tmp_path):
    scene = tmp_path / "scene.json"
    write(scene, [BALL])
    page = view(["scene.json"], tmp_path).drawn()
    page.tab.check("input[value=ids]", force=True)
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowLeft")
    page.tab.keyboard.press("+")
    page.drawn("ids")
    camera, ids = page.get("state.camera.numbers()"), page.ids()
    write(scene, [BALL, PLATE])
    wait_for(page, "state.scene.geometry_count === 2")
    page.drawn("ids")
    assert page.get("state.camera.numbers()") == camera
    assert set(page.ids()) == {0, 1, 0xFFFFFFFF} and page.ids() != ids
    assert "plate" in page.tab.text_content("#names")

    # A broken file has the program's error, and the old picture stays and can be turned.
    before = page.ids()
    scene.write_text('{ "raytwin": 1,\n  "shapes": [ , ] }')
    said = program(["info", "scene.json"], tmp_path).stderr.removeprefix("error: ").strip()
    assert page.error() == said
    assert count(page) == 2 and page.ids() == before
    page.tab.keyboard.press("ArrowRight")
    page.drawn("ids")

    write(scene, [PLATE])
    wait_for(page, "state.scene.geometry_count === 1")
    page.drawn("ids")
    assert page.tab.is_hidden("#fault")
    check_picks(page, tmp_path)
    assert page.complaints == []


def test_the_page_is_opened_again_where_it_was_and_while_the_file_is_broken(view, tmp_path):
    scene = tmp_path / "scene.json"
    write(scene, [BALL, PLATE])
    page = view(["scene.json"], tmp_path).drawn()
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowLeft")
    camera = page.get("state.camera.numbers()")
    page.tab.wait_for_function("camera => location.hash === `#scene=served&camera=${camera}`", arg=camera)
    page.tab.reload()
    page.drawn()
    assert page.get("state.camera.numbers()") == camera

    # Another scene that was chosen stays while the file changes.
    page.tab.select_option("#examples", "caffeine")
    wait_for(page, "state.example === 'caffeine'")
    scene.write_text("{")
    page.tab.wait_for_timeout(3000)
    assert page.get("state.example") == "caffeine" and page.tab.is_hidden("#fault")
    page.tab.select_option("#examples", "served")
    assert "scene.json" in page.error()

    page.tab.goto(page.address)
    page.tab.reload()
    assert "scene.json" in page.error()
    write(scene, [BALL])
    page.drawn()
    assert count(page) == 1 and page.tab.is_hidden("#fault")


def test_the_picture_stays_when_the_program_ends(view):
    page = view(["examples/robots/arm.urdf"], ROOT).drawn()
    page.server.terminate()
    page.tab.wait_for_selector("#ended:not([hidden])")
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowLeft")
    page.drawn()
    page.tab.locator("#joints input").first.fill("0.5")
    assert "Start it again" in page.error()
