"""The stand-in against Open3D's own class: the calls of its tutorials, on a mesh of ours."""

import time

import numpy as np
import open3d as o3d
import pytest
import raytwin as rt
from raytwin.arrays import as_numbers
from ring import random_rays, ring

OPEN3D = o3d.t.geometry.RaycastingScene
# Both round to float32, in different orders; lengths here are about 1.
CLOSE = 4e-6


def both(device):
    """Returns Open3D's class and ours, to be called alike."""
    return OPEN3D, lambda: rt.RaycastingScene(device=device)


@pytest.fixture(params=["cpu", "gpu"])
def scenes(request):
    """Two scenes, Open3D's and ours, of the same two meshes."""
    made = [make() for make in both(request.param)]
    for scene in made:
        assert scene.add_triangles(*map(o3d.core.Tensor, ring())) == 0
        assert scene.add_triangles(o3d.t.geometry.TriangleMesh.create_box().translate([2, 0, 0])) == 1
    return made


def from_both(scenes, call):
    """Returns the answers of both, as NumPy's arrays, after comparing their names, shapes and types."""
    answers = [call(scene) for scene in scenes]
    if not isinstance(answers[0], dict):
        answers = [{"": answer} for answer in answers]
    theirs, ours = ({name: array.numpy() for name, array in answer.items()} for answer in answers)
    assert theirs.keys() == ours.keys()
    for name in theirs:
        assert (ours[name].dtype, ours[name].shape) == (theirs[name].dtype, theirs[name].shape), name
        assert type(ours[name]) is np.ndarray
    return theirs, ours


def assert_same_places(theirs, ours, is_same):
    """Compares hits on the same triangles one by one."""
    for name in ours.keys() & {"t_hit", "points"}:
        np.testing.assert_allclose(ours[name][is_same], theirs[name][is_same], rtol=CLOSE, atol=CLOSE)
    for name in ours.keys() & {"primitive_uvs", "primitive_normals"}:
        # A weight is a length by that of an edge, and the ring's shortest is 0.05.
        np.testing.assert_allclose(ours[name][is_same], theirs[name][is_same], atol=CLOSE / 0.05)


def assert_same_hits(theirs, ours, at_edges):
    """Compares hits of rays. Up to a share of them may be on other triangles, if the ray meets an edge."""
    np.testing.assert_array_equal(ours["geometry_ids"], theirs["geometry_ids"])
    np.testing.assert_allclose(ours["t_hit"], theirs["t_hit"], rtol=CLOSE, atol=CLOSE)
    is_same = ours["primitive_ids"] == theirs["primitive_ids"]
    u, v = np.moveaxis(ours["primitive_uvs"], -1, 0)
    is_at_edge = np.minimum(np.minimum(u, v), 1 - u - v) < 1e-3
    assert is_at_edge[~is_same].all() and (~is_same).mean() <= at_edges
    assert_same_places(theirs, ours, is_same)


def test_first_hits_are_those_of_open3d(scenes):
    rays = random_rays(20_000)
    theirs, ours = from_both(scenes, lambda scene: scene.cast_rays(o3d.core.Tensor(rays)))
    assert 0.1 < np.isfinite(theirs["t_hit"]).mean() < 0.8
    assert_same_hits(theirs, ours, at_edges=1e-3)


def test_rays_of_images_are_those_of_open3d(scenes):
    view = dict(fov_deg=90, center=[0, 0, 0.5], eye=[2, 3, 1], up=[0, 1, 0], width_px=64, height_px=48)
    theirs, ours = from_both([OPEN3D, rt.RaycastingScene], lambda made: made.create_rays_pinhole(**view))
    np.testing.assert_allclose(ours[""], theirs[""], atol=2e-6)
    assert_same_hits(*from_both(scenes, lambda scene: scene.cast_rays(theirs[""])), at_edges=5e-3)

    intrinsic = o3d.core.Tensor([[50.0, 0.5, 30.0], [0.0, 52.0, 25.0], [0.0, 0.0, 1.0]])
    extrinsic = np.array([[0.0, 1, 0, 1], [0, 0, 1, 2], [1, 0, 0, 3], [0, 0, 0, 1]])
    call = [intrinsic, extrinsic, 64, 48]
    theirs, ours = from_both([OPEN3D, rt.RaycastingScene], lambda made: made.create_rays_pinhole(*call))
    np.testing.assert_allclose(ours[""], theirs[""], atol=2e-6)


