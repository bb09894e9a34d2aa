"""Scenes that are copied and pickled are the same, to the bit."""

import copy
import json
import pickle

import numpy as np
import pytest

import raytwin as rt

RNG = np.random.default_rng(5)


def full(tmp_path):
    """A scene with shapes, instances, nodes, worlds and cameras, far from the origin."""
    cameras = [{"name": "a", "eye": [6.1, -6.3, 4e6], "target": [0, 0, 4e6 + 1.7], "fov_y_degrees": 40, "range_max": 9}]
    shapes = [{"type": "sphere", "name": "ball", "center": [0.1, 0.2, 4e6 + 0.3], "radius": 1, "color": [0.1, 0.2, 0.3]}]
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"raytwin": 1, "origin": [0, 0, 4e6], "shapes": shapes, "cameras": cameras}))
    scene = rt.Scene.load(path)
    definition = rt.Scene()
    definition.add_mesh(RNG.normal(size=(9, 3)), [[0, 1, 2], [3, 4, 5]])
    definition.add_tori([0, 0, 0], [0, 0.3, 1], 2.0, 0.4, name="ring", mask=6)
    shear = np.eye(4) + np.pad(RNG.uniform(-0.3, 0.3, (3, 3)), ((0, 1), (0, 1)))
    shear[2, 3] = 4e6
    scene.add_node("arm", matrix=shear)
    scene.add_instances(definition, nodes=["arm"])
    scene.add_instances(definition, shear, name="still")
    other = copy.copy(scene)
    other.set_transforms("arm", shear @ np.diag([1, 1.1, 1, 1]))
    scene.add_world(other)
    return scene


def test_a_pickled_scene_is_the_same_and_goes_on(tmp_path):
    scene = full(tmp_path)
    again = pickle.loads(pickle.dumps(scene))
    assert type(again) is rt.Scene and again.to_bytes() == scene.to_bytes()
    assert again.paths == scene.paths and again.cameras == scene.cameras and again.nodes == scene.nodes
    rays = np.hstack([RNG.uniform(-5, 5, (3000, 3)) + [0, 0, 4e6], RNG.normal(size=(3000, 3))])
    worlds = np.arange(3000) % 2
    found, expected = (rt.Tracer(each, "cpu").cast_rays(rays, world_ids=worlds) for each in (again, scene))
    assert np.isfinite(expected.t_hit).sum() > 100
    for name in expected:
        assert found[name].tobytes() == expected[name].tobytes(), name
    again.set_transforms("arm", np.eye(4) + np.eye(4, k=3))
    again.hide("still")
    assert again.to_bytes() != scene.to_bytes()


def test_bytes_that_are_no_scene_are_refused(tmp_path):
    written = full(tmp_path).to_bytes()
    for wrong in [b"", b"raytwin", written[:-1], written[:100] + b"x" + written[101:]]:
        with pytest.raises(rt.SceneError, match="bytes"):
            rt.Scene(wrong)


def test_many_spheres_take_little_more_than_their_numbers():
    scene = rt.Scene()
    scene.add_spheres(RNG.normal(size=(10_000, 3)), 0.5)
    assert len(scene.to_bytes()) < 10_000 * 4 * 8 * 1.05
