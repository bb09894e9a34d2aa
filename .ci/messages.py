"""Scans into .mcap, reads the messages with two other libraries, and compares them with the clouds and arrays of the same scans.

    python3 .ci/messages.py target/release/raytwin FOLDER

mcap, mcap-ros2-support, rosbags and numpy must be installed.
"""

import json
import pathlib
import subprocess
import sys

import numpy
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

RAYTWIN, FOLDER = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
SCENE = {
    "raytwin": 1,
    "shapes": [
        {"type": "sphere", "center": [6, 1, 0.5], "radius": 1.5},
        {"type": "box", "center": [0, 8, 0], "half_extents": [3, 1, 2]},
        {"type": "plane", "point": [0, 0, -1.5], "normal": [0, 0, 1]},
    ],
    "cameras": [
        {"name": "lidar", "eye": [0, 0, 0], "target": [1, 0, 0], "lidar": "VLP-16", "range_max": 30},
        {"name": "flat clockwise", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [170, -120],
         "elevation_table_degrees": [0], "columns": 290, "sweep_s": 0.1, "range_min": 0.5, "range_max": 20},
        {"name": "flat", "eye": [0, 0, 0], "target": [1, 0, 0], "azimuth_degrees": [-180, 180], "elevation_degrees": [2, -2],
         "columns": 360, "sweep_s": 0.1},
        {"name": "perspective", "eye": [0, 0, 0], "target": [1, 0, 0], "fov_y_degrees": 60, "noise": {"stddev": 0.01, "seed": 3}},
        {"name": "calibrated", "eye": [0, 0, 0], "target": [1, 0, 0], "fx": 90.5, "fy": 91.25, "cx": 40.25, "cy": 28.5,
         "width": 80, "height": 60, "pixel_origin": "center", "range_max": 9},
    ],
}
ROWS = """time,x,y,z,qx,qy,qz,qw
1700000000.1,0,0,0,0,0,0,1
1700000000.25,0.5,0.1,0.2,0.01,-0.02,0.1,1
1700000000.4,1,0.4,0.3,0,0.05,0.3,1
"""
TURNED = "time,x,y,z,qx,qy,qz,qw\n5.5,0,0,0.5,-0.5,0.5,-0.5,0.5\n7,1,0,0.5,-0.5,0.4,-0.5,0.6\n"
TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 8: "f8"}


def scan(camera, output, poses, *flags):
    arguments = ["scan", "scene.json", "--poses", poses, "--camera", camera, "-o", output, *flags, "-q", "--device", "cpu"]
    subprocess.run([RAYTWIN, *arguments], cwd=FOLDER, check=True)


def messages(camera, poses, *flags):
    """Scans into an .mcap, and returns the messages of each topic, read with rosbags and compared with mcap-ros2-support."""
    scan(camera, "a.mcap", poses, *flags)
    scan(camera, "b.mcap", poses, *flags)
    path = FOLDER / "a.mcap"
    assert path.read_bytes() == (FOLDER / "b.mcap").read_bytes(), "the same scan gives other bytes"
    topics = {}
    standard = get_typestore(Stores.ROS2_JAZZY)
    with AnyReader([path]) as bag, open(path, "rb") as file:
        reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
        assert reader.get_header().profile == "ros2"
        for connection in bag.connections:
            kind = connection.msgtype
            assert bag.typestore.hash_rihs01(kind) == standard.hash_rihs01(kind), f"{kind} is not as ROS defines it"
        others = list(reader.iter_decoded_messages(log_time_order=False))
        assert len(others) == bag.message_count
        others = {(channel.topic, message.log_time): decoded for _, channel, message, decoded in others}
        for connection, time, raw in bag.messages():
            message = bag.deserialize(raw, connection.msgtype)
            written = standard.serialize_cdr(message, connection.msgtype)
            assert bytes(written) == bytes(raw), f"rosbags writes other bytes of {connection.msgtype}"
            assert_same(message, others[connection.topic, time])
            topics.setdefault(connection.topic, []).append(message)
    return topics


