"""The generators with which `Tracer.sample` makes random rays, as plain data that you can compare, copy and pickle.

All rays have directions of unit length, so ``t`` is a distance. Give coordinates in the same frame as those of shapes. raytwin
rounds them to float32.
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
    """Uniform, isotropic lines through a sphere, by default the smallest sphere around the bounding box of the scene.

    The lines start uniformly on its surface and go inwards, with directions that follow the cosine law. The mean length of their
    paths through a solid is the volume of the solid divided by the area of the sphere's cross-section (Cauchy, Crofton). So the
    lines give volumes if the sphere contains the whole scene.

        >>> Lines((0, 0, 5), 2.0)
        Lines(center=(0.0, 0.0, 5.0), radius=2.0)
    """

    center: Point | None = None
    radius: float | None = None

    def __post_init__(self) -> None:
        if (self.center is None) != (self.radius is None):
            raise ValueError("give both center and radius for a sphere of lines, or neither for the sphere around the scene")
        keep_floats(self, "center", (3,))
        keep_floats(self, "radius", ())


@dataclass(frozen=True)
class InBox:
    """Rays in uniform directions from uniform points in a box, by default the bounding box of the scene. If both corners are
    equal, all rays start at that point."""

    min: Point | None = None
    max: Point | None = None

    def __post_init__(self) -> None:
        if (self.min is None) != (self.max is None):
            raise ValueError("give both min and max for a box, or neither for the bounding box of the scene")
        keep_floats(self, "min", (3,))
        keep_floats(self, "max", (3,))


@dataclass(frozen=True)
class Patch:
    """Rays from uniform points on a round patch, with directions around its normal that follow the cosine law.

    Matt lights and detectors have rays like these. The normal may have any length. With a radius of 0 the patch is a point.
    """

    center: Point
    normal: Point
    radius: float = 0.0

    def __post_init__(self) -> None:
        keep_floats(self, "center", (3,))
        keep_floats(self, "normal", (3,))
        keep_floats(self, "radius", ())


@dataclass(frozen=True)
class Views:
    """The rays of the images of a `Camera`, or of several cameras of the same size.

    The rays are those of `Tracer.render`, and do not depend on the seed. They are numbered row by row, one image after the
    other.
    """

    cameras: Camera | Sequence[Camera]
    size: tuple[int, int] | None = None
    """The width and height of each image, in pixels. Default: each camera's own."""

    def __post_init__(self) -> None:
        given: Any = self.cameras
        cameras = tuple(given) if isinstance(given, Iterable) else (given,)
        if not all(isinstance(each, Camera) for each in cameras):
            raise TypeError(f"cameras must be a Camera or a list of cameras, and is {given!r}")
        object.__setattr__(self, "cameras", cameras)
        object.__setattr__(self, "size", size_of(self.size))


Generator = Union[Lines, InBox, Patch, Views]


def checked(generator: Any) -> Generator:
    """Returns the generator, by default lines through the scene."""
    if generator is None:
        return Lines()
    if not isinstance(generator, (Lines, InBox, Patch, Views)):
        raise TypeError(f"generator must be one of raytwin.generators, such as Lines(), and is {generator!r}")
    return generator


def numbers_of(rays: SupportsIndex | range) -> tuple[int, int]:
    """Returns the number of the first ray and the number after the last, from a count or a range of numbers."""
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
