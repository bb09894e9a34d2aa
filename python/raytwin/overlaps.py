"""The part of Scene that looks at how its solids lie to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _raytwin
from .answers import Answers
from .rows import as_ids


class Overlaps(Answers):
    """What `Scene.overlaps` found: arrays as `Answers` has them, and ``counts``, what was looked at."""

    counts: dict[str, Any]

    def __init__(self, arrays: dict[str, Any], counts: dict[str, Any]) -> None:
        super().__init__(arrays)
        object.__setattr__(self, "counts", counts)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Overlaps, (dict(self), self.counts))


class SceneOfSolids(_raytwin.Scene):
    """What a scene's solids are asked."""

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
        """Returns the pairs of solids that pierce each other, lie in each other or touch, in the order of their ids.

        Each pair that pierces or lies inside has a point in both, deeper than float32 may have moved either surface. Arrays:

        - ``a``, ``b``: (N,) uint32, the geometries, the lower id first.
        - ``kind``: (N,) str: ``pierces``, ``inside``, ``touching`` or ``near``.
        - ``inner``: (N,) uint32, the one that lies in the other, 0xFFFFFFFF for other kinds.
        - ``depth``: (N,) float64, the distance of the witness from the nearer of both surfaces; NaN where no point is in both.
        - ``gap``: (N,) float64, the distance of two points where they are apart, else NaN; ``gap_at_least`` is a bound that a
          plane between them proves, 0 for none.
        - ``witness``, ``other_witness``: (N, 3) float64, twice a point in both, or a point of each.
        - ``proved``: (N,) bool; False where lines showed nothing else.

        ``counts`` of the result says what was looked at. ``between`` gives two sets of geometries, each by ids or as `select`
        does, of which pairs have one each. ``clearance`` also lists pairs that are nearer to each other, and overlaps no deeper
        than ``tolerance`` are touching, in scene units. Pairs that belong together, by a joint or as pieces of a pipe, are
        counted and left out unless ``adjacent``. ``half_spaces`` looks at those behind planes too.
        Pairs that are not both convex are examined by ``lines`` lines of a ``seed``.

            >>> import raytwin as rt
            >>> scene = rt.Scene()
            >>> balls = scene.add_spheres([[0, 0, 0], [1.5, 0, 0], [9, 0, 0]], 1.0)
            >>> found = scene.overlaps()
            >>> found.kind.tolist(), found.depth.round(2).tolist(), found.counts["looked_at"]
            (['pierces'], [0.25], 1)

        Raises ValueError for a number that is negative or not finite, and SceneError for a world that is not there.
        """
        for name, number in (("clearance", clearance), ("tolerance", tolerance)):
            if not (np.isfinite(number) and number >= 0):
                raise ValueError(f"{name} must be a finite number, 0 or above, and is {number}")
        if not 1 <= lines <= 1 << 20:
            raise ValueError(f"lines must be from 1 to 1048576, and is {lines}")
        chosen = None if between is None else [self._geometries(ids, "between") for ids in between]
        if chosen is not None and len(chosen) != 2:
            raise ValueError(f"between takes two sets of geometries, and has {len(chosen)}")
        numbers = (seed, float(clearance), float(tolerance), lines)
        arrays, counts = self._overlaps(chosen, numbers, [adjacent, half_spaces], world)
        arrays["kind"] = np.array(arrays["kind"], dtype="<U8")
        return Overlaps(arrays, counts)

    def _geometries(self, geometries: Any, name: str = "geometries") -> np.ndarray:
        """Returns the ids of geometries, which may be given by patterns of paths, for the argument of a name."""
        if isinstance(geometries, str):
            chosen = self.select(geometries)
            if not len(chosen):
                raise _raytwin.SceneError(f"no geometry is called '{geometries}': paths lists what they are called")
            return chosen
        return as_ids(np.atleast_1d(geometries), name)
