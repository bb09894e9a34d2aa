"""The wheel beside the stand-in for CUDA's driver, by which memory of the card is the host's: see `.ci/cuda_stand_in.sh`."""

import ctypes
import gc
import os
import re
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import raytwin as rt

STAND_IN = ctypes.CDLL("libcuda.so.1")
POINTER_OF = ctypes.pythonapi.PyCapsule_GetPointer
POINTER_OF.restype, POINTER_OF.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
STAND_IN.stand_in_own.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
STAND_IN.stand_in_disown.argtypes = [ctypes.c_size_t]


class OnCard:
    """An array of NumPy that passes for another library's on the card."""

    def __init__(self, array, ordinal=0, whole=None):
        self.array, self.ordinal, self.whole = array, ordinal, array if whole is None else whole
        STAND_IN.stand_in_own(self.whole.ctypes.data, max(self.whole.nbytes, 1))

    def __del__(self):
        STAND_IN.stand_in_disown(self.whole.ctypes.data)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)

    def __dlpack_device__(self):
        return (2, self.ordinal)

    def __dlpack__(self, *, stream, max_version=None):
        assert stream == 1
        return self.array.__dlpack__(max_version=max_version)


class Described(OnCard):
    """One that says other things of itself than its capsule."""

    dtype = property(lambda self: np.dtype(np.float32))


