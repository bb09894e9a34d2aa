"""Reads what other libraries call an array into NumPy's.

An array may come as NumPy's, as a list, by ``__array_interface__`` or ``__array__``, as a tensor in the CPU's memory (by its
method ``numpy()``: Open3D, PyTorch, TensorFlow; or by DLPack: JAX), or by Arrow's capsules (pyarrow, polars, DuckDB, pandas).
"""

from __future__ import annotations

from typing import Any

import numpy as np


def as_numbers(given: Any, name: str) -> np.ndarray:
    """Returns real numbers as a NumPy array of their own type, without a copy where that is possible.

    Raises TypeError, naming the argument, for what is no array of real numbers.
    """
    if np.ma.is_masked(given):
        raise ValueError(f"{name} has {np.ma.getmaskarray(given).sum()} masked numbers: fill them first")
    if isinstance(given, np.ndarray):
        array = given
    elif hasattr(given, "__arrow_c_array__") or hasattr(given, "__arrow_c_stream__"):
        array = _from_arrow(given, name)
    elif hasattr(given, "numpy") or hasattr(given, "__dlpack__"):
        array = _from_tensor(given, name)
    else:
        try:
            array = np.asarray(given)
        except ValueError as error:
            raise ValueError(f"{name} must be an array: {error}") from None
    if array.size == 0 and array.dtype == np.dtype(object):
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, and these are of the type {array.dtype}")
    return array


def _from_tensor(given: Any, name: str) -> np.ndarray:
    """Returns the numbers of a tensor where they lie.

    Its own method comes first, because what Open3D gives by DLPack is made of one number after another.
    """
    try:
        return np.asarray(given.numpy() if hasattr(given, "numpy") else np.from_dlpack(given))
    except (RuntimeError, BufferError, TypeError, ValueError) as error:
        raise TypeError(f"{name} must lie in the CPU's memory: {error}") from None


def _from_arrow(given: Any, name: str) -> np.ndarray:
    """Returns the rows of lists of one length, or the columns of a table side by side."""
    try:
        import pyarrow as pa
    except ImportError:
        raise TypeError(f"{name} comes by Arrow's capsule, which pyarrow reads: pip install raytwin[arrow]") from None
    if hasattr(given, "__arrow_c_stream__"):
        return _from_arrow_stream(given, name, pa)
    return _of_arrow_array(pa.array(given), name, pa)


def _from_arrow_stream(given: Any, name: str, pa: Any) -> np.ndarray:
    try:
        table = pa.table(given)
    except (TypeError, ValueError, pa.ArrowInvalid):
        return _of_arrow_array(pa.chunked_array(given).combine_chunks(), name, pa)
    columns = [_of_arrow_array(column.combine_chunks(), name, pa) for column in table.columns]
    return np.stack(columns, axis=-1) if columns else np.empty((table.num_rows, 0))


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


def as_float32(given: Any, name: str, widths: tuple[int, ...], origin: tuple[float, float, float] | None) -> np.ndarray:
    """Returns rows of float32 numbers in C order, each rounded once after the origin was subtracted in float64.

    Raises ValueError if the last axis has none of the widths.
    """
    array = as_numbers(given, name)
    if array.ndim == 0 or array.shape[-1] not in widths:
        allowed = " or ".join(str(width) for width in widths)
        raise ValueError(f"{name} must have {allowed} numbers in the last axis, and the shape is {array.shape}")
    # A number beyond float32 becomes infinite, which makes a ray or point invalid and is answered as such.
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if origin is not None:
            array = array.astype(np.float64)
            array[..., :3] -= origin
        return np.require(array, np.float32, ["C_CONTIGUOUS", "ALIGNED"])


def as_uint32(given: Any, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Returns one uint32 number for each ray; a single number is that of all rays.

    Raises TypeError for what are no integers, and ValueError for another shape and for numbers that do not fit.
    """
    array = as_numbers(given, name)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold integers, and these are of the type {array.dtype}")
    if array.ndim and array.shape != shape:
        raise ValueError(f"{name} must have the shape of the rays, {shape}, and it is {array.shape}")
    if array.size and (array.min() < 0 or array.max() > 0xFFFFFFFF):
        raise ValueError(f"{name} must hold numbers from 0 to 4294967295, and these reach from {array.min()} to {array.max()}")
    return np.require(np.broadcast_to(array, shape), np.uint32, ["C_CONTIGUOUS", "ALIGNED"])
