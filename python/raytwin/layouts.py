"""The columns of tables that arguments read: by name in any order, or by position if no name is known.

A name is known if it is one of the argument's names, in upper or lower case. If a table has a known name, its columns are read
only by name. Otherwise they are read by position. Names that differ only in a component, such as ``pos_x`` and ``pos_y``, must
then be in order.
"""

from __future__ import annotations

import difflib
import itertools
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from .columns import INTEGER, NULLS, REAL, Column

_NONE = 0xFFFFFFFF
# A null in a column without a default makes a ray or a point invalid.
_INVALID = np.nan


class Layout(NamedTuple):
    """The names of the columns of an argument.

    `required` are the columns of numbers that a table must have, in the order of a row. `optional` and `integers` are further
    columns of numbers and of integers, with their defaults. `others` are other spellings of the required names.
    """

    required: tuple[str, ...]
    optional: Mapping[str, float] = {}
    integers: Mapping[str, int] = {}
    others: tuple[tuple[str, ...], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.required, *self.optional, *self.integers)

    @property
    def spellings(self) -> str:
        """The names of columns of numbers, as a message lists them."""
        return " or ".join(" ".join(names) for names in (self.required, *self.others))

    def spelled_as(self, names: list[str]) -> Layout:
        """Returns the layout with only one spelling: the one whose names are all in the table, or the one with the most names in it."""
        there, meant = set(names), {_plain(name) for name in names}
        spellings = (self.required, *self.others)
        fitting = max(spellings, key=lambda each: (there.issuperset(each), len(meant.intersection(each))))
        return self._replace(required=fitting, others=())

    def is_named_by(self, names: Iterable[str]) -> bool:
        """Returns true if one of the names is the name of a column, or similar to one. Columns are then not read by position."""
        known = itertools.chain(self.names, *self.others)
        return not {_plain(name) for name in names}.isdisjoint(known)

    @property
    def widths(self) -> tuple[int, ...]:
        """The lengths that a row may have."""
        fewest = len(self.required)
        return (fewest, fewest + len(self.optional)) if self.optional else (fewest,)


RAYS = Layout(
    ("ox", "oy", "oz", "dx", "dy", "dz"),
    {"t_min": 0.0, "t_max": np.inf},
    {"ray_mask": _NONE, "ignore_id": _NONE, "world_id": 0},
    (("origin_x", "origin_y", "origin_z", "direction_x", "direction_y", "direction_z"),),
)
POINTS = Layout(("x", "y", "z"))
ORIGINS = Layout(("ox", "oy", "oz"), others=(("origin_x", "origin_y", "origin_z"), ("x", "y", "z")))
DIRECTIONS = Layout(("dx", "dy", "dz"), others=(("direction_x", "direction_y", "direction_z"), ("x", "y", "z")))
COLORS = Layout(("color_r", "color_g", "color_b"), others=(("r", "g", "b"), ("red", "green", "blue")))
# Other names of vectors: normals in answers, rotations in trajectories, and the spacing of heightfields.
_SHORT = {"normal": ("nx", "ny", "nz"), "rotation": ("qx", "qy", "qz", "qw"), "spacing": ("sx", "sy")}


def vector(field: str, width: int) -> Layout:
    """Returns the columns of a field of two to four numbers, with the names in tables of shapes, or only those of the axes."""
    axes = tuple("xyzw"[:width])
    field = field.removesuffix("_xyzw")
    names = (tuple(f"{field}_{axis}" for axis in axes), _SHORT.get(field, ()), axes)
    first, *others = (each for each in names if len(each) == width)
    return Layout(first, others=tuple(others))


