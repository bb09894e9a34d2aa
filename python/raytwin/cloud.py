"""Point clouds: the points that the rays of a lidar or a camera hit."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _raytwin
from .answers import Answers


class Sweeps(NamedTuple):
    """The sensor of a cloud, and the time, the pose and the number of points of each of its K sweeps."""

    name: str
    is_panoramic: bool
    is_in_sensor: bool
    range_min: float
    times: np.ndarray
    counts: np.ndarray
    poses: np.ndarray


class Cloud(Answers):
    """The returns of a lidar or a camera, as arrays by name that are also attributes. Each array has a row for each of M points.

    - ``points``: float64 (M, 3), in the requested frame
    - ``distance``: float32, along the ray, as the sensor reports it
    - ``geometry_ids``, ``primitive_ids``: uint32, the geometry and the primitive that were hit
    - ``ring``, ``column``: uint32, the row of the sensor, from the top, and the column, from the left
    - ``time``: float64, when the ray was cast
    - ``label_ids``: uint16, the label of the geometry, 0 for none; only if requested
    - ``world_ids``: uint32, the world of the ray; only if there are several worlds

    The following arrays exist for a lidar that makes returns, or if requested with ``intensity=True``:

    - ``intensity``: float32, the raw intensity, with the losses from distance and air
    - ``normalized_intensity``: float32, the intensity without these losses; it equals the reflectance of a
      perpendicular surface
    - ``return_number``, ``number_of_returns``: uint8
    - ``incidence``: float32, the angle of incidence in degrees

    ``label_names`` is a dictionary from label to name, as in a `Scene`.
    """

    def __init__(self, arrays: dict[str, Any], sweeps: Sweeps, label_names: Mapping[int, str] | None = None) -> None:
        super().__init__(arrays)
        self.__dict__["sweeps"] = sweeps
        self.__dict__["label_names"] = dict(label_names or {})

    @classmethod
    def concatenate(cls, clouds: Sequence[Cloud]) -> Cloud:
        """Returns one cloud with the points of several clouds, in order, such as those of a drive.

        Raises ValueError if there is no cloud, or if the clouds differ in their arrays, their sensor or their frame.
        """
        if not clouds:
            raise ValueError("there is no cloud to join")
        first = clouds[0]
        label_names: dict[int, str] = {}
        for number, cloud in enumerate(clouds):
            if list(cloud) != list(first):
                raise ValueError(f"cloud {number} has the arrays {', '.join(cloud)}, and cloud 0 has {', '.join(first)}")
            if cloud.sweeps[:4] != first.sweeps[:4]:
                raise ValueError(f"cloud {number} has another sensor or another frame than cloud 0")
            label_names |= cloud.label_names
        sweeps = (np.concatenate(each) for each in zip(*(cloud.sweeps[4:] for cloud in clouds)))
        arrays = {name: np.concatenate([cloud[name] for cloud in clouds]) for name in first}
        return cls(arrays, Sweeps(*first.sweeps[:4], *sweeps), label_names)

    def of_world(self, world: int) -> Cloud:
        """Returns the points of one world.

        The cloud must have one sweep for each world, like a cloud from `raytwin.mujoco.Follower.scan`.

        Raises IndexError for a world that does not exist.
        """
        count = len(self.sweeps.counts)
        if not 0 <= world < count:
            raise IndexError(f"the cloud has {count} worlds, numbered from 0, and there is no number {world}")
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
        """Writes the cloud to a file, as ``raytwin scan`` does. The extension decides the format.

        The formats include .ply, .las, .laz, .parquet, .csv, .xyz and .mcap. The file appears whole or not at all. An .xyz has
        rows of x y z and no other columns.

        A .las or .laz has intensities and returns if the cloud has them; otherwise every point has the intensity 0 and is
        return 1 of 1. It has the names of labels if the cloud has ``label_ids``. Its times count from the first sweep, and the
        point source ID of a point is the number of its sweep, from 1. For these two formats, ``crs`` names the coordinate
        system of the points: a code such as ``"EPSG:25832"``, or the path of a file of well-known text (WKT). ``intensity``
        chooses the stored intensity: ``"normalized"``, which is 65535 for a perpendicular surface of reflectance 1 at any
        distance, or ``"raw"``, on a logarithmic scale whose two parameters are in the file.

        An .mcap has ROS 2 messages: a ``PointCloud2`` on ``/NAME/points`` for each sweep, where NAME is the sensor's name.
        The points are in the sensor's frame, whatever the frame of the cloud, and ``/tf`` has the pose of that frame in
        ``map``. The messages are those of one world: see `of_world`.

        Raises FileError for an unknown extension, and if a file cannot be read or written. Raises ValueError for messages of
        several worlds, and for a ``crs`` or an ``intensity`` that is unknown or that the format cannot store.
        """
        if intensity not in ("normalized", "raw"):
            raise ValueError(f"intensity must be 'normalized' or 'raw', and is {intensity!r}")
        name = os.fspath(path)
        is_raw = intensity == "raw"
        if is_raw and not str(name).lower().endswith((".las", ".laz")):
            raise ValueError("only a .las or .laz stores a single intensity, other formats store both: leave intensity out")
        if str(name).lower().endswith(".mcap"):
            if crs is not None:
                raise ValueError("only a .las or .laz stores a crs: leave it out")
            if "world_ids" in self:
                raise ValueError("an .mcap stores one world: save each cloud.of_world(number)")
            _raytwin.save_messages(name, self, self.sweeps)
        else:
            system = None if crs is None else os.fspath(crs)
            _raytwin.save_cloud(name, self, self.sweeps, self.label_names, system, is_raw)

    def __repr__(self) -> str:
        return f"Cloud({len(self['distance'])} points)"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Cloud, (dict(self), self.sweeps, self.label_names))