def test_a_cloud_of_hits_is_made_by_the_tutorials_own_lines(scenes):
    clouds = []
    for scene, made in zip(scenes, [OPEN3D, rt.RaycastingScene]):
        rays = made.create_rays_pinhole(60, [0, 0, 0], [0, -3, 2], [0, 0, 1], 32, 24)
        answers = scene.cast_rays(rays)
        hit = answers["t_hit"].isfinite()
        points = rays[hit][:, :3] + rays[hit][:, 3:] * answers["t_hit"][hit].reshape((-1, 1))
        clouds.append(o3d.t.geometry.PointCloud(points).point.positions.numpy())
    np.testing.assert_allclose(*clouds, atol=CLOSE)


def test_occlusions_are_those_of_open3d(scenes):
    rays = random_rays(20_000, seed=1).reshape(100, 200, 6)
    for limits in [{}, {"tnear": 0.5, "tfar": 1.5}]:
        theirs, ours = from_both(scenes, lambda scene: scene.test_occlusions(rays, **limits))
        np.testing.assert_array_equal(ours[""], theirs[""])


def test_all_hits_are_those_of_open3d(scenes):
    rays = random_rays(5_000, seed=2).reshape(50, 100, 6)
    theirs, ours = from_both(scenes, lambda scene: scene.count_intersections(rays))
    np.testing.assert_array_equal(ours[""], theirs[""])

    theirs, ours = from_both(scenes, lambda scene: scene.list_intersections(rays))
    # Open3D lists the hits of a ray in the order in which it finds them.
    order = np.lexsort([theirs["t_hit"], theirs["ray_ids"]])
    sorted_theirs = {name: array if name == "ray_splits" else array[order] for name, array in theirs.items()}
    for name in ["ray_splits", "ray_ids"]:
        np.testing.assert_array_equal(ours[name], sorted_theirs[name])
    assert_same_hits(sorted_theirs, ours, at_edges=1e-3)


def test_closest_points_are_those_of_open3d(scenes):
    points = np.random.default_rng(3).uniform(-2, 3, (10_000, 3)).astype(np.float32)
    theirs, ours = from_both(scenes, lambda scene: scene.compute_closest_points(o3d.core.Tensor(points)))
    np.testing.assert_array_equal(ours["geometry_ids"], theirs["geometry_ids"])
    their_distance, distance = (np.linalg.norm(answers["points"] - points, axis=1) for answers in (theirs, ours))
    np.testing.assert_allclose(distance, their_distance, atol=CLOSE)
    # A point in front of an edge or a corner is as near to several triangles.
    is_same = ours["primitive_ids"] == theirs["primitive_ids"]
    assert is_same.mean() > 0.7
    assert_same_places(theirs, ours, is_same)


def test_distances_are_those_of_open3d(scenes):
    axis = np.linspace(-1.5, 3, 24, dtype=np.float32)
    grid = np.stack(np.meshgrid(axis, axis, axis), axis=-1)
    for call in ["compute_distance", "compute_signed_distance", "compute_occupancy"]:
        theirs, ours = from_both(scenes, lambda scene: getattr(scene, call)(grid))
        np.testing.assert_allclose(ours[""], theirs[""], rtol=CLOSE, atol=CLOSE, err_msg=call)
    theirs, ours = from_both(scenes, lambda scene: scene.compute_occupancy(grid, nsamples=3))
    assert 0 < theirs[""].mean() < 1
    np.testing.assert_array_equal(ours[""], theirs[""])


