"""The calls of trimesh's ray queries, against trimesh itself."""

import copy
import pickle

import numpy as np
import pytest
import raytwin as rt
import trimesh
from ring import random_rays, ring
from trimesh.ray.ray_triangle import RayMeshIntersector

CLOSE = 4e-6


@pytest.fixture(params=["ring", "icosphere", "loose triangles"])
def mesh(request):
    if request.param == "ring":
        return trimesh.Trimesh(*ring(), process=False)
    if request.param == "icosphere":
        return trimesh.creation.icosphere(2)
    random = np.random.default_rng(5)
    corners = random.uniform(-1.5, 1.5, (300, 1, 3)) + random.normal(0, 0.2, (300, 3, 3))
    return trimesh.Trimesh(corners.reshape(-1, 3), np.arange(900).reshape(-1, 3), process=False)


def rays(count=2000):
    both = random_rays(count, seed=7).astype(np.float64)
    return both[:, :3], both[:, 3:]


def in_order(index_tri, index_ray, *locations):
    """Returns hits ordered by ray and triangle, because trimesh lists those of a ray in no order."""
    order = np.lexsort([index_tri, index_ray])
    return [array[order] for array in (index_tri, index_ray, *locations)]


@pytest.mark.parametrize("multiple_hits", [True, False])
def test_all_and_first_hits_are_those_of_trimesh(mesh, multiple_hits):
    asked = dict(return_locations=True, multiple_hits=multiple_hits)
    theirs = in_order(*RayMeshIntersector(mesh).intersects_id(*rays(), **asked))
    ours = in_order(*rt.trimesh_ray(mesh, device="cpu").intersects_id(*rays(), **asked))
    assert len(theirs[0]) > 100
    for their, our in zip(theirs, ours):
        assert (our.dtype, our.shape) == (their.dtype, their.shape)
        np.testing.assert_allclose(our, their, rtol=CLOSE, atol=CLOSE)


def test_locations_are_those_of_trimesh(mesh):
    theirs = RayMeshIntersector(mesh).intersects_location(*rays())
    ours = rt.trimesh_ray(mesh, device="gpu").intersects_location(*rays())
    assert [array.dtype for array in ours] == [array.dtype for array in theirs]
    theirs, ours = (in_order(index_tri, index_ray, at) for at, index_ray, index_tri in (theirs, ours))
    for their, our in zip(theirs, ours):
        np.testing.assert_allclose(our, their, rtol=CLOSE, atol=CLOSE)


def test_indices_alone_are_those_of_trimesh(mesh):
    theirs = in_order(*RayMeshIntersector(mesh).intersects_id(*rays()))
    ours = in_order(*rt.trimesh_ray(mesh, device="cpu").intersects_id(*rays()))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("call", ["intersects_first", "intersects_any"])
def test_one_answer_for_each_ray_is_that_of_trimesh(mesh, call):
    both = RayMeshIntersector(mesh), rt.trimesh_ray(mesh, device="cpu")
    their, our = (getattr(made, call)(*rays()) for made in both)
    assert our.dtype == their.dtype
    np.testing.assert_array_equal(our, their)


def test_nothing_hit_has_the_shapes_of_nothing(mesh):
    away = np.full((2, 3), 9.0), np.full((2, 3), 1.0)
    ours = rt.trimesh_ray(mesh, device="cpu")
    assert [array.shape for array in ours.intersects_location(*away)] == [(0, 3), (0,), (0,)]
    assert ours.intersects_first(*away).tolist() == [-1, -1]
    assert ours.intersects_any(*away).tolist() == [False, False]


def test_a_scene_of_shapes_answers_with_geometries():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 3], [0, 0, 9]], 1.0)
    locations, index_ray, index_tri = rt.trimesh_ray(scene, device="cpu").intersects_location([[0, 0, 0]], [[0, 0, 2]])
    np.testing.assert_array_equal(locations, [[0, 0, 2], [0, 0, 4], [0, 0, 8], [0, 0, 10]])
    assert (index_ray.tolist(), index_tri.tolist()) == ([0, 0, 0, 0], [0, 0, 1, 1])


