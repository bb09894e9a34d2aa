"""Scans of a scene from poses: the points, frames, times and worlds, and clear errors."""

import numpy as np
import pytest

import raytwin as rt

POSES = [[0, 0, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 0, 1]]


@pytest.fixture
def tracer():
    scene = rt.Scene()
    scene.set_label(scene.add_spheres([[10, 0, 0]], 1.0), 5)
    return rt.Tracer(scene, device="cpu")


def test_a_lidar_scans_from_poses_what_its_rays_hit(tracer):
    cloud = tracer.scan("VLP-16", poses=POSES, times=[1.0, 1.5], labels=True)
    assert cloud.sweeps.counts.sum() == len(cloud.points) and (cloud.sweeps.counts > 0).all()
    assert np.abs(np.linalg.norm(cloud.points - [10, 0, 0], axis=1) - 1).max() < 1e-5
    assert set(cloud.time) == {1.0, 1.5} and (cloud.label_ids == 5).all() and "world_ids" not in cloud
    second = cloud.time == 1.5
    assert second.sum() == cloud.sweeps.counts[1] > cloud.sweeps.counts[0]
    eyes = np.where(second[:, None], [2, 0, 0], [0, 0, 0])
    np.testing.assert_allclose(np.linalg.norm(cloud.points - eyes, axis=1), cloud.distance, rtol=1e-6)
    in_sensor = tracer.scan("vlp-16", poses=POSES, frame="sensor")
    np.testing.assert_allclose(in_sensor.points + eyes, cloud.points, atol=1e-5)
    assert set(in_sensor.time) == {0.0, 1.0}


def test_a_camera_scans_from_its_own_place_as_from_that_pose(tracer, tmp_path):
    lidar = rt.Camera.lidar("VLP-16", (2, 0, 0), beam=None, returns=None)
    own, posed = tracer.scan(lidar), tracer.scan("VLP-16", poses=POSES[1:])
    assert set(own) == set(posed)
    for name in own:
        np.testing.assert_array_equal(own[name], posed[name])
    rt.Cloud.concatenate([own, posed]).save(tmp_path / "two.ply")
    camera = rt.Camera.perspective((0, 0, 0), (10, 0, 0))
    image, cloud = tracer.render(camera, (32, 24)), tracer.scan(camera, (32, 24))
    assert len(cloud.distance) == np.isfinite(image.distance).sum() > 0
    with_returns = tracer.scan(rt.Camera.lidar("VLP-16", (2, 0, 0)))
    assert (with_returns.return_number >= 1).all()
    assert "intensity" in tracer.scan(lidar, intensity=True) and "intensity" not in own


def test_each_pose_is_in_the_world_of_its_number():
    scene = rt.Scene()
    ball = scene.add_node("ball")
    scene.add_spheres([[10, 0, 0]], 1.0, node=ball)
    away = np.eye(4)
    away[0, 3] = 20
    scene.set_worlds([ball], np.stack([np.eye(4), away])[:, None, :3])
    cloud = rt.Tracer(scene, device="cpu").scan("VLP-16", poses=[POSES[0]] * 3, world_ids=[1, 0, 1])
    first, second, third = np.split(cloud.distance, np.cumsum(cloud.sweeps.counts)[:-1])
    assert first.min() > 28 and second.max() < 11 and np.array_equal(first, third)
    assert set(cloud.world_ids[cloud.time == 1]) == {0} and set(cloud.world_ids[cloud.time != 1]) == {1}


def test_errors_name_the_argument(tracer):
    with pytest.raises(ValueError, match="times must have one number for each of 2 poses, and there are 1"):
        tracer.scan("VLP-16", poses=POSES, times=[1.0])
    with pytest.raises(ValueError, match="world_ids must have one number for each of 2 poses"):
        tracer.scan("VLP-16", poses=POSES, world_ids=[0])
    with pytest.raises(ValueError, match="frame must be 'world' or 'sensor', and is 'map'"):
        tracer.scan("VLP-16", poses=POSES, frame="map")
    with pytest.raises(TypeError, match="VLP-16 has no pose: give poses"):
        tracer.scan("VLP-16")
    with pytest.raises(rt.Error, match="nothing"):
        tracer.scan("nothing")
    with pytest.raises(ValueError, match="poses"):
        tracer.scan("VLP-16", poses=[[1, 2, 3]])


def test_an_eye_on_its_target_is_reported_with_its_place():
    with pytest.raises(rt.SceneError, match=r"eye and target are the same point, \[1, 2, 3\]"):
        rt.Camera.perspective((1, 2, 3), (1, 2, 3))
