"""The columns of other libraries' tables, whose numbers are read when they are asked for.

A frame is one of pandas, or of a library with the same methods. Any other table comes by Arrow's capsule. An index is no column.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

REAL = "fiu"
INTEGER = "iu"
# What stands for true and false: booleans, and numbers.
FLAG = "b" + REAL
# The kind of a column that holds nothing but nulls, and so has no type of its own.
NULLS = "nulls"


class Column(NamedTuple):
    """A column: its name, its type in the words of its library, and the letter by which NumPy calls its kind of numbers, or
    `NULLS`, or an empty text for what are none. `read` returns some of its rows, in which nulls are masked zeros."""

    name: str
    type: str
    kind: str
    read: Callable[[slice], np.ma.MaskedArray]
    length: int


def is_of_pandas(given: Any) -> bool:
    """Returns true if it is a frame or a series, which alone have this attribute."""
    return hasattr(given, "iloc")


def of_frame(frame: Any) -> list[Column]:
    """Returns the columns of a frame of pandas. What pandas calls missing, such as NaN, is null, as it is in the files that it
    writes."""
    names = names_of(frame.columns)
    return [of_series(name, series) for name, (_, series) in zip(names, frame.items())]


def names_of(labels: Any) -> list[str]:
    """Returns the names for which labels of pandas stand. Of several levels those count in which labels differ, so that
    ``("run", "ox")`` and ``("run", "oy")`` are ``ox`` and ``oy``, and ``("origin", "x")`` and ``("direction", "x")`` are
    ``origin_x`` and ``direction_x``."""
    rows = [label if isinstance(label, tuple) else (label,) for label in labels]
    differ = [len(set(level)) > 1 for level in itertools.zip_longest(*rows, fillvalue="")]
    if not any(differ):
        differ = [True] * len(differ)
    texts = ([_text(level) for level, differs in zip(row, differ) if differs and level != ""] for row in rows)
    return ["_".join(text) for text in texts]


def _text(label: Any) -> str:
    return label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)


def of_series(name: str, series: Any) -> Column:
    """Returns a series of pandas as a column."""
    if series.dtype == object:
        # A frame that is made row by row may hold its numbers one by one.
        series = series.infer_objects()
    try:
        # The types of pandas that hold nulls name the one of NumPy that holds their numbers.
        dtype = np.dtype(getattr(series.dtype, "numpy_dtype", series.dtype))
    except TypeError:
        dtype = np.dtype(object)
    if dtype == object:
        # Nulls of pandas may lie between numbers.
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
    """Returns a column of floats as one of integers if all of them are whole, and any other column as it is."""
    if column.kind != "f":
        return column
    numbers = column.read(slice(None))
    known = numbers.compressed()
    # Up to here float64 holds each integer.
    if not np.all((np.trunc(known) == known) & (np.abs(known) <= 2**53)):
        return column
    return column._replace(kind="i", read=lambda rows: np.ma.asarray(numbers[rows].astype(np.int64)))


def of_arrow(table: Any) -> list[Column]:
    """Returns the columns of a ``pyarrow.Table`` but for the index that pandas has added."""
    described = table.schema.pandas_metadata or {}
    indices = [each for each in described.get("index_columns", []) if isinstance(each, str)]
    names = enumerate(table.column_names)
    return [_of_arrow(name, table.column(index)) for index, name in names if not (name in indices or _INDEX.fullmatch(name))]


# The names that pandas gives to an index without one.
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
