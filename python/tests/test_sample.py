"""Sums over sampled rays are those over the same rays when they are cast, in parts, in processes, and in the program."""

import json
import os
import pickle
import signal
import threading
from xml.etree import ElementTree

import numpy as np
import pytest

import program
import raytwin as rt
from raytwin import generators
from scenes import GALLERY, same_bits

RAYS = 3_000
CAMERA = rt.Camera.perspective((6, -6, 4), (0, 0, 1))
CAMERA_ALONE = generators.Views(CAMERA)
AWAY = np.array([5e5, -3e5, 100.0])
# The gallery has parts that are far away, and rays from here meet many of the others.
NEAR = generators.InBox((-6, -6, -6), (6, 6, 6))
SOLIDS = ([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [1.0, 0.5])


def gallery(device):
    kind = "cpu" if device == "cpu" else "gpu"
    return rt.Tracer(rt.Scene.load(GALLERY), kind, canonical=device == "canonical")


@pytest.fixture(scope="module", params=["cpu", "gpu", "canonical"])
def tracer(request):
    return gallery(request.param)


def solids(origin=(0.0, 0.0, 0.0), device="cpu"):
    scene = rt.Scene(origin=tuple(origin))
    scene.add_spheres(np.add(SOLIDS[0], origin), SOLIDS[1])
    return rt.Tracer(scene, device)


@pytest.fixture(scope="module")
def tally():
    return solids().sample(rays=20_000, seed=4, paths=True, histogram=(1.0, 3.0, 4))


def units(tally, distances):
    """Distances as multiples of the unit, as the library rounds them."""
    return np.floor(distances.astype(np.float64) / tally.unit + 0.5).astype(np.uint64)


@pytest.mark.parametrize(
    "generator",
    [
        generators.Lines(),
        generators.Lines((0, 0, 1), 30.0),
        generators.InBox(),
        generators.InBox([-1, -1, 4], [1, 1, 4]),
        generators.Patch((0, 0, 8), (0, 0, -2), 3.0),
        generators.Views([CAMERA], (64, 48)),
    ],
    ids=["lines", "sphere", "scene's box", "box", "patch", "views"],
)
def test_sums_are_those_over_the_rays_when_they_are_cast(tracer, generator):
    tally = tracer.sample(generator, RAYS, seed=3, histogram=(2.0, 12.0, 5))
    rays = tracer.generate_rays(generator, RAYS, seed=3)
    assert rays.shape == (RAYS, 8) and rays.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rays[:, 3:6], axis=1), 1, atol=1e-6)
    hits = tracer.cast_rays(rays)
    is_hit = hits.geometry_ids != 0xFFFFFFFF
    ids, distances = hits.geometry_ids[is_hit], units(tally, hits.t_hit[is_hit])
    count = len(tally.hits)
    assert is_hit.any() and tally.misses == (~is_hit).sum() and (tally.rays, tally.invalid, tally.beyond) == (RAYS, 0, 0)
    assert tally.hits.dtype == np.uint64
    np.testing.assert_array_equal(tally.hits, np.bincount(ids, minlength=count))
    sums = [int(distances[ids == index].sum()) for index in range(count)]
    assert tally.distance_sums == sums
    edges = tally.histogram_edges / tally.unit
    assert len(edges) == 6 and tally.histogram_edges[[0, -1]] == pytest.approx([2.0, 12.0])
    np.testing.assert_array_equal(tally.histogram, np.bincount(np.searchsorted(edges, distances, "right"), minlength=7))
    means = [total / times * tally.unit if times else np.nan for total, times in zip(sums, tally.hits.tolist())]
    np.testing.assert_allclose(tally.mean_distances, means, rtol=1e-12)
    assert tally.path_sums == [] and not tally.has_paths and np.isnan(tally.volumes).all()


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_paths_are_those_between_the_crossings(device):
    tracer = solids(device=device)
    tally = tracer.sample(rays=RAYS, seed=5, paths=True)
    crossings = tracer.list_intersections(tracer.generate_rays(rays=RAYS, seed=5))
    for index in (0, 1):
        of_solid = crossings.geometry_ids == index
        starts_and_ends = units(tally, crossings.t_hit[of_solid]).astype(np.int64).reshape(-1, 2)
        paths = np.diff(starts_and_ends)[:, 0].tolist()
        assert tally.path_sums[index] == sum(paths)
        assert tally.path_squares[index] == sum(path**2 for path in paths)
        assert tally.path_rays[index] == sum(path > 0 for path in paths)


