"""Casts rays on the machines of a cluster, with Ray Data."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from .scene import Scene

try:
    import pyarrow as pa
    import pyarrow.fs
    import pyarrow.parquet as pq
    import ray
    from ray.data.block import BlockAccessor
    from ray.data.datasource import BlockBasedFileDatasink
except ImportError as error:
    raise ImportError("raytwin.ray needs the package ray: pip install 'raytwin[ray]'") from error

from .table import cast_table, check_options, shared_tracer


def cast_rays(
    rays: ray.data.Dataset,
    scene: Any,
    device: str = "auto",
    kind: str = "closest",
    *,
    solid: bool = False,
    faces: bool = False,
    instances: bool = False,
    labels: bool = False,
    canonical: bool = False,
    load: Mapping[str, Any] | None = None,
    batch_size: int = 1_000_000,
    **worker: Any,
) -> ray.data.Dataset:
    """Returns a dataset of rays with the answers as additional columns. Workers cast the rays when the dataset is read.

        raytwin.ray.cast_rays(
            ray.data.read_parquet("rays/"), "/shared/plant.json", concurrency=8, num_gpus=1
        ).write_datasink(raytwin.ray.OrderedParquet("hits/"))

    `scene` and the options up to `load` are those of ``CastRays``. `batch_size` is the number of rays in a call. `worker` are
    arguments of Ray Data's ``map_batches``, which set the number of workers and the resources of each: `concurrency`,
    `num_gpus`, `num_cpus`, `memory`, `resources`.

    Raises ValueError at once for options that do not fit each other, and for resources of a worker that no machine has, because
    Ray would wait for such a machine forever: see ``check_worker``.
    """
    check_options(kind, solid=solid, faces=faces, instances=instances, labels=labels)
    check_worker(**{name: worker[name] for name in (*_RESOURCES, "resources") if name in worker})
    arguments = dict(
        scene=scene, device=device, kind=kind, solid=solid, faces=faces, instances=instances, labels=labels,
        canonical=canonical, load=load,
    )
    return rays.map_batches(
        CastRays, fn_constructor_kwargs=arguments, batch_format="pyarrow", batch_size=batch_size, **worker
    )


def check_worker(
    num_gpus: float | None = None,
    num_cpus: float | None = None,
    memory: float | None = None,
    resources: Mapping[str, float] | None = None,
) -> None:
    """Raises ValueError if no machine in the current cluster has the resources of a worker.

    Ray itself waits until such a machine is added. If your cluster adds machines on demand, skip this check: pass
    ``CastRays`` to Ray Data's ``map_batches`` yourself.
    """
    if not ray.is_initialized():
        ray.init()
    given = {"num_gpus": num_gpus, "num_cpus": num_cpus, "memory": memory}
    taken = {_RESOURCES[name]: amount for name, amount in given.items() if amount} | dict(resources or {})
    machines = [machine["Resources"] for machine in ray.nodes() if machine["Alive"]]
    if not any(all(machine.get(name, 0) >= amount for name, amount in taken.items()) for machine in machines):
        there = "; ".join(sorted({_listed(machine, {"CPU", "GPU", *taken}) for machine in machines}))
        raise ValueError(
            f"a worker needs {_listed(taken, taken.keys())}, and no machine of the cluster has that: the machines have {there}"
        )


# Ray's names of a worker's resources.
_RESOURCES = {"num_gpus": "GPU", "num_cpus": "CPU", "memory": "memory"}


def _listed(resources: Mapping[str, float], names: Iterable[str]) -> str:
    return ", ".join(f"{resources.get(name, 0):g} {name}" for name in sorted(names))


class CastRays:
    """Casts the rays of a dataset's blocks. This is an actor class for Ray Data's ``map_batches``; ``cast_rays`` uses it.

    Each block keeps its columns and the order of its rows, and gets the answers as additional columns.
    ``raytwin.table.cast_table`` lists the columns of rays, and ``raytwin.table.answer_schema`` those of answers.

    - `scene`: the path of a file that every machine can read, a ``raytwin.Scene``, or a reference from ``ray.put(scene)``,
      which each machine fetches once.
    - `device`, `canonical`: as in ``Tracer``. If machines have different devices, only canonical answers have the same bits
      on all of them.
    - `kind`, `solid`, `faces`, `instances`, `labels`: as in ``cast_table``.
    - `load`: options of ``Scene.load``, for a file.

    Raises FileError, SceneError, NoAdapterError or DeviceError if the scene or the device is not available. Ray reports it
    as the cause of an actor that did not start. Raises ValueError or TypeError for options that do not fit each other.
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
        labels: bool = False,
        canonical: bool = False,
        load: Mapping[str, Any] | None = None,
    ) -> None:
        self._options: dict[str, Any] = {"kind": kind, "solid": solid, "faces": faces, "instances": instances, "labels": labels}
        check_options(**self._options)
        self._tracer = shared_tracer(_fetched(scene), device, canonical=canonical, **(load or {}))

    def __call__(self, block: pa.Table) -> pa.Table:
        """Returns the block with the answers as additional columns."""
        if not isinstance(block, pa.Table):
            raise TypeError(
                f'CastRays reads Arrow tables, and this is a {type(block).__name__}: pass batch_format="pyarrow"'
            )
        return cast_table(self._tracer, block, **self._options)


class OrderedParquet(BlockBasedFileDatasink):
    """Writes each block of a dataset to a Parquet file, with its rows in order, for Ray Data's ``write_datasink``.

    Ray's own ``write_parquet`` may reorder pieces of a block with more than 131,072 rows. If the order of the blocks also
    matters, set ``preserve_order`` in Ray's execution options. The names of the files are then in the order of the blocks.

    `path` is a folder, which may be in an object store. It is created if it does not exist. Other arguments are those of
    ``ray.data.datasource.BlockBasedFileDatasink``.

    Raises FileExistsError if the folder already has Parquet files, because a reader would also get their rows. To decide what
    happens to them, pass ``mode``.
    """

    def __init__(self, path: str, **options: Any) -> None:
        super().__init__(path, file_format="parquet", **options)
        self._has_mode = "mode" in options

    def on_write_start(self, *schema: Any) -> None:
        """Creates the folder, or raises FileExistsError if it has files of an earlier run. Ray calls it before the workers start."""
        if not self._has_mode:
            there = self.filesystem.get_file_info(pa.fs.FileSelector(self.path, allow_not_found=True))
            files = sorted(each.base_name for each in there if each.extension == "parquet")
            if files:
                raise FileExistsError(
                    f"{self.unresolved_path} already has {len(files)} Parquet files, such as {files[0]}, whose rows would be "
                    "read with the new ones: give another folder or delete it, or pass mode=ray.data.SaveMode.OVERWRITE, which empties it"
                )
        super().on_write_start(*schema)

    def write_block_to_file(self, block: BlockAccessor, file: pa.NativeFile) -> None:
        """Writes one block."""
        pq.write_table(block.to_arrow(), file)


def _fetched(scene: Any) -> str | os.PathLike[str] | Scene:
    """Returns a scene or its path, from the object store if it is a reference."""
    if isinstance(scene, (str, os.PathLike, Scene)):
        return scene
    if not isinstance(scene, ray.ObjectRef):
        raise TypeError(f"scene must be a path, a Scene or a reference to a Scene, and not a {type(scene).__name__}")
    return _fetched(ray.get(scene))
