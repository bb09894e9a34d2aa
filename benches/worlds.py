"""Measures depth cameras in thousands of worlds: the frames per second of a step, from new poses to images, and the wrong pixels.

    python3 benches/worlds.py [--device cpu] [--worlds 1024] [--size 64] [--steps 10] [--json FILE]

Each world has a camera and the same shapes at other places. A step moves everything, updates the tracer and renders every world to
NumPy arrays. If the device is a CUDA GPU and torch is installed, a step also renders to tensors on the GPU. The rate in one world is
that of the same number of images of the first world. `Tracer.verify` judges the pixels of eight worlds. MuJoCo Warp, which renders
only on CUDA GPUs, has its own benchmark: `mjwarp-testspeed --function=render`.
"""

import argparse
import json
import time

import numpy as np

import raytwin as rt

STILL = 7


def scene_of(rng, shapes, has_hills):
    """Returns a scene of a floor or hills, and shapes at nodes."""
    scene = rt.Scene()
    if has_hills:
        heights = rng.uniform(-0.3, 0.3, (101, 101))
        scene.add_heightfield(heights, center=[0, 0, -4], spacing=[0.2, 0.2])
    else:
        scene.add_planes([0, 0, -4], normals=[0, 0, 1])
    for _ in range(STILL - 1):
        scene.add_boxes([*rng.uniform(-6, 6, 2), -3.5], [[0.5, 0.5, 0.5]])
    nodes = []
    for number in range(shapes - STILL):
        part = rt.Scene()
        kind = number % 3
        if kind == 0:
            part.add_spheres([[0, 0, 0]], 0.3)
        elif kind == 1:
            part.add_boxes([[0, 0, 0]], [[0.4, 0.3, 0.6]])
        else:
            part.add_capsules([[0, 0, -0.2]], [[0, 0, 0.2]], 0.15)
        node = scene.add_node(name=f"part{number}")
        scene.add_instances(part, nodes=[node])
        nodes.append(node)
    return scene, nodes


def turned(rng, count):
    """Returns rotations about random axes, (count, 3, 3)."""
    x, y, z, w = (quaternions := rng.normal(size=(count, 4))).T / np.linalg.norm(quaternions, axis=1)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def places(rng, worlds, nodes):
    matrices = np.zeros((worlds, nodes, 3, 4))
    matrices[..., :3] = turned(rng, worlds * nodes).reshape(worlds, nodes, 3, 3)
    matrices[..., 3] = rng.uniform([-5, -5, -3.5], [5, 5, 3], (worlds, nodes, 3))
    return matrices


def wrong_pixels(tracer, camera, size, poses, worlds):
    """Returns the number of pixels of some worlds that the float64 judge finds wrong, and the number of all pixels."""
    eyes = [camera.at(placed(pose)) for pose in poses[worlds]]
    rays = np.concatenate([rt.rays.camera(eye, size).reshape(-1, 6) for eye in eyes])
    report = tracer.verify(rays, kinds=["closest"], world_ids=np.repeat(worlds, len(rays) // len(worlds)))
    return report.counts["mismatch"], len(rays)


def placed(pose):
    """Returns the matrix of a pose, whose rotation is half a turn about x or the identity."""
    matrix = np.diag([1.0, 1.0, 1.0, 1.0]) if pose[3] == 0 else np.diag([1.0, -1.0, -1.0, 1.0])
    matrix[:3, 3] = pose[:3]
    return matrix


def seconds(work, steps):
    """Returns the median time of some steps, after one that compiles."""
    work()
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def measured(arguments, name, shapes, has_hills):
    rng = np.random.default_rng(1)
    worlds, size = arguments.worlds, (arguments.size, arguments.size)
    scene, nodes = scene_of(rng, shapes, has_hills)
    # A step moves each part a little, like a step of a simulator.
    first = places(rng, worlds, len(nodes))
    steps = [first.copy() for _ in range(4)]
    for step in steps:
        step[..., 3] += rng.normal(0, 0.02, step[..., 3].shape)
    poses = np.zeros((worlds, 7))
    poses[:, :3] = rng.uniform(-1, 1, (worlds, 3)) + [0, 0, 9]
    poses[:, 3] = 1
    camera = rt.Camera(rt.camera.Perspective(60), pose=np.eye(4))
    scene.set_worlds(nodes, steps[0])
    tracer = rt.Tracer(scene, device=arguments.device)
    ids, turn = np.arange(worlds), iter(range(1 << 30))

    def update():
        scene.set_worlds(nodes, steps[next(turn) % len(steps)])
        return tracer.update()

    def render(world_ids=ids, **options):
        return tracer.render(camera, size, poses=poses, world_ids=world_ids, **options)

    def step():
        update()
        return render()

    rays = worlds * size[0] * size[1]
    record = {
        "scene": name,
        "device": tracer.device,
        "worlds": worlds,
        "rays": rays,
        "update_ms": 1e3 * seconds(update, arguments.steps),
        "render_mrays_s": rays / seconds(render, arguments.steps) / 1e6,
        "render_in_one_world_mrays_s": rays / seconds(lambda: render(np.zeros_like(ids)), arguments.steps) / 1e6,
        "step_frames_s": worlds / seconds(step, arguments.steps),
    }
    on_card = tensors(tracer, render, update, worlds, size)
    if isinstance(on_card, str):
        record["on_card"] = on_card
    else:
        record["step_on_card_frames_s"] = worlds / seconds(on_card, arguments.steps)
    some = np.unique(np.linspace(0, worlds - 1, 8).astype(int))
    record["wrong"], record["of"] = wrong_pixels(tracer, camera, size, poses, some)
    return record


def tensors(tracer, render, update, worlds, size):
    """Returns a step whose images stay on the GPU, or the reason why there is none."""
    try:
        import torch
    except ImportError:
        return "torch is not installed"
    if not torch.cuda.is_available():
        return "torch finds no GPU"
    out = {"distance": torch.empty((worlds, *size), device="cuda")}

    def step():
        update()
        return render(out=out)

    try:
        step()
    except rt.Error as error:
        return str(error)
    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--size", type=int, default=64)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    scenes = [("127 shapes", 127, False), ("69 shapes on hills", 69, True), ("26 shapes", 26, False)]
    records = [measured(arguments, *scene) for scene in scenes]
    for record in records:
        print(", ".join(f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}" for key, value in record.items()))
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"worlds": records}, file, indent=1)


if __name__ == "__main__":
    main()
