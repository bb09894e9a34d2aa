"""What the page measures, held against formulas in NumPy."""

import json

import numpy as np
import pytest
from conftest import ROOT, picked

SHAPES = [
    {"type": "sphere", "name": "ball", "center": [0, 0, 1], "radius": 0.5},
    {"type": "cylinder", "name": "post", "start": [3, 0, 0], "end": [3, 0, 2], "radius": 0.25},
    {"type": "cylinder", "name": "beam", "start": [0, 3, 1], "end": [2, 3, 2], "radius": 0.25},
    {"type": "box", "name": "plate", "center": [-3, 0, 0.5], "half_extents": [0.8, 0.8, 0.2]},
    {"type": "box", "name": "lid", "center": [-3, 2.5, 2], "half_extents": [0.8, 0.8, 0.2], "rotation_xyzw": [0, 0, 0.3826834, 0.9238795]},
]


def atoms(path):
    """Returns the positions of the atoms of a PDB file by their names."""
    lines = (line for line in path.read_text().splitlines() if line.startswith(("ATOM", "HETATM")))
    return {line[12:16].strip(): np.array([float(line[at : at + 8]) for at in (30, 38, 46)]) for line in lines}


def open_scene(open_page, folder, shapes):
    path = folder / "scene.json"
    path.write_text(json.dumps({"raytwin": 1, "shapes": shapes}))
    page = open_page("#scene=caffeine&picture=ids").drawn()
    page.tab.set_input_files("#files", path)
    page.tab.wait_for_function("() => globalThis.raytwin.state.path === 'scene.json'")
    return page.drawn()


def mark(page, name):
    """Clicks in the middle of what is seen of a part and lies under no button."""
    id = page.get(f"state.scene.geometries.findIndex(({{ path }}) => path.split('/').pop() === {name!r})")
    pixels = [index for index, other in enumerate(page.ids()) if other == id]
    is_free = "places => places.map(([x, y]) => document.elementFromPoint(x, y)?.id === 'picture')"
    places = [page.place(index) for index in pixels]
    places = [place for place, free in zip(places, page.tab.evaluate(is_free, places)) if free]
    assert places, name
    before = page.get("state.marks")
    page.tab.mouse.click(*places[len(places) // 2])
    page.tab.wait_for_function("before => JSON.stringify(globalThis.raytwin.state.marks) !== before", arg=json.dumps(before, separators=(",", ":")))


def results(page):
    rows = page.tab.eval_on_selector_all("#measured li", "all => all.map(row => [...row.children].map(part => part.textContent))")
    return {title: value for title, value in rows}


def test_atoms_are_measured_by_their_centres_as_chemists_do(open_page):
    page = open_page("#scene=caffeine&picture=ids").drawn()
    at = atoms(ROOT / "examples/molecules/caffeine.pdb")
    names = ["H11", "C1", "N1", "C2"]
    page.tab.click("#measure")
    for name in names:
        mark(page, name)
    a, b, c, d = (at[name] for name in names)
    shown = results(page)
    assert shown[f"{names[2]}–{names[3]}"] == f"{np.linalg.norm(c - d):.3f} Å"
    u, v = b - c, d - c
    angle = np.degrees(np.arccos(u @ v / np.linalg.norm(u) / np.linalg.norm(v)))
    assert float(shown[f"Angle {'–'.join(names[1:])}"].rstrip("°")) == pytest.approx(angle, abs=2e-3)
    # The torsion by the formula of the IUPAC's definition.
    b1, b2, b3 = b - a, c - b, d - c
    n1, n2 = np.cross(b1, b2), np.cross(b2, b3)
    torsion = np.degrees(np.arctan2(np.cross(n1, n2) @ b2 / np.linalg.norm(b2), n1 @ n2))
    assert float(shown[f"Torsion {'–'.join(names)}"].rstrip("°")) == pytest.approx(torsion, abs=2e-3)
    # Marks on one place have no angle.
    page.tab.keyboard.press("Escape")
    page.tab.click("#measure")
    page.tab.evaluate("() => { const { state } = globalThis.raytwin; state.marks = []; }")
    for name in ["N1", "C2"]:
        mark(page, name)
    page.tab.evaluate("() => { const { state } = globalThis.raytwin; state.marks = [...state.marks, ...state.marks]; state.camera && document.querySelector('#unit').oninput({ target: document.querySelector('#unit') }); }")
    shown = results(page)
    assert [value for title, value in shown.items() if title.startswith("Torsion")] == ["none"]
    # Half of a bond belongs to its atom, in each style.
    for style in ["ball-and-stick", "sticks"]:
        page.tab.select_option("#choices select[name=style]", style)
        page.drawn()
        feature = page.tab.evaluate("""() => {
            const { state, tracer } = globalThis.raytwin;
            const geometry = state.scene.geometries.findIndex(({ path }) => path.split("/").pop().startsWith("C2-"));
            return tracer.ask("feature", { geometry, primitive: 0, point: [0, 0, 0], normal: [0, 0, 1] });
        }""")
        assert feature["kind"] == "center" and feature["name"] == "C2"
        assert feature["point"] == pytest.approx(list(at["C2"]), abs=1e-5)


def test_axes_planes_and_centres_have_the_distances_and_angles_of_geometry(open_page, tmp_path):
    page = open_scene(open_page, tmp_path, SHAPES)
    page.tab.click("#measure")

    def measured(*names):
        page.tab.keyboard.press("Escape")
        page.tab.click("#measure")
        for name in names:
            mark(page, name)
        return results(page)

    number = lambda shown, title: float(shown[title].rstrip("°"))
    assert number(measured("ball", "post"), "ball–post") == pytest.approx(3)
    shown = measured("post", "beam")
    p, u = np.array([3, 0, 1]), np.array([0, 0, 1])
    q, v = np.array([1, 3, 1.5]), np.array([2, 0, 1]) / np.sqrt(5)
    normal = np.cross(u, v)
    assert number(shown, "post–beam") == pytest.approx(abs((p - q) @ normal) / np.linalg.norm(normal), rel=1e-6)
    assert number(shown, "Angle") == pytest.approx(np.degrees(np.arccos(u @ v)), abs=2e-3)
    # Tops of plates are parallel.
    page.tab.click("#axes button[aria-label='Look from +z']")
    page.drawn()
    shown = measured("plate", "lid")
    assert shown["Angle"] == "parallel" and number(shown, "plate–lid") == pytest.approx(1.5, rel=1e-6)
    assert number(measured("ball", "plate"), "ball–plate") == pytest.approx(0.3, rel=1e-5)
    page.tab.fill("#unit", "m")
    assert results(page)["ball–plate"].endswith(" m")
    # A third mark begins anew where one of two is no point.
    mark(page, "ball")
    assert len(page.get("state.marks")) == 1


def test_points_on_surfaces_are_measured_where_one_asks_for_them(open_page, tmp_path):
    page = open_scene(open_page, tmp_path, SHAPES)
    page.tab.click("#measure")
    page.tab.select_option("#measured select", "points")
    mark(page, "ball")
    mark(page, "post")
    points = page.get("state.marks.map(({ point }) => point)")
    assert points[1] == page.get("state.picked.answer.point") == picked(page.get("pickCommand(state)"), tmp_path)["point"]
    assert float(list(results(page).values())[0]) == pytest.approx(np.linalg.norm(np.subtract(*points)), rel=1e-6)
    page.tab.keyboard.press("Escape")
    assert page.get("state.marks") == [] and page.tab.is_hidden("#measured")
    assert page.tab.get_attribute("#measure", "aria-pressed") == "false"