def test_parts_add_up_to_the_whole_to_the_bit(tracer):
    options = {"seed": 7, "paths": True, "histogram": (0.0, 20.0, 8)}
    parts = [tracer.sample(NEAR, range(start, start + 1_000), **options) for start in (2_000, 0, 1_000)]
    whole = tracer.sample(NEAR, 3_000, **options)
    assert sum(parts) == whole == parts[1] + (parts[0] + parts[2])
    assert whole.ranges == [range(0, 3_000)] and (parts[0] + parts[1]).ranges == [range(0, 1_000), range(2_000, 3_000)]
    assert whole != parts[0] and whole != tracer.sample(NEAR, 3_000, **{**options, "seed": 8})
    assert parts[0].rays == 1_000 and sum(parts[:1]) == parts[0]
    assert tracer.sample(NEAR, 0, **options) + whole == whole


def test_canonical_sums_are_the_same_on_every_device():
    options = {"generator": NEAR, "rays": RAYS, "seed": 2, "paths": True, "histogram": (0.0, 20.0, 8)}
    on_cpu, on_gpu = (gallery(device).sample(**options) for device in ("cpu", "canonical"))
    assert on_cpu == on_gpu and on_cpu.to_json() == on_gpu.to_json()
    assert (on_cpu.path_rays > 0).sum() > 5


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_the_program_has_the_same_sums(device, tmp_path):
    output = tmp_path / "sums.json"
    rays = ["--generator", "box", "--min", "-6,-6,-6", "--max", "6,6,6", "--rays", "100..2100", "--seed", "9"]
    message = ["--paths", "--histogram", "1,9,4", "--interval", "0.5,15", "-o", output]
    program.run("--device", device, "sample", GALLERY, *rays, *message)
    tally = gallery(device).sample(
        NEAR, range(100, 2_100), seed=9, paths=True, histogram=(1, 9, 4), t_min=0.5, t_max=15
    )
    assert rt.Tally.from_json(output.read_text()) == tally
    assert json.loads(tally.to_json()) == json.loads(output.read_text())
    assert np.isnan(tally.volumes).all() and (tally.mean_paths > 0).sum() > 5


def test_the_program_takes_parts_from_here(tmp_path):
    tracer = gallery("cpu")
    for part in (0, 1):
        (tmp_path / f"{part}.json").write_text(tracer.sample(rays=range(part * 500, part * 500 + 500)).to_json())
    program.run("sample", "--add", tmp_path / "0.json", tmp_path / "1.json", "-o", tmp_path / "whole.json")
    assert rt.Tally.from_json((tmp_path / "whole.json").read_text()) == tracer.sample(rays=1_000)


def test_lines_show_volumes(tally):
    for index, radius in enumerate(SOLIDS[1]):
        volume = 4 / 3 * np.pi * radius**3
        assert 0 < tally.volume_errors[index] < 0.05 * volume
        assert abs(tally.volumes[index] - volume) < 4 * tally.volume_errors[index]
    np.testing.assert_allclose(tally.volumes / tally.mean_paths, tally.volume_errors / tally.path_errors)
    assert tally.volumes.dtype == np.float64


def test_what_no_ray_passes_through_has_no_figures():
    up = solids().sample(generators.Patch((0, 0, 0), (0, 0, 1)), 10, paths=True)
    assert np.isnan(up.mean_paths[1]) and np.isnan(up.path_errors[1]) and np.isnan(up.mean_distances[1])
    assert up.mean_paths[0] == up.mean_distances[0] == 1 and up.path_errors[0] == 0
    # From within, lines tell no volume.
    assert np.isnan(up.volumes).all()


