"""Compares the speed of raytwin's CPU tracer with that of Embree (shapes and instances), Open3D (meshes, and the way from NumPy rays to
NumPy answers) and MuJoCo (a robot). The two alternate in each round. Each figure and each ratio is a median of the rounds.

    python3 benches/compare/compare.py                      # everything, about ten minutes
    python3 benches/compare/compare.py shapes --rounds 3    # one table: shapes, instances, meshes, home or robot

The script needs numpy and the program (`cargo build --profile dist`). For shapes and instances, it compiles `embree.cpp` with g++ and
Debian's libembree-dev. The other tables need the wheel (`pip install ./python`), open3d and mujoco. If something is missing, the
script prints a line, skips the table, and exits with 1.
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from home import home
from program import program_results
from robot import robot
from scenes import bulk_arrays, bumpy_ball, camera_rays, incoherent_rays, random_shapes, rotations, write_instances
from timing import Missing, in_turns, medians, open3d, rates, seconds, table, wheel

HERE = Path(__file__).resolve().parent


class Embree:
    """Embree, called through `embree.cpp`."""

    def __init__(self, folder, threads):
        path = folder / "libcompare_embree.so"
        command = ["g++", "-std=c++17", "-O3", "-march=native", "-shared", "-fPIC", HERE / "embree.cpp", "-o", path, "-lembree3"]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("g++ and libembree-dev are needed to compile embree.cpp") from error
        self.library, self.threads, self.kept = ctypes.CDLL(str(path)), threads, []
        floats, size, scene = ctypes.POINTER(ctypes.c_float), ctypes.c_size_t, ctypes.c_void_p
        self.library.embree_scene.argtypes, self.library.embree_scene.restype = [floats, size], scene
        self.library.embree_instances.argtypes, self.library.embree_instances.restype = [scene, floats, size], scene
        self.library.embree_release.argtypes = [scene]
        self.library.embree_cast.argtypes = [scene, floats, size, ctypes.c_int, ctypes.c_int, ctypes.c_int, floats]

    @staticmethod
    def floats(array):
        return array.ctypes.data_as(ctypes.POINTER(ctypes.c_float))

    def scene(self, shapes):
        # Embree reads the shapes in place.
        self.kept.append(shapes)
        return self.library.embree_scene(self.floats(shapes), len(shapes))

    def instances(self, definition, transforms):
        return self.library.embree_instances(definition, self.floats(transforms), len(transforms))

    def release(self, scene):
        self.library.embree_release(scene)

    def cast(self, scene, rays, packets, kind="closest"):
        """Returns the t of each ray: infinity for a miss and, for any hit, −infinity for a hit."""
        t = np.empty(len(rays), np.float32)
        self.library.embree_cast(scene, self.floats(rays), len(rays), packets, kind == "any", self.threads, self.floats(t))
        return t


def program_seconds(program, scene, rays, threads, kinds):
    """Returns the seconds that the program needs for each file of rays and kind, and those for building and preparing."""
    flags = ["--threads", str(threads), "--repeat", "3", "--scene", scene]
    flags += ["--rays", ",".join(map(str, rays)), "--kind", ",".join(kinds)]
    results = program_results(program, *flags)
    return {(result["rays"], result["kind"]): result["total_s"] for result in results} | {
        "build": results[0]["build_s"] + results[0]["prepare_s"],
        "hits": results[0]["hits"],
    }


def refuse_another_scene(name, embree, scene, rays, expected):
    for kind in ("closest", "any"):
        for packets in (False, True):
            hits = int((embree.cast(scene, rays, packets, kind) < np.inf).sum())
            # Embree casts in float32, which may give another answer if a ray grazes a shape.
            if abs(hits - expected) > 1000:
                raise SystemExit(f"{name}, {kind}: {hits} rays hit in Embree and {expected} in raytwin: the scenes differ")


def beside_embree(arguments, title, scenes):
    """Prints a table of scenes. A scene is a name and a function that returns Embree's build and the program's file."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        embree = Embree(folder, arguments.threads)
        rng = np.random.default_rng(43)
        rays = {"incoherent": incoherent_rays(rng), "coherent": camera_rays((150, 110, 90), 12)}
        files = {name: folder / f"{name}.npy" for name in rays}
        for name, path in files.items():
            np.save(path, rays[name])
        rows = []
        closest = {}
        for name, make in scenes:
            build, path = make(embree, folder)
            ours = {}
            theirs = {}
            for turn in range(arguments.rounds):
                measured = program_seconds(arguments.program, path, files.values(), arguments.threads, ("closest", "any"))
                for key, value in measured.items():
                    ours.setdefault(key, []).append(value)
                start = time.perf_counter()
                scene = build()
                theirs.setdefault("build", []).append(time.perf_counter() - start)
                for rays_name, path_of_rays in files.items():
                    for kind in ("closest", "any"):
                        packets = rays_name == "coherent"
                        took = seconds(lambda: embree.cast(scene, rays[rays_name], packets, kind))
                        theirs.setdefault((str(path_of_rays), kind), []).append(took)
                refuse_another_scene(name, embree, scene, rays["incoherent"], measured["hits"])
                embree.release(scene)
            for (rays_name, path_of_rays), kind in ((item, kind) for item in files.items() for kind in ("closest", "any")):
                result = medians(list(zip(theirs[str(path_of_rays), kind], ours[str(path_of_rays), kind])))
                rows.append(rates(f"{name}, {rays_name}, {kind}", len(rays[rays_name]), [result]))
                if kind == "closest":
                    closest[name, rays_name] = [len(rays[rays_name]) / took / 1e6 for took in result[:2]]
            built = medians(list(zip(theirs["build"], ours["build"])))
            rows.append([f"{name}, built in s", f"{built[0]:.3f}", f"{built[1]:.3f}", f"{built[2]:.2f}"])
        table(title, ["M rays/s; coherent ones in packets of 16", "Embree", "raytwin", "ratio"], rows)
        return closest


