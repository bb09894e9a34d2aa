"""Writes a stand as a scene of raytwin: a table of wood, heights of the ground, and leaves in instances."""

import json

import numpy as np

from stand import unit

LABELS = {"ground": 2, "wood": 64, "leaf": 65}
LEAVES_OF_A_TWIG = 30
LEAF_ORDER = 9
TRIPOD = {
    "name": "tripod",
    "eye": [0, 0, 1.6],
    "target": [1, 0, 1.6],
    "azimuth_degrees": [180, -180],
    "elevation_degrees": [80, -40],
    "range_min": 0.3,
    "range_max": 120,
    "beam": {"divergence_mrad": 0.35, "exit_diameter": 0.007, "subrays": 7},
    "returns": {"max": 5, "mode": "all", "range_resolution": 0.3},
}
AIRBORNE = {
    "name": "airborne",
    "eye": [0, 0, 60],
    "target": [0, 0, 0],
    "up": [1, 0, 0],
    "azimuth_degrees": [25, -25],
    "columns": 400,
    "elevation_table_degrees": [0],
    "range_max": 150,
    "beam": {"divergence_mrad": 0.5, "subrays": 19},
    "returns": {"max": 5, "mode": "all", "range_resolution": 0.5},
}


def write(stand, folder, shape, leaf):
    """Writes the scene, whose wood is of `cylinder`s or `cone`s, and its leaves `disc`s or `ellipsoid`s."""
    write_wood(stand.wood, folder / "wood.csv", shape)
    np.save(folder / "ground.npy", stand.heights)
    ground = {"type": "heightfield", "name": "ground", "file": "ground.npy", "spacing": [1, 1], "center": [0, 0, 0]}
    scene = {
        "raytwin": 1,
        "labels": LABELS,
        "definitions": {"twig": {"shapes": leaves_of_a_twig(leaf)}},
        "shapes": [{**ground, "label": "ground", "reflectance": 0.25, "color": [0.4, 0.4, 0.25]}],
        "nodes": [
            {"name": "wood", "file": "wood.csv", "label": "wood", "reflectance": 0.45, "color": [0.45, 0.34, 0.25]},
            {
                "name": "leaves",
                "label": "leaf",
                "reflectance": 0.5,
                "integers": {"branch_order": LEAF_ORDER},
                "nodes": crowns(stand),
            },
        ],
        "cameras": [view(stand.side), TRIPOD, AIRBORNE],
    }
    (folder / "stand.json").write_text(json.dumps(scene))


def write_wood(wood, path, shape):
    """Writes wood as a table of cones, or of the cylinders that have the cones' lengths and volumes."""
    names = ["type", "tree_id", "branch_order", *(f"{end}_{axis}" for end in ("start", "end") for axis in "xyz")]
    columns = [wood.tree_id, wood.branch_order, *wood.start.T, *wood.end.T]
    if shape == "cone":
        names += ["start_radius", "end_radius"]
        columns += [wood.start_radius, wood.end_radius]
    else:
        names += ["radius"]
        columns += [np.sqrt(wood.mean_squared_radii())]
    row = ",".join([shape, "%d", "%d", *["%.4f"] * 6, *["%.7f"] * (len(columns) - 8)])
    np.savetxt(path, np.column_stack(columns), row, header=",".join(names), comments="")


def leaves_of_a_twig(leaf):
    """Returns the leaves at a tip, about the origin."""
    rng = np.random.default_rng(0)
    centers = rng.normal(0, 0.12, (LEAVES_OF_A_TWIG, 3))
    normals = unit(rng.normal(0, 0.6, centers.shape) + [0, 0, 1])
    shapes = []
    for center, normal in zip(centers.round(4).tolist(), normals.round(4).tolist(), strict=True):
        if leaf == "disc":
            form = {"radius": 0.04, "normal": normal}
        else:
            # The shortest turn from the z axis to the normal.
            form = {"radii": [0.055, 0.03, 0.002], "rotation_xyzw": [-normal[1], normal[0], 0, 1 + normal[2]]}
        shapes.append({"type": leaf, "center": center, **form})
    return shapes


def crowns(stand):
    """Returns a node for each tree, which tells all in it whose it is, with a twig at each tip that bears leaves."""
    rng = np.random.default_rng(stand.trees)
    tips = stand.foliage.base.round(3)
    turns = rng.normal(size=(len(tips), 4)).round(3)
    nodes = []
    for tree in range(1, stand.trees + 1):
        of_tree = stand.foliage.tree_id == tree
        places = zip(tips[of_tree].tolist(), turns[of_tree].tolist(), strict=True)
        twigs = [{"use": "twig", "translation": tip, "rotation_xyzw": turn} for tip, turn in places]
        color = np.array([0.34, 0.5, 0.16]) + rng.uniform(-0.08, 0.08) * np.array([2, 0.5, 0])
        nodes.append({"name": f"tree_{tree}", "color": color.round(3).tolist(), "integers": {"tree_id": tree}, "nodes": twigs})
    return nodes


def view(side):
    """Returns a camera for eyes, which sees the whole plot."""
    eye = [0.6 * side + 12, -0.8 * side - 12, 0.25 * side + 10]
    return {"name": "view", "eye": eye, "target": [0, 0, 7], "fov_y_degrees": 34}


def write_stations(path, places, heights):
    """Writes a tripod's stations."""
    rows = np.column_stack([places, heights])
    np.savetxt(path, rows, "%.3f", ",", header="x,y,z", comments="")


def write_strips(path, side, height):
    """Writes two strips of a flight along x, whose lines are a quarter of a metre apart, and which looks straight down."""
    along = np.arange(-side / 2, side / 2, 0.25)
    rows = []
    for strip, y in enumerate([-side / 4, side / 4]):
        time = np.arange(len(along)) * 0.01 + strip * 60
        turned = [np.full_like(along, number) for number in (y, height, 0, 0.5**0.5, 0, 0.5**0.5)]
        rows.append(np.column_stack([time, along, *turned]))
    header = "time,x,y,z,qx,qy,qz,qw"
    np.savetxt(path, np.concatenate(rows), "%.8f", ",", header=header, comments="")
