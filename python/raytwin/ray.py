"""Casts rays on the machines of a cluster, by Ray Data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray.data.block import BlockAccessor
from ray.data.datasource import BlockBasedFileDatasink

from .scene import Scene
from .table import cast_table, check_options, shared_tracer


class CastRays:
    """Casts the rays of a dataset's blocks: an actor's class for Ray Data's ``map_batches``.

    Each block keeps its columns and its rows' order, and gets the answers as further columns: see
    ``raytwin.table.cast_table``, which tells the columns of rays, and ``raytwin.table.answer_schema``.

        ray.data.read_parquet("rays/").map_batches(
            raytwin.ray.CastRays,
            fn_constructor_kwargs={"scene": "/shared/plant.json"},
            batch_format="pyarrow",
            batch_size=1_000_000,
            concurrency=8,
            num_gpus=1,
        ).write_datasink(raytwin.ray.OrderedParquet("hits/"))

    `scene` is the path of a file that every machine sees, a ``raytwin.Scene``, or the reference of one, by
    ``ray.put(scene)``, which each machine then fetches once. `device` and `canonical` are those of ``Tracer``, `kind`,
    `solid`, `faces` and `instances` those of ``cast_table``, and `load` holds the options of ``Scene.load`` for a file.
    Where machines have different devices, only canonical answers are the same bits whichever of them casts a block.

    Raises FileError, SceneError, NoAdapterError or DeviceError if the scene or the device cannot be had: Ray reports it
    as the cause of an actor that did not start. Options that do not fit each other raise ValueError or TypeError.
    """

    def __init__(
        self,
        scene: Any,
        device: str = "auto",
        kind: str = "closest",
        *,
        solid: bool = False,
        faces: bool = False,
        instances: bool = False,
        canonical: bool = False,
        load: Mapping[str, Any] | None = None,
    ) -> None:
        self._options = {"kind": kind, "solid": solid, "faces": faces, "instances": instances}
        check_options(**self._options)
        self._tracer = shared_tracer(_fetched(scene), device, canonical=canonical, **(load or {}))

    def __call__(self, block: pa.Table) -> pa.Table:
        """Returns the block with the answers."""
        if not isinstance(block, pa.Table):
            raise TypeError(
                f'CastRays reads tables of Arrow, and was given a {type(block).__name__}: pass batch_format="pyarrow"'
            )
        return cast_table(self._tracer, block, **self._options)


class OrderedParquet(BlockBasedFileDatasink):
    """Writes each block of a dataset to a Parquet file, row by row in its order: for Ray Data's ``write_datasink``.

    Ray's own ``write_parquet`` lets threads exchange pieces of a block of more than 131,072 rows. Where the order of the
    blocks matters, too, set ``preserve_order`` of Ray's execution options: the files' names are in the blocks' order.

    `path` is a folder, also one of an object store, and is made if it is not there; further arguments are those of
    ``ray.data.datasource.BlockBasedFileDatasink``.
    """

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, file_format="parquet", **options)

    def write_block_to_file(self, block: BlockAccessor, file: pa.NativeFile) -> None:
        """Writes one block."""
        pq.write_table(block.to_arrow(), file)


def _fetched(scene: Any) -> str | os.PathLike[str] | Scene:
    """Returns a scene or its path, from the object store if it is a reference."""
    if isinstance(scene, (str, os.PathLike, Scene)):
        return scene
    if not isinstance(scene, ray.ObjectRef):
        raise TypeError(f"scene must be a path, a Scene or a reference of one, and not a {type(scene).__name__}")
    return _fetched(ray.get(scene))
