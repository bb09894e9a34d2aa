"""The stand-in for Open3D's class by itself."""

import threading

import numpy as np
import pytest
import raytwin as rt
from ring import random_rays, ring


def test_a_geometry_that_is_added_later_is_hit():
    scene = rt.RaycastingScene(device="cpu")
    ray = [[0, 0, -3, 0, 0, 1]]
    scene.add_triangles([[-1, -1, 2], [2, -1, 2], [-1, 2, 2]], [[0, 1, 2]])
    assert scene.cast_rays(ray)["t_hit"] == [5]
    assert scene.add_triangles(*ring(center=(1, 0, 0))) == 1
    assert scene.cast_rays(ray)["geometry_ids"] == [1]


def test_weights_lead_to_the_hit():
    vertices, triangles = ring()
    scene = rt.RaycastingScene(device="cpu")
    scene.add_triangles(vertices, triangles)
    rays = random_rays(1000)
    hits = scene.list_intersections(rays)
    corners = vertices[triangles[hits["primitive_ids"]]]
    u, v = hits["primitive_uvs"][:, :1], hits["primitive_uvs"][:, 1:]
    by_weights = (1 - u - v) * corners[:, 0] + u * corners[:, 1] + v * corners[:, 2]
    hit_rays = rays[hits["ray_ids"]]
    assert len(by_weights) > 100
    np.testing.assert_allclose(by_weights, hit_rays[:, :3] + hit_rays[:, 3:] * hits["t_hit"][:, None], atol=4e-6)


def test_one_ray_and_one_point_have_the_shape_of_one_answer():
    scene = rt.RaycastingScene(device="cpu")
    scene.add_triangles(*ring())
    hits = scene.cast_rays([-3, 0.01, 0.02, 1, 0, 0])
    assert (hits["t_hit"].shape, hits["primitive_uvs"].shape, hits["primitive_normals"].shape) == ((), (2,), (3,))
    assert scene.count_intersections([-3, 0.01, 0.02, 1, 0, 0]).numpy() == 4
    point = [1, 0, 0]
    assert scene.compute_signed_distance(point).numpy() < 0 < scene.compute_distance(point).numpy()
    assert scene.compute_occupancy(point, nsamples=3).numpy() == 1
    assert scene.compute_closest_points(point)["points"].shape == (3,)


def test_bad_input_is_refused_and_leaves_the_scene():
    scene = rt.RaycastingScene(device="cpu")
    vertices, triangles = ring()
    scene.add_triangles(vertices, triangles)
    with pytest.raises((rt.SceneError, ValueError, IndexError)):
        scene.add_triangles(vertices, triangles + 10_000)
    with pytest.raises(TypeError, match="trimesh"):
        scene.add_triangles("cube")
    with pytest.raises(ValueError, match=r"vertex_positions must have the shape \(N, 3\)"):
        scene.add_triangles(vertices[:, :2], triangles)
    with pytest.raises(ValueError, match=r"triangle_indices must have the shape \(N, 3\)"):
        scene.add_triangles(vertices, triangles[:, :2])
    with pytest.raises(ValueError, match="6 numbers"):
        scene.cast_rays(np.zeros((2, 8)))
    with pytest.raises(ValueError, match="3 numbers"):
        scene.compute_distance(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="odd"):
        scene.compute_occupancy(np.zeros((2, 3)), nsamples=2)
    with pytest.raises(ValueError, match="inverse"):
        scene.create_rays_pinhole(np.zeros((3, 3)), np.eye(4), 4, 3)
    with pytest.raises(ValueError, match="along up"):
        scene.create_rays_pinhole(60, [0, 0, 1], [0, 0, 0], [0, 0, 1], 4, 3)
    for field_of_view, width in [(np.nan, 4), (180, 4), (60, -4), (60, 1.5)]:
        with pytest.raises(ValueError, match="fov_deg must be above 0|the width and height of an image"):
            scene.create_rays_pinhole(field_of_view, [0, 0, 1], [0, 0, 0], [0, 1, 0], width, 3)
    with pytest.raises(rt.NoAdapterError):
        rt.RaycastingScene(device="no such device").cast_rays(random_rays(1))
    assert scene.add_triangles(vertices, triangles) == 1


def test_threads_share_a_scene_that_grows():
    scene = rt.RaycastingScene(device="cpu")
    vertices, triangles = ring(8, 6)
    scene.add_triangles(vertices, triangles)
    rays = random_rays(200)
    failures = []

    def cast():
        try:
            for _ in range(20):
                hits = scene.cast_rays(rays)
                assert np.isfinite(hits["primitive_uvs"]).all()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=cast) for _ in range(4)]
    for thread in threads:
        thread.start()
    for height in range(20):
        scene.add_triangles(vertices + np.float32([0, 0, height]), triangles)
    for thread in threads:
        thread.join()
    assert not failures