def _plain(name: str) -> str:
    """Returns a name in lower case, with one underscore between words."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


class Rows(NamedTuple):
    """Rows of numbers, and the columns of integers that the table also has.

    A null is replaced by its default. If there is no default, the first number of the row is NaN.
    """

    numbers: np.ndarray
    integers: dict[str, np.ndarray]


def chosen(columns: list[Column], name: str, layout: Layout) -> dict[str, Column]:
    """Returns the columns of the argument `name`.

    Raises ValueError for a name that is missing or that two columns have, and if neither the names nor the number of columns
    fit. Raises TypeError for columns of another type.
    """
    numbers = " or ".join(str(width) for width in layout.widths)
    if layout.is_named_by(column.name for column in columns):
        rule = f". Only if the table has none of these names, its {numbers} columns of numbers are read in their order"
        return by_name(columns, name, layout, rule)
    rule = f"{name} have {layout.spellings}, or {numbers} columns of numbers in this order, and there are {_listed(columns)}"
    of_numbers = [column for column in columns if column.kind in (*REAL, NULLS)]
    if not of_numbers:
        raise TypeError(f"{name} must be real numbers, and no column of the table has real numbers: {rule}")
    if len(of_numbers) not in layout.widths:
        raise ValueError(f"the table of {name} has {len(of_numbers)} columns of numbers: {rule}")
    if misplaced := _misplaced([column.name for column in of_numbers], layout):
        raise ValueError(f"the column {misplaced} of {name} is not in the place of its component: {rule}")
    if others := [column for column in columns if column.kind not in (*REAL, NULLS)]:
        warnings.warn(f"{name} are the columns of numbers in their order, and other columns are not read: {_listed(others)}", stacklevel=2)
    return dict(zip(layout.names, of_numbers))


def _misplaced(names: list[str], layout: Layout) -> str | None:
    """Returns the first name that differs from another only in its component and is not in the place of that component."""
    components = {each[-1] for each in layout.required}
    lowered = [name.lower() for name in names]
    for name, plain, each in zip(names, lowered, layout.required):
        for at, letter in enumerate(plain):
            siblings = {plain[:at] + other + plain[at + 1 :] for other in components - {letter}}
            if letter in components and letter != each[-1] and not siblings.isdisjoint(lowered):
                return name
    return None


def by_name(columns: list[Column], name: str, layout: Layout, rule: str = "") -> dict[str, Column]:
    """Returns the columns of an argument by name. The keys are names of the first spelling.

    Raises ValueError for a name that is missing or that two columns have, and TypeError for a column of another type.
    """
    found = {}
    spelled = layout.spelled_as([column.name for column in columns])
    for each in spelled.names:
        named = [column for column in columns if column.name == each]
        if len(named) > 1:
            raise ValueError(f"the table of {name} has {len(named)} columns {each}: leave all but one out")
        if named:
            found[each] = named[0]
            _refuse_other_type(named[0], name, each in layout.integers)
        elif each in spelled.required:
            raise ValueError(f"the table of {name} has no column {each}: {name} have {layout.spellings}, and there are {_listed(columns)}{rule}")
        else:
            _warn_of_misspelt(each, [column.name for column in columns if column.name not in layout.names])
    first = dict(zip(spelled.required, layout.required))
    return {first.get(each, each): column for each, column in found.items()}


def rows_of(found: dict[str, Column], layout: Layout, rows: slice = slice(None)) -> Rows:
    """Returns some rows of the columns. Numbers have the type of the columns, or a common type.

    Raises ValueError for an integer that is not from 0 to 4294967295.
    """
    has_optional = any(name in found for name in layout.optional)
    defaults = {name: _INVALID for name in layout.required} | (dict(layout.optional) if has_optional else {})
    read = {name: found[name].read(rows) for name in defaults if name in found}
    count = len(read[layout.required[0]])
    dtype = np.result_type(*(array.dtype for array in read.values()))
    numbers = np.empty((count, len(defaults)), dtype if dtype.kind == "f" else np.float64)
    for index, (name, default) in enumerate(defaults.items()):
        if name in read:
            numbers[:, index] = read[name].data
            numbers[np.ma.getmaskarray(read[name]), index] = default
        else:
            numbers[:, index] = default
    integers = {}
    for name, default in layout.integers.items():
        if name in found:
            array = found[name].read(rows)
            _refuse_misfit(array.data, name, rows.start or 0)
            nulls = np.ma.getmaskarray(array)
            integers[name] = np.where(nulls, np.uint32(default), array.data.astype(np.uint32))
            numbers[nulls, 0] = _INVALID
    return Rows(numbers, integers)


def _listed(columns: list[Column]) -> str:
    return ", ".join(column.name for column in columns) or "none"


def _refuse_other_type(column: Column, name: str, is_integer: bool) -> None:
    kinds = (*(INTEGER if is_integer else REAL), NULLS)
    if column.kind in kinds:
        return
    held, wanted = ("integers", "integers") if is_integer else ("real numbers", "float32, float64 or integers")
    raise TypeError(f"{name} must be {held}, and the column {column.name} is of type {column.type}: it must be {wanted}, so cast it first")


def _warn_of_misspelt(missing: str, others: list[str]) -> None:
    """Warns about a column that is not read and whose name is similar to that of a missing optional column."""
    alike = {other.strip().lower(): other for other in others}
    near = difflib.get_close_matches(missing, alike, n=1, cutoff=0.8)
    if near:
        warnings.warn(f"the column {alike[near[0]]} is not read: did you mean {missing}?", stacklevel=2)


def _refuse_misfit(array: np.ndarray, name: str, first: int) -> None:
    misfits = np.flatnonzero((array < 0) | (array > _NONE))
    if misfits.size:
        row = int(misfits[0])
        raise ValueError(f"{name}[{first + row}] is {array[row]}: it must be from 0 to {_NONE}")