def test_meshes_of_every_kind_of_open3d_are_taken():
    legacy = o3d.geometry.TriangleMesh.create_sphere(0.5)
    made = o3d.t.geometry.TriangleMesh.from_legacy(legacy)
    scene = rt.RaycastingScene(device=o3d.core.Device("CPU:0"))
    assert [scene.add_triangles(legacy), scene.add_triangles(made), scene.add_triangles(mesh=made)] == [0, 1, 2]
    assert scene.count_intersections([[0.1, 0.2, -3, 0, 0, 1]]).numpy() == [6]
    with pytest.raises(ValueError, match="empty"):
        scene.add_triangles(o3d.t.geometry.TriangleMesh())


def test_a_tensor_is_read_as_fast_as_an_array():
    rays = o3d.core.Tensor(random_rays(100_000))

    def seconds():
        start = time.perf_counter()
        as_numbers(rays, "rays")
        return time.perf_counter() - start

    # One number after another takes a third of a second.
    assert min(seconds() for _ in range(3)) < 0.01


def test_answers_have_the_methods_of_tensors(scenes):
    """The calls of Open3D's tutorials and tests, on an answer, on an entry of one, and on a sum."""
    calls = {
        "cpu": lambda answer: answer.cpu(),
        "clone": lambda answer: answer.clone(),
        "to a type": lambda answer: answer.to(o3d.core.float64),
        "to the CPU": lambda answer: answer.to(o3d.core.Device("CPU:0")),
        "to both": lambda answer: answer.to(o3d.core.Device("CPU:0"), o3d.core.Dtype.Int64),
        "by name": lambda answer: answer.to(dtype=o3d.core.uint8, copy=True),
        "entry": lambda answer: answer[0].cpu(),
        "least": lambda answer: answer.min().clone(),
        "finite": lambda answer: answer.isfinite().all(),
        "none": lambda answer: answer.isnan().any(),
        "infinite": lambda answer: answer.isinf().to(o3d.core.int32),
    }
    rays = np.float32([[-3, 0.01, 0.02, 1, 0, 0], [-3, 0.02, 0.01, 1, 0, 0]])
    for call in calls.values():
        from_both(scenes, lambda scene: call(scene.cast_rays(rays)["t_hit"]))
    theirs, ours = (scene.cast_rays(rays) for scene in scenes)
    assert ours["geometry_ids"][0].item() == theirs["geometry_ids"][0].item() == 0
    assert o3d.core.Tensor(ours["t_hit"]).dtype == theirs["t_hit"].dtype
    assert ours["t_hit"].clone() is not ours["t_hit"] and ours["t_hit"].cpu() is ours["t_hit"]
    with pytest.raises(ValueError, match="answers are in the CPU's memory"):
        ours["t_hit"].to(o3d.core.Device("CUDA:0"))


def test_what_is_not_hit_is_alike(scenes):
    rays = np.array([[5, 5, 5, 1, 0, 0], [np.nan, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0]], np.float32)
    theirs, ours = from_both(scenes, lambda scene: scene.cast_rays(rays))
    assert ours.pop("t_hit").tolist()[:1] == theirs.pop("t_hit").tolist()[:1] == [np.inf]
    for name in theirs:
        np.testing.assert_array_equal(ours[name], theirs[name], err_msg=name)
    assert rt.RaycastingScene.INVALID_ID == OPEN3D.INVALID_ID


def test_a_scene_may_hold_nothing_yet():
    rays = np.zeros((0, 6), np.float32), np.ones((2, 6), np.float32)
    for some in rays:
        theirs, ours = from_both([make() for make in both("cpu")], lambda scene: scene.cast_rays(some))
        np.testing.assert_array_equal(ours["t_hit"], theirs["t_hit"])