@pytest.mark.parametrize("call", ["intersects_id", "intersects_location"])
def test_max_hits_are_the_nearest(mesh, call):
    ours = rt.trimesh_ray(mesh, device="cpu")
    asked = dict(zip(("ray_origins", "ray_directions"), rays()))
    every, first, some = (np.bincount(getattr(ours, call)(**asked, max_hits=most)[1]) for most in (None, 1, 2))
    np.testing.assert_array_equal(first, np.minimum(every, 1))
    np.testing.assert_array_equal(some, np.minimum(every, 2))
    one = ours.intersects_id(**asked, max_hits=1, return_locations=True)
    for ours_one, ours_first in zip(one, ours.intersects_id(**asked, multiple_hits=False, return_locations=True)):
        np.testing.assert_allclose(ours_one, ours_first)
    with pytest.raises(ValueError, match="max_hits must be at least 1"):
        ours.intersects_id(**asked, max_hits=0)


def points(mesh, count=400):
    return np.random.default_rng(9).uniform(*(mesh.bounds * 1.1), (count, 3))


def test_what_is_inside_is_that_of_trimesh():
    for mesh in [trimesh.Trimesh(*ring(), process=False), trimesh.creation.annulus(0.5, 1, 2), trimesh.creation.box()]:
        inside = RayMeshIntersector(mesh).contains_points(points(mesh))
        distances = trimesh.proximity.signed_distance(mesh, points(mesh))
        mesh.ray = rt.trimesh_ray(mesh, device="cpu")
        assert 0.1 < inside.mean() < 0.9
        np.testing.assert_array_equal(mesh.contains(points(mesh)), inside)
        np.testing.assert_array_equal(mesh.ray.contains_points([[9, 9, 9]]), [False])
        np.testing.assert_allclose(trimesh.proximity.signed_distance(mesh, points(mesh)), distances)


def test_solids_of_a_scene_contain_points():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 3], [0, 0, 9]], 1.0)
    inside = rt.trimesh_ray(scene, device="cpu").contains_points([[0, 0, 3], [0, 0, 6], [0, 0.5, 9]])
    assert inside.tolist() == [True, False, True]


def test_a_mesh_that_changes_is_hit_where_it_is():
    mesh = trimesh.creation.box()
    mesh.ray = rt.trimesh_ray(mesh, device="cpu")
    before = mesh.ray.tracer
    assert mesh.contains([[0, 0, 0]]).tolist() == [True] and mesh.ray.tracer is before
    mesh.apply_translation([5, 0, 0])
    assert mesh.contains([[0, 0, 0], [5, 0, 0]]).tolist() == [False, True]
    np.testing.assert_allclose(mesh.ray.intersects_location([[5, 0, -3]], [[0, 0, 1]])[0], [[5, 0, -0.5], [5, 0, 0.5]])
    mesh.vertices[:, 2] += 1
    assert mesh.ray.intersects_location([[5, 0, -3]], [[0, 0, 1]])[0][:, 2].tolist() == [0.5, 1.5]
    mesh.update_faces([True] + [False] * 11)
    assert mesh.ray.intersects_id([[5, 0, -3]], [[0, 0, 1]])[1].size <= 1


def test_it_is_pickled_and_copied_with_its_mesh():
    mesh = trimesh.creation.icosphere(2)
    mesh.ray = rt.trimesh_ray(mesh, device="cpu")
    for made in [pickle.loads(pickle.dumps(mesh)), pickle.loads(pickle.dumps(mesh.ray)).mesh, copy.deepcopy(mesh.ray).mesh]:
        assert made is not mesh
        made.ray.mesh.apply_translation([5, 0, 0])
        assert rt.trimesh_ray(made, device="cpu").contains_points([[5, 0, 0]]) and mesh.contains([[0, 0, 0]])
    again = pickle.loads(pickle.dumps(mesh)).ray
    np.testing.assert_array_equal(again.intersects_first(*rays()), mesh.ray.intersects_first(*rays()))


def test_bad_input_is_refused(mesh):
    ours = rt.trimesh_ray(mesh, device="cpu")
    with pytest.raises(ValueError, match="ray_directions must have the shape"):
        ours.intersects_any(np.zeros((2, 3)), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="2 ray_origins and 3"):
        ours.intersects_any(np.zeros((2, 3)), np.ones((3, 3)))
    with pytest.raises(ValueError, match="points must have the shape"):
        ours.contains_points([0, 0, 0])
    with pytest.raises(TypeError, match="trimesh"):
        rt.trimesh_ray(np.zeros((2, 3)))
