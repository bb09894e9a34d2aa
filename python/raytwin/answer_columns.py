"""The columns of answers as a table, which is the same for pandas, polars and Arrow. The names are those of answers in Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .layouts import RAYS
from .on_card import is_on_card, on_host

# The columns of arrays that have an additional last axis.
_VECTORS = {
    "primitive_normals": ("nx", "ny", "nz"),
    "primitive_uvs": ("u", "v"),
    "points": ("x", "y", "z"),
    "witness": ("x", "y", "z"),
    "other_witness": ("other_x", "other_y", "other_z"),
    "albedo": ("albedo_r", "albedo_g", "albedo_b"),
    "rays": (*RAYS.required, *RAYS.optional),
}
# Arrays of integers, which are signed on a GPU. All other arrays except `path_lengths` have the names of their columns.
_IDS = {
    "geometry_ids": "geometry_id",
    "primitive_ids": "primitive_id",
    "instance_ids": "instance_id",
    "label_ids": "label_id",
    "containing_ids": "containing_id",
    "innermost_ids": "innermost_id",
    "path_geometry_ids": "path_geometry_id",
    "ray_ids": "ray_id",
    "world_ids": "world_id",
    "ignore_ids": "ignore_id",
    "masks": "ray_mask",
    "faces": "face",
}
# Columns that have the number NONE if there is no id: for a miss, an invalid ray, a point outside of all solids, or a
# pair of solids of which neither is inside the other.
MISSING = ("geometry_id", "primitive_id", "instance_id", "containing_id", "innermost_id", "face", "inner")
NONE = 0xFFFFFFFF
# This array is not a column: `ray_ids` give the same information row by row.
_SPLITS = "ray_splits"
# This array becomes a column of `ray_ids`.
_PATH_SPLITS = "path_splits"


def columns_of(arrays: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Returns the columns of answers by name, all of one length.

    Rows are in the order of the arrays' leading axes, the last of which runs fastest. A column is a view of its array if
    its numbers are in that order already.

    Raises ValueError for an array that a caller added and that does not have a number for each row.
    """
    columns: dict[str, np.ndarray] = {}
    leading: tuple[int, ...] | None = None
    for name, given in arrays.items():
        if name == _SPLITS:
            continue
        array = np.asarray(on_host(given) if is_on_card(given) else given)
        if name == _PATH_SPLITS:
            name, array = "ray_ids", np.repeat(np.arange(len(array) - 1, dtype=np.uint32), np.diff(array).astype(np.int64))
        parts = _VECTORS.get(name)
        if leading is None:
            leading = array.shape if parts is None else array.shape[:-1]
        wanted = leading if parts is None else (*leading, len(parts))
        if array.shape != wanted:
            raise ValueError(f"{name} must have the shape {wanted} to have the same rows as the arrays before it, and has {array.shape}")
        if parts is not None:
            # Arrow needs the numbers of a column to be contiguous.
            columns |= zip(parts, np.ascontiguousarray(array.reshape(-1, len(parts)).T))
        elif name in _IDS:
            columns[_IDS[name]] = array.reshape(-1).astype(np.uint16 if name == "label_ids" else np.uint32, copy=False)
        else:
            columns["path_length" if name == "path_lengths" else name] = array.reshape(-1)
    return columns
