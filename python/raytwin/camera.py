"""Cameras and lidars, as plain data that you can compare, copy and pickle."""

from __future__ import annotations

import dataclasses
import json
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Union, cast, overload

import numpy as np

from . import _raytwin
from .rows import as_float64, keep_floats, matrix_of

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Perspective:
    """A perspective projection with square pixels. The optical axis goes through the middle of the image."""

    fov_y_degrees: float
    """The angle between the top and the bottom edge of the image, in degrees."""

    def __post_init__(self) -> None:
        keep_floats(self, "fov_y_degrees", ())


@dataclass(frozen=True)
class Pinhole:
    """A calibrated camera. Its numbers are in pixels, and scale with the size of the image."""

    fx: float
    fy: float
    cx: float
    """The x of the principal point, from the top left corner of the image, as in Open3D. ``cy`` is its y."""
    cy: float
    width: int
    height: int

    def __post_init__(self) -> None:
        for name in ("fx", "fy", "cx", "cy"):
            keep_floats(self, name, ())
        size_of((self.width, self.height))


@dataclass(frozen=True)
class Orthographic:
    """A projection with parallel rays, which start on the plane through the eye."""

    height: float
    """The height of the image, in scene units."""

    def __post_init__(self) -> None:
        keep_floats(self, "height", ())


@dataclass(frozen=True)
class Panoramic:
    """A lidar. The columns of its image are azimuths, and the rows are elevations."""

    azimuth_degrees: Sequence[float]
    """The azimuths of the left and the right edge of the image: 0 is forward, positive is to the left."""
    elevation_degrees: Sequence[float] | None = None
    """The elevations of the top and the bottom edge of the image. The rows are evenly spaced between them."""
    elevation_table_degrees: Sequence[float] | None = None
    """The elevation of each row, from the top, in place of ``elevation_degrees``."""
    columns: int | None = None
    """The width of an image, in pixels, if no size is given."""
    sweep_s: float = 0.0
    """The duration of a sweep from the left edge to the right, in seconds, for `raytwin.rays.sweep`."""
    row_azimuth_offsets_degrees: Sequence[float] | None = None
    """The angle to add to the azimuth of each row of the table. The turn of the head until the row is cast is also added."""
    row_times_s: Sequence[float] | None = None
    """The time at which each row of the table is cast in a sweep, in seconds after its column's time. May be negative."""

    def __post_init__(self) -> None:
        shapes: dict[str, tuple[int | None, ...]] = {"azimuth_degrees": (2,), "elevation_degrees": (2,), "sweep_s": ()}
        tables = ("elevation_table_degrees", "row_azimuth_offsets_degrees", "row_times_s")
        shapes.update(dict.fromkeys(tables, (None,)))
        for name, shape in shapes.items():
            keep_floats(self, name, shape)
        if self.columns is not None:
            size_of((self.columns, 1))


@dataclass(frozen=True)
class Pattern:
    """A lidar without rows and columns, whose image has one row.

    Pulses leave at a constant rate and optics deflect them, or a table lists them. The frame is x forward, y left, z up.

        >>> palmer = Pattern("conic", half_angle_degrees=20, turns_per_s=10, pulses_per_s=100_000, sweep_s=0.1)
        >>> Camera.pattern(palmer).size
        (10000, 1)
        >>> pair = Pattern("table", time_s=[0, 1e-5], azimuth_degrees=[0, 5], elevation_degrees=[0, 0])

    Each type needs the same fields as in a scene file:

    - ``risley``: wedge_degrees and turns_per_s (both pairs), refractive_index, pulses_per_s and sweep_s.
    - ``oscillating``: half_angle_degrees, swings_per_s, pulses_per_s and sweep_s.
    - ``polygon``: half_angle_degrees, lines_per_s, pulses_per_s and sweep_s.
    - ``conic``: half_angle_degrees, turns_per_s, pulses_per_s and sweep_s.
    - ``table``: the lists time_s, azimuth_degrees and elevation_degrees, and optionally sweep_s.
    """

    type: str
    """The type: ``risley``, ``oscillating``, ``polygon``, ``conic`` or ``table``."""
    pulses_per_s: float | None = None
    sweep_s: float | None = None
    half_angle_degrees: float | None = None
    swings_per_s: float | None = None
    lines_per_s: float | None = None
    turns_per_s: float | Sequence[float] | None = None
    wedge_degrees: Sequence[float] | None = None
    refractive_index: float | None = None
    time_s: Sequence[float] | None = None
    azimuth_degrees: Sequence[float] | None = None
    elevation_degrees: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for name in ("pulses_per_s", "sweep_s", "half_angle_degrees", "swings_per_s", "lines_per_s", "refractive_index"):
            keep_floats(self, name, ())
        keep_floats(self, "turns_per_s", (2,) if self.type == "risley" else ())
        keep_floats(self, "wedge_degrees", (2,))
        for name in ("time_s", "azimuth_degrees", "elevation_degrees"):
            keep_floats(self, name, (None,))

    @property
    def _fields(self) -> str:
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return json.dumps({name: each for name, each in fields.items() if each is not None})