def memory_of(array):
    """The numbers of an array on the card, where they lie."""
    at = array.__cuda_array_interface__["data"][0]
    words = (ctypes.c_uint32 * (array.nbytes // 4)).from_address(at)
    return np.frombuffer(words, array.dtype).reshape(array.shape)


def counts():
    """How many contexts are retained and pushed, how much memory is imported and mapped, and how often the driver was misused."""
    gc.collect()
    found = (ctypes.c_uint64 * 5)()
    STAND_IN.stand_in_counts(found)
    return list(found)


def set_cards(*uuids):
    STAND_IN.stand_in_cards(b"".join(uuids), len(uuids))


@pytest.fixture(scope="module", autouse=True)
def card():
    """Makes the stand-in's card that of the tracers, whose identity an error names."""
    set_cards(bytes(16))
    tracer = rt.Tracer(rt.Scene(), device="gpu")
    with pytest.raises(rt.DeviceError) as refused:
        tracer.cast_rays(OnCard(np.ones((1, 6), np.float32)))
    wanted = re.search(r"GPU((-[0-9a-f]+){5})", str(refused.value))[1].replace("-", "")
    assert "GPU-00000000" in str(refused.value), "the cards that are there are named"
    set_cards(bytes.fromhex(wanted))
    return bytes.fromhex(wanted)


def scene_of_worlds():
    rng = np.random.default_rng(1)
    scene = rt.Scene()
    scene.add_spheres(rng.uniform(-4, 4, (30, 3)), rng.uniform(0.2, 0.8, 30))
    scene.add_mesh([[-9, -9, -6], [9, -9, -6], [0, 9, -6]], [[0, 1, 2]])
    for label in range(1, 5):
        scene.set_label(range(label, 30, 5), label)
    part = rt.Scene()
    part.add_boxes([0, 0, 0], [1, 1, 1])
    node = scene.add_node(name="part")
    scene.add_instances(part, nodes=[node])
    places = np.zeros((3, 1, 3, 4))
    places[:, 0, :, :3], places[:, 0, 0, 3] = np.eye(3), [0, 3, -3]
    scene._set_worlds(np.array([node], np.uint32), places.reshape(-1, 12))
    return scene


@pytest.fixture(scope="module")
def tracer():
    return rt.Tracer(scene_of_worlds(), device="gpu")


def rays_at(count, seed=2):
    rng = np.random.default_rng(seed)
    starts = rng.normal(size=(count, 3)) * 9
    rays = np.hstack([starts, rng.uniform(-4, 4, (count, 3)) - starts]).astype(np.float32)
    rays[5, 3:] = 0
    return rays


def with_intervals(rays):
    rows = np.empty((*rays.shape[:-1], 8), np.float32)
    rows[..., :6], rows[..., 6], rows[..., 7] = rays, 0, np.inf
    rows[7, 7] = 0.01
    return rows


def assert_same(on_card, on_host):
    assert set(on_card) <= set(on_host)
    for name, array in on_card.items():
        assert isinstance(array, rt.DeviceArray) and array.device == "cuda:0"
        assert array.shape == on_host[name].shape
        np.testing.assert_array_equal(array.numpy(), on_host[name], err_msg=name)


@pytest.mark.parametrize("options", [{}, {"solid": True}, {"labels": True}])
def test_rays_of_all_layouts_are_answered_on_the_card(tracer, options):
    rays = rays_at(1000)
    expected = tracer.cast_rays(rays, normals=False, **options)
    assert (expected.geometry_ids < 0xFFFFFFFF).sum() > 200
    assert_same(tracer.cast_rays(OnCard(rays), **options), expected)
    assert_same(tracer.cast_rays(OnCard(rays.reshape(10, 100, 6)), **options), tracer.cast_rays(rays.reshape(10, 100, 6), normals=False, **options))
    wide = np.zeros((1000, 11), np.float32)
    wide[:, 2:8] = rays
    assert_same(tracer.cast_rays(OnCard(wide[:, 2:8], whole=wide), **options), expected)
    rows = with_intervals(rays)
    expected = tracer.cast_rays(rows, normals=False, **options)
    assert_same(tracer.cast_rays(OnCard(rows), **options), expected)
    # Memory of ours is cast where it lies, and so is a part of it.
    ours = rt.empty_rays(1000)
    assert (ours.shape, ours.dtype, ours.device) == ((1000, 8), "float32", "cuda:0")
    memory_of(ours)[:] = rows
    assert_same(tracer.cast_rays(ours, **options), expected)
    # Rays with gaps in two axes are not those of one gap.
    gaps = np.zeros((500, 3, 6), np.float32)
    gaps[:, :2] = rays.reshape(500, 2, 6)
    with pytest.raises(ValueError, match="stride"):
        tracer.cast_rays(OnCard(gaps[:, :2], whole=gaps))
    assert tracer.cast_rays(OnCard(np.zeros((0, 6), np.float32))).t_hit.shape == (0,)
    for first in (8, 3):
        part = OnCard(memory_of(ours)[first:900])
        assert_same(tracer.cast_rays(part, **options), {name: array[first:900] for name, array in expected.items()})


def test_rays_in_the_memory_of_another_tracer_are_its_own(tracer):
    rays = with_intervals(rays_at(300, seed=9))
    other_rays = with_intervals(rays_at(300, seed=10))
    expected = tracer.cast_rays(rays, normals=False)
    mine = rt.empty_rays(300)
    memory_of(mine)[:] = other_rays
    tracer.cast_rays(mine)
    other = rt.Tracer(tracer.scene, device="gpu")
    # The newest tracer's device holds them.
    foreign = rt.empty_rays(300)
    memory_of(foreign)[:] = rays
    assert_same(tracer.cast_rays(foreign), expected)
    assert_same(other.cast_rays(foreign), expected)
    del other
    gc.collect()
    assert_same(tracer.cast_rays(foreign), expected)


def test_new_rays_have_no_direction_and_no_end(tracer):
    rays = rt.empty_rays(70_001, device="cuda:0")
    assert (rays.numpy() == [0, 0, 0, 0, 0, 0, 0, np.inf]).all()
    assert np.isnan(tracer.cast_rays(rays).t_hit.numpy()).all()
    assert len(tracer.cast_rays(rt.empty_rays(0)).t_hit) == 0
    with pytest.raises((ValueError, rt.Error)):
        rt.empty_rays(1, device="cuda:1")
    with pytest.raises(ValueError, match="device must be"):
        rt.empty_rays(1, device="cuda:")
    with pytest.raises(TypeError, match="its .numpy.. returns a copy"):
        np.asarray(rays)
    for stream in (0, "x"):
        with pytest.raises((ValueError, TypeError)):
            rays.__dlpack__(stream=stream)


def test_filters_of_the_host_and_worlds_hold_on_the_card(tracer):
    rays = rays_at(600)
    rng = np.random.default_rng(3)
    filters = {"ignore_ids": rng.integers(0, 30, 600), "masks": rng.integers(0, 2**32, 600, np.uint32)}
    filters["world_ids"] = rng.integers(0, 3, 600)
    assert_same(tracer.cast_rays(OnCard(rays), **filters), tracer.cast_rays(rays, normals=False, **filters))
    with pytest.raises(rt.SceneError, match="the scene has"):
        tracer.cast_rays(OnCard(rays), world_ids=np.full(600, 9))


def test_images_stay_on_the_card_and_fill_arrays_there(tracer):
    camera = rt.Camera(rt.camera.Perspective(60), pose=np.eye(4))
    poses = np.zeros((5, 7))
    poses[:, :3] = np.random.default_rng(4).uniform(-2, 2, (5, 3)) + [0, 0, 12]
    poses[:, 3] = 1
    expected = tracer.render(camera, (20, 16), poses=poses, labels=True)
    distance = np.full((5, 16, 20), 7, np.float32)
    ids = np.full((5, 16, 20), 7, np.int32)
    out = {"distance": OnCard(distance), "geometry_ids": OnCard(ids)}
    images = tracer.render(camera, (20, 16), poses=poses, labels=True, out=out)
    assert images["distance"] is out["distance"]
    np.testing.assert_array_equal(distance, expected.distance)
    np.testing.assert_array_equal(ids.view(np.uint32), expected.geometry_ids)
    for name in ("primitive_ids", "label_ids"):
        np.testing.assert_array_equal(images[name].numpy(), expected[name])
    np.testing.assert_allclose(images.z.numpy(), expected.z, rtol=4e-7)
    for wrong, message in [
        ({"distance": OnCard(distance[:4])}, "must be float32"),
        ({"z": OnCard(ids)}, "must be float32"),
        ({"distance": OnCard(distance), "z": OnCard(distance)}, r"out\['z'\] shares memory"),
        ({"z": OnCard(distance), "distance": Described(np.zeros((5, 16, 20)))}, "and is float64"),
        ({"depth": OnCard(distance)}, "request it"),
        ({"distance": OnCard(distance), "z": distance.copy()}, "is on the host"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            tracer.render(camera, (20, 16), poses=poses, out=wrong)
        # No array is written where another one does not fit.
        np.testing.assert_array_equal(distance, expected.distance)
    both = np.zeros((5, 16, 20, 2), np.float32)
    pair = {"distance": OnCard(both[..., 0], whole=both), "z": OnCard(both[..., 1], whole=both)}
    tracer.render(camera, (20, 16), poses=poses, out=pair)
    np.testing.assert_array_equal(both[..., 0], expected.distance)
    np.testing.assert_allclose(both[..., 1], expected.z, rtol=4e-7)
    with pytest.raises(ValueError, match="normals are computed in float64"):
        tracer.render(camera, (20, 16), poses=poses, normals=True, out={"distance": OnCard(distance)})
    noisy = rt.Camera(rt.camera.Perspective(60), pose=np.eye(4), noise=(0.01, 7))
    with pytest.raises(ValueError, match="noise, returns and beams are computed in float64 on the host"):
        tracer.render(noisy, (20, 16), poses=poses, out={"distance": OnCard(distance)})


def test_what_cannot_be_cast_on_the_card_is_refused_with_the_reason(tracer, card):
    rays = rays_at(20)
    for given, error, message in [
        (OnCard(rays.astype(np.float64)), TypeError, r"must be float32, and are float64: convert them first"),
        (OnCard(rays[:, :5].copy()), ValueError, r"shape \(\.\.\., 6\)"),
        (OnCard(rays, ordinal=1), ValueError, "cuda:1"),
        (OnCard(rays[::-1], whole=rays), ValueError, "stride"),
    ]:
        with pytest.raises(error, match=message):
            tracer.cast_rays(given)
    for asked in ("normals", "faces", "instances"):
        with pytest.raises(ValueError, match=f"{asked} are computed in float64 on the host"):
            tracer.cast_rays(OnCard(rays), **{asked: True})
    canonical = rt.Tracer(tracer.scene, device="gpu", canonical=True)
    with pytest.raises(rt.DeviceError, match="canonical answers are completed in float64"):
        canonical.cast_rays(OnCard(rays))
    on_cpu = rt.Tracer(tracer.scene, device="cpu")
    with pytest.raises(rt.DeviceError, match="casts on CPU"):
        on_cpu.cast_rays(OnCard(rays))
    far = rt.Scene(origin=[1e6, 0, 0])
    far.add_spheres([1e6, 0, 5], 1.0)
    with pytest.raises(ValueError, match="origin"):
        rt.Tracer(far, device="gpu").cast_rays(OnCard(rays))
    # Other questions go by the host, from memory whose library is known.
    ours = rt.empty_rays(20)
    memory_of(ours)[:] = with_intervals(rays)
    np.testing.assert_array_equal(tracer.test_occlusions(ours), tracer.test_occlusions(with_intervals(rays)))
    with pytest.raises(TypeError, match="OnCard cannot be copied from there"):
        tracer.test_occlusions(OnCard(rays))


def test_answers_outlive_their_tracer_and_nothing_leaks(card):
    rays = rays_at(300)
    before = counts()
    tracer = rt.Tracer(scene_of_worlds(), device="gpu")
    expected = tracer.cast_rays(rays, normals=False)
    kept = tracer.cast_rays(OnCard(rays))
    steps = []
    for step in range(600):
        tracer.cast_rays(OnCard(rays))
        if step % 200 == 199:
            steps.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert steps[2] - steps[1] < 4096, "the memory of the process grows"
    assert counts()[2:4] == [before[2] + 1, before[3] + 1], "only the answers that are kept are there"
    del tracer
    assert_same(kept, expected)
    del kept
    assert counts() == before


PARENT = """
import gc, os, signal, sys, time, warnings
import numpy as np
sys.path.insert(0, sys.argv[2])
import test_on_card as card
import raytwin as rt

warnings.simplefilter("ignore")
card.set_cards(bytes.fromhex(sys.argv[1]))
tracer = rt.Tracer(card.scene_of_worlds(), device="gpu")
held = [rt.empty_rays(9)]
if sys.argv[3] == "answers":
    held.append(tracer.cast_rays(held[0]))
del tracer
gc.collect()
child = os.fork()
if child == 0:
    if sys.argv[4] == "drops":
        held.clear()
        gc.collect()
    sys.exit(7)
for _ in range(500):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        assert os.waitstatus_to_exitcode(status) == 7, status
        break
    time.sleep(0.02)
else:
    os.kill(child, signal.SIGKILL)
    sys.exit("the fork does not end")
assert (held[0].numpy()[:, 7] == np.inf).all()
"""


@pytest.mark.parametrize("holding", ["rays", "answers"])
@pytest.mark.parametrize("way", ["drops", "ends"])
def test_a_fork_ends_that_holds_arrays_of_a_card(card, holding, way):
    command = [sys.executable, "-c", PARENT, card.hex(), os.path.dirname(__file__), holding, way]
    subprocess.run(command, check=True, timeout=60)


def test_threads_that_share_a_tracer_wait_for_their_own(tracer):
    rays = rays_at(300)
    expected = tracer.cast_rays(rays, normals=False)
    failed = []

    def cast():
        try:
            for _ in range(30):
                assert_same(tracer.cast_rays(OnCard(rays.copy())), expected)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=cast) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_the_driver_was_not_misused():
    assert counts()[4] == 0
