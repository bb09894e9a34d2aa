"""The part of Scene that searches for overlaps among its solids."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _raytwin
from .answers import Answers
from .rows import as_ids


class Overlaps(Answers):
    """The result of `Scene.overlaps`: arrays as in `Answers`, and ``counts`` of the pairs that were examined."""

    counts: dict[str, Any]

    def __init__(self, arrays: dict[str, Any], counts: dict[str, Any]) -> None:
        super().__init__(arrays)
        object.__setattr__(self, "counts", counts)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Overlaps, (dict(self), self.counts))


class SceneOfSolids(_raytwin.Scene):
    """The queries about a scene's solids."""

    __slots__ = ()

    def overlaps(
        self,
        *,
        between: tuple[Any, Any] | None = None,
        clearance: float = 0.0,
        tolerance: float = 0.0,
        adjacent: bool = False,
        half_spaces: bool = False,
        lines: int = 256,
        seed: int = 0,
        world: int = 0,
    ) -> Overlaps:
        """Returns the pairs of solids that pierce each other, are inside each other or touch, in the order of their ids.

        Each pair of the kind ``pierces`` or ``inside`` has a witness: a point in both solids. Its depth is larger than the
        distance by which rounding to float32 may have moved either surface. The result has these arrays:

        - ``a``, ``b``: (N,) uint32, the geometries, the lower id first.
        - ``kind``: (N,) str: ``pierces``, ``inside``, ``touching`` or ``near``.
        - ``inner``: (N,) uint32, for ``inside`` the solid that is inside the other; otherwise 0xFFFFFFFF.
        - ``depth``: (N,) float64, the distance of the witness from the nearer of the two surfaces; NaN if no point is in both.
        - ``gap``: (N,) float64, the distance of two points, one of each solid, if they are apart; otherwise NaN.
        - ``gap_at_least``: (N,) float64, a lower bound of the gap, proved by a plane between the solids; 0 if none is proved,
          NaN if the solids have a point in common.
        - ``witness``, ``other_witness``: (N, 3) float64, the same point in both solids, or a point of each.
        - ``proved``: (N,) bool; True if the kind is proved, False if it rests only on the lines that were cast.

        The attribute ``counts`` of the result has the numbers of pairs that were examined. The arguments are:

        - ``between``: two sets of geometries, each by ids or by a pattern as in `select`. Each pair has one geometry of each.
        - ``clearance``: also lists pairs with a gap below this distance, as ``near``, in scene units.
        - ``tolerance``: overlaps that are no deeper than this are ``touching``, in scene units.
        - ``adjacent``: also examines pairs that belong together, by a joint or as pieces of a pipe. By default these are only
          counted.
        - ``half_spaces``: also examines the half-spaces behind planes.
        - ``lines``, ``seed``: the number and the seed of the lines that examine a pair in which a solid is not convex.
        - ``world``: the world to examine.

            >>> import raytwin as rt
            >>> scene = rt.Scene()
            >>> balls = scene.add_spheres([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1.0)
            >>> found = scene.overlaps()
            >>> found.kind.tolist(), found.depth.round(2).tolist(), found.counts["looked_at"]
            (['pierces'], [0.25], 1)

        Raises ValueError for a number that is out of range, and SceneError for a world that does not exist.
        """
        for name, number in (("clearance", clearance), ("tolerance", tolerance)):
            if not (np.isfinite(number) and number >= 0):
                raise ValueError(f"{name} must be a finite number, 0 or above, and is {number}")
        if not 1 <= lines <= 1 << 20:
            raise ValueError(f"lines must be from 1 to 1048576, and is {lines}")
        chosen = None if between is None else [self._geometries(ids, "between") for ids in between]
        if chosen is not None and len(chosen) != 2:
            raise ValueError(f"between must have two sets of geometries, and has {len(chosen)}")
        numbers = (seed, float(clearance), float(tolerance), lines)
        arrays, counts = self._overlaps(chosen, numbers, [adjacent, half_spaces], world)
        arrays["kind"] = np.array(arrays["kind"], dtype="<U8")
        return Overlaps(arrays, counts)

    def _geometries(self, geometries: Any, name: str = "geometries") -> np.ndarray:
        """Returns the ids of geometries, from ids or from a pattern of paths. `name` is the name of the argument."""
        if isinstance(geometries, str):
            chosen = self.select(geometries)
            if not len(chosen):
                raise _raytwin.SceneError(f"no geometry matches '{geometries}': scene.paths lists the paths")
            return chosen
        return as_ids(np.atleast_1d(geometries), name)