@dataclass(frozen=True)
class Noise:
    """The noise of an instrument, which applies to images and scans. It is the same on every machine."""

    stddev: float
    """The standard deviation of distances, in scene units."""
    seed: int = 0
    """The seed of the noise."""
    stddev_per_distance: float = 0.0
    """The increase of the standard deviation for each unit of distance."""
    reference_intensity: float = 0.0
    """The raw intensity at which the standard deviation applies. At another intensity it is multiplied by
    ``sqrt(reference_intensity / intensity)``. With 0 it applies at any intensity."""
    jitter_mrad: float = 0.0
    """The standard deviation of the rays' directions along each of two axes, in milliradians."""
    dropout: float = 0.0
    """The share of returns that are lost, from 0 to 1."""


@dataclass(frozen=True)
class Beam:
    """The beam of a lidar, which widens with the distance d.

    Its light falls to 1/e² at the radius ``exit_diameter / 2 + d · tan(divergence / 2)`` from its middle.
    """

    divergence_mrad: float
    """The full angle at 1/e², in milliradians."""
    exit_diameter: float = 0.0
    """The diameter at the exit, at 1/e², in scene units."""
    subrays: int = 1
    """The number of rays that are cast for the beam: 1, 7, 19, 37 or another centred hexagonal number up to 1261."""


@dataclass(frozen=True)
class Returns:
    """The rules that decide which surfaces in a lidar's beam become returns."""

    max: int = 5
    """The largest number of returns of a beam, from 1 to 15. If there are more, the strongest are kept."""
    mode: str = "all"
    """The returns to keep: ``all``, ``first``, ``last`` or ``strongest``."""
    range_resolution: float = 0.3
    """The largest gap between hits of one return, in scene units."""


Projection = Union[Perspective, Pinhole, Orthographic, Panoramic, Pattern]


