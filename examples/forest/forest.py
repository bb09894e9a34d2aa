"""Makes a stand of trees from a seed, scans it from five stations and from the air, and measures its wood in the points.

    python3 examples/forest/forest.py --out forest

needs NumPy, and `raytwin` on the path or by `--raytwin`. The folder then holds the scene (`stand.json` with `wood.csv`), a cloud
of each station (`stations/*.laz` and `.npy`), one from the air (`air.laz`), `trees.csv` and two pictures.
"""

import argparse
import json
import shlex
import subprocess
from pathlib import Path

import numpy as np

import scene
import stand
import volume


GOLDEN_RATIO = (1 + 5**0.5) / 2


class Raytwin:
    """The program, run in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, *arguments):
        """Prints and runs a command, and returns its summary."""
        words = [*map(str, arguments)]
        print("raytwin", shlex.join(words), flush=True)
        try:
            done = subprocess.run([self.program, *words, "--json"], cwd=self.folder, stdout=subprocess.PIPE, check=True)
        except FileNotFoundError:
            raise SystemExit(f"{self.program} is not there: install raytwin, or name it with --raytwin") from None
        return json.loads(done.stdout)


def stations_of(side):
    """Returns the places of five stations on a plot (5, 2): in the middle and towards its corners."""
    return side / 3 * np.array([[0, 0], [-1, -1], [1, -1], [1, 1], [-1, 1]])


def scan_from_stations(raytwin, step):
    """Scans from the tripod's stations with beams `step` degrees apart, and returns all points and the hits of each tree."""
    size = f"{round(360 / step)}x{round(120 / step)}"
    kept = ["--label-ids", "--keep", "tree_id,branch_order", "--hits-per", "tree_id"]
    files = ["--stations", "stations.csv", "--each", "npy,laz", "-o", "stations/"]
    summary = raytwin.run("scan", "stand.json", "--camera", "tripod", "--size", size, *files, *kept)
    print(f"  {summary['rays']} beams, {summary['cloud_points']} points, {summary['trace_s']:.1f} s")
    points = np.concatenate([np.load(path) for path in sorted((raytwin.folder / "stations").glob("*.npy"))])
    return points, hits_of(summary)


def scan_from_the_air(raytwin):
    """Scans along the flight's strips and returns the hits of each tree."""
    kept = ["--label-ids", "--keep", "tree_id,branch_order", "--hits-per", "tree_id"]
    summary = raytwin.run("scan", "stand.json", "--camera", "airborne", "--poses", "strips.csv", *kept, "-o", "air.laz")
    print(f"  {summary['rays']} beams, {summary['cloud_points']} points, {summary['trace_s']:.1f} s")
    return hits_of(summary)


def hits_of(summary):
    """Returns the hits of each tree by its number."""
    return {int(row["group"]): row["hits"] for row in summary["hits_per"] if row["group"] != "none"}


def measure(points, wood, trees):
    """Returns a row of figures for each tree: what is true, and what its points tell."""
    exact_stems, exact = wood.of_order(0).volumes_of_trees(trees), wood.volumes_of_trees(trees)
    xyz = np.column_stack([points[axis] for axis in "xyz"])
    is_wood = points["label"] == scene.LABELS["wood"]
    rows = []
    for tree in range(1, trees + 1):
        is_of_tree = is_wood & (points["tree_id"] == tree)
        is_of_stem = is_of_tree & (points["branch_order"] == 0)
        trunk = (wood.tree_id == tree) & (wood.branch_order == 0)
        stem = volume.measure_stem(xyz[is_of_stem], wood.start[trunk][0, 2])
        branches = volume.count_voxels(xyz[is_of_tree & ~is_of_stem])
        rows.append(
            {
                "tree_id": tree,
                "wood_points": np.count_nonzero(is_of_tree),
                "dbh": diameter_at_breast_height(wood, trunk),
                "dbh_measured": stem.diameter_at_breast_height,
                "stem": exact_stems[tree - 1],
                "stem_measured": stem.volume,
                "wood": exact[tree - 1],
                "wood_measured": stem.volume + branches,
            }
        )
    return rows


def diameter_at_breast_height(wood, trunk):
    """Returns the true diameter of a trunk at 1.3 m above its foot."""
    heights = np.append(wood.start[trunk, 2], wood.end[trunk][-1, 2])
    radii = np.append(wood.start_radius[trunk], wood.end_radius[trunk][-1])
    return 2 * np.interp(volume.BREAST_HEIGHT, heights - heights[0], radii)


