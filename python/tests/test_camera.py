"""Cameras as data, and their rays."""

import copy
import json
import math
import pickle

import numpy as np
import pytest

import raytwin as rt
from raytwin.camera import LIDARS, Orthographic, Panoramic, Pattern, Perspective, Pinhole

K = np.array([[200.0, 0, 31.5], [0, 180.0, 25.0], [0, 0, 1]])


def turn(axis, angle):
    """The rotation about an axis, by Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def extrinsic():
    matrix = np.eye(4)
    matrix[:3, :3] = turn((1, 2, -1), 0.8)
    matrix[:3, 3] = 0.5, -1.0, 2.0
    return matrix


def test_rays_of_a_pinhole_are_those_of_its_matrices():
    width, height = 64, 48
    rays = rt.rays.pinhole(K, extrinsic(), width, height, dtype=np.float64)
    assert rays.shape == (height, width, 6)
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    in_camera = np.stack([x, y, np.ones_like(x)], axis=-1) @ np.linalg.inv(K).T
    world_from_camera = np.linalg.inv(extrinsic())
    directions = in_camera @ world_from_camera[:3, :3].T
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    np.testing.assert_allclose(rays[..., 3:], directions, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rays[..., :3], np.broadcast_to(world_from_camera[:3, 3], directions.shape), atol=1e-14)
    rounded = rt.rays.pinhole(K, extrinsic(), width, height)
    assert rounded.dtype == np.float32 and (rounded == rays.astype(np.float32)).all()


@pytest.mark.parametrize("preset", LIDARS)
def test_rays_of_a_lidar_turn_clockwise_from_behind(preset):
    rays = rt.rays.lidar(preset, (1.0, 2.0, 3.0), dtype=np.float64)
    projection, (nearest, farthest) = LIDARS[preset]
    assert 0 <= nearest < farthest
    if isinstance(projection, Pattern):
        beams = round(projection.pulses_per_s * projection.sweep_s)
        assert rays.shape == (1, beams, 6)
        np.testing.assert_allclose(np.linalg.norm(rays[..., 3:], axis=-1), 1, rtol=0, atol=1e-14)
        return
    elevations = np.radians(projection.elevation_table_degrees)
    columns = projection.columns
    offsets = np.asarray(projection.row_azimuth_offsets_degrees or [0] * len(elevations))
    # The head turns on until a row is cast.
    offsets = offsets - 360 / projection.sweep_s * np.asarray(projection.row_times_s or [0] * len(elevations))
    azimuths = np.radians(180 - 360 * (np.arange(columns) + 0.5) / columns + offsets[:, None])
    assert rays.shape == (len(elevations), columns, 6)
    level = np.stack([np.cos(azimuths), np.sin(azimuths)], axis=-1)
    np.testing.assert_allclose(rays[..., 3:5], np.cos(elevations)[:, None, None] * level, rtol=0, atol=1e-14)
    np.testing.assert_allclose(rays[..., 5], np.broadcast_to(np.sin(elevations)[:, None], rays.shape[:2]), atol=1e-14)
    assert (rays[..., :3] == [1, 2, 3]).all()


def test_a_sweep_is_cast_from_where_the_lidar_is_then():
    still = np.tile(np.eye(4), (3, 1, 1))
    still[:, 0, 3] = 0.0, 8.0, 16.0
    lidar = rt.Camera.panorama(elevation_table_degrees=[0.0], sweep_s=1.0)
    times = [10.0, 11.0, 12.0]
    rays = rt.rays.sweep(lidar, times, still, 1, (4, 1), dtype=np.float64)
    np.testing.assert_allclose(rays[0, :, 0], [9, 11, 13, 15], rtol=1e-15)
    np.testing.assert_allclose(rays[..., 3:], rt.rays.camera(lidar, (4, 1), dtype=np.float64)[..., 3:], atol=1e-15)
    for wrong, error in [((times, still, 2), ValueError), ((times, still, 3), IndexError), ((times[::-1], still, 0), ValueError), (([], np.empty((0, 4, 4)), 0), IndexError)]:
        with pytest.raises(error):
            rt.rays.sweep(lidar, *wrong, size=(4, 1))


def test_rays_far_away_lose_nothing_in_float64():
    eye = np.array([7e6 + 0.0625, -5e6, 3.0])
    camera = rt.Camera.perspective(eye, eye + (0, 1, 0))
    rays = rt.rays.camera(camera, (9, 9), dtype=np.float64)
    assert (rays[..., :3] == eye).all()
    near = rt.rays.camera(rt.Camera.perspective((0, 0, 0), (0, 1, 0)), (9, 9), dtype=np.float64)
    np.testing.assert_allclose(rays[..., 3:], near[..., 3:], rtol=0, atol=1e-15)


def test_a_camera_of_a_pose_is_the_camera():
    for camera in [
        rt.Camera.perspective((1, 2, 3), (4, 4, 0), 55.0, up=(0.1, 0, 1)),
        rt.Camera.orthographic((1, 2, 3), (1, 2, 0), 5.0),
        rt.Camera(Panoramic((90.0, -90.0), elevation_degrees=(30.0, -30.0)), eye=(1, 2, 3), target=(4, 4, 3)),
        rt.Camera.pinhole(K, extrinsic(), 64, 48),
    ]:
        again = camera.at(camera.matrix)
        np.testing.assert_array_equal(again.matrix, camera.matrix)
        assert (rt.rays.camera(again, (16, 12)) == rt.rays.camera(camera, (16, 12))).all()
        assert copy.deepcopy(camera) == camera == pickle.loads(pickle.dumps(camera))
    float32 = camera.at(camera.matrix.astype(np.float32))
    np.testing.assert_allclose(float32.matrix, camera.matrix, rtol=0, atol=1e-6)


def test_patterns_steer_beams_or_list_them():
    conic = Pattern("conic", half_angle_degrees=30, turns_per_s=4, pulses_per_s=8, sweep_s=1)
    rays = rt.rays.camera(rt.Camera.pattern(conic), dtype=np.float64)
    around = 2 * np.pi * 4 * (np.arange(8) + 0.5) / 8
    expected = np.stack([0.5 * np.cos(around), 0.5 * np.sin(around), np.full(8, -np.sqrt(0.75))], axis=-1)
    np.testing.assert_allclose(rays[0, :, 3:], expected, rtol=0, atol=1e-14)
    table = Pattern("table", time_s=[0, 0, 1], azimuth_degrees=[0, 90, 0], elevation_degrees=[0, 0, -90])
    camera = rt.Camera.pattern(table, pose=(1.0, 2.0, 3.0))
    assert camera.size == (3, 1) and pickle.loads(pickle.dumps(camera)) == camera
    np.testing.assert_allclose(rt.rays.camera(camera, dtype=np.float64)[0, :, 3:], [[1, 0, 0], [0, 1, 0], [0, 0, -1]], atol=1e-15)
    for wrong, reason in [
        (Pattern("spiral"), "unknown variant `spiral`"),
        (Pattern("conic", half_angle_degrees=30, pulses_per_s=8, sweep_s=1), "missing field `turns_per_s`"),
        (Pattern("table", time_s=[1, 0], azimuth_degrees=[0, 0], elevation_degrees=[0, 0]), "must not decrease"),
    ]:
        with pytest.raises(rt.SceneError, match=reason):
            rt.Camera.pattern(wrong)


def test_cameras_of_a_file_are_kept_to_the_bit(tmp_path):
    cameras = [
        {"name": "a", "eye": [6.1, -6.3, 4], "target": [0, 0, 1.7], "fov_y_degrees": 40, "range_max": 9},
        {"name": "b", "eye": [0, 0, 9], "target": [0, 0, 0], "up": [1, 1, 0], "height": 4, "noise": {"stddev": 0.5, "seed": 7}},
        {"name": "c", "eye": [1, 0, 9], "target": [0, 2, 3], "fx": 90, "fy": 91, "cx": 31, "cy": 25, "width": 64, "height": 48},
        {"name": "d", "eye": [1, 0, 2], "target": [0, 2, 3], "lidar": "OS1-64", "hide": ["ball"]},
        {"name": "e", "eye": [1, 0, 2], "target": [0, 2, 3], "lidar": "VLP-32C"},
        {"name": "f", "eye": [1, 0, 2], "target": [0, 2, 3], "lidar": "Mid-40"},
    ]
    path = tmp_path / "scene.json"
    shapes = [{"type": "sphere", "name": "ball", "center": [0, 0, 0], "radius": 1}]
    path.write_text(json.dumps({"raytwin": 1, "shapes": shapes, "cameras": cameras}))
    a, b, c, d, e, f = rt.Scene.load(path).cameras
    assert [each.name for each in (a, b, c, d, e, f)] == list("abcdef")
    assert a.projection == Perspective(40.0) and a.range_max == 9.0
    assert b.projection == Orthographic(4.0) and b.noise == (0.5, 7)
    assert c.projection == Pinhole(90.0, 91.0, 31.0, 25.0, 64, 48) and c.size == (64, 48)
    assert d.hide == ("ball",) and d.projection == LIDARS["OS1-64"][0]
    assert e.projection == LIDARS["VLP-32C"][0] and f.projection == LIDARS["Mid-40"][0]
    assert f.size == (10_000, 1)
    np.testing.assert_array_equal(a.at(a.matrix).matrix, a.matrix)


REFUSED = [
    (lambda: rt.Camera.perspective((0, 0, 0), (0, 0, 0)), rt.SceneError, "target"),
    (lambda: rt.Camera.perspective((0, 0, np.nan), (0, 0, 1)), rt.SceneError, "eye"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), 180), rt.SceneError, "fov_y_degrees"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), up=(2, 0, 0)), rt.SceneError, "up"),
    (lambda: rt.Camera.perspective((0, 0), (1, 0, 0)), ValueError, "eye must have the shape"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), range_min=3, range_max=2), rt.SceneError, "range_max"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), noise=(-1, 2)), rt.SceneError, "noise"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), fov=2), TypeError, "fov"),
    (lambda: rt.Camera(Perspective(40.0), eye=(0, 0, 0)), ValueError, "needs its target"),
    (lambda: rt.Camera.orthographic((0, 0, 0), (1, 0, 0), 0), rt.SceneError, "height"),
    (lambda: rt.Camera.lidar("Mid-360"), ValueError, "the lidars are VLP-16"),
    (lambda: rt.Camera.lidar("VLP-16", np.diag([1.0, 1, -1, 1])), ValueError, "right-handed"),
    (lambda: rt.Camera.lidar("VLP-16", 2 * np.eye(4)[:3]), ValueError, "unit length"),
    (lambda: rt.Camera.panorama(elevation_degrees=(91, 0)), rt.SceneError, "elevation_degrees"),
    (lambda: rt.Camera.panorama(elevation_table_degrees=[]), rt.SceneError, "at least 1 row"),
    (lambda: rt.Camera.panorama(elevation_degrees=(9, 0), elevation_table_degrees=[1]), rt.SceneError, "keep one of the two"),
    (lambda: rt.Camera.pinhole(np.ones((3, 3)), np.eye(4), 4, 4), ValueError, "intrinsic_matrix"),
    (lambda: rt.Camera.pinhole(K, 2 * np.eye(4), 4, 4), ValueError, "extrinsic_matrix"),
    (lambda: rt.Camera.pinhole(K, np.eye(4), 0, 4), ValueError, "width and height"),
    (lambda: rt.Camera.pinhole(K, np.eye(4), -4, 4), ValueError, "width and height"),
    (lambda: rt.Camera.pinhole(K, np.eye(4), 4, 2**32), ValueError, "width and height"),
    (lambda: rt.Camera.panorama(columns=-1), ValueError, "width and height"),
    (lambda: rt.Camera(5, eye=(0, 0, 0), target=(1, 0, 0)), TypeError, "projection must be Perspective, .* and is 5"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), noise=(0.1, -1)), ValueError, "the seed of noise .* from 0 to .* is -1"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), noise=0.1), TypeError, "noise must be a Noise, or a standard deviation and a seed"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), range_min="near"), TypeError, "range_min must be real numbers"),
    (lambda: rt.Camera.perspective((0, 0, 0), (1, 0, 0), hide=(5,)), TypeError, "hide must be texts"),
    (lambda: rt.rays.camera(rt.Camera.lidar("VLP-16"), (10, 10)), rt.SceneError, "16"),
    (lambda: rt.rays.camera(rt.Camera.perspective((0, 0, 0), (1, 0, 0)), (0, 10)), ValueError, "width and height"),
    (lambda: rt.rays.camera(rt.Camera.perspective((0, 0, 0), (1, 0, 0)), (2**16, 2**16)), rt.SceneError, "4294967296"),
]


@pytest.mark.parametrize("make, error, message", REFUSED)
def test_what_is_no_camera_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
