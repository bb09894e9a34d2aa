"""Measures closest hits from NumPy arrays to NumPy arrays, compared with Open3D, whose scene has the same shapes as triangles."""

import tempfile
from pathlib import Path

import numpy as np
from program import program_results
from scenes import bulk_arrays, camera_rays, incoherent_rays, random_shapes, triangles
from timing import in_turns, open3d, rates, seconds, table, wheel


def home(arguments):
    raytwin, core = wheel(), open3d().core
    rng = np.random.default_rng(43)
    rays = {"incoherent": incoherent_rays(rng), "coherent": camera_rays((150, 110, 90), 12)}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name, batch in rays.items():
            np.save(folder / f"{name}.npy", batch)
        for count in (1_000, 100_000):
            shapes, quaternions = random_shapes(count, 56.4 / count**0.5, np.random.default_rng(42))
            scene = folder / f"{count}.npz"
            np.savez(scene, **bulk_arrays(shapes, quaternions))
            tracer = raytwin.Tracer(raytwin.Scene.load(scene), device=arguments.device)
            theirs = open3d().t.geometry.RaycastingScene(nthreads=arguments.threads)
            theirs.add_triangles(*map(core.Tensor.from_numpy, triangles(shapes)))
            for name, batch in rays.items():
                their_answers = lambda: theirs.cast_rays(core.Tensor.from_numpy(batch), nthreads=arguments.threads)
                hits = [np.isfinite(t).sum() for t in (their_answers()["t_hit"].numpy(), tracer.cast_rays(batch).t_hit)]
                if abs(hits[0] - hits[1]) > 0.05 * len(batch):
                    raise SystemExit(f"{count} shapes: {hits[0]} rays hit in Open3D and {hits[1]} in raytwin: the scenes differ")
                calls = [
                    lambda: [array.numpy() for array in their_answers().values()],
                    lambda: tracer.cast_rays(batch),
                    lambda: tracer.cast_rays(batch, normals=False),
                ]
                flags = ["--threads", str(arguments.threads), "--repeat", "3", "--scene", scene, "--rays", folder / f"{name}.npy"]
                library = lambda: program_results(arguments.program, *flags, device=arguments.device)[0]["total_s"]
                results = in_turns(arguments.rounds, *[lambda call=call: seconds(call) for call in calls], library)
                rows.append(rates(f"{count:,} shapes, {name}", len(batch), results))
    ours = ["wheel: t, ids, normals", "ratio", "wheel: t, ids", "ratio", "library: t, ids", "ratio"]
    title = f"NumPy to NumPy, on {tracer.device}"
    table(title, ["M rays/s", "Open3D, triangles: t, ids, normals, uv", *ours], rows)