def report(rows, on_ground, from_air, path):
    """Prints the figures of each tree and of all, and writes them as a table."""
    columns = ["points", "air_points", *list(rows[0])[1:]]
    print("tree  points  from air  dbh cm  measured   stem m³  measured        wood m³  measured")
    with path.open("w") as table:
        table.write(",".join(["tree_id", *columns]) + "\n")
        for row in rows:
            tree = row["tree_id"]
            row |= {"points": on_ground.get(tree, 0), "air_points": from_air.get(tree, 0)}
            table.write(",".join([str(tree), *(f"{row[name]:.6g}" for name in columns)]) + "\n")
            print(
                f"{tree:4}{row['points']:8}{row['air_points']:10}{100 * row['dbh']:8.1f}{100 * row['dbh_measured']:10.1f}"
                f"{row['stem']:10.3f}{row['stem_measured']:10.3f}{error(row, 'stem'):6.0f} %"
                f"{row['wood']:9.3f}{row['wood_measured']:10.3f}{error(row, 'wood'):6.0f} %"
            )
    for name, what in [("dbh", "diameter at breast height"), ("stem", "stem volume"), ("wood", "volume of all wood")]:
        errors = np.array([error(row, name) for row in rows])
        known = errors[np.isfinite(errors)]
        if len(known):
            rms = np.sqrt(np.mean(known**2))
            print(f"{what}: {known.mean():+.1f} % in the mean, {rms:.1f} % rms, of {len(known)} trees")


def error(row, name):
    """Returns by how many percent a figure is measured too large."""
    return 100 * (row[f"{name}_measured"] / row[name] - 1)


def draw(raytwin, side, points):
    """Draws the stand, and its points as little balls with a colour for each tree."""
    size = ["--size", "960x640"]
    raytwin.run("render", "stand.json", "--camera", "view", *size, "--out", "picture_of_stand")
    # A point of each voxel is as many as an eye can tell apart.
    xyz = np.column_stack([points[axis] for axis in "xyz"])
    _, shown = np.unique(np.floor(xyz / 0.12).astype(np.int32), axis=0, return_index=True)
    tree = points["tree_id"][shown, None]
    hue = 2 * np.pi * (tree * GOLDEN_RATIO + np.array([0, 1, 2]) / 3)
    colors = np.where(tree == 0, 0.5, 0.52 + 0.36 * np.cos(hue))
    balls = np.column_stack([xyz[shown], np.full(len(shown), 0.055), colors])
    header = "center_x,center_y,center_z,radius,color_r,color_g,color_b"
    np.savetxt(raytwin.folder / "balls.csv", balls, "%.3f", ",", header=header, comments="")
    cloud = {"raytwin": 1, "nodes": [{"name": "points", "file": "balls.csv"}], "cameras": [scene.view(side)]}
    (raytwin.folder / "balls.json").write_text(json.dumps(cloud))
    raytwin.run("render", "balls.json", *size, "--out", "picture_of_points")


def main():
    """Runs the example."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("forest"), help="the folder for all files")
    parser.add_argument("--trees", type=int, default=60, help="how many trees, of 400 on a hectare")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--orders", type=int, default=3, choices=range(5), help="the highest order of branches")
    parser.add_argument("--shape", default="cylinder", choices=["cylinder", "cone"])
    parser.add_argument("--leaf", default="disc", choices=["disc", "ellipsoid"])
    parser.add_argument("--step", type=float, default=0.2, help="degrees between the tripod's beams")
    parser.add_argument("--raytwin", default="raytwin", help="the program")
    given = parser.parse_args()
    if given.trees < 1 or given.seed < 0 or not 0.01 <= given.step <= 5:
        parser.error("--trees begins at 1, --seed at 0, and --step is from 0.01 to 5")

    given.out.mkdir(parents=True, exist_ok=True)
    side = stand.side_of(given.trees)
    places = stations_of(side)
    grown = stand.make(given.seed, given.trees, given.orders, places)
    scene.write(grown, given.out, given.shape, given.leaf)
    scene.write_stations(given.out / "stations.csv", places, stand.ground(*places.T) + 1.6)
    scene.write_strips(given.out / "strips.csv", side, 60)
    print(f"{given.trees} trees of {len(grown.wood.tree_id)} {given.shape}s, {len(grown.foliage.base)} twigs with leaves")

    raytwin = Raytwin(given.raytwin, given.out)
    points, on_ground = scan_from_stations(raytwin, given.step)
    report(measure(points, grown.wood, given.trees), on_ground, scan_from_the_air(raytwin), given.out / "trees.csv")
    draw(raytwin, side, points)


if __name__ == "__main__":
    main()