def assert_same(one, other):
    """Compares a message from rosbags with one from mcap-ros2-support."""
    if hasattr(one, "__msgtype__"):
        for name in other.__slots__:
            assert_same(getattr(one, name), getattr(other, name))
    elif isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert_same(a, b)
    elif isinstance(one, numpy.ndarray):
        other = numpy.frombuffer(other, "u1") if isinstance(other, bytes) else numpy.asarray(other, one.dtype)
        assert numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    else:
        assert one == other, (one, other)


def seconds(header):
    """Returns the time of a message since the whole second of ROWS, without the digits that float64 loses in an epoch time."""
    return header.stamp.sec - 1_700_000_000 + header.stamp.nanosec * 1e-9


def matrices(quaternions):
    x, y, z, w = numpy.moveaxis(quaternions, -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    return numpy.moveaxis(numpy.array(rows), [0, 1], [-2, -1])


def in_world(transforms, frame, points, times):
    """Transforms points of a frame into the world, from its poses at the given times, interpolated like tf2."""
    stamped = [message.transforms[0] for message in transforms]
    assert all(it.header.frame_id == "map" and it.child_frame_id == frame for it in stamped)
    known = numpy.array([seconds(it.header) for it in stamped])
    places = numpy.array([[getattr(it.transform.translation, axis) for axis in "xyz"] for it in stamped])
    turns = numpy.array([[getattr(it.transform.rotation, axis) for axis in "xyzw"] for it in stamped])
    row = numpy.clip(numpy.searchsorted(known, times, "right") - 1, 0, max(len(known) - 2, 0))
    share = ((times - known[row]) / (known[row + 1] - known[row]))[:, None]
    a, b = turns[row], turns[row + 1]
    b = numpy.where((a * b).sum(1, keepdims=True) < 0, -b, b)
    angle = numpy.arccos(numpy.clip((a * b).sum(1, keepdims=True), -1, 1))
    turned = (numpy.sin((1 - share) * angle) * a + numpy.sin(share * angle) * b) / numpy.sin(angle)
    moved = (1 - share) * places[row] + share * places[row + 1]
    return moved + numpy.einsum("nij,nj->ni", matrices(turned), points)


def positions(cloud):
    return numpy.stack([cloud[axis] for axis in "xyz"], axis=1)


def clouds(camera, poses, *flags):
    """Returns the points of a scan in the world and in the sensor's frame, from the program's .npy files."""
    scan(camera, "world.npy", poses, *flags)
    scan(camera, "sensor.npy", poses, "--frame", "sensor", *flags)
    return numpy.load(FOLDER / "world.npy"), numpy.load(FOLDER / "sensor.npy")


def check_point_clouds():
    for flags in [[], ["--cloud-normals"]]:
        topics = messages("lidar", "rows.csv", *flags)
        world, sensor = clouds("lidar", "rows.csv")
        assert sorted(topics) == ["/lidar/points", "/tf"] and len(topics["/tf"]) == 3
        rows = []
        for message in topics["/lidar/points"]:
            names = [field.name for field in message.fields]
            layout = {"names": names, "formats": [TYPES[field.datatype] for field in message.fields],
                      "offsets": [field.offset for field in message.fields], "itemsize": message.point_step}
            points = message.data.view(numpy.dtype(layout))
            assert len(points) == message.width and message.row_step == len(message.data) and message.header.frame_id == "lidar"
            rows.append((points, seconds(message.header) + points["time"].astype("f8")))
        points, times = (numpy.concatenate(columns) for columns in zip(*rows))
        assert len(points) == len(world) > 10_000
        assert numpy.array_equal(positions(points), positions(sensor).astype("f4"))
        assert all(numpy.array_equal(points[name], world[name]) for name in ["ring", "geometry_id"])
        assert abs(times - (world["time"] - 1_700_000_000)).max() < 5e-7
        off = abs(in_world(topics["/tf"], "lidar", positions(points).astype("f8"), times) - positions(world)).max()
        assert off < 2e-5, off
        if flags:
            scan("lidar", "normals.npy", "rows.csv", "--frame", "sensor", *flags)
            normals = numpy.load(FOLDER / "normals.npy")
            assert all(numpy.array_equal(points[f"normal_{axis}"], normals[f"n{axis}"]) for axis in "xyz")
    print(f"PointCloud2: {len(points)} points are equal to the .npy; in the world, with /tf, within {off:.1e}")


def check_laser_scans():
    for camera, name, count in [("flat clockwise", "flat_clockwise", 290), ("flat", "flat", 360)]:
        size = ["--size", f"{count}x1"]
        topics = messages(camera, "rows.csv", *size)
        world, _ = clouds(camera, "rows.csv", *size, "--intensity")
        points, times, intensities = [], [], []
        for message in topics[f"/{name}/scan"]:
            assert message.angle_increment > 0 and message.header.frame_id == name and len(message.ranges) == count
            index = numpy.arange(count)
            angles = message.angle_min + index * float(message.angle_increment)
            assert abs(angles[-1] - message.angle_max) < 1e-5
            is_hit = message.ranges < numpy.inf
            assert (message.ranges[is_hit] >= message.range_min).all() and (message.ranges[is_hit] <= message.range_max).all()
            flat = numpy.stack([message.ranges * numpy.cos(angles), message.ranges * numpy.sin(angles), 0 * angles], axis=1)
            points.append(flat[is_hit])
            assert len(message.intensities) == count and (message.intensities[~is_hit] == 0).all()
            intensities.append(message.intensities[is_hit])
            times.append((seconds(message.header) + index * float(message.time_increment))[is_hit])
        points, times = numpy.concatenate(points), numpy.concatenate(times)
        moved = in_world(topics["/tf"], name, points, times)
        # The .npy has the columns in another order.
        order, other = numpy.argsort(times), numpy.argsort(world["time"], kind="stable")
        assert len(points) == len(world) > 100
        # The angles are float32, so the error of a point grows with its distance.
        off = (abs(moved[order] - positions(world)[other]).max(axis=1) / world["distance"][other]).max()
        assert off < 2e-6, off
        assert numpy.array_equal(numpy.concatenate(intensities)[order], world["intensity"][other])
        print(f"LaserScan {name}: {len(points)} ranges agree with the points of the .npy within {off:.1e} of their distance")


def check_depth_images():
    for camera, size in [("perspective", (100, 60)), ("calibrated", (80, 60))]:
        flags = ["--size", "x".join(map(str, size))]
        topics = messages(camera, "turned.csv", *flags)
        scan(camera, "images/", "turned.csv", "--each", "npz,npy", "--frame", "sensor", *flags)
        frame = f"{camera}_optical"
        assert [it.transforms[0].child_frame_id for it in topics["/tf"]] == [frame] * 2
        for row, (image, info) in enumerate(zip(topics[f"/{camera}/image"], topics[f"/{camera}/camera_info"], strict=True)):
            assert image.header == info.header and image.header.frame_id == frame
            assert (image.width, image.height) == (info.width, info.height) == size and image.encoding == "32FC1"
            depths = image.data.view("f4").reshape(image.height, image.step // 4)
            assert numpy.array_equal(depths, numpy.load(FOLDER / f"images/pose_{row:06}.npz")["z"])
            fx, _, cx, _, fy, cy, *_ = info.k
            assert numpy.array_equal(info.p.reshape(3, 4)[:, :3].ravel(), info.k)
            if camera == "calibrated":
                assert numpy.allclose([fx, fy, cx, cy], [90.5, 91.25, 40.25, 28.5], rtol=1e-15, atol=0), info.k
            v, u = numpy.nonzero(numpy.isfinite(depths))
            z = depths[v, u].astype("f8")
            cloud = positions(numpy.load(FOLDER / f"images/pose_{row:06}.npy"))
            off = abs(numpy.stack([(u - cx) / fx * z, (v - cy) / fy * z, z], axis=1) - cloud).max()
            assert len(cloud) > 1000 and off < 2e-6 * cloud.max(), off
        print(f"Image {camera}: depths are equal to the .npz, and with CameraInfo the points agree with the .npy within {off:.1e}")


(FOLDER / "scene.json").write_text(json.dumps(SCENE))
(FOLDER / "rows.csv").write_text(ROWS)
(FOLDER / "turned.csv").write_text(TURNED)
check_point_clouds()
check_laser_scans()
check_depth_images()
