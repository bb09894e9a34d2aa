"""Tables of rays, and the program's answers to them."""

import json

import numpy as np
import program
import pyarrow as pa
import pyarrow.parquet as pq

import raytwin.table

BALLS = {
    "raytwin": 1,
    "shapes": [
        {"type": "sphere", "center": [0, 0, 0], "radius": 1.5},
        {"type": "box", "center": [3, 0, 0], "half_extents": [0.5, 1, 2], "mask": 1},
        {"type": "cylinder", "start": [-3, 0, -2], "end": [-3, 0, 2], "radius": 0.75, "inner_radius": 0.5, "mask": 6},
    ],
    "nodes": [{"translation": [0, 3, 0], "shapes": [{"type": "torus", "center": [0, 0, 0], "axis": [0, 0, 1], "major_radius": 1, "minor_radius": 0.25}]}],
}


def write_scene(path, **changes):
    path.write_text(json.dumps(BALLS | changes))
    return str(path)


def random_rays(count, seed=7):
    """Returns rays towards the shapes, numbered in the column `ray`."""
    random = np.random.default_rng(seed)
    origins = random.uniform(-6, 6, (count, 3))
    directions = random.uniform(-3, 3, (count, 3)) - origins
    columns = dict(zip(("ox", "oy", "oz", "dx", "dy", "dz"), np.hstack([origins, directions]).astype(np.float32).T))
    return pa.table({"ray": np.arange(count)} | columns)


def in_order_of_rays(table):
    """Returns the rows in the order of the column `ray`, which engines do not keep."""
    return table.sort_by("ray")


def answers_of_program(scene, rays, folder, *flags):
    """Returns the columns that the program writes, in the order of the rays."""
    pq.write_table(rays, folder / "rays.parquet")
    program.run("query", scene, folder / "rays.parquet", "-o", folder / "hits.parquet", "--device", "cpu", *flags)
    return pq.read_table(folder / "hits.parquet")


def assert_same_bits(answered, expected):
    """Holds the answers' columns of a table to those of the program."""
    for name in expected.column_names:
        ours, theirs = (_bits(table.column(name).combine_chunks()) for table in (answered, expected))
        assert len(ours) == len(theirs) == 2
        for part, its_twin in zip(ours, theirs):
            np.testing.assert_array_equal(part, its_twin, err_msg=name)


def _bits(column):
    """Returns the lengths of a column's lists, and the bits of its numbers."""
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    if pa.types.is_list(column.type):
        return np.diff(column.offsets), _bits(column.flatten())[1]
    numbers = column.to_numpy(zero_copy_only=False)
    return np.array([len(numbers)]), numbers.view(np.uint32) if numbers.dtype == np.float32 else numbers


def cast(scene, rays, kind="closest", **options):
    return raytwin.table.cast_table(raytwin.table.shared_tracer(scene, "cpu"), rays, kind, **options)
