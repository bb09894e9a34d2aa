"""The wheel's answers are the program's, to the bit."""

import subprocess

import numpy as np
import pytest

import raytwin as rt
from program import PROGRAM
from scenes import GALLERY, aimed, same_bits

RAYS = aimed(5_000)


@pytest.fixture(scope="module", params=["cpu", "gpu"])
def device(request):
    return request.param


@pytest.fixture(scope="module")
def tracer(device):
    return rt.Tracer(rt.Scene.load(GALLERY), device)


@pytest.fixture
def run(device, tmp_path):
    """Lets the program answer to a file of arrays."""

    def run(command, given, *options):
        path, output = tmp_path / "given.npz", tmp_path / "answers.npz"
        np.savez(path, **given)
        words = [PROGRAM, "-q", "--device", device, command, str(GALLERY), str(path), "-o", str(output), *options]
        subprocess.run(words, check=True, capture_output=True)
        return dict(np.load(output))

    return run


def assert_same(answers, expected):
    assert set(answers) == set(expected)
    assert all(same_bits(answers[name], expected[name]) for name in expected)


FILTERS = {
    "ray_masks": np.arange(len(RAYS), dtype=np.uint32) % 5,
    "ignore_ids": np.where(np.arange(len(RAYS)) % 2, 3, 0xFFFFFFFF).astype(np.uint32),
}
KEYWORDS = {"masks": FILTERS["ray_masks"], "ignore_ids": FILTERS["ignore_ids"]}


@pytest.mark.parametrize("filters", [False, True], ids=["plain", "filtered"])
def test_queries_of_rays(tracer, run, filters):
    given = {"rays": RAYS, **(FILTERS if filters else {})}
    keywords = KEYWORDS if filters else {}
    hits = tracer.cast_rays(RAYS, faces=True, instances=True, **keywords)
    assert_same(hits, run("query", given, "--faces", "--instances"))
    assert_same(tracer.cast_rays(RAYS, solid=True, **keywords), run("query", given, "--solid"))
    assert_same({"occluded": tracer.test_occlusions(RAYS, **keywords)}, run("query", given, "--kind", "any"))
    assert_same({"intersections": tracer.count_intersections(RAYS, **keywords)}, run("query", given, "--kind", "count"))
    assert_same(tracer.list_intersections(RAYS, **keywords), run("query", given, "--kind", "all"))
    paths = {"occluded": tracer.test_occlusions(RAYS, **keywords), **tracer.compute_path_lengths(RAYS, innermost=True, **keywords)}
    assert_same(paths, run("query", given, "--kind", "any", "--paths", "--innermost"))


def test_points(tracer, run):
    closest = tracer.compute_closest_points(RAYS[:, :3], innermost=True)
    answered = run("points", {"points": RAYS[:, :3]}, "--innermost")
    closest.pop("primitive_normals")
    assert_same({"closest_points": closest.pop("points"), **closest}, answered)
