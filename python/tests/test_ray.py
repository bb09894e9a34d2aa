"""Ray Data on a cluster of two machines, both of them this one: the program's answers, whatever dies meanwhile."""

import json
import os
import signal
import sys

import numpy as np
import program
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
import ray.data
from columns import answers_of_program, assert_same_bits, random_rays, write_scene
from page import code_of
from ray.cluster_utils import Cluster

import raytwin.ray

RAYS = 400_000
BLOCK = 20_000
# Workers do not have this file, so its classes are sent whole.
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """A head that casts nothing, and two machines with a mark each, of which a worker takes one. Their GPUs are pretended."""
    path = pytest.MonkeyPatch()
    path.setenv("PATH", os.path.dirname(program.PROGRAM), prepend=os.pathsep)
    store = {"object_store_memory": 200 << 20}
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **store})
    for _ in range(2):
        machines.add_node(num_cpus=1, num_gpus=1, resources={"caster": 1}, **store)
    ray.init(address=machines.address, log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    # Small blocks, so that both workers have several.
    context.target_max_block_size = 1 << 20
    yield machines
    ray.shutdown()
    machines.shutdown()
    path.undo()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a scene, and with rays in several files of several row groups."""
    folder = tmp_path_factory.mktemp("cluster")
    write_scene(folder / "balls.json")
    (folder / "rays").mkdir()
    rays = random_rays(RAYS)
    for part in range(4):
        piece = rays.slice(part * RAYS // 4, RAYS // 4)
        pq.write_table(piece, folder / "rays" / f"{part}.parquet", row_group_size=30_000)
    return folder


@pytest.fixture(scope="module")
def expected(folder):
    return answers_of_program(folder / "balls.json", random_rays(RAYS), folder)


def cast(dataset, scene, caster=raytwin.ray.CastRays, device="cpu", workers=2, **options):
    arguments = {"scene": str(scene) if isinstance(scene, os.PathLike) else scene, "device": device, **options}
    return dataset.map_batches(
        caster,
        fn_constructor_kwargs=arguments,
        batch_format="pyarrow",
        batch_size=BLOCK,
        concurrency=workers,
        resources={"caster": 1},
    )


def in_order(written):
    """Returns the rows of all files, which are named by the order of their blocks."""
    return pa.concat_tables(pq.read_table(path) for path in sorted(written.glob("*.parquet")))


class TellsItsMachine(raytwin.ray.CastRays):
    def __call__(self, block):
        machine = ray.get_runtime_context().get_node_id()
        return super().__call__(block.append_column("machine", pa.array([machine] * block.num_rows)))


def test_parquet_goes_to_parquet_with_all_columns_in_order(folder, expected, tmp_path):
    cast(ray.data.read_parquet(str(folder / "rays")), folder / "balls.json", TellsItsMachine).write_datasink(
        raytwin.ray.OrderedParquet(str(tmp_path / "hits"))
    )
    hits = in_order(tmp_path / "hits")
    assert hits.select(random_rays(1).column_names) == random_rays(RAYS)
    assert_same_bits(hits, expected)
    assert len(set(hits["machine"].to_pylist())) == 2


def test_the_code_on_the_page_answers_as_the_program_does(shared, tmp_path):
    exec(code_of("Ray Data").replace("/shared/", f"{shared}/"), {})
    hits = in_order(shared / "hits")
    rays = random_rays(20_000)
    assert hits.select(rays.column_names) == rays
    assert_same_bits(hits, answers_of_program(shared / "plant.json", rays, tmp_path))


def test_the_sums_of_parts_are_those_of_the_whole(shared):
    exec(code_of("Rays that are not stored").replace("/shared/", f"{shared}/"), {})
    whole = ["--rays", "1000000", "--seed", "7", "-o", shared / "whole.json"]
    program.run("sample", shared / "plant.json", *whole)
    assert json.loads((shared / "sums.json").read_text()) == json.loads((shared / "whole.json").read_text())


class DiesOnce(raytwin.ray.CastRays):
    """Casts until half of the rays are cast, and is then killed, once, before it can hand a block over."""

    def __init__(self, *, mark, **options):
        super().__init__(**options)
        self._mark = mark

    def __call__(self, block):
        answered = super().__call__(block)
        if block["ray"][0].as_py() >= RAYS // 2:
            try:
                os.close(os.open(self._mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return answered
            os.kill(os.getpid(), signal.SIGKILL)
        return answered


def test_a_worker_that_dies_changes_nothing(folder, expected, tmp_path):
    mark = tmp_path / "died"
    cast(ray.data.read_parquet(str(folder / "rays")), folder / "balls.json", DiesOnce, mark=str(mark)).write_datasink(
        raytwin.ray.OrderedParquet(str(tmp_path / "hits"))
    )
    assert mark.exists()
    hits = in_order(tmp_path / "hits")
    np.testing.assert_array_equal(hits["ray"], np.arange(RAYS))
    assert_same_bits(hits, expected)


def test_a_second_run_into_a_folder_is_refused(tmp_path):
    def write(**options):
        few_rays().write_datasink(raytwin.ray.OrderedParquet(str(tmp_path / "hits"), **options))

    write()
    first = in_order(tmp_path / "hits")
    with pytest.raises(FileExistsError, match="hits already has 1 Parquet files, such as .*parquet.*SaveMode.OVERWRITE"):
        write()
    assert in_order(tmp_path / "hits") == first
    write(mode=ray.data.SaveMode.OVERWRITE)
    assert in_order(tmp_path / "hits") == first


def test_what_no_machine_has_is_refused_at_once(folder):
    """Ray itself would wait for a machine with two GPUs. The machines here have one each."""
    scene = str(folder / "balls.json")
    for worker, message in [
        ({"num_gpus": 2}, "a worker needs 2 GPU, and no machine of the cluster has that: the machines have 1 CPU, 0 GPU; 1 CPU, 1 GPU$"),
        ({"num_gpus": 1, "num_cpus": 64}, "a worker needs 64 CPU, 1 GPU, and no machine"),
        ({"resources": {"no such": 1}}, "a worker needs 1 no such, and no machine"),
    ]:
        with pytest.raises(ValueError, match=message):
            raytwin.ray.cast_rays(few_rays(), scene, **worker)
        with pytest.raises(ValueError, match=message):
            raytwin.ray.check_worker(**worker)
    with pytest.raises(ValueError, match="kind must be one of closest"):
        raytwin.ray.cast_rays(few_rays(), scene, kind="nearest")
    raytwin.ray.check_worker(num_gpus=0.5, resources={"caster": 1})


def failure(dataset):
    """Returns the message of the exception that ends the run."""
    with pytest.raises(ray.exceptions.RayError) as raised:
        dataset.materialize()
    return str(raised.value)


def few_rays():
    return ray.data.from_arrow(random_rays(1000))


def test_a_scene_that_is_not_there_is_reported(folder):
    message = failure(cast(few_rays(), folder / "nowhere.json"))
    assert "raytwin.FileError" in message
    assert "nowhere.json: cannot be read: No such file" in message


class LosesItsScene(DiesOnce):
    """Deletes the file of its scene before it dies, so that the worker that takes over finds none."""

    def __init__(self, *, scene, **options):
        super().__init__(scene=scene, **options)
        os.unlink(scene)


def test_a_scene_that_is_gone_when_a_worker_is_replaced_is_reported(folder, tmp_path):
    rays = ray.data.read_parquet(str(folder / "rays" / "3.parquet"))
    mark = tmp_path / "died"
    message = failure(cast(rays, write_scene(tmp_path / "balls.json"), LosesItsScene, workers=1, mark=str(mark)))
    assert mark.exists()
    assert "balls.json: cannot be read: No such file" in message


def test_a_device_that_is_not_there_is_reported(folder):
    message = failure(cast(few_rays(), folder / "balls.json", device="no-such-gpu"))
    assert "raytwin.NoAdapterError" in message
    assert "no adapter matches the name 'no-such-gpu'" in message


def test_options_and_blocks_that_do_not_fit_are_reported(folder):
    """A worker makes its caster and calls it as this test does; that its error ends the run is shown above."""
    scene = str(folder / "balls.json")
    for arguments, options, message in [
        ((scene,), {"kind": "nearest"}, "kind must be one of closest"),
        ((scene,), {"load": {"joint": 1}}, "unexpected keyword argument 'joint'"),
        ((17,), {}, "scene must be a path"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            raytwin.ray.CastRays(*arguments, device="cpu", **options)
    caster = raytwin.ray.CastRays(scene, device="cpu")
    with pytest.raises(ValueError, match="already has a column t_hit"):
        caster(caster(random_rays(10)))
    with pytest.raises(TypeError, match='pass batch_format="pyarrow"'):
        caster(random_rays(10).to_pydict())


def test_a_corrupt_block_is_reported_with_its_file(folder, tmp_path):
    pq.write_table(random_rays(1000), tmp_path / "corrupt.parquet")
    damaged = bytearray((tmp_path / "corrupt.parquet").read_bytes())
    damaged[1000:2000] = bytes(1000)
    (tmp_path / "corrupt.parquet").write_bytes(damaged)
    message = failure(cast(ray.data.read_parquet(str(tmp_path / "corrupt.parquet")), folder / "balls.json"))
    assert "OSError" in message
    assert "corrupt.parquet" in message
