"""Clouds: the points that the rays of a lidar or a camera hit."""

from __future__ import annotations

import os
from typing import Any

from . import _raytwin
from .answers import Answers


class Cloud(Answers):
    """The returns of a lidar or a camera, as arrays by name, which are attributes, too. Each has a row for each of M points.

    - ``points``: float64 (M, 3), in the frame that was asked for
    - ``distance``: float32, along the ray, as the sensor reports it
    - ``geometry_ids``, ``primitive_ids``: uint32, what was hit
    - ``ring``, ``column``: uint32, the row of the sensor, from the top, and the column, from the left
    - ``time``: float64, when the ray was cast
    - ``world_ids``: uint32, the world that it was cast in, if there are several
    """

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the cloud as ``raytwin scan`` does, to a .ply, .pcd, .las or .npy file, which appears whole or not at all.

        Raises FileError for another extension, and if the file cannot be written.
        """
        _raytwin.save_cloud(os.fspath(path), self)

    def __repr__(self) -> str:
        return f"Cloud({len(self['distance'])} points)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Cloud, (dict(self),))
