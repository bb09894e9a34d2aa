"""Casts the rays of Arrow tables, and appends the answers as columns. The columns of rays are those of Parquet files of rays.

Engines that split tables into blocks for workers, such as Ray Data, Daft and Spark, can call `cast_table` for each block.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ._raytwin import SceneError, Tracer
from .answer_columns import columns_of
from .arrays import ARGUMENTS
from .columns import of_arrow
from .layouts import RAYS, by_name, rows_of
from .scene import Scene

try:
    import pyarrow as pa
except ImportError as error:
    raise ImportError("raytwin.table needs the package pyarrow: pip install 'raytwin[arrow]'") from error

# Rows are copied to arrays in pieces of this many rows, so that memory does not grow with a block.
_PIECE = 1 << 20
# The offsets of Arrow's lists are int32.
_MOST_IN_LISTS = 2**31 - 1

_Table = TypeVar("_Table")


def cast_table(
    tracer: Tracer,
    table: _Table,
    kind: str = "closest",
    *,
    solid: bool = False,
    faces: bool = False,
    instances: bool = False,
    labels: bool = False,
) -> _Table:
    """Returns the table with the answers to its rays as additional columns.

    `table` is a ``pyarrow.Table``, a ``RecordBatch``, or a frame of pandas or polars. A pandas frame keeps its index. The columns
    of rays are those of Parquet files of rays:

    - ``ox oy oz dx dy dz``, and optionally ``t_min t_max``: real numbers of any type.
    - Optionally ``ray_mask ignore_id world_id``: integers of any type.

    A null in ``t_min`` or ``t_max`` means the default, 0 or infinity. A null in another of these columns makes the ray invalid.
    All other columns stay unchanged. The columns of answers are those of ``answer_schema``, in the order of the rays.

    Raises ValueError for a missing column, for a column with the name of an answer, for an integer out of range and for an
    unknown kind. Raises TypeError for a column of another type. The tracer may raise its own exceptions.

        >>> import pyarrow as pa, raytwin as rt
        >>> scene = rt.Scene()
        >>> ball = scene.add_spheres([[0.0, 0.0, 5.0]], 1.0)
        >>> rays = pa.table({name: [0.0] for name in ("ox", "oy", "oz", "dx", "dy")} | {"dz": [1.0], "ray": ["a"]})
        >>> hits = rt.table.cast_table(rt.Tracer(scene, device="cpu"), rays)
        >>> hits.select(["ray", "t_hit", "geometry_id"]).to_pylist()
        [{'ray': 'a', 't_hit': 4.0, 'geometry_id': 0}]
    """
    given: Any = table
    if not isinstance(given, pa.Table):
        to_arrow, from_arrow = _ways(given)
        options: dict[str, Any] = {"solid": solid, "faces": faces, "instances": instances, "labels": labels}
        return from_arrow(cast_table(tracer, to_arrow(given), kind, **options))
    check_options(kind, solid=solid, faces=faces, instances=instances, labels=labels)
    schema = answer_schema(kind, faces=faces, instances=instances, labels=labels)
    for name in schema.names:
        if name in given.column_names:
            raise ValueError(f"the table of rays already has a column {name}: rename it or leave it out")
    columns = by_name(of_arrow(given), "rays", RAYS)
    cast = _KINDS[kind].cast
    chosen = {"solid": solid} if kind in _FIRST_HIT else {}
    asked = (("faces", faces), ("instances", instances), ("labels", labels))
    chosen |= {name: True for name, is_wanted in asked if is_wanted}
    chunks: list[list[pa.Array]] = [[] for _ in schema]
    for start in range(0, given.num_rows, _PIECE):
        rays, integers = rows_of(columns, RAYS, slice(start, min(start + _PIECE, given.num_rows)))
        filters = {ARGUMENTS[name]: numbers for name, numbers in integers.items()}
        try:
            for answers in cast(tracer, rays, filters | chosen):
                for of_column, numbers in zip(chunks, answers):
                    of_column.append(numbers)
        except SceneError as error:
            if start == 0:
                raise
            # The error counts rays from the first ray of the piece.
            raise SceneError(f"in the rays from row {start} on: {error}") from None
    for field, of_column in zip(schema, chunks):
        given = given.append_column(field, pa.chunked_array(of_column, field.type))
    return given


def _ways(given: Any) -> tuple[Callable[[Any], pa.Table], Callable[[pa.Table], Any]]:
    """Returns the functions that convert an object of this type to an Arrow table and back."""
    if isinstance(given, pa.RecordBatch):
        return lambda batch: pa.Table.from_batches([batch]), _as_one_batch
    library = type(given).__module__.partition(".")[0]
    if library == "pandas" and type(given).__name__ == "DataFrame":
        return pa.Table.from_pandas, lambda answered: answered.to_pandas()
    if library == "polars" and type(given).__name__ == "DataFrame":
        return lambda frame: frame.to_arrow(), type(given)
    kinds = "a pyarrow.Table or RecordBatch or a frame of pandas or polars"
    raise TypeError(f"the rays must be {kinds}, and these are a {type(given).__name__}")


def answer_schema(
    kind: str = "closest", *, faces: bool = False, instances: bool = False, labels: bool = False
) -> pa.Schema:
    """Returns the columns that ``cast_table`` appends.

    ========= ==========================================================================================
    closest   ``t_hit`` float32, ``geometry_id primitive_id`` uint32, ``nx ny nz`` float32;
              with `faces` also ``face`` uint32; with `instances` also ``instance_id`` uint32;
              with `labels` also ``label_id`` uint16
    any       ``occluded``, bool
    count     ``intersections``, uint32
    all       ``t_hit geometry_id primitive_id``, lists sorted by t
    ========= ==========================================================================================

    No value is null, as in files that the command ``raytwin`` writes. A miss has a ``t_hit`` of infinity, the ids 4294967295, a
    normal of zero and the label 0. An invalid ray has the same values, except a ``t_hit`` of NaN.

    The tables that ``to_arrow``, ``to_pandas`` and ``to_polars`` make from the answers of ``Tracer.cast_rays`` have the columns
    of closest hits, but the ids of a miss are null. With ``normals=False`` they have no normals.

    Raises ValueError for an unknown kind, and for an option that the kind does not have.
    """
    check_options(kind, faces=faces, instances=instances, labels=labels)
    fields = [*_KINDS[kind].fields]
    fields += [("face", pa.uint32())] if faces else []
    fields += [("instance_id", pa.uint32())] if instances else []
    fields += [("label_id", pa.uint16())] if labels else []
    return pa.schema(fields)


def check_options(
    kind: str, *, solid: bool = False, faces: bool = False, instances: bool = False, labels: bool = False
) -> None:
    """Raises ValueError for an unknown kind, and for an option that the kind does not have."""
    if kind not in _KINDS:
        raise ValueError(f"kind must be one of {', '.join(_KINDS)}, and is {kind!r}")
    if solid and kind not in _FIRST_HIT:
        raise ValueError(f"solid changes the first hit, but the kind {kind} lists crossings: leave it out")
    for name, is_wanted in (("faces", faces), ("instances", instances), ("labels", labels)):
        if is_wanted and kind != "closest":
            raise ValueError(f"{name} works only with the kind closest: leave it out")


def shared_tracer(
    scene: str | os.PathLike[str] | Scene, device: str = "auto", *, canonical: bool = False, **load: Any
) -> Tracer:
    """Returns a tracer that the whole process shares, for workers that process one block after another.

    `scene` is a file, which is read with the `load` options of ``Scene.load``, or a ``Scene``, which is copied. `device` and
    `canonical` are as in ``Tracer``.

    The process keeps its latest tracer, and returns it again for a scene with the same fingerprint on the same device. This
    saves building the tree and sending it to the device. A file is read each time, with all files that it names, so changes in
    any of them have an effect.

    Raises FileError or SceneError for the scene, and NoAdapterError or DeviceError for the device.
    """
    if isinstance(scene, Scene):
        if load:
            raise TypeError(f"a Scene is loaded already, so leave out the options for loading: {', '.join(load)}")
        # A tracer of the caller's own scene could not cast after a change of that scene.
        scene = Scene(scene)
    else:
        scene = Scene.load(os.fspath(scene), **load)
    return _latest.tracer(scene, device, canonical)


class _Latest:
    """The latest tracer of the process. Threads that need the same tracer wait until it is made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._key: tuple[str, str, bool] | None = None
        self._tracer: Tracer | None = None

    def tracer(self, scene: Scene, device: str, canonical: bool) -> Tracer:
        key = (scene.fingerprint, device, canonical)
        with self._lock:
            if self._tracer is None or self._key != key:
                # The old tracer is freed first, because a device may not have memory for both.
                self._tracer = None
                self._tracer = Tracer(scene, device, canonical=canonical)
                self._key = key
            return self._tracer


