"""Rays of cameras and lidars, made in float64 and rounded once.

Each function returns an array of shape (H, W, 6), which `Tracer.cast_rays` takes as it is: origins, and directions of unit
length, so that ``t`` is the distance. Far from the world's origin float32 numbers are coarse: give ``dtype=np.float64`` for a
scene about an origin of its own, which is then subtracted before anything is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _raytwin
from .camera import Camera, size_of
from .rows import as_float64, matrices_of


def camera(camera: Camera, size: tuple[int, int] | None = None, *, dtype: Any = np.float32) -> np.ndarray:
    """Returns the rays of a camera's image of ``size``, its width and height: pixel (0, 0) is at the top left, and a ray goes
    through the middle of its pixel.

        >>> rays = camera(Camera.orthographic((0, 0, 9), (0, 0, 0), height=2.0), (2, 2))
        >>> rays[0, 0]
        array([-0.5,  0.5,  9. ,  0. ,  0. , -1. ], dtype=float32)
    """
    return _shaped(_raytwin.camera_rays(camera, size_of(size)), dtype)


def pinhole(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int, *, dtype: Any = np.float32
) -> np.ndarray:
    """Returns the rays of `Camera.pinhole`: those of Open3D's ``create_rays_pinhole``, but of unit length.

        >>> pinhole([[100, 0, 1], [0, 100, 1], [0, 0, 1]], np.eye(4), 2, 2).shape
        (2, 2, 6)
    """
    return camera(Camera.pinhole(intrinsic_matrix, extrinsic_matrix, width_px, height_px), dtype=dtype)


def lidar(preset: str, pose: Any = None, *, dtype: Any = np.float32) -> np.ndarray:
    """Returns the rays of one turn of a published lidar at a pose: see `Camera.lidar`. A row is a channel, from the highest.

        >>> lidar("VLP-16").shape
        (16, 1808, 6)
    """
    return camera(Camera.lidar(preset, pose), dtype=dtype)


def sweep(
    camera: Camera,
    times: Any,
    poses: Any,
    index: int,
    size: tuple[int, int] | None = None,
    *,
    dtype: Any = np.float32,
) -> np.ndarray:
    """Returns the rays of the sweep that begins at ``poses[index]`` of a trajectory of times (N,) and poses (N, 4, 4).

    A lidar that takes time for its sweep casts each column from where it is then: column c of N at the time
    ``times[index] + (c + 0.5) / N * sweep_s``, at which the sweep passes the column's middle. Between two poses the position moves along
    a line and the rotation about one axis, both at an even speed. Raises ValueError if the trajectory ends before the sweep.
    """
    times, poses = as_float64(times, "times", (None,)), matrices_of(poses, "poses")
    if not -len(poses) <= index < len(poses):
        raise IndexError(f"there are {len(poses)} poses, and no number {index}")
    return _shaped(_raytwin.sweep_rays(camera, size_of(size), times, poses, index % len(poses)), dtype)


def _shaped(made: tuple[np.ndarray, list[int]], dtype: Any) -> np.ndarray:
    numbers, (width, height) = made
    return numbers.reshape(height, width, 6).astype(dtype, copy=False)