def draw(path, counts, names, closest):
    """Draws how the rate of closest hits falls as the number of shapes grows."""
    from matplotlib import pyplot

    # Text needs a tenth of the bytes of its outlines.
    pyplot.rcParams["svg.fonttype"] = "none"
    _, axes = pyplot.subplots(figsize=(7, 4.2))
    for rays_name, marker in (("coherent", "o"), ("incoherent", "s")):
        for which, (who, style) in enumerate((("Embree", "--"), ("raytwin", "-"))):
            rates_of = [closest[name, rays_name][which] for name in names]
            axes.loglog(counts, rates_of, style, marker=marker, color=f"C{which}", label=f"{who}, {rays_name}")
    axes.set(xlabel="shapes", ylabel="million closest hits per second")
    axes.grid(True, alpha=0.3)
    axes.minorticks_off()
    axes.legend()
    pyplot.tight_layout()
    pyplot.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def shapes(arguments):
    def scene(count, radius):
        def make(embree, folder):
            rows, quaternions = random_shapes(count, radius, np.random.default_rng(42))
            np.savez(folder / "scene.npz", **bulk_arrays(rows, quaternions))
            return lambda: embree.scene(rows), folder / "scene.npz"

        return make

    moderate = [(f"moderate, {count:,}", scene(count, 56.4 / count**0.5)) for count in arguments.counts]
    dense = ("dense, 100,000", scene(100_000, 50 / 100_000 ** (1 / 3)))
    closest = beside_embree(arguments, "Shapes", [*moderate, dense])
    if arguments.picture:
        draw(arguments.picture, arguments.counts, [name for name, _ in moderate], closest)


def instances(arguments):
    def scene(count, radius):
        def make(embree, folder):
            rng = np.random.default_rng(44)
            rows, turned = random_shapes(100, 15, rng)
            scales = radius * rng.uniform(0.5, 1.5, count) / 100
            axes, quaternions = rotations(count, rng)
            centers = rng.uniform(-50, 50, (count, 3))
            columns = np.concatenate([axes * scales[:, None, None], centers[:, None]], axis=1)
            transforms = np.ascontiguousarray(columns.reshape(count, 12), np.float32)
            places = zip(centers.tolist(), quaternions.tolist(), scales.tolist())
            write_instances(folder / "scene.json", bulk_arrays(rows, turned), places)
            definition = embree.scene(rows)
            return lambda: embree.instances(definition, transforms), folder / "scene.json"

        return make

    moderate = [(f"{count:,} instances", scene(count, 80 / count**0.5)) for count in (1_000, 10_000, 100_000)]
    dense = ("1,000 dense instances", scene(1_000, 30.0))
    beside_embree(arguments, "Instances", [*moderate, dense])


