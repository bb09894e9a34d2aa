"""Clouds: the points that the rays of a lidar or a camera hit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _raytwin
from .answers import Answers


class Sweeps(NamedTuple):
    """Where and when a sensor saw the points of a cloud, K times one after another."""

    name: str
    is_panoramic: bool
    is_in_sensor: bool
    range_min: float
    times: np.ndarray
    counts: np.ndarray
    poses: np.ndarray


class Cloud(Answers):
    """The returns of a lidar or a camera, as arrays by name, which are attributes, too. Each has a row for each of M points.

    - ``points``: float64 (M, 3), in the frame that was asked for
    - ``distance``: float32, along the ray, as the sensor reports it
    - ``geometry_ids``, ``primitive_ids``: uint32, what was hit
    - ``ring``, ``column``: uint32, the row of the sensor, from the top, and the column, from the left
    - ``time``: float64, when the ray was cast
    - ``label_ids``: uint16, the label of what was hit, 0 for none, if it was asked for
    - ``intensity`` and ``normalized_intensity``: float32, as it comes back and without the losses by the distance and the air,
      which is the reflectance of a perpendicular surface; ``return_number`` and ``number_of_returns``: uint8, and ``incidence``: float32, in degrees, for a
      lidar that makes returns, or if they were asked for
    - ``world_ids``: uint32, the world that it was cast in, if there are several

    ``label_names`` is a dictionary from label to name, as that of a `Scene`.
    """

    def __init__(self, arrays: dict[str, Any], sweeps: Sweeps, label_names: Mapping[int, str] | None = None) -> None:
        super().__init__(arrays)
        self.__dict__["sweeps"] = sweeps
        self.__dict__["label_names"] = dict(label_names or {})

    @classmethod
    def joined(cls, clouds: Sequence[Cloud]) -> Cloud:
        """Returns the points of clouds of one sensor in one frame, one after another, such as those of a drive.

        Raises ValueError if there is none, or if they have other arrays, another sensor or another frame.
        """
        if not clouds:
            raise ValueError("there is no cloud to join")
        first = clouds[0]
        label_names: dict[int, str] = {}
        for number, cloud in enumerate(clouds):
            if list(cloud) != list(first):
                raise ValueError(f"cloud {number} has the arrays {', '.join(cloud)}, and cloud 0 {', '.join(first)}")
            if cloud.sweeps[:4] != first.sweeps[:4]:
                raise ValueError(f"cloud {number} is of another sensor or in another frame than cloud 0")
            label_names |= cloud.label_names
        sweeps = (np.concatenate(each) for each in zip(*(cloud.sweeps[4:] for cloud in clouds)))
        arrays = {name: np.concatenate([cloud[name] for cloud in clouds]) for name in first}
        return cls(arrays, Sweeps(*first.sweeps[:4], *sweeps), label_names)

    def of_world(self, world: int) -> Cloud:
        """Returns the points of one world, of a cloud of one update; a cloud of one world is that of the world 0."""
        count = len(self.sweeps.counts)
        if not 0 <= world < count:
            raise IndexError(f"the cloud has {count} worlds, numbered from 0, and none has the number {world}")
        ends = np.cumsum(self.sweeps.counts)
        chosen = slice(int(ends[world] - self.sweeps.counts[world]), int(ends[world]))
        one = slice(world, world + 1)
        sweeps = Sweeps(*self.sweeps[:4], *(each[one] for each in self.sweeps[4:]))
        arrays = {name: array[chosen] for name, array in self.items() if name != "world_ids"}
        return Cloud(arrays, sweeps, self.label_names)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        crs: str | os.PathLike[str] | None = None,
        intensity: Literal["normalized", "raw"] = "normalized",
    ) -> None:
        """Writes the cloud as ``raytwin scan`` does, to a file of one of its formats, such as a .ply, .laz, .parquet, .csv or
        .mcap, which appears whole or not at all. An .xyz has rows of x y z and none of the other columns. A .las or .laz has intensities and returns if the cloud has them, and else 0 and the first of one; the
        names of labels if the cloud has ``label_ids``; times from the first; and as the source of a point the number of its
        sweep, from 1.

        ``crs`` names the coordinate system of the points in a .las or .laz: a code such as ``"EPSG:25832"``, or the path of a
        file of well-known text (WKT). ``intensity`` is what these store: the normalized one, which is 65535 for a perpendicular
        surface of reflectance 1 at any distance, or the raw one on a logarithmic scale, whose two numbers are in the file.

        An .mcap has messages of ROS 2: a ``PointCloud2`` on ``/NAME/points`` for each sweep, NAME being the sensor's, with points in
        the sensor's frame, whichever the cloud's is, and that frame's pose in ``map`` on ``/tf``. It is of one world: see `of_world`.

        Raises FileError for another extension, and if a file cannot be read or written; ValueError for messages of several worlds,
        and for a ``crs`` or a raw ``intensity`` that is unknown or that the format does not hold.
        """
        if intensity not in ("normalized", "raw"):
            raise ValueError(f"intensity must be 'normalized' or 'raw', and is {intensity!r}")
        name = os.fspath(path)
        is_raw = intensity == "raw"
        if is_raw and not str(name).lower().endswith((".las", ".laz")):
            raise ValueError("only a .las or .laz stores one intensity, and other clouds have both: leave it out")
        if str(name).lower().endswith(".mcap"):
            if crs is not None:
                raise ValueError("only a .las or .laz names a crs: leave it out")
            if "world_ids" in self:
                raise ValueError("messages are of one world: save each cloud.of_world(number)")
            _raytwin.save_messages(name, self, self.sweeps)
        else:
            system = None if crs is None else os.fspath(crs)
            _raytwin.save_cloud(name, self, self.sweeps, self.label_names, system, is_raw)

    def __repr__(self) -> str:
        return f"Cloud({len(self['distance'])} points)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Cloud, (dict(self), self.sweeps, self.label_names))
