"""Reads the arrays and tables of other libraries into NumPy arrays.

An array may be a NumPy array, a list, an object with ``__array_interface__`` or ``__array__``, a tensor in the CPU's memory
(with the method ``numpy()``: Open3D, PyTorch, TensorFlow; or with DLPack: JAX), a pandas series, or an object with an Arrow
capsule (pyarrow, polars, DuckDB). A table may be a pandas frame or an object with an Arrow capsule. `raytwin.layouts` defines
which of its columns are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .columns import NULLS, REAL, Column, as_whole, is_of_pandas, names_of, of_arrow, of_frame, of_series
from .layouts import POINTS, RAYS, Layout, Rows, by_name, chosen, rows_of
from .on_card import is_on_card, on_host


def as_numbers(given: Any, name: str, layout: Layout | None = None, kinds: str = REAL) -> np.ndarray:
    """Returns numbers as a NumPy array of their own type, without a copy if possible.

    ``kinds`` are the accepted kinds of numbers, by default real numbers. From a table, the columns of the layout are read. If
    there is no layout, all columns are read in their order.

    Raises TypeError, with the name of the argument, if it is not an array of these numbers. Raises ValueError for nulls and
    for columns that do not fit.
    """
    if layout is not None and _is_row_of_frame(given, layout):
        return as_numbers(given.to_frame().T, name, layout)[0]
    opened = _opened(given, name, kinds)
    if isinstance(opened, np.ndarray):
        return opened
    columns = opened if layout is None else list(chosen(opened, name, layout).values())
    arrays = [_without_nulls(column, name, kinds) for column in columns]
    return np.stack(arrays, axis=-1) if arrays else np.empty((0, 0))


def read_points(given: Any, name: str, origin: tuple[float, float, float] | None) -> np.ndarray:
    """Returns points as `as_float32` does. Raises TypeError or ValueError if the argument is not an array of points."""
    return as_float32(points_of(given, name), name, POINTS.widths, origin)


def read_rays(given: Any, masks: Any, ignore_ids: Any, world_ids: Any, origin: tuple[float, float, float] | None) -> Rays:
    """Returns rays as `as_float32` does, with their filters. Raises TypeError or ValueError if they are not rays."""
    numbers, *filters = rays_of(given, masks, ignore_ids, world_ids)
    return Rays(as_float32(numbers, "rays", RAYS.widths, origin), *filters)


def points_of(given: Any, name: str, layout: Layout = POINTS) -> np.ndarray:
    """Returns points, or other vectors, as numbers of their own type. A null in a table becomes NaN, which makes the point
    invalid.

    Raises TypeError and ValueError as `as_numbers` does.
    """
    return _rows(given, name, layout).numbers


class Rays(NamedTuple):
    """Rays as numbers of their own type, with the filters of what each may hit."""

    numbers: np.ndarray
    masks: Any
    ignore_ids: Any
    world_ids: Any


def rays_of(given: Any, masks: Any = None, ignore_ids: Any = None, world_ids: Any = None) -> Rays:
    """Returns rays with their filters, each of which is an argument or a column of the table of rays. A null becomes the default
    of its column. If the column has no default, the null makes the ray invalid.

    Raises TypeError and ValueError as `as_numbers` does, and ValueError for a filter that is both an argument and a column.
    """
    numbers, integers = _rows(given, "rays", RAYS)
    arguments = {"masks": masks, "ignore_ids": ignore_ids, "world_ids": world_ids}
    for column, filters in integers.items():
        argument = ARGUMENTS[column]
        if arguments[argument] is not None:
            raise ValueError(f"the table of rays has a column {column}, which replaces the argument {argument}: leave one of them out")
        arguments[argument] = filters
    return Rays(numbers, **arguments)


# The arguments that columns of a table of rays replace.
ARGUMENTS = {"ray_mask": "masks", "ignore_id": "ignore_ids", "world_id": "world_ids"}


def joints_by_name(given: Any) -> dict[str, Any] | None:
    """Returns the values of joints by name, or None for an array, which has no names. Names are the keys of a mapping, the texts
    of a series' index, or the columns of a table with one row.

    Raises TypeError for columns that are not numbers, and ValueError for a table with several rows.
    """
    if isinstance(given, Mapping):
        return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in given.items()}
    if hasattr(given, "_asdict"):
        return joints_by_name(given._asdict())
    if is_of_pandas(given) and not hasattr(given, "columns"):
        if not any(isinstance(label, (str, bytes, tuple)) for label in given.index):
            return None
        named = dict(zip(names_of(given.index), given))
        if len(named) < len(given):
            raise ValueError(f"joints have the same name twice: {', '.join(names_of(given.index))}")
        return joints_by_name(named)
    columns = _opened(given, "joints")
    if isinstance(columns, np.ndarray):
        return None
    layout = Layout(tuple(column.name for column in columns))
    rows = rows_of(by_name(columns, "joints", layout), layout).numbers
    if len(rows) != 1:
        raise ValueError(f"the table of joints has {len(rows)} rows: give one row")
    return dict(zip(layout.required, rows[0].tolist()))


def _rows(given: Any, name: str, layout: Layout) -> Rows:
    if _is_row_of_frame(given, layout):
        # In a row with fractional numbers, pandas converts integers to float64.
        columns = [as_whole(column) if column.name in layout.integers else column for column in of_frame(given.to_frame().T)]
        numbers, integers = rows_of(chosen(columns, name, layout), layout)
        return Rows(numbers[0], {column: array[0] for column, array in integers.items()})
    opened = _opened(given, name)
    return Rows(opened, {}) if isinstance(opened, np.ndarray) else rows_of(chosen(opened, name, layout), layout)


def _is_row_of_frame(given: Any, layout: Layout) -> bool:
    """Returns true for a pandas series whose index has names of columns."""
    return is_of_pandas(given) and not hasattr(given, "columns") and layout.is_named_by(names_of(given.index))


def _opened(given: Any, name: str, kinds: str = REAL) -> np.ndarray | list[Column]:
    """Returns an array of numbers of these kinds, or the columns of a table."""
    if isinstance(given, np.ma.MaskedArray) and np.ma.is_masked(given):
        raise ValueError(f"{name} has {np.ma.getmaskarray(given).sum()} masked numbers: fill them first")
    opened: Any
    if isinstance(given, np.ndarray):
        opened = given
    elif is_of_pandas(given):
        opened = of_frame(given) if hasattr(given, "columns") else _without_nulls(of_series("", given), name, kinds)
    elif (hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__")) and not hasattr(given, "ndim"):
        # An object with axes is an array. Through the capsule, an xarray array would be one long column.
        opened = _from_arrow(given, name)
    elif hasattr(given, "numpy") or hasattr(given, "__dlpack__"):
        opened = _from_tensor(on_host(given) if is_on_card(given) else given, name)
    elif type(given).__name__ == "LazyFrame":
        raise TypeError(f"{name} must be in memory, and a LazyFrame is not: give the result of its collect()")
    elif hasattr(given, "columns"):
        # As a NumPy array, its numbers would lose their names.
        raise TypeError(f"{name} must have an Arrow capsule, and a {type(given).__name__} has none: give it as a pyarrow.Table")
    else:
        if isinstance(given, (list, tuple)):
            _refuse_parts(given, name)
        try:
            # An Arrow scalar is a Python number in a wrapper.
            opened = np.asarray(given.as_py() if hasattr(given, "as_py") else given)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{name} must be an array: {error}") from None
    if isinstance(opened, list):
        return opened
    if opened.size == 0 and opened.dtype == np.dtype(object):
        return opened.astype(np.float64)
    if opened.ndim == 0 and opened.dtype == np.dtype(object):
        raise TypeError(f"{name} must be an array of real numbers, and is of type {type(given).__name__}")
    # A type of another library may have one of NumPy's kinds, and is rejected too.
    if opened.dtype.kind not in kinds or not issubclass(opened.dtype.type, (np.number, np.bool_)):
        raise _of_other_type(name, opened.dtype)
    return opened


def _refuse_parts(given: list[Any] | tuple[Any, ...], name: str) -> None:
    """Rejects a list of tables, of rows of tables or of masked arrays. In one array they would lose their names or masks."""
    first_of_types = {type(part): part for part in reversed(given)}
    for type_, first in first_of_types.items():
        is_row = is_of_pandas(type_) and any(isinstance(label, (str, tuple)) for label in getattr(first, "index", ()))
        # The rows of itertuples have this name.
        if hasattr(type_, "columns") or is_row or type_.__name__ == "Pandas":
            raise TypeError(f"{name} is a list of tables or of their rows, whose names would be lost: give one table")
        if issubclass(type_, np.ma.MaskedArray) and any(np.ma.is_masked(part) for part in given):
            raise ValueError(f"{name} has masked numbers: fill them first")


def _of_other_type(name: str, type_: Any) -> TypeError:
    """Returns the error for numbers that NumPy does not have as real numbers. The message shows how to convert them."""
    text = str(type_).rpartition("torch.")[2]
    if getattr(type_, "names", None):
        advice = "make an array of its fields with numpy.lib.recfunctions.structured_to_unstructured"
    elif text.startswith("complex"):
        advice = "use their real parts"
    elif text.startswith(("bfloat", "float")):
        advice = "convert them, as .astype(jnp.float32) does for JAX"
    elif text.startswith(("int", "uint")):
        advice = "convert them, as .astype(jnp.int32) does for JAX"
    else:
        advice = "convert them first"
    return TypeError(f"{name} must be real numbers of a NumPy type, and these are of type {text}: {advice}")


def _without_nulls(column: Column, name: str, kinds: str) -> np.ndarray:
    """Returns the numbers of a column of a table, or of a series, which has no name here."""
    if column.kind not in (*kinds, NULLS):
        which = f"the column {column.name} is" if column.name else "these are"
        raise TypeError(f"{name} must be real numbers, and {which} of type {column.type}: convert them first")
    numbers = column.read(slice(None))
    nulls = np.ma.getmaskarray(numbers).sum()
    if nulls:
        raise ValueError(f"{name} has {nulls} nulls: fill them first")
    return numbers.data


def _from_tensor(given: Any, name: str) -> np.ndarray:
    """Returns the numbers of a tensor without a copy.

    The tensor's own method comes first, because reading an Open3D tensor with DLPack is slow: it copies number by number.
    """
    try:
        return np.asarray(given.numpy() if hasattr(given, "numpy") else np.from_dlpack(given))
    except (RuntimeError, BufferError, TypeError, ValueError) as error:
        if not _is_known(getattr(given, "dtype", "float32")):
            raise _of_other_type(name, given.dtype) from None
        raise TypeError(f"{name} must be in the CPU's memory: {error}") from None


def _is_known(dtype: Any) -> bool:
    """Returns true if NumPy also has the number type of another library, such as torch.float32."""
    try:
        return issubclass(np.dtype(str(dtype).rpartition(".")[2].lower()).type, np.number)
    except TypeError:
        return False


def _from_arrow(given: Any, name: str) -> np.ndarray | list[Column]:
    """Returns rows from lists of equal length, the numbers of a column, or the columns of a table."""
    try:
        import pyarrow as pa
    except ImportError:
        raise TypeError(f"{name} has an Arrow capsule, and pyarrow, which reads it, is missing: pip install 'raytwin[arrow]'") from None
    if hasattr(given, "__arrow_c_stream__"):
        try:
            return of_arrow(pa.table(given))
        except (TypeError, ValueError, pa.ArrowInvalid):
            array = pa.chunked_array(given).combine_chunks()
    else:
        array = pa.array(given)
    if pa.types.is_struct(array.type):
        return of_arrow(pa.Table.from_arrays(array.flatten(), [field.name for field in array.type]))
    return _of_arrow_array(array, name, pa)


def _of_arrow_array(array: Any, name: str, pa: Any) -> np.ndarray:
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count:
        raise ValueError(f"{name} has {array.null_count} nulls: fill them first")
    if isinstance(array, pa.ExtensionArray):
        return array.to_numpy_ndarray() if hasattr(array, "to_numpy_ndarray") else _of_arrow_array(array.storage, name, pa)
    if pa.types.is_struct(array.type):
        return np.stack([_of_arrow_array(field, name, pa) for field in array.flatten()], axis=-1)
    if pa.types.is_fixed_size_list(array.type):
        values = _of_arrow_array(array.flatten(), name, pa)
        return values.reshape(len(array), array.type.list_size, *values.shape[1:])
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        lengths = np.diff(array.offsets.to_numpy())
        if len(set(lengths.tolist())) > 1:
            raise ValueError(f"{name} has rows of different lengths")
        values = _of_arrow_array(array.flatten(), name, pa)
        return values.reshape(len(array), -1, *values.shape[1:]) if len(array) else values.reshape(0, 0)
    return array.to_numpy(zero_copy_only=False)


def as_float32(array: np.ndarray, name: str, widths: tuple[int, ...], origin: tuple[float, float, float] | None) -> np.ndarray:
    """Returns rows of float32 numbers in C order. The origin is subtracted in float64, and then each number is rounded once.

    Raises ValueError if the length of the last axis is not one of the widths.
    """
    if array.ndim == 0 or array.shape[-1] not in widths:
        allowed = " or ".join(str(width) for width in widths)
        raise ValueError(f"{name} must have {allowed} numbers in the last axis, and the shape is {array.shape}")
    # A number outside the range of float32 becomes infinite, which makes the ray or point invalid.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if origin is not None:
            array = array.astype(np.float64)
            array[..., :3] -= origin
        return np.require(array, np.float32, ["C_CONTIGUOUS", "ALIGNED"])


def as_uint32(given: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Returns one uint32 number for each ray. A single number is used for all rays.

    Raises TypeError for numbers that are not integers. Raises ValueError for another shape and for numbers out of range.
    """
    array = as_numbers(given, name)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must be integers, and these are of type {array.dtype}")
    if array.ndim and array.shape != shape:
        raise ValueError(f"{name} must have the shape of the rays, {shape}, and has {array.shape}")
    if array.size and (array.min() < 0 or array.max() > 0xFFFFFFFF):
        raise ValueError(f"{name} must be from 0 to 4294967295, and these are from {array.min()} to {array.max()}")
    return np.require(np.broadcast_to(array, shape), np.uint32, ["C_CONTIGUOUS", "ALIGNED"])