def test_views_are_the_images_of_a_camera(tracer):
    other = rt.Camera.perspective((-6, -6, 4), (0, 0, 1))
    tally = tracer.sample(generators.Views([CAMERA, other], (32, 24)))
    images = [tracer.render(camera, (32, 24)) for camera in (CAMERA, other)]
    ids = np.concatenate([image.geometry_ids.ravel() for image in images])
    assert tally.rays == len(ids) == 1536 and tally.misses == (ids == 0xFFFFFFFF).sum()
    np.testing.assert_array_equal(tally.hits, np.bincount(ids[ids != 0xFFFFFFFF], minlength=len(tally.hits)))
    assert tracer.sample(CAMERA_ALONE, range(5, 9)).ranges == [range(5, 9)]
    with pytest.raises(rt.SceneError, match=r"rays 1000\.\.5000 are requested, but the views have 1536"):
        tracer.sample(generators.Views([CAMERA, other], (32, 24)), range(1_000, 5_000))
    with pytest.raises(rt.SceneError, match="all views must have the same size"):
        tracer.sample(generators.Views([CAMERA, rt.Camera.lidar("VLP-16")]))


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (generators.Patch(AWAY, (1, 0, 0), 0.5), generators.Patch((0, 0, 0), (1, 0, 0), 0.5)),
        (generators.InBox(AWAY - 2, AWAY + 4), generators.InBox((-2, -2, -2), (4, 4, 4))),
        (generators.Lines(AWAY, 9.0), generators.Lines((0, 0, 0), 9.0)),
        (generators.Lines(), generators.Lines()),
    ],
    ids=["patch", "box", "sphere", "lines"],
)
def test_generators_are_in_your_own_coordinates(there, here):
    away, near = solids(AWAY), solids()
    np.testing.assert_array_equal(away.sample(there, RAYS).hits, near.sample(here, RAYS).hits)
    rays = away.generate_rays(there, RAYS)
    assert rays.dtype == np.float64
    hits = away.cast_rays(rays)
    assert same_bits(hits.t_hit, near.cast_rays(near.generate_rays(here, RAYS)).t_hit)


def test_an_interval_limits_the_rays():
    tracer = solids()
    ahead = generators.InBox((0, 0, 0), (0, 0, 0))
    assert tracer.sample(ahead, 100).hits.tolist() == [100, 0]
    assert tracer.sample(ahead, 100, t_max=0.5).misses == 100
    assert tracer.generate_rays(ahead, 2, t_min=0.25, t_max=0.5)[:, 6:].tolist() == [[0.25, 0.5]] * 2


def test_ranges_of_large_numbers():
    tracer = solids()
    last = range(2**64 - 11, 2**64 - 1)
    assert tracer.sample(rays=last).ranges == [last]
    assert same_bits(tracer.generate_rays(rays=np.uint8(3)), tracer.generate_rays(rays=range(0, 3)))


def test_a_tally_comes_back_from_json_and_pickle(tally):
    assert rt.Tally.from_json(tally.to_json()) == pickle.loads(pickle.dumps(tally)) == tally
    assert tally != "tally"
    text = tally.to_json().replace('"misses":', '"misses":1')
    with pytest.raises(ValueError, match="not a tally: hits, misses and invalid rays do not add up to all rays"):
        rt.Tally.from_json(text)
    for generator in (generators.Lines((0, 0, 0), 2), CAMERA_ALONE):
        assert pickle.loads(pickle.dumps(generator)) == generator


def test_a_notebook_gets_the_geometries_with_most_hits(tally):
    assert repr(tally) == f"Tally(20,000 rays, {tally.hits.sum():,} hits, {tally.misses:,} misses)"
    page = ElementTree.fromstring(tally._repr_html_())
    assert [cell.text for cell in page.iter("th")] == ["geometry_id", "hits", "mean distance", "mean path", "volume"]
    rows = [[cell.text for cell in row.iter("td")] for row in page.findall(".//tbody/tr")]
    assert [row[:2] for row in rows] == [["0", f"{tally.hits[0]:,}"], ["1", f"{tally.hits[1]:,}"]]
    assert float(rows[0][4].split(" ± ")[0]) == pytest.approx(tally.volumes[0], abs=tally.volume_errors[0] / 10)
    scene = rt.Scene()
    scene.add_spheres(np.column_stack([np.arange(30) * 3.0, np.zeros(30), np.zeros(30)]), np.linspace(0.5, 1.4, 30))
    page = ElementTree.fromstring(rt.Tracer(scene, "cpu").sample(rays=20_000)._repr_html_())
    hits = [int(row.findall("td")[1].text.replace(",", "")) for row in page.findall(".//tbody/tr")]
    assert len(hits) == 20 and hits == sorted(hits, reverse=True)
    assert "and 10 more geometries" in "".join(page.itertext())


