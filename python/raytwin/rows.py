"""Makes rows of numbers from the arrays that describe shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

import numpy as np

from . import _raytwin
from .arrays import as_numbers
from .columns import FLAG
from .layouts import COLORS, POINTS, Layout, vector


class Properties(NamedTuple):
    """The properties of shapes in addition to their numbers, with one entry for all shapes or one for each."""

    matrix: tuple[float, ...] | None
    names: list[str]
    masks: np.ndarray | None
    colors: np.ndarray | None
    node: int | None


class PropertyArguments(TypedDict, total=False):
    """The keyword arguments of all methods that add shapes: see `Scene`."""

    matrix: Any
    name: str | None
    names: Sequence[str] | None
    mask: Any
    color: Any
    node: int | str | None


def as_float64(given: Any, name: str, *shapes: tuple[int | None, ...], layout: Layout | None = None) -> np.ndarray:
    """Returns float64 numbers in C order with one of the shapes, in which None means any length.

    From a table, the columns of the layout are read. For rows of two to four numbers, the default layout has the columns of a
    vector with the argument's name.
    """
    array = as_numbers(given, name, layout or _layout_of(name, shapes))
    for shape in shapes:
        if array.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, array.shape)):
            return np.ascontiguousarray(array, dtype=np.float64)
    wanted = " or ".join(_shape_text(shape) for shape in shapes)
    raise ValueError(f"{name} must have the shape {wanted}, and has {array.shape}")


def _layout_of(name: str, shapes: tuple[tuple[int | None, ...], ...]) -> Layout | None:
    widths = [width for *lengths, width in filter(None, shapes) if lengths in ([], [None])]
    return next((vector(name, width) for width in widths if width in (2, 3, 4)), None)


def as_flags(given: Any, name: str) -> np.ndarray | None:
    """Returns 1 for true and 0 for false. None stays None. Raises TypeError for values that are not booleans or numbers."""
    return None if given is None else as_numbers(given, name, kinds=FLAG).astype(np.float64)


def keep_floats(instance: Any, name: str, shape: tuple[int | None, ...]) -> None:
    """Stores an attribute of a frozen dataclass, a number or a point, as plain floats. None stays None.

    Raises TypeError for values that are not numbers, and ValueError for another shape.
    """
    given = getattr(instance, name)
    if given is not None:
        numbers = as_float64(given, name, shape).tolist()
        object.__setattr__(instance, name, tuple(numbers) if shape else numbers[0])


def _shape_text(shape: tuple[int | None, ...]) -> str:
    if not shape:
        return "of a number"
    lengths = ", ".join("N" if length is None else str(length) for length in shape)
    return f"({lengths},)" if len(shape) == 1 else f"({lengths})"


def as_indices(given: Any, name: str, width: int) -> np.ndarray:
    """Returns rows of indices as uint32 numbers."""
    array = as_numbers(given, name)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{name} must have the shape (N, {width}), and has {array.shape}")
    return _as_uint32(array, name)


def as_ids(given: Any, name: str) -> np.ndarray:
    """Returns an array of integers from 0 as uint32 numbers."""
    array = as_numbers(given, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have the shape (N,), and has {array.shape}")
    return _as_uint32(array, name)


def _as_uint32(array: np.ndarray, name: str) -> np.ndarray:
    if array.size == 0:
        return np.empty(array.shape, dtype=np.uint32)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, and these are of type {array.dtype}")
    if array.min() < 0 or array.max() > 0xFFFFFFFF:
        wrong = np.argwhere((array < 0) | (array > 0xFFFFFFFF))[0]
        place = "".join(f"[{index}]" for index in wrong)
        raise ValueError(f"{name}{place} is {array[tuple(wrong)]}: it must be a number from 0 to 4294967295")
    return np.ascontiguousarray(array, dtype=np.uint32)


def matrices_of(given: Any, name: str) -> np.ndarray:
    """Returns the twelve numbers of each matrix, for one matrix or several, as float64 numbers of shape (N, 12)."""
    array = as_float64(given, name, (3, 4), (4, 4), (None, 3, 4), (None, 4, 4))
    array = array.reshape(-1, *array.shape[-2:])
    if array.shape[1] == 4:
        wrong = np.flatnonzero(np.any(array[:, 3] != (0, 0, 0, 1), axis=1))
        if wrong.size:
            raise ValueError(f"the last row of {name}[{wrong[0]}] must be 0, 0, 0, 1, and is {array[wrong[0], 3]}")
    return np.ascontiguousarray(array[:, :3]).reshape(-1, 12)


def matrices_of_nodes(given: Any, nodes: int) -> np.ndarray:
    """Returns the twelve numbers of the matrix of each node, as float64 (N, 12)."""
    matrices = matrices_of(given, "matrices")
    if len(matrices) != nodes:
        raise ValueError(f"there are {len(matrices)} matrices for {nodes} nodes")
    return matrices


def matrices_in_worlds(given: Any, nodes: int) -> np.ndarray:
    """Returns the twelve numbers of the matrix of each node in each world, as float64 (W * N, 12)."""
    array = as_float64(given, "matrices", (None, None, 3, 4), (None, None, 4, 4))
    if array.shape[0] == 0 or array.shape[1] != nodes:
        raise ValueError(f"matrices must have one or more worlds, of {nodes} nodes each, and have the shape {array.shape}")
    return matrices_of(array.reshape(-1, *array.shape[2:]), "matrices")


def matrix_of(given: Any, name: str) -> tuple[float, ...]:
    """Returns the twelve numbers of a matrix."""
    return tuple(as_float64(matrices_of(given, name), name, (1, 12))[0].tolist())


def names_of(name: str | None, names: Sequence[str] | None, count: int) -> list[str]:
    """Returns a list with one name for all, with a name for each, or with no name."""
    if name is not None and names is not None:
        raise TypeError("give either name, for all, or names, one for each")
    if name is not None:
        if not isinstance(name, str):
            raise TypeError(f"name must be a text, and is {name!r}")
        return [name]
    if names is None:
        return []
    if isinstance(names, str):
        raise TypeError("names must be a list of texts, one for each: for one text for all, use name")
    if isinstance(names, (set, frozenset)):
        raise TypeError("names must be a list of texts, one for each, and a set has no order")
    if hasattr(names, "columns"):
        raise TypeError(f"names must be a list of texts, one for each, and is a {type(names).__name__}: give one column of it")
    # The entries of an Arrow array are texts in wrappers.
    texts = list(names.to_pylist() if hasattr(names, "to_pylist") else names)
    if len(texts) != count:
        raise ValueError(f"names must be {count} texts, one for each, and there are {len(texts)}")
    wrong = next((index for index, each in enumerate(texts) if not isinstance(each, str)), None)
    if wrong is not None:
        raise TypeError(f"names[{wrong}] must be a text, and is {texts[wrong]!r}")
    # A list with one name has the same meaning as one name for all.
    return [str(each) for each in texts]


def color_of(given: Any, count: int | None = None) -> np.ndarray:
    """Returns one colour for all, or one for each, as float32 numbers of shape (N, 3)."""
    shapes = ((3,),) if count is None else ((3,), (count, 3))
    colors = as_float64(given, "color", *shapes, layout=COLORS)
    if not np.all((colors >= 0) & (colors <= 1)):
        raise ValueError("color must be red, green and blue from 0 to 1")
    return colors.reshape(-1, 3).astype(np.float32)


def properties_of(
    count: int,
    *,
    matrix: Any = None,
    name: str | None = None,
    names: Sequence[str] | None = None,
    mask: Any = None,
    color: Any = None,
    node: Any = None,
) -> Properties:
    """Returns the checked keyword arguments of a method that adds `count` shapes."""
    masks = None
    if mask is not None:
        masks = as_ids(np.atleast_1d(as_numbers(mask, "mask")), "mask")
        if masks.size not in (1, count):
            raise ValueError(f"mask must be one number, or one for each of {count}, and there are {masks.size}")
    numbers = None if matrix is None else matrix_of(matrix, "matrix")
    colors = None if color is None else color_of(color, count)
    return Properties(numbers, names_of(name, names, count), masks, colors, node)


class Rows(NamedTuple):
    """Rows of numbers, and for each field the name of its argument and whether it has one entry for all rows."""

    numbers: np.ndarray
    arguments: list[tuple[str, bool]]


def rows_of(kind: str, **fields: tuple[str, Any]) -> Rows:
    """Returns a row for each shape of a kind, from the argument of each field. A field without an argument has its default.

    Raises ValueError for arrays of a wrong shape or of different lengths, and TypeError for values that are not numbers.
    """
    columns = []
    for field, width, default in _raytwin.shape_fields(kind):
        argument, given = fields.get(field, (field, None))
        if given is None:
            if default is None:
                raise TypeError(f"{argument} is missing")
            array = np.asarray(default, dtype=np.float64)
            array = array[0] if width == 1 else array
        else:
            array = _entries(given, argument, field, width)
        columns.append((argument, width, array))
    count = _common_count(columns)
    numbers = np.empty((count, sum(width for _, width, _ in columns)))
    start = 0
    arguments = []
    for argument, width, array in columns:
        is_of_all = array.ndim == (0 if width == 1 else 1) or len(array) != count
        numbers[:, start : start + width] = array.reshape(-1, width)
        start += width
        arguments.append((argument, is_of_all))
    return Rows(numbers, arguments)


def _entries(given: Any, argument: str, field: str, width: int) -> np.ndarray:
    """Returns the entries of an argument for a field: one for all rows, or one for each. Corners become nine numbers."""
    if width == 1:
        return as_float64(given, argument, (), (None,))
    if width == 9:
        corners = as_float64(given, argument, (3, 3), (None, 3, 3), layout=POINTS)
        return corners.reshape(*corners.shape[:-2], 9)
    if isinstance(given, (list, tuple)) and not given:
        return np.empty((0, width))
    return as_float64(given, argument, (width,), (None, width), layout=vector(field, width))


def _common_count(columns: list[tuple[str, int, np.ndarray]]) -> int:
    """Returns the number of rows. An argument with one entry fits any number of rows."""
    lengths = {argument: len(array) for argument, width, array in columns if array.ndim == (1 if width == 1 else 2)}
    others = {argument: length for argument, length in lengths.items() if length != 1}
    if len(set(others.values())) > 1:
        message = ", ".join(f"{argument} has {length}" for argument, length in others.items())
        raise ValueError(f"the arguments must have one entry for all shapes or one for each: {message}")
    return next(iter(others.values()), 1)
