"""Answers: dictionaries of arrays, with the names that Open3D uses."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .answer_columns import MISSING, NONE, columns_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Answers(dict[str, Any]):
    """A dictionary of arrays that are also attributes: ``hits["t_hit"]`` is ``hits.t_hit``.

    `to_pandas`, `to_polars` and `to_arrow` return the same table, with a row for each ray, point, pixel, crossing or return.
    Leading axes are flattened in C order: the last of them runs fastest. Arrays on a GPU are copied to the host.

    The columns for `Tracer.cast_rays` are those of ``raytwin.table.answer_schema``, except that the ids and faces of a miss
    are null. Other answers have these columns:

    - ``geometry_id`` and so on for ids, ``nx ny nz`` for normals, ``x y z`` for ``points``, ``u v`` for ``primitive_uvs``
      and ``albedo_r albedo_g albedo_b`` for ``albedo``.
    - Crossings have ``ray_id`` in place of ``ray_splits``. Lengths in solids have ``ray_id`` in place of ``path_splits``.
    - The worst rays of a `Report` have the columns that `Tracer.cast_rays` accepts.
    - All other arrays keep their names.
    """

    def to_pandas(self, index: Any = None) -> pandas.DataFrame:
        """Returns a copy of the table as a ``pandas.DataFrame``.

        Ids have the nullable type ``UInt32``. ``index`` is the index of the rows, by default their numbers. With the index of
        a frame of rays you can join the answers to their rays.

            >>> import pandas as pd, raytwin as rt
            >>> scene = rt.Scene()
            >>> ball = scene.add_spheres([0.0, 0.0, 5.0], 1.0)
            >>> rays = pd.DataFrame({"dz": [1.0, -1.0], "event": ["a", "b"]}, index=[7, 8])
            >>> rays[["ox", "oy", "oz", "dx", "dy"]] = 0.0
            >>> hits = rt.Tracer(scene, device="cpu").cast_rays(rays).to_pandas(rays.index)
            >>> pd.concat([rays, hits], axis=1)[["event", "t_hit", "geometry_id"]]
              event  t_hit  geometry_id
            7     a    4.0            0
            8     b    inf         <NA>

        Raises ImportError if pandas is not installed. Raises ValueError for an index of another length, and for an array
        that you added and that does not have a number for each row.
        """
        pandas = _imported("pandas", "pandas")
        columns: dict[str, Any] = dict(columns_of(self))
        for name in columns.keys() & MISSING:
            columns[name] = pandas.arrays.IntegerArray(columns[name].copy(), columns[name] == NONE)
        return pandas.DataFrame(columns, index=index)

    def to_polars(self) -> polars.DataFrame:
        """Returns the table as a ``polars.DataFrame``.

        The table shares the memory of most arrays, so do not write to these arrays later.

            >>> import raytwin as rt
            >>> scene = rt.Scene()
            >>> ball = scene.add_spheres([0.0, 0.0, 5.0], 1.0)
            >>> hits = rt.Tracer(scene, device="cpu").cast_rays([[0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, -1]])
            >>> hits.to_polars().select("t_hit", "geometry_id").rows()
            [(4.0, 0), (inf, None)]

        Raises ImportError if polars is not installed. Raises ValueError for an array that you added and that does not have a
        number for each row.
        """
        polars = _imported("polars", "polars")
        columns = columns_of(self)
        met = [polars.when(polars.col(name) != NONE).then(polars.col(name)).alias(name) for name in MISSING if name in columns]
        return polars.DataFrame(columns).with_columns(met)

    def to_arrow(self) -> pyarrow.Table:
        """Returns the table as a ``pyarrow.Table``.

        The table shares the memory of most arrays, so do not write to these arrays later.

            >>> import raytwin as rt
            >>> scene = rt.Scene()
            >>> ball = scene.add_spheres([0.0, 0.0, 5.0], 1.0)
            >>> hits = rt.Tracer(scene, device="cpu").cast_rays([[0, 0, 0, 0, 0, 1]]).to_arrow()
            >>> hits.to_pylist()
            [{'t_hit': 4.0, 'geometry_id': 0, 'primitive_id': 0, 'nx': 0.0, 'ny': 0.0, 'nz': -1.0}]

        Raises ImportError if pyarrow is not installed. Raises ValueError for an array that you added and that does not have a
        number for each row.
        """
        pyarrow = _imported("pyarrow", "'raytwin[arrow]'")
        columns: dict[str, Any] = dict(columns_of(self))
        for name in columns.keys() & MISSING:
            columns[name] = pyarrow.array(columns[name], mask=columns[name] == NONE)
        return pyarrow.table(columns)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no array {name!r}: the arrays are {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        arrays = ", ".join(f"{name}: {value.dtype} {value.shape}" for name, value in self.items())
        return f"Answers({arrays})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Answers, (dict(self),))


def _imported(library: str, package: str) -> Any:
    """Returns a library, or raises ImportError with the command that installs it."""
    try:
        return import_module(library)
    except ImportError as error:
        raise ImportError(f"this table needs {library}: pip install {package}") from error