@dataclass(frozen=True)
class Camera:
    """A camera or a lidar, in your own coordinates.

    A camera is at a ``pose``. If ``pose`` is None, it is at ``eye`` and looks at ``target``, with ``up`` upwards in the image.
    The default of ``up`` is +z, or +y for a camera that looks along z. Class methods make the common kinds:

        >>> camera = Camera.perspective((6, -6, 4), (0, 0, 1), fov_y_degrees=40)
        >>> camera.size
        (640, 480)
        >>> Camera.lidar("VLP-16").size
        (1808, 16)

    All class methods accept the attributes below as keywords. The most common ones are:

    - ``name``: the name of the camera.
    - ``range_min``, ``range_max``: hits at distances outside this range give no return.
    - ``noise``: a `Noise`, or the standard deviation of distances and a seed, such as ``(0.01, 7)``.
    - ``hide``: the paths of geometries that the rays pass through.

    The range and the noise change the distances of images, and never the ids.

    Raises SceneError, with the names of the numbers, if numbers are out of range or do not fit each other. Raises ValueError
    if ``pose`` is not a pose.
    """

    projection: Projection
    eye: tuple[float, float, float] | None = None
    target: tuple[float, float, float] | None = None
    up: tuple[float, float, float] | None = None
    pose: Rows | np.ndarray | None = None
    """The first three rows of the matrix from the sensor's frame into the world frame. The sensor's frame is x right, y down and
    z forward, as in OpenCV. For a lidar it is x forward, y left and z up, as in ROS."""
    name: str = "camera"
    range_min: float = 0.0
    range_max: float = math.inf
    noise: tuple[float, int] | Noise | None = None
    hide: tuple[str, ...] = ()
    beam: Beam | None = None
    """The beam of a lidar. If None, each ray is a line."""
    returns: Returns | None = None
    """The rules for a lidar's returns. If None, only the strongest return is kept."""
    attenuation_per_km: float = 0.0
    """The extinction of the air in 1/km, for scene units of metres."""
    detection_limit: float = 0.0
    """The smallest raw intensity of a return."""

    def __post_init__(self) -> None:
        if self.pose is not None:
            numbers = matrix_of(self.pose, "pose")
            rows = tuple(numbers[start : start + 4] for start in (0, 4, 8))
            object.__setattr__(self, "pose", rows)
        for name, shape in {"eye": (3,), "target": (3,), "up": (3,), "range_min": (), "range_max": (), "attenuation_per_km": (), "detection_limit": ()}.items():
            keep_floats(self, name, shape)
        object.__setattr__(self, "hide", (self.hide,) if isinstance(self.hide, str) else tuple(self.hide))
        self._check()
        _raytwin.camera_size(self)

    def _check(self) -> None:
        """Raises TypeError for attributes of another type, because the library's message would name its own classes."""
        if not isinstance(self.projection, (Perspective, Pinhole, Orthographic, Panoramic, Pattern)):
            kinds = "Perspective, Pinhole, Orthographic, Panoramic or Pattern"
            raise TypeError(f"projection must be {kinds}, and is {self.projection!r}")
        if not all(isinstance(text, str) for text in (self.name, *self.hide)):
            raise TypeError(f"name and hide must be texts, and are {self.name!r} and {self.hide!r}")
        for name, kind in {"beam": Beam, "returns": Returns}.items():
            if not isinstance(getattr(self, name), (kind, type(None))):
                raise TypeError(f"{name} must be a {kind.__name__}, and is {getattr(self, name)!r}")
        if self.noise is None or isinstance(self.noise, Noise):
            return
        try:
            stddev, seed = self.noise
            noise = float(stddev), operator.index(seed)
        except (TypeError, ValueError):
            raise TypeError(f"noise must be a Noise, or a standard deviation and a seed such as (0.01, 7), and is {self.noise!r}") from None
        if not 0 <= noise[1] < 2**64:
            raise ValueError(f"the seed of noise must be a whole number from 0 to 2**64 - 1, and is {noise[1]}")
        object.__setattr__(self, "noise", noise)

    @classmethod
    def perspective(
        cls, eye: Any, target: Any, fov_y_degrees: float = 40.0, up: Any = None, **sensor: Any
    ) -> Camera:
        """Returns a perspective camera at ``eye`` that looks at ``target``.

        ``fov_y_degrees`` is the angle between the top and the bottom edge of the image.
        """
        return cls(Perspective(fov_y_degrees), eye=eye, target=target, up=up, **sensor)

    @classmethod
    def orthographic(cls, eye: Any, target: Any, height: float, up: Any = None, **sensor: Any) -> Camera:
        """Returns a camera with parallel rays. ``height`` is the height of its image in scene units."""
        return cls(Orthographic(height), eye=eye, target=target, up=up, **sensor)

    @classmethod
    def pinhole(
        cls, intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int, **sensor: Any
    ) -> Camera:
        """Returns a calibrated camera from the arguments of Open3D's ``create_rays_pinhole``.

        ``intrinsic_matrix`` (3, 3) transforms from the camera's frame to pixels, which count from the top left corner of the
        image. ``extrinsic_matrix`` (4, 4) transforms from the world frame to the camera's frame.

        Raises ValueError if the intrinsic matrix is skewed, or if the extrinsic matrix is not a rotation and a translation.
        """
        k = as_float64(intrinsic_matrix, "intrinsic_matrix", (3, 3))
        if k[0, 1] or k[1, 0] or k[2].tolist() != [0, 0, 1]:
            raise ValueError(f"intrinsic_matrix must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], and is {k.tolist()}")
        t = np.asarray(matrix_of(extrinsic_matrix, "extrinsic_matrix")).reshape(3, 4)
        rotation = t[:, :3].T
        pose = np.column_stack([rotation, -rotation @ t[:, 3]])
        numbers = (float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2]))
        return cls(Pinhole(*numbers, width_px, height_px), pose=pose, **sensor)

    @classmethod
    def panorama(
        cls,
        pose: Any = None,
        azimuth_degrees: Sequence[float] = (180.0, -180.0),
        elevation_degrees: Sequence[float] | None = None,
        elevation_table_degrees: Sequence[float] | None = None,
        columns: int | None = None,
        sweep_s: float = 0.0,
        **sensor: Any,
    ) -> Camera:
        """Returns a panoramic camera at a ``pose``: a matrix, or a position without a rotation. Default: the world's origin.

        ``elevation_degrees`` are the elevations of the top and the bottom edge of the image, by default 90 and -90. The rows
        are evenly spaced between them. With ``elevation_table_degrees`` there is a row at each elevation of the table.
        """
        if elevation_degrees is None and elevation_table_degrees is None:
            elevation_degrees = (90.0, -90.0)
        projection = Panoramic(azimuth_degrees, elevation_degrees, elevation_table_degrees, columns, sweep_s)
        return cls(projection, pose=_pose(pose), **sensor)

    @classmethod
    def lidar(cls, preset: str, pose: Any = None, **sensor: Any) -> Camera:
        """Returns a published lidar at a ``pose``, which is as in `panorama`.

        The lidar has the range, the beam and the returns that its maker publishes, for scene units of metres.
        ``beam=None, returns=None`` makes each ray a line. ``noise="published"`` adds the maker's noise to distances.

        The presets are the keys of `raytwin.camera.LIDARS`, in upper or lower case. Raises ValueError for another name.

            >>> Camera.lidar("VZ-400").returns.max
            15
        """
        name = next((name for name in LIDARS if name.lower() == preset.lower()), None)
        if name is None:
            raise ValueError(f"there is no lidar '{preset}': the lidars are {', '.join(LIDARS)}")
        projection, (range_min, range_max) = LIDARS[name]
        beam, returns, noise = INSTRUMENTS[name]
        given = {"name": name, "range_min": range_min, "range_max": range_max, "beam": beam, "returns": returns, **sensor}
        if given.get("noise") == "published":
            given["noise"] = noise
        return cls(projection, pose=_pose(pose), **given)

    @classmethod
    def pattern(cls, pattern: Pattern, pose: Any = None, **sensor: Any) -> Camera:
        """Returns a lidar with a pattern at a ``pose``, which is as in `panorama`."""
        return cls(pattern, pose=_pose(pose), **sensor)

    def at(self, pose: Any) -> Camera:
        """Returns the same camera at another ``pose``, which is as in `panorama`."""
        return dataclasses.replace(self, eye=None, target=None, up=None, pose=_pose(pose))

    @property
    def size(self) -> tuple[int, int]:
        """The width and height of an image, in pixels, if no size is given."""
        return _raytwin.camera_size(self)

    @property
    def is_panoramic(self) -> bool:
        """True for a lidar, whose frame is x forward, y left and z up."""
        return isinstance(self.projection, (Panoramic, Pattern))

    @property
    def matrix(self) -> np.ndarray:
        """The pose as a float64 array of shape (4, 4), also for a camera with an eye and a target."""
        return np.vstack([_raytwin.camera_pose(self), [0, 0, 0, 1]])


