"""A tracer follows its scene by update(), which says what it did."""

import numpy as np
import pytest

import raytwin as rt

AHEAD = [[0.0, 0.0, -9.0, 0.0, 0.0, 1.0]]


@pytest.fixture(params=["cpu", "gpu", "canonical"])
def moving(request):
    part = rt.Scene()
    part.add_spheres([[0.0, 0.0, 0.0]], 1.0)
    scene = rt.Scene()
    node = scene.add_node(name="ball")
    scene.add_instances(part, nodes=[node])
    device = "gpu" if request.param == "canonical" else request.param
    return scene, node, rt.Tracer(scene, device, canonical=request.param == "canonical")


def test_places_are_refitted(moving):
    scene, node, tracer = moving
    assert tracer.cast_rays(AHEAD).t_hit == 8
    assert (tracer.update().action, tracer.update().moved) == ("none", 0)
    matrix = np.eye(4)
    matrix[2, 3] = 2
    scene.set_transforms([node], [matrix])
    update = tracer.update()
    assert (update.action, update.moved) in (("refit", 1), ("rebuild", 1))
    assert repr(update) == f"Update(action='{update.action}', moved=1)"
    assert tracer.cast_rays(AHEAD).t_hit == 10


def test_all_else_is_packed_anew(moving):
    scene, _, tracer = moving
    device = tracer.device
    scene.add_spheres([[0.0, 0.0, -4.0]], 1.0)
    assert tracer.update().action == "repack"
    assert tracer.cast_rays(AHEAD).t_hit == 4 and tracer.device == device


def test_labels_are_those_that_the_scene_has_at_the_update(moving):
    scene, node, tracer = moving
    ids = scene.add_spheres([[0.0, 0.0, -4.0], [50.0, 0.0, 0.0]], 1.0)
    scene.set_label(ids, 3)
    tracer.update()
    scene.set_label(ids[:1], 7)
    assert tracer.update().action == "none"
    hits = tracer.cast_rays(AHEAD, labels=True)
    assert (hits.geometry_ids, hits.label_ids) == (ids[0], 7)
    scene.set_label(ids, 8)
    scene.set_transforms([node], [np.diag([1.0, 1.0, 6.0, 1.0])])
    assert tracer.update().moved == 1
    hits = tracer.cast_rays([[50.0, 0.0, -9.0, 0.0, 0.0, 1.0], *AHEAD], labels=True)
    assert hits.label_ids.tolist() == [8, 0] and hits.t_hit[1] == 3


def test_a_scene_that_was_changed_is_not_cast_into_before_update(moving):
    scene, _, tracer = moving
    scene.add_spheres([[0.0, 0.0, -4.0]], 1.0)
    points = [[0.0, 0.0, 0.0]]
    for ask in (tracer.cast_rays, tracer.test_occlusions, tracer.count_intersections, tracer.list_intersections, tracer.verify):
        with pytest.raises(rt.SceneError, match=r"call update\(\) on the tracer first"):
            ask(AHEAD)
    for ask in (tracer.compute_closest_points, tracer.compute_distance, tracer.compute_signed_distance, tracer.compute_occupancy):
        with pytest.raises(rt.SceneError, match=r"call update\(\) on the tracer first"):
            ask(points)
    tracer.update()
    assert tracer.cast_rays(AHEAD).t_hit == 4


def test_the_scene_of_a_tracer_is_the_one_it_was_made_for(moving):
    scene, _, tracer = moving
    assert tracer.scene is scene