# Meshes


def meshes(arguments):
    raytwin, core = wheel(), open3d().core
    rows = []
    for times in (7, 9):
        vertices, faces = bumpy_ball(times)
        name = f"{len(faces):,} triangles"
        rng = np.random.default_rng(45)
        toward = incoherent_rays(rng, side=2.0)
        toward[:, 3:], toward[:, :3] = toward[:, :3] - 3 * toward[:, 3:], 3 * toward[:, 3:]
        rays = {
            "incoherent, some hit": incoherent_rays(rng, side=3.0),
            "incoherent, most hit": toward,
            "coherent": camera_rays((2.2, 1.8, 1.2), 20),
        }
        points = incoherent_rays(rng, count=20_000, side=3.0)[:, :3].copy()
        theirs = open3d().t.geometry.RaycastingScene(nthreads=arguments.threads)
        theirs.add_triangles(core.Tensor(vertices), core.Tensor(faces))
        scene = raytwin.Scene()
        scene.add_mesh(vertices, faces)
        ours = raytwin.Tracer(scene, device="cpu")
        hits = [theirs.cast_rays(core.Tensor(toward))["t_hit"].isfinite().numpy(), np.isfinite(ours.cast_rays(toward).t_hit)]
        if (hits[0] != hits[1]).sum() > 1000:
            raise SystemExit(f"{name}: different rays hit in Open3D and in raytwin")
        for rays_name, batch in rays.items():
            tensor = core.Tensor(batch)
            calls = {
                "closest": (lambda: theirs.cast_rays(tensor, nthreads=arguments.threads), lambda: ours.cast_rays(batch)),
                "any": (lambda: theirs.test_occlusions(tensor, nthreads=arguments.threads), lambda: ours.test_occlusions(batch)),
            }
            for kind, (their_call, our_call) in calls.items():
                results = in_turns(arguments.rounds, lambda: seconds(their_call), lambda: seconds(our_call))
                rows.append(rates(f"{name}, {rays_name}, {kind}", len(batch), results))
        tensor = core.Tensor(points)
        for question in ("signed_distance", "occupancy"):
            their_call, our_call = (getattr(scene, f"compute_{question}") for scene in (theirs, ours))
            results = in_turns(
                arguments.rounds,
                lambda: seconds(lambda: their_call(tensor, nthreads=arguments.threads)),
                lambda: seconds(lambda: our_call(points)),
            )
            rows.append(rates(f"{name}, {question.replace('_', ' ')}", len(points), results))
    table("Meshes", ["M rays or points/s, NumPy to NumPy", "Open3D", "raytwin", "ratio"], rows)


TABLES = {"shapes": shapes, "instances": instances, "meshes": meshes, "home": home, "robot": robot}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"the tables to measure: {', '.join(TABLES)}; default: all")
    sizes = [1_000, 100_000, 1_000_000]
    parser.add_argument("--counts", type=int, nargs="+", default=sizes, help="the numbers of shapes in the moderate scenes")
    parser.add_argument("--picture", help="draw the rates of the moderate scenes into this file; needs matplotlib")
    parser.add_argument("--rounds", type=int, default=5, help="the number of rounds")
    parser.add_argument("--device", default="cpu", help="the device that casts for the table home")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="the threads that cast")
    parser.add_argument("--program", default=HERE.parents[1] / "target/dist/raytwin", help="the program to measure")
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - set(TABLES):
        parser.error(f"there is no table {', '.join(unknown)}: give {', '.join(TABLES)}")
    # The wheel's tracer casts with Rayon's number of threads.
    os.environ["RAYON_NUM_THREADS"] = str(arguments.threads)
    [result] = program_results(arguments.program, "--scene", "w1m_1", "--rays", "coh", "--repeat", "1")
    print(f"{result['processor']}; {arguments.threads} threads; medians of {arguments.rounds} rounds")
    is_complete = True
    for name in arguments.tables or TABLES:
        try:
            TABLES[name](arguments)
        except Missing as missing:
            print(f"\nskipped {name}: {missing}", flush=True)
            is_complete = False
    sys.exit(0 if is_complete else 1)


if __name__ == "__main__":
    main()
