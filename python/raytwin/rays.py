"""Rays of cameras and lidars, made in float64 and rounded once.

Each function returns an array of shape (H, W, 6) for `Tracer.cast_rays`: origins, and directions of unit length, so ``t`` is the
distance. Far from the world's origin float32 numbers are coarse. For a scene with an origin, pass ``dtype=np.float64``: raytwin
then subtracts the origin before it rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _raytwin
from .camera import Camera, size_of
from .rows import as_float64, matrices_of


def camera(camera: Camera, size: tuple[int, int] | None = None, *, dtype: Any = np.float32) -> np.ndarray:
    """Returns the rays of a camera's image.

    ``size`` is the width and height of the image, by default the camera's own. Pixel (0, 0) is at the top left. A ray goes through
    the middle of its pixel.

        >>> rays = camera(Camera.orthographic((0, 0, 9), (0, 0, 0), height=2.0), (2, 2))
        >>> rays[0, 0]
        array([-0.5,  0.5,  9. ,  0. ,  0. , -1. ], dtype=float32)
    """
    return _shaped(_raytwin.camera_rays(camera, size_of(size)), dtype)


def pinhole(
    intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int, *, dtype: Any = np.float32
) -> np.ndarray:
    """Returns the rays of `Camera.pinhole`: those of Open3D's ``create_rays_pinhole``, but with unit length.

        >>> pinhole([[100, 0, 1], [0, 100, 1], [0, 0, 1]], np.eye(4), 2, 2).shape
        (2, 2, 6)
    """
    return camera(Camera.pinhole(intrinsic_matrix, extrinsic_matrix, width_px, height_px), dtype=dtype)


def lidar(preset: str, pose: Any = None, *, dtype: Any = np.float32) -> np.ndarray:
    """Returns the rays of one turn of a published lidar at a pose, as in `Camera.lidar`. Row 0 is the highest ring.

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
    """Returns the rays of the sweep that begins at ``poses[index]``.

    ``times`` (N,) and ``poses`` (N, 4, 4) are a trajectory. A lidar with a ``sweep_s`` above 0 moves during its sweep: it casts
    column c of C columns at the time ``times[index] + (c + 0.5) / C * sweep_s``, when the sweep passes the middle of the column.
    Between two poses, the position moves along a line and the rotation turns about one axis, both at a constant speed.

    Raises ValueError if the trajectory ends before the sweep, and IndexError for an index that no pose has.
    """
    times, poses = as_float64(times, "times", (None,)), matrices_of(poses, "poses")
    if not -len(poses) <= index < len(poses):
        raise IndexError(f"there are {len(poses)} poses, and no number {index}")
    return _shaped(_raytwin.sweep_rays(camera, size_of(size), times, poses, index % len(poses)), dtype)


def _shaped(made: tuple[np.ndarray, list[int]], dtype: Any) -> np.ndarray:
    numbers, (width, height) = made
    return numbers.reshape(height, width, 6).astype(dtype, copy=False)
