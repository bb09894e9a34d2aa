"""Casts rays and judges the answers of others with the program `raytwin`."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MISS = 0xFFFFFFFF
# The error that the less strict judgement allows, as a fraction of the distance.
TOLERANCE = 1e-4


@dataclass
class Verdict:
    """The wrong answers to a batch of rays."""

    # The numbers (indices) of the rays with a wrong hit, miss or shape, and of those with the right shape at a wrong distance.
    wrong: np.ndarray
    off: np.ndarray
    # The largest error of those distances, and the largest error of t as a fraction of the bound.
    error: float
    bounds: float
    # The number of answers that are wrong even with the tolerance.
    beyond_tolerance: int = 0
    milliseconds: float = 0.0


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = Path(path).resolve(), folder

    def run(self, *arguments, codes=(0,)):
        try:
            done = subprocess.run([self.path, "-q", *map(str, arguments)], capture_output=True, text=True)
        except OSError as error:
            raise SystemExit(f"{self.path}: {error}: build the program with cargo build --profile dist") from error
        if done.returncode not in codes:
            raise SystemExit(f"raytwin {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
        return done.stdout

    def write(self, name, shapes):
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"raytwin": 1, "shapes": shapes}))
        return path

    def write_rays(self, rays):
        path = self.folder / "rays.npy"
        np.save(path, rays)
        return path

    def cast(self, scene, rays, device="cpu"):
        """Returns the t, the ids and the primitives of rays, in float32."""
        out = self.folder / "answers.npz"
        self.run("query", scene, self.write_rays(rays), "--device", device, "-o", out)
        with np.load(out) as answers:
            return answers["t_hit"], answers["geometry_ids"], answers["primitive_ids"]

    def milliseconds(self, scene, rays, device):
        """Returns the median time of three casts of rays in memory, and the names of the device and the processor."""
        summary = self.run("bench", "--device", device, "--json", "--repeat", 3, "--scene", scene, "--rays", self.write_rays(rays))
        [result] = json.loads(summary)["results"]
        return result["total_s"] * 1e3, result["device"], result["processor"]

    def has_gpu(self):
        done = subprocess.run([self.path, "devices"], capture_output=True, text=True)
        return any("Vulkan" in line for line in done.stdout.splitlines())

    def primitives(self, scene, rays, t, ids, reference):
        """Returns the primitives that were hit, for casters that do not return them: those of the reference or, for another shape,
        the primitive that is nearest to the point."""
        primitives = np.where(ids == reference[1], reference[2], 0)
        primitives[ids == MISS] = MISS
        unknown = np.flatnonzero((ids != MISS) & (ids != reference[1]))
        if len(unknown):
            points, out = self.folder / "points.npy", self.folder / "nearest.npz"
            np.save(points, (rays[unknown, :3] + t[unknown, None] * rays[unknown, 3:]).astype(np.float32))
            self.run("points", scene, points, "--device", "cpu", "-o", out)
            with np.load(out) as nearest:
                primitives[unknown] = np.where(nearest["geometry_ids"] == ids[unknown], nearest["primitive_ids"], 0)
        return primitives.astype(np.uint32)

    def judge(self, scene, rays, answers, reference):
        """Returns the verdict of `raytwin diff` on the answers (t, ids, primitives or None) to rays in a scene's file."""
        t, ids, primitives = answers
        if primitives is None:
            primitives = self.primitives(scene, rays, t, ids, reference)
        path, report = self.folder / "judged.npz", self.folder / "report"
        np.savez(path, t_hit=t.astype(np.float32), geometry_ids=ids.astype(np.uint32), primitive_ids=primitives.astype(np.uint32))
        command = ["diff", scene, self.write_rays(rays), "--against", path, "--json"]
        summary = json.loads(self.run(*command, "--report", report, codes=(0, 1)))
        with np.load(report / "mismatches.npz") as mismatches:
            wrong = mismatches["rays_closest"].astype(int) if "rays_closest" in mismatches else np.empty(0, int)
        beyond = 0
        if len(wrong):
            beyond = json.loads(self.run(*command, "--tolerance-rel", TOLERANCE, codes=(0, 1)))["mismatches"]
        both = np.isfinite(t[wrong]) & np.isfinite(reference[0][wrong])
        errors = np.full(len(wrong), np.inf)
        errors[both] = np.abs(t[wrong][both] - reference[0][wrong][both].astype(float))
        # A ray may hit either of two surfaces in one place, so for the other surface only the distance can be wrong.
        # diff expects the lower id of two equal shapes, which no peer promises, so the other id is right at that distance.
        is_twin = (ids[wrong] != reference[1][wrong]) & (errors <= 16 * 2.0**-24 * np.where(both, reference[0][wrong], 0))
        wrong, errors, both = wrong[~is_twin], errors[~is_twin], both[~is_twin]
        is_other = (ids[wrong] != reference[1][wrong]) & ~(errors <= TOLERANCE * np.where(both, reference[0][wrong], 0))
        error = errors[~is_other].max(initial=0.0)
        bounds = max((kind["worst_error"] or 0.0 for kind in summary["types"]), default=0.0)
        return Verdict(wrong[is_other], wrong[~is_other], error, bounds, beyond)