def test_parts_of_other_runs_are_refused(tally):
    tracer = solids()
    part = tracer.sample(rays=range(20_000, 20_010), seed=4)
    with pytest.raises(ValueError, match="the tallies differ in their paths: measured and left out"):
        tally + part
    with pytest.raises(ValueError, match=r"both tallies contain the rays 20005\.\.20010: add each part once"):
        part + tracer.sample(rays=range(20_005, 20_020), seed=4)
    with pytest.raises(ValueError, match="the tallies differ in their rays: .* seed 4, .* seed 5"):
        part + tracer.sample(rays=10, seed=5)
    with pytest.raises(ValueError, match="the tallies differ in their scenes"):
        part + gallery("cpu").sample(rays=10, seed=4)
    for wrong in (1, "tally", None):
        with pytest.raises(TypeError):
            tally + wrong
        with pytest.raises(TypeError):
            wrong + tally


def test_wrong_arguments_are_refused():
    tracer = solids()
    for rays in (-1, 2**64, range(0, 10, 2), range(5, 3), range(-3, 3)):
        with pytest.raises(ValueError, match="rays must be a number of rays or a range of their numbers"):
            tracer.sample(rays=rays)
    with pytest.raises(TypeError, match="rays must be a number of rays or a range of their numbers, and is 1.5"):
        tracer.sample(rays=1.5)
    with pytest.raises(ValueError, match="rays is missing: give how many"):
        tracer.sample()
    with pytest.raises(TypeError, match=r"generator must be one of raytwin.generators, such as Lines\(\), and is 5"):
        tracer.sample(5, 5)
    for seed in (-1, 2**64):
        for ask in (tracer.sample, tracer.generate_rays):
            with pytest.raises(ValueError, match=rf"seed must be a whole number from 0 to 2\*\*64 - 1, and is {seed}"):
                ask(rays=5, seed=seed)
    for seed in (1.5, "1", None):
        with pytest.raises(TypeError, match="seed must be a whole number"):
            tracer.sample(rays=5, seed=seed)
    with pytest.raises(ValueError, match=r"histogram must be \(near, far, bins\).* and is \(1, 2, -1\)"):
        tracer.sample(rays=5, histogram=(1, 2, -1))
    with pytest.raises(rt.SceneError, match="the patch's normal is .*: its length must be at least 1e-12"):
        tracer.sample(generators.Patch((0, 0, 0), (0, 0, 0)), 5)
    with pytest.raises(rt.SceneError, match="the sphere's radius is -1: it must be above 0"):
        tracer.sample(generators.Lines((0, 0, 0), -1), 5)
    with pytest.raises(rt.SceneError, match="the histogram is 5..1 in 3 bins: it must end after it begins"):
        tracer.sample(rays=5, histogram=(5, 1, 3))
    with pytest.raises(rt.SceneError, match="the interval of t is NaN..inf"):
        tracer.sample(rays=5, t_min=np.nan)
    with pytest.raises(ValueError, match="give both center and radius"):
        generators.Lines(radius=1)
    with pytest.raises(ValueError, match="give both min and max"):
        generators.InBox(max=(1, 1, 1))
    with pytest.raises(ValueError, match=r"center must have the shape \(3,\)"):
        generators.Patch((0, 0), (0, 0, 1))
    with pytest.raises(TypeError, match="cameras must be a Camera or a list of cameras, and is 5"):
        generators.Views(5)
    with pytest.raises(MemoryError, match="there is no memory for the answers"):
        tracer.generate_rays(rays=10**14)


def test_rays_of_a_camera_that_hides_a_part_are_refused():
    tracer = gallery("cpu")
    part = tracer.scene.path(0)
    hiding = rt.Camera.perspective((6, -6, 4), (0, 0, 1), hide=part)
    with pytest.raises(rt.SceneError, match=f"call hide\\('{part}'\\) on the scene first"):
        tracer.sample(generators.Views(hiding), 5)
    nothing = rt.Camera.perspective((6, -6, 4), (0, 0, 1), hide=("nosuch",))
    with pytest.raises(rt.SceneError, match="the camera camera hides 'nosuch', and no geometry has that path"):
        tracer.sample(generators.Views(nothing), 5)


def test_a_scene_that_was_changed_is_not_sampled_before_update():
    tracer = solids()
    tracer.scene.add_spheres([0, 9, 0], 1.0)
    for ask in (tracer.sample, tracer.generate_rays):
        with pytest.raises(rt.SceneError, match=r"call update\(\) on the tracer first"):
            ask(rays=5)
    tracer.update()
    assert len(tracer.sample(rays=5).hits) == 3


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_ctrl_c_ends_a_run_that_would_take_for_ever(device):
    tracer = solids(device=device)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        timer.start()
        tracer.sample(rays=10**15, paths=True)
    assert tracer.sample(rays=5).rays == 5
