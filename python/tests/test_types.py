"""Type checkers know the wheel: what its modules say of themselves, what the extension has, and how programs use both."""

import subprocess
import sys
from pathlib import Path

PYTHON = Path(__file__).parents[1]

# The lines that are wrong must be found wrong: mypy tells of an ignored error that is none.
PROGRAM = """
from typing import Any

import numpy as np
import raytwin as rt
from raytwin.answers import Answers
from typing_extensions import assert_type

scene = rt.Scene()
assert_type(scene.add_spheres([[0, 0, 5]], 1.0, name="ball", color=(1, 0, 0)), np.ndarray)
assert_type(scene.add_mesh(np.zeros((3, 3)), [[0, 1, 2]]), int)
assert_type(scene.add_node("arm", matrix=np.eye(4)), int)
scene.add_spheres([[0, 0, 5]], 1.0, nmae="ball")  # type: ignore[call-arg]
scene.add_discs([[0, 0, 5]], [[0, 0, 1]], 1.0, nmae="disc")  # type: ignore[call-arg]
scene.add_sphres([[0, 0, 5]], 1.0)  # type: ignore[attr-defined]
assert_type(scene.paths, list[str])
tracer = rt.Tracer(scene, device="cpu")
hits = tracer.cast_rays(np.zeros((1, 6)), labels=True)
assert_type(hits, Answers)
assert_type(hits["t_hit"], Any)
hits.to_pandas(), hits.to_pandas(index=[0]), hits.to_polars(), hits.to_arrow()
hits.to_pandas(indx=[0])  # type: ignore[call-arg]
hits.to_polars(1), hits.to_arrow(1)  # type: ignore[call-arg]
assert_type(tracer.scene, rt.Scene)
assert_type(tracer.render(rt.Camera.lidar("VLP-16", pose=np.eye(4)), (64, 48)), rt.Image)
tracer.cast_ray([[0, 0, 0, 0, 0, 1]])  # type: ignore[attr-defined]
rt.Camera(rt.camera.Perspective(40.0), pose=np.eye(4))
assert_type(tracer.verify(kinds=["closest", "points"]).passed, bool)
assert_type(sum([tracer.sample(rays=10), tracer.sample(rays=10, seed=1)], tracer.sample(rays=10)), rt.Tally)
tracer.verify(kinds=["nearest"])  # type: ignore[list-item]
rt.table.check_options("closest", labels=True)
rt.table.check_options(1)  # type: ignore[arg-type]
assert_type(rt.mujoco.follow(None, device="cpu").scene, rt.Scene)
rt.tabel  # type: ignore[attr-defined]
"""


def assert_passes(folder, *command):
    # What is asked is in the folder, or installed: the sources beside have no extension.
    result = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def mypy(tmp_path, *arguments):
    assert_passes(tmp_path, "mypy", "--config-file", PYTHON / "pyproject.toml", *arguments)


def test_the_modules_keep_their_annotations(tmp_path):
    mypy(tmp_path, "-p", "raytwin")


def test_the_extension_is_as_its_stub_says(tmp_path):
    # A decorator that says which classes are laid out in C is younger than some type checkers.
    assert_passes(tmp_path, "mypy.stubtest", "--ignore-disjoint-bases", "raytwin._raytwin")


def test_a_program_is_checked(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    mypy(tmp_path, program)
