"""Images from many poses, each in a world: those of one image after the other."""

import pickle

import numpy as np
import pytest

import raytwin as rt

RNG = np.random.default_rng(61)
WORLD_IDS = np.array([2, 0, 1, 1, 2], dtype=np.uint32)
CAMERAS = [
    rt.Camera(rt.camera.Perspective(60), pose=np.eye(4), name="eye", range_min=0.5),
    rt.Camera(rt.camera.Orthographic(8), pose=np.eye(4), noise=(0.01, 7)),
    rt.Camera.panorama(azimuth_degrees=(90, -90), elevation_table_degrees=np.linspace(20, -20, 8).tolist(), columns=20),
]


def moved(height):
    ball = rt.Scene()
    ball.add_spheres([[0, 0, 0]], 1.0)
    scene = rt.Scene()
    scene.add_planes([0, 0, -4], normals=[0, 0, 1])
    node = scene.add_node(name="ball")
    scene.add_instances(ball, nodes=[node])
    scene.set_transforms([node], [np.array([[1, 0, 0, 0], [0, 1, 0, 0.3], [0, 0, 1, height]])])
    return scene


def rows(count):
    """Rows x y z qx qy qz qw that look about the middle from above."""
    away = RNG.uniform(-1, 1, (count, 3)) + [0, 0, 7]
    turns = np.array([1.0, 0.0, 0.0, 0.0]) + RNG.uniform(-0.1, 0.1, (count, 4))
    return np.column_stack([away, 3 * turns])


@pytest.fixture(scope="module", params=["cpu", "gpu"])
def tracer(request):
    scene = moved(0.0)
    for height in (1.0, 2.5):
        scene.add_world(moved(height))
    return rt.Tracer(scene, device=request.param)


@pytest.mark.parametrize("camera", CAMERAS, ids=["perspective", "orthographic", "panorama"])
def test_images_are_those_of_each_pose_in_its_world_alone(tracer, camera):
    poses = rows(len(WORLD_IDS))
    size = None if camera is CAMERAS[2] else (13, 9)
    images = tracer.render(camera, size, poses=poses, world_ids=WORLD_IDS, normals=True, labels=True)
    width, height = size or camera.size
    assert repr(images) == f"Images(5 of {width}x{height} by {camera.name})"
    assert set(images) == {"distance", "z", "geometry_ids", "primitive_ids", "primitive_normals", "label_ids"}
    device = "cpu" if "CPU" in tracer.device else "gpu"
    alone = [rt.Tracer(moved(height), device=device) for height in (0.0, 1.0, 2.5)]
    for index, world in enumerate(WORLD_IDS):
        matrix = rt.images.poses_of(poses[index : index + 1]).reshape(3, 4)
        single = alone[world].render(camera.at(matrix), size)
        assert np.isfinite(single.distance).any()
        for name in ("geometry_ids", "primitive_ids"):
            np.testing.assert_array_equal(images[name][index], single[name])
        if camera.noise is None or index == 0:
            # An image has noise of its own.
            np.testing.assert_allclose(images.distance[index], single.distance, rtol=1e-6)
            np.testing.assert_allclose(images.z[index], single.z, rtol=1e-6)
        else:
            assert (images.distance[index] != single.distance).any()
        np.testing.assert_allclose(images.primitive_normals[index], single.primitive_normals, atol=1e-6)


def test_poses_are_matrices_or_rows_and_worlds_are_the_first_by_default(tracer):
    poses = rows(3)
    first = tracer.render(CAMERAS[0], (6, 4), poses=poses)
    matrices = np.zeros((3, 4, 4))
    matrices[:, :3] = rt.images.poses_of(poses).reshape(3, 3, 4)
    matrices[:, 3, 3] = 1
    for given in (matrices, matrices[:, :3], matrices.astype(np.float32).astype(float), poses.tolist()):
        again = tracer.render(CAMERAS[0], (6, 4), poses=given, world_ids=[0, 0, 0])
        np.testing.assert_array_equal(again.geometry_ids, first.geometry_ids)
    np.testing.assert_array_equal(tracer.render(CAMERAS[0], (6, 4), poses=poses[0]).z, first.z[:1])
    assert tracer.render(CAMERAS[0], (6, 4), poses=np.empty((0, 7))).z.shape == (0, 4, 6)
    assert "primitive_normals" not in first
    again = pickle.loads(pickle.dumps(first))
    assert type(again) is rt.Images and again.camera == first.camera
    np.testing.assert_array_equal(again.z, first.z)


