"""The ways to look at a scene: parts, cuts, parallel rays, colours, names and addresses, held against the program."""

import json

import pytest
from conftest import ROOT, picked

NESTED = {
    "raytwin": 1,
    "shapes": [{"type": "sphere", "name": "shell", "center": [0, 0, 0], "radius": 2, "label": "hull"}],
    "nodes": [{"name": "core", "shapes": [{"type": "sphere", "name": "seed", "center": [0, 0, 0], "radius": 1}]}],
    "labels": {"hull": 3},
}


def open_text(open_page, folder, scene, name="scene.json"):
    (folder / name).write_text(json.dumps(scene))
    page = open_page("#scene=arm").drawn()
    page.tab.set_input_files("#files", folder / name)
    page.tab.wait_for_function("name => globalThis.raytwin.state.path === name", arg=name)
    return page.drawn()


def seen(page):
    return set(page.ids()) - {0xFFFFFFFF}


def row(page, name):
    return page.tab.locator("#names li", has_text=name).first


def act(page, name, action):
    row(page, name).hover()
    row(page, name).get_by_role("button", name=f"{action}: ").click()
    page.drawn()


def check_pick(page, folder=ROOT):
    """Holds the answer in the middle of the picture against what the copied command prints."""
    page.tab.evaluate("() => { globalThis.raytwin.state.picked = null; }")
    page.tab.focus("#picture")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
    answer = page.get("state.picked.answer")
    command = page.get("pickCommand(state)")
    assert answer == {key: value for key, value in picked(command, folder).items() if key != "command"}, command
    return answer, command


def test_parts_are_hidden_shown_alone_and_looked_through(open_page, tmp_path):
    page = open_text(open_page, tmp_path, NESTED)
    assert seen(page) == {0}
    act(page, "shell", "Hide")
    assert seen(page) == {1}
    answer, command = check_pick(page, tmp_path)
    assert answer["path"] == "core/seed" and "--ignore shell" in command
    page.tab.click("#unseen button")
    page.drawn()
    assert seen(page) == {0} and page.tab.is_hidden("#unseen")
    act(page, "core", "Show alone")
    assert seen(page) == {1}
    assert "--only core" in check_pick(page, tmp_path)[1]
    act(page, "core", "Show alone")
    assert seen(page) == {0}
    # A part that was hidden is shown alone all the same, and quick clicks all count.
    act(page, "core", "Hide")
    act(page, "core", "Show alone")
    assert seen(page) == {1}
    page.tab.click("#unseen button")
    page.drawn()
    page.tab.evaluate("() => document.querySelectorAll('#names [aria-label^=Hide]').forEach(button => button.click())")
    assert set(page.get("state.parts.hidden")) == {"shell", "core", "core/seed"}
    page.drawn()
    assert seen(page) == set()
    page.tab.click("#unseen button")
    page.drawn()
    # What is looked through is still what a ray meets first, and lets the core show.
    middle = "(() => { const { width, height } = picture.size(); return [...picture.context.getImageData(width >> 1, height >> 1, 1, 1).data]; })()"
    before = page.get(middle)
    act(page, "shell", "Look through")
    assert seen(page) == {0} and page.get(middle) != before
    assert check_pick(page, tmp_path)[0]["path"] == "shell"
    # Classes are listed as parts are.
    page.tab.check("#names input[value=classes]", force=True)
    assert page.tab.eval_on_selector_all("#names li button:first-child", "all => all.map(e => e.textContent)") == ["hull"]


