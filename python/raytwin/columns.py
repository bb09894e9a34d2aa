"""The columns of other libraries' tables. Their numbers are read only when they are needed.

A frame is a pandas frame, or one of a library with the same methods. Any other table comes through an Arrow capsule. An index
is not a column.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

REAL = "fiu"
INTEGER = "iu"
# The kinds that can mean true and false: booleans and numbers.
FLAG = "b" + REAL
# The kind of a column that has only nulls, and so no type of its own.
NULLS = "nulls"


class Column(NamedTuple):
    """A column of a table.

    `type` is the name of its type in its library. `kind` is NumPy's letter for its kind of numbers, or `NULLS`, or an empty
    text if they are not numbers. `read` returns some of its rows, with masked zeros for nulls.
    """

    name: str
    type: str
    kind: str
    read: Callable[[slice], np.ma.MaskedArray]
    length: int


def is_of_pandas(given: Any) -> bool:
    """Returns true for a frame or a series. Only they have this attribute."""
    return hasattr(given, "iloc")


def of_frame(frame: Any) -> list[Column]:
    """Returns the columns of a pandas frame. Values that pandas treats as missing, such as NaN, are null, as in the files that
    it writes."""
    names = names_of(frame.columns)
    return [of_series(name, series) for name, (_, series) in zip(names, frame.items())]


def names_of(labels: Any) -> list[str]:
    """Returns the names of columns for pandas labels.

    For labels with several levels, only the levels in which the labels differ count. So ``("run", "ox")`` and
    ``("run", "oy")`` are ``ox`` and ``oy``, and ``("origin", "x")`` and ``("direction", "x")`` are ``origin_x`` and
    ``direction_x``.
    """
    rows = [label if isinstance(label, tuple) else (label,) for label in labels]
    differ = [len(set(level)) > 1 for level in itertools.zip_longest(*rows, fillvalue="")]
    if not any(differ):
        differ = [True] * len(differ)
    texts = ([_text(level) for level, differs in zip(row, differ) if differs and level != ""] for row in rows)
    return ["_".join(text) for text in texts]


def _text(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def of_series(name: str, series: Any) -> Column:
    """Returns a pandas series as a column."""
    if series.dtype == object:
        # A frame that was made row by row may store its numbers as Python objects.
        series = series.infer_objects()
    try:
        # The nullable types of pandas name the NumPy type of their numbers.
        dtype = np.dtype(getattr(series.dtype, "numpy_dtype", series.dtype))
    except TypeError:
        dtype = np.dtype(object)
    if dtype == object:
        # There may be pandas nulls between the numbers.
        held = series.dropna().infer_objects().dtype
        dtype = held if isinstance(held, np.dtype) else dtype
    kind = dtype.kind if dtype.kind in FLAG else ""
    if series.dtype == object and series.isna().all():
        kind = NULLS

    def read(rows: slice) -> np.ma.MaskedArray:
        piece = series.iloc[rows]
        if kind == NULLS:
            return _all_null(len(piece))
        nulls = np.asarray(piece.isna(), dtype=bool)
        if not nulls.any():
            return np.ma.array(np.asarray(piece, dtype=dtype))
        if series.dtype == object:
            filled = np.where(nulls, 0, np.asarray(piece, dtype=object))
            return np.ma.array(filled.astype(dtype), mask=nulls)
        return np.ma.array(np.asarray(piece.fillna(dtype.type(0)), dtype=dtype), mask=nulls)

    return Column(name, str(series.dtype), kind, read, len(series))


def as_whole(column: Column) -> Column:
    """Returns a column of whole floats as a column of integers, and any other column unchanged."""
    if column.kind != "f":
        return column
    numbers = column.read(slice(None))
    known = numbers.compressed()
    # Up to this limit float64 represents each integer exactly.
    if not np.all((np.trunc(known) == known) & (np.abs(known) <= 2**53)):
        return column
    return column._replace(kind="i", read=lambda rows: np.ma.asarray(numbers[rows].astype(np.int64)))


def of_arrow(table: Any) -> list[Column]:
    """Returns the columns of a ``pyarrow.Table``, except the index that pandas added."""
    described = table.schema.pandas_metadata or {}
    indices = [each for each in described.get("index_columns", []) if isinstance(each, str)]
    names = enumerate(table.column_names)
    return [_of_arrow(name, table.column(index)) for index, name in names if not (name in indices or _INDEX.fullmatch(name))]


# The names that pandas gives to an unnamed index.
_INDEX = re.compile(r"__index_level_\d+__")


def _of_arrow(name: str, column: Any) -> Column:
    import pyarrow as pa

    types = pa.types
    if types.is_decimal(column.type):
        return _of_arrow(name, column.cast(pa.float64()))._replace(type=str(column.type))
    letters = {
        "f": types.is_floating, "i": types.is_signed_integer, "u": types.is_unsigned_integer, "b": types.is_boolean,
        NULLS: types.is_null,
    }
    kind = next((letter for letter, is_of_kind in letters.items() if is_of_kind(column.type)), "")

    def read(rows: slice) -> np.ma.MaskedArray:
        piece = column[rows]
        if kind == NULLS:
            return _all_null(len(piece))
        if not piece.null_count:
            return np.ma.array(piece.to_numpy())
        return np.ma.array(piece.fill_null(pa.scalar(0).cast(piece.type)).to_numpy(), mask=piece.is_null().to_numpy())

    return Column(name, str(column.type), kind, read, len(column))


def _all_null(count: int) -> np.ma.MaskedArray:
    return np.ma.array(np.zeros(count), mask=True)