def test_arrays_to_fill_are_filled_and_returned(tracer):
    poses = rows(3)
    expected = tracer.render(CAMERAS[0], (6, 4), poses=poses, world_ids=[0, 1, 2], albedo=True)
    room = np.full((2, 3, 4, 6), 7, np.float32)
    out = {"z": room[1], "albedo": np.zeros((3, 4, 6, 3), np.uint8)}
    images = tracer.render(CAMERAS[0], (6, 4), poses=poses, world_ids=[0, 1, 2], albedo=True, out=out)
    assert images.z is out["z"] and images.albedo is out["albedo"]
    np.testing.assert_array_equal(room[1], expected.z)
    np.testing.assert_array_equal(images.albedo, expected.albedo)
    assert (room[0] == 7).all()
    # Columns of one table lie apart, however they are turned.
    table = np.zeros((6, 4, 3, 2), np.float32)
    columns = {name: table[..., index].transpose(2, 1, 0) for index, name in enumerate(["z", "distance"])}
    tracer.render(CAMERAS[0], (6, 4), poses=poses, world_ids=[0, 1, 2], out=columns)
    for name, column in columns.items():
        np.testing.assert_array_equal(column, expected[name])


def test_arrays_to_fill_that_share_memory_are_refused(tracer):
    memory = np.zeros(200, np.float32)
    rooms = [memory[first : first + 48].reshape(2, 4, 6) for first in (0, 47, 96)]
    plane = np.lib.stride_tricks.as_strided(memory, (2, 4, 6), (4, 4, 16), writeable=True)
    for z, distance in [(rooms[0], rooms[0]), (rooms[0], rooms[1]), (rooms[2], plane), (plane, rooms[2])]:
        with pytest.raises(ValueError, match="shares memory"):
            tracer.render(CAMERAS[0], (6, 4), poses=rows(2), out={"z": z, "distance": distance})
        assert not memory.any()
    tracer.render(CAMERAS[0], (6, 4), poses=rows(2), out={"z": rooms[0], "distance": rooms[2]})
    assert memory.any()


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"world_ids": [0]}, TypeError, "give poses"),
        ({"out": {}}, TypeError, "give poses"),
        ({"poses": rows(2), "world_ids": [0]}, ValueError, "one number for each of 2 poses, and there are 1"),
        ({"poses": rows(2), "world_ids": [0, 3]}, rt.SceneError, "image 1 is rendered in world 3, but the scene has 3"),
        ({"poses": rows(2), "world_ids": [0.5, 1]}, TypeError, "world_ids must be integers"),
        ({"poses": np.zeros((2, 6))}, ValueError, "poses must have the shape"),
        ({"poses": np.zeros((2, 7))}, ValueError, r"poses\[0\] must be x y z and a quaternion"),
        ({"poses": [[0, 0, np.nan, 0, 0, 0, 1]]}, ValueError, r"poses\[0\] must be"),
        ({"poses": [[2e9, 0, 0, 0, 0, 0, 1]]}, ValueError, r"poses\[0\]: .*1e9"),
        ({"poses": [np.diag([1, 1, 2, 1.0])]}, ValueError, r"poses\[0\]: a pose must be a rotation"),
        ({"poses": rows(1), "out": {"depth": np.zeros(1)}}, ValueError, "out has an array 'depth'"),
        ({"poses": rows(1), "out": {"z": [1.0]}}, TypeError, "must be a NumPy array"),
        ({"poses": rows(1), "out": [1.0]}, TypeError, "out must be a dict of arrays by name"),
        ({"poses": rows(1), "out": {"z": np.ma.zeros((1, 4, 6), np.float32)}}, TypeError, "must be a NumPy array"),
        ({"poses": rows(1), "out": {"z": np.zeros((1, 4, 6))}}, ValueError, "must be float32"),
        ({"poses": rows(1), "out": {"z": np.zeros((4, 6), np.float32)}}, ValueError, r"\(1, 4, 6\)"),
    ],
)
def test_what_is_no_pose_world_or_room_is_refused(tracer, options, error, words):
    with pytest.raises(error, match=words):
        tracer.render(CAMERAS[0], (6, 4), **options)


def test_images_of_a_beam_are_those_of_each_pose(tracer):
    rows_of_beam = np.linspace(-20, -60, 5).tolist()
    camera = rt.Camera.panorama(
        azimuth_degrees=(60, -60), elevation_table_degrees=rows_of_beam, columns=9, beam=rt.camera.Beam(3.0, subrays=7)
    )
    poses = np.column_stack([rows(3)[:, :3], np.tile([0.0, 0.0, 0.0, 1.0], (3, 1))])
    images = tracer.render(camera, poses=poses, world_ids=[0, 1, 2], normals=True)
    device = "cpu" if "CPU" in tracer.device else "gpu"
    for index, height in enumerate((0.0, 1.0, 2.5)):
        matrix = rt.images.poses_of(poses[index : index + 1]).reshape(3, 4)
        single = rt.Tracer(moved(height), device=device).render(camera.at(matrix))
        assert np.isfinite(single.distance).any()
        np.testing.assert_allclose(images.distance[index], single.distance, rtol=1e-5)
