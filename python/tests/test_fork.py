"""A process that is forked from one that casts: it is refused, and ends without waiting for threads that it does not have. What is
sent to one can be read there."""

import os
import signal
import subprocess
import sys

import pytest

PARENT = """
import atexit, gc, multiprocessing, os, signal, sys, time, warnings
import raytwin as rt

warnings.simplefilter("ignore")
scene = rt.Scene()
scene.add_spheres([0, 0, 5], 1.0)
tracer = rt.Tracer(scene, device=sys.argv[1])
ray = [0, 0, 0, 0, 0, 1]
assert tracer.cast_rays(ray).t_hit == 4
# The driver's handler at exit crashes where a child has copies of two devices.
other = rt.Tracer(scene, device=sys.argv[1])
SECONDS = 15


def casts():
    try:
        tracer.cast_rays(ray)
    except rt.Error as error:
        os._exit(0 if "spawn" in str(error) else 1)
    os._exit(2)


def tells():
    if repr(tracer) != "Tracer(of another process)":
        os._exit(1)


def drops():
    global tracer
    del tracer
    gc.collect()
    os._exit(0)


def drops_in_a_cycle():
    global tracer
    cycle = [tracer]
    cycle.append(cycle)
    del tracer, cycle
    gc.collect()
    os._exit(0)


def returns():
    pass


def ends():
    sys.exit(0)


def drops_at_exit():
    atexit.register(lambda: globals().pop("tracer"))
    sys.exit(3)


def forks_again():
    assert of_child(ends) == 0
    drops()


def of_child(work):
    child = os.fork()
    if child == 0:
        work()
        sys.exit(0)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "waits"


def of_process(work):
    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        return "waits"
    return process.exitcode


answers = {(start.__name__, work.__name__): start(work)
    for start in (of_child, of_process)
    for work in (casts, tells, drops, drops_in_a_cycle, returns, ends, drops_at_exit, forks_again)}
answers = {name: answer for name, answer in answers.items() if answer != (3 if "drops_at_exit" in name else 0)}
if answers:
    os.write(2, str(answers).encode())
    os._exit(1)
assert tracer.cast_rays(ray).t_hit == 4
del tracer
"""


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_a_forked_process_is_refused_and_ends(device):
    ran = subprocess.run([sys.executable, "-c", PARENT, device], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr


# Pools go on for ever where what they send cannot be read: a process that fails to is replaced by another one.
POOL = """
import multiprocessing, sys, warnings
from concurrent.futures import ProcessPoolExecutor
import numpy as np
import raytwin as rt

RAY = [[0, 0, 0, 0, 0, 1]]
warnings.simplefilter("ignore")


def described(scene):
    return scene.geometry_count, scene.paths, scene.labels.tolist(), repr(scene)


def cast(scene):
    return float(rt.Tracer(scene, device="cpu").cast_rays(RAY).t_hit[0])


def message(sent):
    return str(sent)


def scene():
    scene = rt.Scene()
    scene.set_label(scene.add_spheres([[0, 0, 5]], 1.0, name="ball"), 3)
    # It is so large that threads share the work of reading it.
    scene.add_heightfield(np.zeros((700, 700)), 1.0, center=(0, 0, -5))
    scene.add_instances(scene.__copy__(), np.eye(4))
    return scene


if __name__ == "__main__":
    start = sys.argv[1]
    given = scene()
    tracer = rt.Tracer(given, device="cpu")
    assert tracer.cast_rays(RAY).t_hit == 4
    others = [
        rt.Camera.lidar("VLP-16"), tracer.render(size=(8, 8)), tracer.cast_rays(RAY), tracer.sample(rays=10),
        rt.trimesh_ray(given, "cpu"), rt.generators.Lines(), rt.SceneError("wrong"),
    ]
    context = multiprocessing.get_context(start)
    with context.Pool(2) as pool, ProcessPoolExecutor(2, context) as executor:
        for mapped in (lambda work, sent: pool.map(work, sent), lambda work, sent: list(executor.map(work, sent))):
            assert mapped(described, [given] * 4) == [described(given)] * 4
            assert len(mapped(message, others)) == len(others)
            try:
                assert mapped(cast, [given] * 4) == [4.0] * 4 and start != "fork"
            except rt.Error as error:
                assert start == "fork" and "'spawn' or 'forkserver'" in str(error)
"""


@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_pools_send_scenes_to_their_processes(start, tmp_path):
    program = tmp_path / "pool.py"
    program.write_text(POOL)
    # A pool that waits leaves processes behind, which end with their group.
    ran = subprocess.Popen([sys.executable, program, start], stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = ran.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)
        raise
    assert ran.returncode == 0, errors