@overload
def size_of(given: tuple[Any, Any]) -> tuple[int, int]: ...
@overload
def size_of(given: Any) -> tuple[int, int] | None: ...
def size_of(given: Any) -> tuple[int, int] | None:
    """Returns the width and height of an image, or None for None."""
    if given is None:
        return None
    try:
        width, height = (operator.index(side) for side in given)
    except (TypeError, ValueError):
        width, height = 0, 0
    if not (0 < width < 2**32 and 0 < height < 2**32):
        raise ValueError(f"size must be the width and height of an image, such as (640, 480), and is {given!r}")
    return width, height


def _pose(given: Any) -> np.ndarray:
    if given is None:
        return np.eye(4)[:3]
    if np.shape(given) == (3,):
        return np.column_stack([np.eye(3), as_float64(given, "pose", (3,))])
    return np.asarray(matrix_of(given, "pose")).reshape(3, 4)


def cameras_of(scene: _raytwin.Scene, size: tuple[int, int] | None) -> list[Camera]:
    """Returns the cameras of a scene, for images of this size, 640x480 by default."""
    return [of_attributes(attributes) for attributes in scene._cameras(*(size_of(size) or (640, 480)))]


def of_attributes(attributes: dict[str, Any]) -> Camera:
    """Returns the camera with the attributes that the library returns."""
    projection = _projection(attributes.pop("kind"), attributes.pop("projection"))
    for name, kind in {"beam": Beam, "returns": Returns}.items():
        if attributes[name] is not None:
            attributes[name] = kind(*attributes[name])
    if attributes["noise"] is not None:
        stddev, seed, others = attributes["noise"]
        attributes["noise"] = Noise(stddev, seed, *others) if any(others) else (stddev, seed)
    return Camera(projection, **attributes)


def _projection(kind: str, fields: str) -> Projection:
    """Returns the projection of this kind. Its fields are JSON."""
    kinds: dict[str, type[Projection]] = {
        "perspective": Perspective,
        "calibrated": Pinhole,
        "orthographic": Orthographic,
        "panoramic": Panoramic,
        "pattern": Pattern,
    }
    given = json.loads(fields)
    given = given.get("pattern") or given
    numbers: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in given.items() if each is not None}
    return kinds[kind](**numbers)


LIDARS: dict[str, tuple[Panoramic | Pattern, tuple[float, float]]] = {
    name: (cast(Union[Panoramic, Pattern], _projection(kind, fields)), (nearest, farthest))
    for name, kind, fields, (nearest, farthest), *_ in _raytwin.lidars()
}
"""The directions and the ranges of published lidars, by name. Elevations are the makers' design values."""


class Instrument(NamedTuple):
    """The light and the noise that the maker of a lidar publishes, in metres."""

    beam: Beam
    returns: Returns
    noise: Noise


INSTRUMENTS: dict[str, Instrument] = {
    name: Instrument(Beam(*beam), Returns(*returns), Noise(stddev))
    for name, *_, beam, returns, stddev in _raytwin.lidars()
}
"""The light and the noise of published lidars, by name."""
