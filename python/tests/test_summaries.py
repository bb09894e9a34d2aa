"""The objects that the program prints with --json fit its own JSON Schema, by the schema's reference library."""

import json
import subprocess

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from program import PROGRAM

SCENE = {
    "raytwin": 1,
    "shapes": [{"type": "sphere", "name": "ball", "center": [0, 0, 0], "radius": 1}],
    "cameras": [{"name": "front", "eye": [0, 0, 5], "target": [0, 0, 0], "fov_y_degrees": 40}],
}

SMALL = "--size 16x12"
COMMANDS = [
    (f"render scene.json --depth-png 10 {SMALL}", 0),
    ("scan scene.json --poses poses.csv --size 8x8 -o c.ply", 0),
    ("scan --list-lidars", 0),
    ("sample scene.json --rays 99 --paths --histogram 0,9,3", 0),
    ("sample scene.json --rays 9 -o sums.json", 0),
    ("query scene.json rays.npy -o h.npz", 0),
    ("query scene.json rays.npy -o h.npz --kind count", 0),
    ("query scene.json absent.npy rays.npy -o several", 3),
    ("points scene.json points.npy -o p.npz", 0),
    ("pick scene.json --pixel 8,6", 0),
    ("pick scene.json --ray 0,0,9,0,0,1", 0),
    (f"diff scene.json {SMALL}", 0),
    (f"diff scene.json --mutate sphere-no-depth {SMALL}", 1),
    ("diff --list-faults", 0),
    ("witness --case sphere-tangent", 0),
    ("witness --list", 0),
    ("diff --self-test scene.json", 0),
    ("info scene.json --geometries", 0),
    ("convert scene.json scene.csv --skip", 0),
    ("devices --check", 0),
    ("bench --scene scene.json --rays rays.npy --repeat 1", 0),
    ("bench --scene scene.json --rays rays.npy --device cpu", 0),
    ("render absent.json", 3),
    ("render scene.json --camera side", 3),
    ("pick scene.json", 2),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scene.json").write_text(json.dumps(SCENE))
    (tmp_path / "poses.csv").write_text("time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n")
    rays = [[0, 0, 5, 0, 0, -2], [0, 0, 5, 0, 0, 2], [0, 0, 5, 0, 0, 0]]
    np.save(tmp_path / "rays.npy", np.array(rays, np.float32))
    np.save(tmp_path / "points.npy", np.zeros((1, 3), np.float32))
    return tmp_path


@pytest.fixture(scope="module")
def schema():
    return Draft202012Validator(json.loads(subprocess.check_output([PROGRAM, "schema", "--summaries"])))


def _object(schema, folder, line, code):
    ended = subprocess.run([PROGRAM, *line.split(), "--json"], cwd=folder, capture_output=True)
    assert ended.returncode == code, ended.stderr
    found = json.loads(ended.stdout)
    assert [error.message for error in schema.iter_errors(found)] == []
    return found


@pytest.mark.parametrize(("line", "code"), COMMANDS)
def test_a_summary_fits_the_schema_and_names_its_command(schema, folder, line, code):
    found = _object(schema, folder, line, code)
    if "command" in found and found["command"] is not None:
        assert found["command"] == line.split()[0]
    else:
        assert found["error"]["code"] == code


def test_the_sum_of_samples_is_a_summary_too(schema, folder):
    _object(schema, folder, "sample scene.json --rays 9 -o sums.json", 0)
    _object(schema, folder, "sample --add sums.json", 0)


def test_an_object_that_is_no_summary_does_not_fit(schema):
    assert list(schema.iter_errors({"command": "render"})) != []


def test_what_view_prints_first_is_a_summary(schema, folder):
    page = folder / "page"
    page.mkdir()
    for name in ("index.html", "main.js", "module.wasm"):
        (page / name).write_bytes(b"")
    line = [PROGRAM, "view", "scene.json", "--page", "page", "--no-open", "--json"]
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as served:
        try:
            found = json.loads(served.stdout.readline())
        finally:
            served.terminate()
    assert [error.message for error in schema.iter_errors(found)] == []
    assert (found["command"], found["scene"]) == ("view", "scene.json")
