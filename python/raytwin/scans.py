"""Scans: the point clouds of a lidar or a camera from one or several poses."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _raytwin
from .camera import LIDARS, Camera, size_of
from .chosen_camera import camera_of
from .cloud import Cloud, Sweeps
from .images import poses_of
from .rows import as_float64, as_ids

_ALL = 2**32 - 1


def scan(
    tracer: _raytwin.Tracer,
    camera: Any,
    size: Any,
    places: tuple[Any, Any, Any],
    frame: str | None,
    labels: bool,
    intensity: bool,
) -> Cloud:
    """Does the work of `Tracer.scan`, at poses with their times and worlds."""
    if frame not in (None, "world", "sensor"):
        raise ValueError(f"frame must be 'world' or 'sensor', and is {frame!r}")
    poses, times, world_ids = places
    scene = tracer.scene
    if isinstance(camera, str) and camera.lower() in {name.lower() for name in LIDARS}:
        lidar, size = Camera.lidar(camera, beam=None, returns=None), size_of(size)
        if poses is None:
            raise TypeError(f"{lidar.name} has no pose: give poses, or Camera.lidar({lidar.name!r}, pose)")
    else:
        lidar, size = camera_of(scene, camera, size)
    rows = lidar.matrix[:3].reshape(1, 12) if poses is None else poses_of(poses)
    rows = np.ascontiguousarray(rows)
    count = len(rows)
    moments = np.arange(count, dtype=float) if times is None else as_float64(times, "times", (None,))
    worlds = np.zeros(count, np.uint32) if world_ids is None else as_ids(world_ids, "world_ids")
    for name, numbers in (("times", moments), ("world_ids", worlds)):
        if len(numbers) != count:
            raise ValueError(f"{name} must have one number for each of {count} poses, and there are {len(numbers)}")
    is_in_sensor = frame == "sensor"
    arrays = tracer._scan(lidar, size, rows, _ALL, 0, is_in_sensor, labels, intensity, worlds)
    counts, numbers = arrays.pop("counts"), arrays.pop("pose_numbers")
    arrays["time"] = moments[numbers]
    if scene.world_count > 1:
        arrays["world_ids"] = worlds[numbers]
    sweeps = Sweeps(lidar.name, lidar.is_panoramic, is_in_sensor, lidar.range_min, moments, counts, rows)
    return Cloud(arrays, sweeps, scene.label_names)