_latest = _Latest()


def _as_one_batch(table: pa.Table) -> pa.RecordBatch:
    if table.num_rows == 0:
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in table.schema], schema=table.schema)
    batches = table.combine_chunks().to_batches()
    if len(batches) > 1:
        raise ValueError(f"the {table.num_rows} rays have too many answers for one record batch: give fewer at a time")
    return batches[0]


_Columns = list[Any]


def _closest(tracer: Tracer, rays: np.ndarray, arguments: dict[str, Any]) -> Iterator[_Columns]:
    hits = tracer.cast_rays(rays, **arguments)
    yield [pa.array(column) for column in columns_of(hits).values()]


def _any(tracer: Tracer, rays: np.ndarray, arguments: dict[str, Any]) -> Iterator[_Columns]:
    yield [pa.array(tracer.test_occlusions(rays, **arguments))]


def _count(tracer: Tracer, rays: np.ndarray, arguments: dict[str, Any]) -> Iterator[_Columns]:
    yield [pa.array(tracer.count_intersections(rays, **arguments))]


def _all(tracer: Tracer, rays: np.ndarray, arguments: dict[str, Any]) -> Iterator[_Columns]:
    crossings = tracer.list_intersections(rays, **arguments)
    splits = crossings["ray_splits"].astype(np.int64)
    values = [pa.array(crossings[name]) for name in ("t_hit", "geometry_ids", "primitive_ids")]
    first = 0
    while first < len(rays):
        # Each step has at least one ray. If a single ray has too many crossings, Arrow rejects its offsets.
        last = max(first + 1, int(np.searchsorted(splits, splits[first] + _MOST_IN_LISTS, side="right")) - 1)
        begin, end = splits[first], splits[last]
        offsets = pa.array(splits[first : last + 1] - begin).cast(pa.int32())
        yield [pa.ListArray.from_arrays(offsets, numbers.slice(begin, end - begin)) for numbers in values]
        first = last


class _Kind(NamedTuple):
    """The columns of a kind of query, and the function that casts it."""

    fields: list[tuple[str, pa.DataType]]
    cast: Callable[[Tracer, np.ndarray, dict[str, Any]], Iterator[_Columns]]


_HIT = [("t_hit", pa.float32()), ("geometry_id", pa.uint32()), ("primitive_id", pa.uint32())]
_NORMAL = [(name, pa.float32()) for name in ("nx", "ny", "nz")]
_FIRST_HIT = ("closest", "any")
_KINDS = {
    "closest": _Kind(_HIT + _NORMAL, _closest),
    "any": _Kind([("occluded", pa.bool_())], _any),
    "count": _Kind([("intersections", pa.uint32())], _count),
    "all": _Kind([(name, pa.list_(type_)) for name, type_ in _HIT], _all),
}
