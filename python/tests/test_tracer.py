"""Queries of rays and points: what they answer, in which shapes and types, and what they refuse."""

import itertools

import numpy as np
import pytest

import raytwin as rt
from scenes import GALLERY, aimed, ball, of_shapes, same_bits

NONE = 0xFFFFFFFF
AHEAD = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
ASIDE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]


@pytest.fixture(params=["cpu", "gpu"])
def device(request):
    return request.param


@pytest.fixture
def two_balls(tmp_path):
    return of_shapes(tmp_path, [{**ball(), "mask": 1}, {**ball((0.0, 0.0, 9.0)), "mask": 2}])


def test_the_closest_hit_has_open3ds_arrays(two_balls, device):
    hits = rt.Tracer(two_balls, device).cast_rays([AHEAD, ASIDE], faces=True, instances=True)
    assert list(hits) == ["t_hit", "geometry_ids", "primitive_ids", "primitive_normals", "faces", "instance_ids"]
    assert hits.t_hit.tolist() == [4.0, np.inf] and hits.t_hit.dtype == np.float32
    assert hits.geometry_ids.tolist() == [0, NONE] and hits.geometry_ids.dtype == np.uint32
    assert hits.primitive_ids.tolist() == [0, NONE]
    assert hits.primitive_normals.tolist() == [[0, 0, -1], [0, 0, 0]]
    assert hits.faces.tolist() == [0, NONE] and hits.instance_ids.tolist() == [NONE, NONE]


