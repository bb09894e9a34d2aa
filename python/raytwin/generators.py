"""The ways in which `Tracer.sample` makes rays of random numbers, as plain data that can be compared, copied and pickled.

All rays have directions of unit length, so ``t`` is a distance. Coordinates are your own; those of shapes are rounded to
float32, and so are these.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex, Union

from .camera import Camera, size_of
from .rows import keep_floats

Point = Sequence[float]


@dataclass(frozen=True)
class Lines:
    """Uniform, isotropic lines through a sphere, by default the smallest one about the box that holds the scene.

    They start on its surface, evenly, and go inwards by the cosine law. The mean path of such lines through a solid is its
    volume by the area of the sphere's disc (Cauchy, Crofton), so they give volumes if the sphere holds the whole scene.

        >>> Lines((0, 0, 5), 2.0)
        Lines(center=(0.0, 0.0, 5.0), radius=2.0)
    """

    center: Point | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        if (self.center is None) != (self.radius is None):
            raise ValueError("give both center and radius for a sphere of lines, or neither for the one about the scene")
        keep_floats(self, "center", (3,))
        keep_floats(self, "radius", ())


@dataclass(frozen=True)
class InBox:
    """Rays in all directions alike from points that are uniform in a box, by default the one that holds the scene. Where both
    corners are one they start from a point."""

    min: Point | None = None
    max: Point | None = None

    def __post_init__(self) -> None:
        if (self.min is None) != (self.max is None):
            raise ValueError("give both min and max for a box, or neither for the one that holds the scene")
        keep_floats(self, "min", (3,))
        keep_floats(self, "max", (3,))


@dataclass(frozen=True)
class Patch:
    """Rays about a normal, of any length, by the cosine law, from points that are uniform on a round patch: as a matt light or
    a detector has them. A radius of 0 is a point."""

    center: Point
    normal: Point
    radius: float = 0.0

    def __post_init__(self) -> None:
        keep_floats(self, "center", (3,))
        keep_floats(self, "normal", (3,))
        keep_floats(self, "radius", ())


@dataclass(frozen=True)
class Views:
    """The rays of the images of a `Camera`, or of several of one size, numbered row by row, one image after the other. They
    are those of `Tracer.render`; the seed changes nothing."""

    cameras: Camera | Sequence[Camera]
    size: tuple[int, int] | None = None
    """The width and height of each image; by default each camera's own."""

    def __post_init__(self) -> None:
        given: Any = self.cameras
        cameras = tuple(given) if isinstance(given, Iterable) else (given,)
        if not all(isinstance(each, Camera) for each in cameras):
            raise TypeError(f"cameras must be a Camera or several, and is {given!r}")
        object.__setattr__(self, "cameras", cameras)
        object.__setattr__(self, "size", size_of(self.size))


Generator = Union[Lines, InBox, Patch, Views]


def checked(generator: Any) -> Generator:
    """Returns a generator: by default lines through the scene."""
    if generator is None:
        return Lines()
    if not isinstance(generator, (Lines, InBox, Patch, Views)):
        raise TypeError(f"generator must be one of raytwin.generators, such as Lines(), and is {generator!r}")
    return generator


def numbers_of(rays: SupportsIndex | range) -> tuple[int, int]:
    """Returns the first of the rays' numbers and the one after the last, given their count or a range of numbers."""
    if isinstance(rays, range):
        first, end, is_run = rays.start, rays.stop, rays.step == 1
    else:
        try:
            first, end, is_run = 0, operator.index(rays), True
        except TypeError:
            raise TypeError(f"rays must be a number of rays or a range of their numbers, and is {rays!r}") from None
    if not (is_run and 0 <= first <= end < 2**64):
        raise ValueError(
            f"rays must be a number of rays or a range of their numbers, such as range(5, 10), from 0 to 2**64 - 1, and is {rays!r}"
        )
    return first, end
