"""Counts the wrong answers of ray casters: casts the same rays into twenty scenes with each caster, judges each answer with
`raytwin diff --against`, and writes a page with the results.

    python3 benches/census/census.py                         # everything, into docs/reference/census.md
    python3 benches/census/census.py --rays 500 --out census.md

The script needs numpy, matplotlib, the program (`cargo build --profile dist`) and the peers: pip install mujoco pybullet open3d
trimesh embreex pyvista. If a peer is missing, the script prints a line, skips the peer, and exits with 1.
"""

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from judge import MISS, Program
from page import draw, write
from peers import PEERS, TRIANGULATED, kind_of
from scenes import ROOT, Scene, all_scenes, rays_of
from tessellate import triangles_of

# The faults to draw: the file of each picture, by scene and peer.
PICTURES = {
    ("balls, 20 radii away", "PyBullet"): "off",
    ("balls, 20 radii away", "PyVista `ray_trace`"): "not_first",
    ("visual-only geoms", "`mj_multiRay`"): "missed",
}
WIDTH, HEIGHT = 160, 120


@dataclass
class Entry:
    """The results for one scene: the verdict on each caster, or the feature that it lacks, by name."""

    scene: Scene
    rays: np.ndarray
    reference: tuple
    exact_file: Path
    triangles_file: Path | None = None
    verdicts: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)
    lacks: dict = field(default_factory=dict)
    pictures: dict = field(default_factory=dict)
    # For the scene in triangles: their number, the number of rays that hit something else, and the median and the largest
    # error of t.
    tessellation: tuple | None = None


def timed(call):
    """Returns the answers of a call and its median time of three, in milliseconds."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        answers = call()
        times.append(time.perf_counter() - start)
    return answers, 1e3 * statistics.median(times)


def tessellation_error(triangles, tessellated, exact, scene):
    if all(shape["type"] in ("mesh", "heightfield", "box") for shape in scene.shapes):
        return None
    same = (tessellated[1] == exact[1]) & (exact[1] != MISS)
    errors = np.abs(tessellated[0][same] - exact[0][same].astype(float))
    count = sum(len(faces) for _, faces in triangles)
    return count, int((tessellated[1] != exact[1]).sum()), float(np.median(errors)), float(errors.max())


def image_rays(scene):
    """Returns the rays of an image from the first eye, which sees the middle half of the shapes."""
    middle = scene.aims.mean(axis=0)
    toward = middle - scene.eyes[0]
    right = np.cross(toward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, toward) / np.linalg.norm(toward)
    half = np.abs(scene.aims - middle).max() / 2
    x, y = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(0.75, -0.75, HEIGHT))
    directions = toward + half * (x[..., None] * right + y[..., None] * up)
    directions = directions.reshape(-1, 3) / np.linalg.norm(directions, axis=-1).reshape(-1, 1)
    return np.hstack([np.tile(scene.eyes[0], (len(directions), 1)), directions]).astype(np.float32)


def take(scene, number, peers, devices, program, count, pictures):
    """Returns the entry of a scene."""
    exact_file = scene.file or program.write(f"scene{number}", scene.shapes)
    rng = np.random.default_rng(number)
    rays = rays_of(scene, count, lambda batch: program.cast(exact_file, batch)[1], rng)
    middle = scene.aims.mean(axis=0)
    # Casters of segments end their rays at this distance, behind all shapes except endless ones.
    reach = 4 * (np.linalg.norm(scene.eyes - middle, axis=1).max() + np.linalg.norm(scene.aims - middle, axis=1).max())
    reference = program.cast(exact_file, rays)
    kept = ~np.isfinite(reference[0]) | (reference[0] < reach)
    rays, reference = rays[kept], tuple(column[kept] for column in reference)
    entry = Entry(scene, rays, reference, exact_file)

    triangles = []
    if scene.shapes and all(kind_of(shape) in TRIANGULATED for shape in scene.shapes):
        triangles = [triangles_of(shape) for shape in scene.shapes]
        meshes = [{"type": "mesh", "vertices": v.astype(float).tolist(), "triangles": f.tolist()} for v, f in triangles]
        entry.triangles_file = program.write(f"triangles{number}", meshes)
        reference_of_triangles = program.cast(entry.triangles_file, rays)
        entry.tessellation = tessellation_error(triangles, reference_of_triangles, reference, scene)

    for peer in peers:
        if lack := peer.lacks(scene):
            entry.lacks[peer.name] = lack
            continue
        caster = peer(scene, triangles, reach)
        answers, took = timed(lambda: caster.cast(rays))
        judged_by = (exact_file, reference) if peer.kinds else (entry.triangles_file, reference_of_triangles)
        entry.answers[peer.name] = answers
        entry.verdicts[peer.name] = verdict = program.judge(judged_by[0], rays, answers, judged_by[1])
        verdict.milliseconds = took
        if (scene.name, peer.name) in PICTURES:
            picture = image_rays(scene)
            wrong = program.judge(judged_by[0], picture, caster.cast(picture), program.cast(judged_by[0], picture))
            entry.pictures[peer.name] = draw(pictures, PICTURES[scene.name, peer.name], WIDTH, program.cast(exact_file, picture), wrong)
        if hasattr(caster, "close"):
            caster.close()
    for name, device in devices.items():
        entry.answers[name] = answers = program.cast(exact_file, rays, device)
        entry.verdicts[name] = verdict = program.judge(exact_file, rays, answers, reference)
        verdict.milliseconds, _, _ = program.milliseconds(exact_file, rays, device)
    return entry


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rays", type=int, default=5000, help="the number of rays for each scene")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/reference/census.md", help="the page to write, next to a folder for its pictures")
    parser.add_argument("--program", default=ROOT / "target/dist/raytwin", help="the raytwin program, which casts and judges")
    given = parser.parse_args()
    peers, missing = [], []
    for peer in PEERS:
        try:
            peer.needs()
            peers.append(peer)
        except (ImportError, OSError) as error:
            missing.append(f"{peer.name} is skipped: {error}")
            print(missing[-1], file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        program = Program(given.program, Path(folder))
        devices = {"raytwin, CPU": "cpu"} | ({"raytwin, GPU": "gpu"} if program.has_gpu() else {})
        if len(devices) < 2:
            missing.append("raytwin, GPU is skipped: there is no Vulkan adapter")
        entries = []
        for number, scene in enumerate(all_scenes(program.path, Path(folder))):
            entry = take(scene, number, peers, devices, program, given.rays, given.out.with_suffix(""))
            entries.append(entry)
            print(f"{scene.name}: {len(entry.rays)} rays", flush=True)
            for name, verdict in entry.verdicts.items():
                print(
                    f"    {name}: {len(verdict.wrong)} wrong, {len(verdict.off)} off, at worst by {verdict.error:.3g}, "
                    f"{verdict.bounds:.3g} bounds, {verdict.beyond_tolerance} outside the tolerance, {verdict.milliseconds:.1f} ms"
                )
            if entry.tessellation:
                print("    triangles, other hits, median and worst error:", *entry.tessellation)
        _, gpu, processor = program.milliseconds(entries[-1].exact_file, entries[-1].rays, "gpu" if len(devices) > 1 else "cpu")
        version = program.run("--version").split()[-1]
        write(given.out, entries, peers, devices, missing, f"{processor}", gpu, version)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
