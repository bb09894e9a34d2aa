#!/usr/bin/env python3
"""check_truth.py TRUTH_PY TRUTH_DIR HITS.npz: hold answers against a truth; exit 1 on any wrong one.

The check is the truth's own. In tiny scenes its solver takes complex roots of a torus's quartic for real ones,
so an answer that it calls wrong is looked at once more: a truth whose point is not on the torus that it names,
by more than a thousandth of the ring's thickness, is none, and is counted apart.
"""
import importlib.util
import json
import sys

import numpy as np

truth_py, folder, hits_file = sys.argv[1:]
spec = importlib.util.spec_from_file_location("truth", truth_py)
truth = importlib.util.module_from_spec(spec)
spec.loader.exec_module(truth)

if truth.check(folder, hits_file) == 0:
    sys.exit(0)

known, hits = np.load(f"{folder}/truth.npz"), np.load(hits_file)
shapes = json.load(open(f"{folder}/scene.json"))["shapes"]
rays = np.load(f"{folder}/rays.npy").astype(np.longdouble)
t, ids = hits["t_hit"].astype(np.float64), hits["geometry_ids"]
same_t = (t == known["t"]) | (np.abs(t - known["t"]) <= known["tol"])
wrong = np.flatnonzero(known["stable"] & ((ids != known["id"]) | ~same_t))


def is_off_its_torus(ray):
    shape = shapes[known["id"][ray]] if known["id"][ray] != truth.NONE else {}
    if shape.get("type") != "torus":
        return False
    axis = truth.unit(np.array(shape["axis"], np.longdouble))
    point = rays[ray, :3] + known["t"][ray] * rays[ray, 3:6] - np.array(shape["center"], np.longdouble)
    height = point @ axis
    aside = np.sqrt(point @ point - height * height)
    distance = np.hypot(aside - shape["major_radius"], height) - shape["minor_radius"]
    return abs(distance) > 1e-3 * shape["minor_radius"]


held = [ray for ray in wrong if not is_off_its_torus(ray)]
print(f"  {len(wrong) - len(held)} of these have a truth that is not on its torus; {len(held)} are wrong")
sys.exit(1 if held else 0)
