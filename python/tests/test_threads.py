"""Threads share tracers, other threads go on while rays are cast, and Ctrl-C ends a call."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import raytwin as rt
from scenes import GALLERY, aimed, same_bits

# Each of many spheres is crossed by each ray, so that a call of a million rays takes long on every machine.
SHELLS = 500


@pytest.fixture(params=["cpu", "gpu"])
def onion(request):
    scene = rt.Scene()
    scene.add_spheres(np.zeros((SHELLS, 3)), np.linspace(1, 2, SHELLS))
    return rt.Tracer(scene, request.param)


def long_rays(count=1_000_000):
    rays = np.zeros((count, 6), np.float32)
    rays[:, 2], rays[:, 5] = -9, 1
    return rays


def interrupted_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()
    return timer


@pytest.mark.parametrize("ask", ["count_intersections", "list_intersections", "cast_rays", "test_occlusions", "verify", "compute_distance"])
def test_ctrl_c_ends_a_call_and_leaves_the_tracer_as_it_was(onion, ask):
    rays = long_rays(4_000_000 if ask == "test_occlusions" else 1_000_000)
    given = rays[:, :3] * np.float32(0.1) if ask == "compute_distance" else rays
    options = {"kinds": ["count"]} if ask == "verify" else {}
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.3)
        for _ in range(1_000):
            getattr(onion, ask)(given, **options)
    assert onion.count_intersections(rays[:1]).tolist() == [2 * SHELLS]


@pytest.fixture
def many(tmp_path):
    """Files of so many shapes that reading them, or building their tree, takes a while."""
    np.savez(tmp_path / "many.npz", sphere=np.random.default_rng(1).uniform(-9, 9, (1_000_000, 4)).astype(np.float32) ** 2 + 1)
    return tmp_path / "many.npz"


def test_ctrl_c_ends_the_reading_of_a_file_and_the_building_of_a_tree(many):
    scene = rt.Scene.load(many)
    for long in (lambda: rt.Scene.load(many), lambda: rt.Tracer(scene, "cpu")):
        start = time.monotonic()
        long()
        whole = time.monotonic() - start
        start = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            interrupted_after(0.1)
            long()
            pytest.fail("the call was over before the signal, or waited with it to the end")
        assert time.monotonic() - start < max(0.5 * whole, 0.3)
    assert scene.geometry_count == 1_000_000


def test_ctrl_c_ends_an_update_that_packs_anew_and_another_one_does_it(many):
    scene = rt.Scene.load(many)
    tracer = rt.Tracer(scene, "cpu")
    scene.set_mask(0, 0)
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(0.1)
        tracer.update()
        pytest.fail("the update was over before the signal, or waited with it to the end")
    with pytest.raises(rt.SceneError, match="call update"):
        tracer.cast_rays(long_rays(1))
    assert tracer.update().action == "repack"
    assert tracer.update().action == "none"


def test_a_handler_of_a_signal_cannot_wait_for_its_own_thread(onion):
    """A lock that the handler's thread holds already would never be free."""
    refused = []

    def handler(*_):
        try:
            onion.update()
        except RuntimeError as error:
            refused.append(str(error))
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted_after(0.3)
            onion.count_intersections(long_rays())
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(refused) == 1 and "a tracer is busy in this thread" in refused[0]
    onion.update()


def test_other_threads_go_on_while_rays_are_cast(onion):
    counts, is_done = [0], threading.Event()

    def count():
        while not is_done.is_set():
            counts[0] += 1

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    before = counts[0]
    onion.count_intersections(long_rays(2_000))
    during = counts[0] - before
    is_done.set()
    thread.join()
    # If the interpreter was held, the thread would run for a switch or two.
    assert during > 10_000


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_threads_that_share_a_tracer_get_the_answers_of_one(device):
    tracer = rt.Tracer(rt.Scene.load(GALLERY), device)
    batches = [aimed(2_000, seed) for seed in range(8)]
    alone = [tracer.cast_rays(rays).t_hit for rays in batches]
    counts = [tracer.count_intersections(rays) for rays in batches]

    def ask(index):
        for _ in range(5):
            assert same_bits(tracer.cast_rays(batches[index]).t_hit, alone[index])
            assert same_bits(tracer.count_intersections(batches[index]), counts[index])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_scene_that_moves_under_threads_is_seen_where_it_is_or_refused(device):
    scene = rt.Scene()
    part = rt.Scene()
    part.add_spheres([[0.0, 0.0, 0.0]], 1.0)
    node = scene.add_node(name="ball")
    scene.add_instances(part, nodes=[node])
    tracer = rt.Tracer(scene, device)
    rays = np.tile(np.float32([0, 0, -9, 0, 0, 1]), (500, 1))
    is_done = threading.Event()

    def ask(_):
        answered = 0
        while not is_done.is_set() or not answered:
            try:
                distances = tracer.cast_rays(rays).t_hit
            except rt.SceneError as error:
                assert "call update()" in str(error)
                continue
            # Every answer of a call is of one place of the ball.
            assert distances[0] in (8.0, 9.0, 10.0) and (distances == distances[0]).all()
            answered += 1
        return answered

    def move():
        for step in range(60):
            matrix = np.eye(4)
            matrix[2, 3] = step % 3
            scene.set_transforms([node], [matrix])
            assert tracer.update().moved == (1 if step else 0)
        is_done.set()

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask, index) for index in range(7)]
        moving = pool.submit(move)
        try:
            moving.result()
        finally:
            is_done.set()
        assert all(each.result() > 0 for each in asking)