def test_a_part_is_looked_at_by_a_click(open_page):
    page = open_page("#scene=robot-room&picture=ids").drawn()
    page.tab.fill("#search", "robot")
    page.tab.locator("#names li button").first.click()
    page.drawn()
    extent = page.get("tracer.ask('extentOf', { parts: ['robot'] })")
    camera = page.get("state.camera.numbers()")
    assert camera[3:6] == pytest.approx(extent["center"])
    ids = page.ids()
    paths = page.get("state.scene.geometries.map(({ path }) => path)")
    width, height = page.size()
    middle = ids[(height // 2) * width + width // 3 : (height // 2) * width + 2 * width // 3]
    assert any(id != 0xFFFFFFFF and paths[id].startswith("robot") for id in middle)


def test_a_list_of_a_hundred_thousand_parts_is_scrolled(open_page, tmp_path):
    rows = "\n".join(f"post {n},{n % 400},{n // 400},0,0.2" for n in range(100_000))
    (tmp_path / "field.csv").write_text("name,center_x,center_y,center_z,radius\n" + rows)
    page = open_page("#scene=arm&picture=ids").drawn()
    page.tab.set_input_files("#files", tmp_path / "field.csv")
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'field.csv'")
    page.tab.evaluate("() => { document.querySelector('#names ul').scrollTop = 30 * 77_777; }")
    page.tab.wait_for_selector("#names li[data-row='77777']")
    assert page.tab.locator("#names li").count() < 100
    assert page.tab.locator("#names li[data-row='77777'] button").first.text_content().startswith("post 77777")
    page.tab.focus("#names li[data-row='77777'] button")
    page.tab.keyboard.press("ArrowDown")
    assert page.get("document.activeElement.closest('li').dataset.row") == "77778"


def test_a_cut_shows_the_insides_of_solids_and_the_program_agrees(open_page, tmp_path):
    page = open_text(open_page, tmp_path, NESTED)
    page.tab.click("#cut")
    page.drawn()
    # Two balls of one centre: the outer one is solid, and hides the core also in the cut, because its id is lower.
    answer, command = check_pick(page, tmp_path)
    assert answer["path"] == "shell" and "--ray " in command and "--solid" in command
    section = page.get("state.section")
    assert answer["normal"] == [0, 0, 0]
    away = sum((p - q) * n for p, q, n in zip(answer["point"], section["point"], section["normal"]))
    assert abs(away) < 1e-5
    page.tab.click("#cutting button")
    page.drawn()
    assert check_pick(page, tmp_path)[0]["hit"]
    page.tab.select_option("#cutting select", "x")
    page.tab.focus("#cutting [type=range]")
    page.tab.keyboard.press("ArrowRight")
    page.drawn()
    assert page.get("state.section.point")[0] > page.get("state.section.middle")[0]
    page.tab.keyboard.press("Escape")
    page.drawn()
    assert page.get("state.section") is None and page.tab.is_hidden("#cutting")


def test_parallel_rays_and_views_along_axes_are_those_of_the_program(open_page):
    page = open_page("#scene=gallery&picture=ids").drawn()
    page.tab.click("#parallel")
    page.drawn()
    for side in ["+z", "-x", "+y"]:
        page.tab.click(f"#axes button[aria-label='Look from {side}']", force=True)
        page.drawn()
        answer, command = check_pick(page)
        assert "--orthographic " in command
        eye, target = page.get("[state.camera.eye, state.camera.target]")
        offset = [a - b for a, b in zip(eye, target)]
        axis = "xyz".index(side[1])
        assert offset[axis] * (1 if side[0] == "+" else -1) == pytest.approx(sum(x * x for x in offset) ** 0.5)
    # The end that one looks from leads to the other side.
    page.tab.click("#axes button[aria-label='Look from +z']", force=True)
    page.tab.click("#axes button[aria-label='Look from +z']", force=True)
    page.drawn()
    assert page.get("state.camera.eye[2] < state.camera.target[2]") and check_pick(page)
    # From above, a drag turns on as from anywhere.
    page.tab.click("#axes button[aria-label='Look from +z']", force=True)
    page.tab.focus("#picture")
    page.tab.keyboard.press("ArrowUp")
    page.tab.keyboard.press("ArrowLeft")
    assert page.get("state.camera.up") == page.get("state.scene.up")
    page.tab.keyboard.press("o")
    assert not page.get("state.camera.isParallel")


def test_a_double_click_sets_what_the_camera_turns_about(open_page):
    page = open_page("#scene=gallery&picture=ids").drawn()
    hits = [index for index, id in enumerate(page.ids()) if id != 0xFFFFFFFF]
    place = page.place(hits[len(hits) // 3])
    page.tab.mouse.dblclick(*place)
    page.tab.wait_for_function("() => JSON.stringify(globalThis.raytwin.state.camera.target) === JSON.stringify(globalThis.raytwin.state.picked?.answer.point)")
    page.drawn()


def test_a_link_holds_the_whole_view(open_page):
    page = open_page("#scene=robot-room").drawn()
    page.tab.fill("#search", "robot")
    act(page, "robot", "Hide")
    page.tab.click("#parallel")
    page.tab.click("#cut")
    page.tab.select_option("#colors", "group")
    page.drawn()
    page.tab.wait_for_function("() => ['hide=', 'parallel', 'cut=', 'by=group'].every(part => location.hash.includes(part))")
    again = open_page(page.get("location.hash")).drawn()
    assert again.get("state.parts") == page.get("state.parts")
    assert again.get("[state.section.point, state.section.normal]") == page.get("[state.section.point, state.section.normal]")
    assert again.tab.input_value("#colors") == "group" and again.get("state.camera.isParallel")
    assert again.ids() == page.ids()


def test_names_are_written_on_what_is_seen(open_page):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    page.tab.click("#label")
    names = page.tab.eval_on_selector_all("#labels span", "all => all.map(e => e.textContent)")
    assert len(names) >= 8 and all("-" not in name for name in names)
    atoms = {path.split("/")[-1] for path in page.get("state.scene.geometries.map(({ path }) => path)")}
    assert set(names) <= atoms
    page.tab.click("#label")
    assert page.tab.locator("#labels span").count() == 0


def test_a_molecule_is_coloured_by_chain_and_b_factor(open_page):
    page = open_page("#scene=caffeine").drawn()
    values = page.tab.eval_on_selector_all("#colors option", "all => all.map(e => e.value)")
    assert values == ["element", "chain", "b-factor", "id"]
    page.tab.select_option("#colors", "b-factor")
    page.tab.wait_for_function("() => globalThis.raytwin.state.wishes.colors === 'b-factor'")
    page.drawn()
    assert "--colors b-factor" in check_pick(page)[1]


def test_a_molecule_is_opened_by_its_id_only_when_it_is_asked_to(open_page):
    page = open_page("#scene=arm&picture=ids").drawn()
    asked = []
    text = (ROOT / "examples/molecules/caffeine.pdb").read_text()

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(body=text, headers={"Access-Control-Allow-Origin": "*"})

    page.tab.context.route("https://**/*", answer)
    page.tab.click("#open-address")
    page.tab.fill("#address input", "nothing")
    assert page.tab.is_disabled("#address [type=submit]")
    page.tab.fill("#address input", "https://example.org/some%20where/coffee.pdb")
    assert "example.org" in page.tab.text_content("#address [role=status]") and asked == []
    page.tab.click("#address [type=submit]")
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'coffee.pdb'")
    page.drawn()
    assert asked == ["https://example.org/some%20where/coffee.pdb"]
    page.tab.click("#open-address")
    page.tab.fill("#address input", "1ubq")
    assert "https://files.rcsb.org/download/1UBQ.cif" in page.tab.text_content("#address [role=status]")
    page.tab.click("#address [value=cancel]")
    # A link to it asks the visitor first.
    page.tab.wait_for_function("() => location.hash.includes('from=')")
    again = open_page(page.get("location.hash")).drawn()
    assert again.tab.is_visible("#address") and again.get("state.example") == "robot-room"
    assert "example.org" in again.tab.input_value("#address input")


def test_files_side_by_side_are_shown_together(open_page, tmp_path):
    page = open_page("#scene=arm&picture=ids").drawn()
    files = [ROOT / "examples/molecules/caffeine.pdb", ROOT / "examples/molecules/buckminsterfullerene.xyz"]
    page.tab.set_input_files("#files", files)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'together.json'")
    page.drawn()
    groups = set(page.get("state.scene.geometries.map(({ path }) => path.split('/')[0])"))
    assert groups == {"caffeine", "buckminsterfullerene"}
    page.tab.focus("#picture")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
    assert page.tab.is_hidden("#copy")