def test_occlusions_counts_and_lists_list_all_crossings(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    rays = [[AHEAD, ASIDE], [ASIDE, AHEAD]]
    occluded, counts = tracer.test_occlusions(rays), tracer.count_intersections(rays)
    assert occluded.tolist() == [[True, False], [False, True]] and occluded.dtype == bool
    assert counts.tolist() == [[4, 0], [0, 4]] and counts.dtype == np.uint32
    crossings = tracer.list_intersections(rays)
    assert crossings.ray_splits.tolist() == [0, 4, 4, 4, 8] and crossings.ray_splits.dtype == np.uint64
    assert crossings.ray_ids.tolist() == [0] * 4 + [3] * 4 and crossings.ray_ids.dtype == np.uint32
    assert crossings.t_hit.tolist() == [4, 6, 8, 10] * 2
    assert crossings.geometry_ids.tolist() == [0, 0, 1, 1] * 2
    assert crossings.primitive_ids.tolist() == [0] * 8


def test_filters_say_what_each_ray_may_hit(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    rays = [AHEAD, AHEAD, AHEAD]
    assert tracer.cast_rays(rays, masks=[1, 2, 0]).geometry_ids.tolist() == [0, 1, NONE]
    assert tracer.cast_rays(rays, ignore_ids=[NONE, 0, 1]).geometry_ids.tolist() == [0, 1, 0]
    assert tracer.cast_rays(rays, ignore_ids=0).geometry_ids.tolist() == [1, 1, 1]
    assert tracer.cast_rays(rays, world_ids=0).geometry_ids.tolist() == [0, 0, 0]
    assert tracer.test_occlusions(rays, masks=np.array([1, 2, 0])).tolist() == [True, True, False]
    assert tracer.count_intersections(rays, masks=[1, 3, 0]).tolist() == [2, 4, 0]
    assert tracer.list_intersections(rays, ignore_ids=[0, 1, NONE]).ray_splits.tolist() == [0, 2, 4, 8]


def test_a_ray_that_starts_in_a_solid_hits_it_there(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    inside = [0.0, 0.0, 5.0, 0.0, 0.0, 1.0]
    assert tracer.cast_rays([inside]).t_hit.tolist() == [1.0]
    hits = tracer.cast_rays([inside], solid=True)
    assert (hits.t_hit.tolist(), hits.primitive_normals.tolist()) == ([0.0], [[0.0, 0.0, 0.0]])
    short = [*inside, 0.0, 0.5]
    assert not tracer.test_occlusions([short])[0] and tracer.test_occlusions([short], solid=True)[0]


def test_points_have_their_nearest_surface_and_what_contains_them(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    points = [[[0.0, 0.0, 0.0], [0.0, 0.0, 5.5]], [[0.0, 3.0, 5.0], [np.nan, 0.0, 0.0]]]
    closest = tracer.compute_closest_points(points)
    assert closest.points.shape == (2, 2, 3) and closest.points.dtype == np.float32
    assert closest.points[:, 0].tolist() == [[0, 0, 4], [0, 1, 5]] and closest.points[0, 1].tolist() == [0, 0, 6]
    assert closest.primitive_normals[:, 0].tolist() == [[0, 0, -1], [0, 1, 0]]
    assert closest.primitive_normals[0, 1].tolist() == [0, 0, 1] and not closest.primitive_normals[1, 1].any()
    assert closest.geometry_ids.tolist() == [[0, 0], [0, NONE]] and closest.primitive_ids.tolist() == [[0, 0], [0, NONE]]
    assert closest.contains.tolist() == [[0, 1], [0, 0]] and closest.containing_ids.tolist() == [[NONE, 0], [NONE, NONE]]
    signed = tracer.compute_signed_distance(points)
    np.testing.assert_array_equal(signed, [[4, -0.5], [2, np.nan]])
    np.testing.assert_array_equal(closest.signed_distance, signed)
    np.testing.assert_array_equal(tracer.compute_distance(points), np.abs(signed))
    occupancy = tracer.compute_occupancy(points)
    assert occupancy.tolist() == [[0, 1], [0, 0]] and occupancy.dtype == np.float32


def test_nested_solids_have_an_innermost_one_and_lengths(device):
    scene = rt.Scene()
    air, target = scene.add_spheres([[0, 0, 5], [0, 0, 5]], [4.0, 1.0])
    tracer = rt.Tracer(scene, device)
    closest = tracer.compute_closest_points([[[0, 0, 5], [0, 0, 2], [0, 0, 0]]], innermost=True)
    assert closest.innermost_ids.tolist() == [[target, air, NONE]] and closest.innermost_ids.dtype == np.uint32
    assert "innermost_ids" not in tracer.compute_closest_points([0, 0, 5])
    rays = [[AHEAD, ASIDE], [[0, 0, 5, 0, 0, 2], [np.nan] * 6]]
    paths = tracer.compute_path_lengths(rays)
    assert paths.path_splits.tolist() == [0, 2, 2, 4, 4] and paths.path_splits.dtype == np.uint64
    assert paths.path_geometry_ids.tolist() == [air, target, air, target] and paths.path_geometry_ids.dtype == np.uint32
    assert paths.path_lengths.tolist() == [8, 2, 4, 1] and paths.path_lengths.dtype == np.float64
    paths = tracer.compute_path_lengths(rays, innermost=True)
    assert paths.path_geometry_ids.tolist() == [air, target, target, air] and paths.path_lengths.tolist() == [6, 2, 1, 3]
    assert tracer.compute_path_lengths(AHEAD, ignore_ids=air).path_lengths.tolist() == [2]
    rays = aimed(20_000)
    tracer = rt.Tracer(rt.Scene.load(GALLERY), device)
    whole, parts = tracer.compute_path_lengths(rays), [tracer.compute_path_lengths(part) for part in np.array_split(rays, 7)]
    assert same_bits(whole.path_lengths, np.concatenate([part.path_lengths for part in parts])) and len(whole.path_lengths) > 500
    assert same_bits(np.diff(whole.path_splits), np.concatenate([np.diff(part.path_splits) for part in parts]))


def test_invalid_rays_are_answered_as_such_and_harm_no_neighbour(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    rays = np.array([AHEAD, [np.nan] * 6, [0, 0, 0, 0, 0, 0], [1e300] * 6, AHEAD])
    hits = tracer.cast_rays(rays)
    np.testing.assert_array_equal(hits.t_hit, [4, np.nan, np.nan, np.nan, 4])
    assert hits.geometry_ids.tolist() == [0, NONE, NONE, NONE, 0]
    assert tracer.test_occlusions(rays).tolist() == [True, False, False, False, True]
    assert tracer.count_intersections(rays).tolist() == [4, 0, 0, 0, 4]
    assert tracer.list_intersections(rays).ray_splits.tolist() == [0, 4, 4, 4, 4, 8]


def test_no_rays_give_no_answers_and_one_ray_gives_numbers(two_balls, device):
    tracer = rt.Tracer(two_balls, device)
    for empty in (np.empty((0, 6)), np.empty((4, 0, 8), np.float32)):
        hits = tracer.cast_rays(empty)
        assert hits.t_hit.shape == empty.shape[:-1] and hits.primitive_normals.shape == (*empty.shape[:-1], 3)
        assert tracer.test_occlusions(empty).shape == tracer.count_intersections(empty).shape == empty.shape[:-1]
        assert tracer.list_intersections(empty).ray_splits.tolist() == [0]
    assert tracer.compute_distance(np.empty((0, 3))).shape == (0,)
    hits = tracer.cast_rays(AHEAD)
    assert hits.t_hit.shape == () and hits.t_hit == 4 and hits.primitive_normals.tolist() == [0, 0, -1]
    assert tracer.test_occlusions(AHEAD).shape == () and tracer.compute_distance([0.0, 0.0, 0.0]) == 4


def test_answers_do_not_depend_on_how_rays_are_cut(device):
    tracer = rt.Tracer(rt.Scene.load(GALLERY), device)
    rays = aimed(20_000)
    whole, crossings = tracer.cast_rays(rays), tracer.list_intersections(rays)
    parts = [tracer.cast_rays(part) for part in np.array_split(rays, 7)]
    for name, array in whole.items():
        assert same_bits(array, np.concatenate([part[name] for part in parts])), name
    listed = [tracer.list_intersections(part) for part in np.array_split(rays, 7)]
    assert same_bits(crossings.t_hit, np.concatenate([part.t_hit for part in listed]))
    # A ray's crossings are those that splits give it, and those that have its id.
    counts = np.diff(crossings.ray_splits).astype(int)
    assert np.array_equal(np.repeat(np.arange(len(rays)), counts), crossings.ray_ids)
    assert np.array_equal(counts, tracer.count_intersections(rays))


def test_arrays_that_are_left_out_change_no_other(device):
    scene = rt.Scene()
    scene.add_spheres(np.random.default_rng(1).uniform(-5, 5, (200, 3)), 0.4)
    tracer = rt.Tracer(scene, device=device)
    rays = np.random.default_rng(2).normal(size=(3000, 6)).astype(np.float32)
    rays[7] = np.nan
    every = tracer.cast_rays(rays, faces=True, instances=True, labels=True)
    for asked in itertools.product([False, True], repeat=4):
        options = dict(zip(("normals", "faces", "instances", "labels"), asked))
        answers = tracer.cast_rays(rays, **options)
        others = ("primitive_normals", "faces", "instance_ids", "label_ids")
        named = [name for name, is_asked in zip(others, asked) if is_asked]
        assert list(answers) == ["t_hit", "geometry_ids", "primitive_ids", *named]
        for name, array in answers.items():
            assert array.tobytes() == every[name].tobytes(), (name, options)


def test_rays_are_cast_as_they_lie_in_batches_of_any_size(device):
    scene = rt.Scene()
    scene.add_spheres(np.random.default_rng(1).uniform(-5, 5, (20, 3)), 0.9)
    tracer = rt.Tracer(scene, device=device)
    rays = np.random.default_rng(2).normal(size=((1 << 20) + 1, 6)).astype(np.float32)
    # The first calls are cut into pieces of sizes that are still to be learnt.
    whole = tracer.cast_rays(rays, faces=True)
    endless = np.concatenate([rays, np.tile(np.float32([0, np.inf]), (len(rays), 1))], axis=1)
    wide = np.empty((len(rays), 7), np.float32)
    wide[:, :6] = rays
    for given, row in [(endless, ...), (wide[:, :6], ...), (rays[::-3], np.s_[::-3]), (rays[:-2], np.s_[:-2]), (rays[:0], np.s_[:0])]:
        answers = tracer.cast_rays(given, faces=True)
        for name, array in answers.items():
            assert array.tobytes() == whole[name][row].tobytes(), name
    assert tracer.cast_rays(rays[5], normals=False).t_hit == whole.t_hit[5]


def test_canonical_answers_of_a_gpu_have_the_bits_of_the_cpu():
    scene, rays = rt.Scene.load(GALLERY), aimed(20_000)
    cpu, gpu = rt.Tracer(scene, "cpu"), rt.Tracer(scene, "gpu", canonical=True)
    for ask in ("cast_rays", "list_intersections"):
        of_cpu, of_gpu = getattr(cpu, ask)(rays), getattr(gpu, ask)(rays)
        assert all(same_bits(of_cpu[name], of_gpu[name]) for name in of_cpu), ask
    assert np.array_equal(cpu.test_occlusions(rays), gpu.test_occlusions(rays))


def test_rays_and_points_are_about_the_origin_of_the_world(tmp_path):
    origin = [4e6, -3e6, 100.0]
    center = (origin[0], origin[1], origin[2] + 5)
    scene = of_shapes(tmp_path, [ball(center)], origin=origin)
    tracer = rt.Tracer(scene, "cpu")
    hits = tracer.cast_rays([[*origin, 0, 0, 1]])
    assert hits.t_hit.tolist() == [4.0]
    closest = tracer.compute_closest_points([[origin[0] + 0.25, *origin[1:]], origin])
    assert closest.points.dtype == np.float64 and closest.points[1].tolist() == [origin[0], origin[1], origin[2] + 4]
    # Rounded to float32, the numbers of the world would be off by a quarter.
    assert np.linalg.norm(closest.points[0] - center) == pytest.approx(1.0, abs=1e-6)


def test_errors_say_what_does_not_fit(two_balls):
    tracer = rt.Tracer(two_balls, "cpu")
    for rays in ([[1.0, 2.0, 3.0]], 3.0, np.zeros((4, 7)), np.zeros((6, 4)), []):
        with pytest.raises(ValueError, match="rays must have 6 or 8 numbers in the last axis"):
            tracer.cast_rays(rays)
    with pytest.raises(ValueError, match="points must have 3 numbers in the last axis"):
        tracer.compute_distance([AHEAD])
    with pytest.raises(rt.SceneError, match=r"ray 9000 ignores geometry 2, but the scene has 2"):
        tracer.cast_rays(np.tile(AHEAD, (9001, 1)), ignore_ids=np.r_[np.zeros(9000, int), 2])
    with pytest.raises(rt.SceneError, match="ray 0 is cast in world 1, but the scene has 1"):
        tracer.test_occlusions([AHEAD], world_ids=[1])
    with pytest.raises(ValueError, match="masks must have the shape of the rays"):
        tracer.count_intersections([AHEAD], masks=[1, 2])
    with pytest.raises(ValueError, match="masks must be from 0 to 4294967295"):
        tracer.cast_rays([AHEAD], masks=[-1])
    with pytest.raises(TypeError, match="ignore_ids must be integers"):
        tracer.cast_rays([AHEAD], ignore_ids=[0.5])
    with pytest.raises(TypeError):
        tracer.count_intersections([AHEAD], solid=True)
    assert tracer.cast_rays([AHEAD]).t_hit == 4, "a call that was refused leaves the tracer as it was"


def test_unknown_devices_are_refused_with_a_list_of_those_there_are(two_balls):
    with pytest.raises(rt.NoAdapterError, match="no such card"):
        rt.Tracer(two_balls, "no such card")
    with pytest.raises(ValueError, match="device must be"):
        rt.Tracer(two_balls, " ")
    with pytest.raises(TypeError):
        rt.Tracer(two_balls, 3)
    names = [device.name for device in rt.devices()]
    assert names[-1] == "cpu" and len(names) > 1
    assert all(name in rt.Tracer(two_balls, name).device or name == "cpu" for name in names)
