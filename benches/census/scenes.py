"""Makes the scenes of the census and their rays.

A scene is a list of shapes as in raytwin's native files. All numbers are float32, so that rounding affects no caster more than
another.
"""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
EYES = 10


@dataclass
class Scene:
    """Shapes, the eyes of the rays, and the points that the rays aim at, near the shapes or on them."""

    name: str
    shapes: list
    eyes: np.ndarray
    aims: np.ndarray
    corners: np.ndarray | None = None
    # The file of a scene that a peer can read itself. Such a scene has no shapes.
    file: Path | None = None
    # The ids of the visual-only shapes of a robot's model.
    visual: set = field(default_factory=set)
    # Whether rays start inside shapes.
    is_inside: bool = False


def exact(values):
    """Returns numbers rounded to float32, as Python floats."""
    return np.asarray(values, np.float32).astype(float).tolist()


def around(rng, count, middle, distance):
    """Returns points at a distance from a middle."""
    directions = rng.normal(size=(count, 3))
    return middle + distance * directions / np.linalg.norm(directions, axis=1, keepdims=True)


def near(rng, points, spread):
    """Returns many points around some points, most of them within a spread, which may differ by point."""
    chosen = rng.integers(len(points), size=20_000)
    return points[chosen] + rng.normal(size=(20_000, 3)) * (np.broadcast_to(spread, len(points))[chosen, None])


def scattered(rng, count, side=10.0):
    return rng.uniform(-side / 2, side / 2, (count, 3))


def spheres(rng, name, radii_away):
    """Balls of radius 0.5 to 1, seen from the given number of radii away."""
    centers = scattered(rng, 60)
    radii = rng.uniform(0.5, 1, 60)
    shapes = [{"type": "sphere", "center": exact(c), "radius": exact(r)} for c, r in zip(centers, radii)]
    return Scene(name, shapes, around(rng, EYES, 0, 0.75 * radii_away), near(rng, centers, 0.7 * radii))


def room(rng):
    """Balls of radius 1e-4 in a room that is 100 wide."""
    centers = scattered(rng, 60, 60)
    shapes = [{"type": "sphere", "center": exact(c), "radius": exact(1e-4)} for c in centers]
    for axis in range(3):
        for side in (-50.5, 50.5):
            center, half = [0.0] * 3, [51.0] * 3
            center[axis], half[axis] = side, 0.5
            shapes.append({"type": "box", "center": center, "half_extents": half})
    return Scene("tiny balls in a room", shapes, scattered(rng, EYES, 80), near(rng, centers, 1e-4))


def pipe_rack(rng, program, folder):
    """The shapes of an example in the scene's space."""
    path = folder / "rack.npz"
    command = [program, "-q", "convert", ROOT / "examples/scenes/pipe_rack.json", path, "--skip"]
    subprocess.run(command, check=True, capture_output=True)
    shapes = []
    fields = {
        "sphere": [("center", 3), ("radius", 1)],
        "box": [("center", 3), ("half_extents", 3), ("rotation_xyzw", 4)],
        "cylinder": [("start", 3), ("end", 3), ("radius", 1), ("inner_radius", 1)],
    }
    with np.load(path) as arrays:
        for kind, columns in fields.items():
            for row in arrays[kind]:
                shape, at = {"type": kind}, 0
                for key, width in columns[: len(row)]:
                    values = exact(row[at : at + width])
                    if values:
                        shape[key] = values if width > 1 else values[0]
                    at += width
                if shape.get("inner_radius") == 0:
                    del shape["inner_radius"]
                shapes.append(shape)
    centers = np.array([s["center"] if "center" in s else np.add(s["start"], s["end"]) / 2 for s in shapes])
    eyes = around(rng, EYES, centers.mean(axis=0), 30.0)
    eyes[:, 2] = np.abs(eyes[:, 2]) + 1
    return Scene("`pipe_rack.json`", shapes, eyes, near(rng, centers, 1.0))


def ends(rng, count, length):
    middles, halves = scattered(rng, count), around(rng, count, 0, length / 2)
    return middles, exact(middles - halves), exact(middles + halves)


def rods(rng):
    """Capsules, and cylinders whose length is hundreds of radii."""
    middles, starts, tops = ends(rng, 60, 6.0)
    shapes = [
        {"type": ("cylinder", "capsule")[i % 2], "start": s, "end": e, "radius": exact((0.02, 0.25)[i % 2])}
        for i, (s, e) in enumerate(zip(starts, tops))
    ]
    return Scene("rods and capsules", shapes, around(rng, EYES, 0, 20.0), near(rng, middles, 0.3))


def cones(rng):
    middles, starts, tops = ends(rng, 60, 2.0)
    shapes = [
        {"type": "cone", "start": s, "end": e, "start_radius": 0.75, "end_radius": 0.0 if i % 2 else 0.25}
        for i, (s, e) in enumerate(zip(starts, tops))
    ]
    return Scene("cones", shapes, around(rng, EYES, 0, 20.0), near(rng, middles, 0.6))


def pipes(rng):
    """Pipes with a hole, and rings as their bends."""
    middles, starts, tops = ends(rng, 40, 3.0)
    shapes = [
        {"type": "cylinder", "start": s, "end": e, "radius": 0.5, "inner_radius": 0.4375} for s, e in zip(starts, tops)
    ]
    centers, axes = scattered(rng, 20), exact(around(rng, 20, 0, 1.0))
    shapes += [
        {"type": "torus", "center": exact(c), "axis": a, "major_radius": 1.0, "minor_radius": 0.125} for c, a in zip(centers, axes)
    ]
    return Scene("hollow pipes and rings", shapes, around(rng, EYES, 0, 20.0), near(rng, np.vstack([middles, centers]), 0.7))


def turned(rng, count):
    return exact(around(rng, count, 0, 1.0) @ np.eye(3, 4) + np.eye(4)[3] * rng.normal(size=(count, 1)))


def boxes(rng):
    """Plates and cubes, turned."""
    centers, half = scattered(rng, 60), exact(2.0 ** rng.integers(-6, 1, (60, 3)))
    shapes = [
        {"type": "box", "center": exact(c), "half_extents": h, "rotation_xyzw": q}
        for c, h, q in zip(centers, half, turned(rng, 60))
    ]
    return Scene("boxes and plates, turned", shapes, around(rng, EYES, 0, 20.0), near(rng, centers, 0.5))


def ellipsoids(rng):
    centers, radii = scattered(rng, 60), exact(rng.uniform(0.0625, 1.5, (60, 3)))
    shapes = [
        {"type": "ellipsoid", "center": exact(c), "radii": r, "rotation_xyzw": q}
        for c, r, q in zip(centers, radii, turned(rng, 60))
    ]
    return Scene("ellipsoids", shapes, around(rng, EYES, 0, 20.0), near(rng, centers, 0.6))


def ground(rng):
    """An endless ground with balls and capsules on it, seen at a low angle from above."""
    xy = rng.uniform(-50, 50, (40, 2))
    shapes = [{"type": "plane", "point": [0.0] * 3, "normal": [0.0, 0.0, 1.0], "one_sided": True}]
    shapes += [{"type": "sphere", "center": exact([x, y, 1.0]), "radius": 1.0} for x, y in xy[:20]]
    shapes += [
        {"type": "capsule", "start": exact([x, y, 0.5]), "end": exact([x, y, 3.0]), "radius": 0.5} for x, y in xy[20:]
    ]
    eyes = np.column_stack([rng.uniform(-100, 100, (EYES, 2)), 2.0 ** np.arange(2, 2 + EYES) / 2])
    flat = np.column_stack([rng.uniform(-1000, 1000, (20_000, 2)), np.zeros(20_000)])
    upright = near(rng, np.column_stack([xy, np.ones(40)]), 1.0)
    return Scene("endless ground", shapes, eyes, np.vstack([flat[::2], upright[::2]]))


def panels(rng):
    """Rectangles that rays hit only from the front."""
    centers = scattered(rng, 40)
    shapes = [
        {"type": "plane", "point": exact(c), "half_extents": [1.0, 0.5], "rotation_xyzw": q, "one_sided": True}
        for c, q in zip(centers, turned(rng, 40))
    ]
    return Scene("one-sided panels", shapes, around(rng, EYES, 0, 20.0), near(rng, centers, 0.7))


def heightfield(rng):
    """Waves on 201 × 201 vertices, seen from above."""
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, 201)])
    # Steps of 1/64 and a range of 0 to 8 keep heights exact for casters that store them as fractions of the highest.
    heights = np.rint(64 * (4 + 2.4 * np.sin(9 * x) * np.cos(7 * y) + 1.5 * np.sin(31 * x + 17 * y))) / 64
    shapes = [{"type": "heightfield", "center": [0.0] * 3, "spacing": [0.5, 0.5], "heights": heights.tolist()}]
    vertices = np.stack([x * 50, y * 50, heights], -1).reshape(-1, 3)
    eyes = np.column_stack([rng.uniform(-40, 40, (EYES, 2)), 2.0 ** (np.arange(EYES) % 5) + 8])
    return Scene("waves on 201² heights", shapes, eyes, near(rng, vertices, 0.1), vertices)


def icosphere(times):
    """Returns the vertices and triangles of a ball of radius 1."""
    golden = (1 + 5**0.5) / 2
    vertices = [(a, b, 0) for a in (-1, 1) for b in (-golden, golden)]
    vertices = np.array([np.roll(v, turn) for turn in range(3) for v in vertices])
    vertices /= np.linalg.norm(vertices[0])
    near_by = np.linalg.norm(vertices[:, None] - vertices, axis=2) < 1.1
    faces = [
        (a, b, c) if np.linalg.det(vertices[[a, b, c]]) > 0 else (a, c, b)
        for a in range(12) for b in range(a) for c in range(b) if near_by[a, b] and near_by[b, c] and near_by[a, c]
    ]
    faces = np.array(faces)
    for _ in range(times):
        edges = np.sort(faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        unique, index = np.unique(edges, axis=0, return_inverse=True)
        middles = vertices[unique].sum(axis=1)
        a, b, c = faces.T
        ab, bc, ca = index.reshape(-1, 3).T + len(vertices)
        vertices = np.vstack([vertices, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
        faces = np.stack([a, ab, ca, ab, b, bc, ca, bc, c, ab, bc, ca], 1).reshape(-1, 3)
    return vertices, faces


def mesh_shape(vertices, faces):
    return {"type": "mesh", "vertices": exact(vertices), "triangles": np.asarray(faces).tolist()}


def bumpy(vertices):
    bumps = np.sin(5 * vertices[:, 0]) * np.sin(4 * vertices[:, 1]) * np.sin(3 * vertices[:, 2])
    return vertices * (1 + 0.2 * bumps[:, None])


def closed_mesh(rng):
    vertices, faces = icosphere(4)
    vertices = np.array(exact(bumpy(vertices)))
    return Scene("closed mesh", [mesh_shape(vertices, faces)], around(rng, EYES, 0, 4.0), near(rng, vertices, 0.02), vertices)


def slivers(rng):
    """A closed pipe whose 1256 side triangles are ten thousand times as long as wide, and its two caps."""
    angles = np.arange(628) / 628 * 2 * np.pi
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    lower, upper = (np.column_stack([ring, np.full(628, z)]) for z in (-50.0, 50.0))
    vertices = np.array(exact(np.vstack([lower, upper, [[0, 0, -50], [0, 0, 50]]])))
    here = np.arange(628)
    after = (here + 1) % 628
    below, above = np.full(628, 1256), np.full(628, 1257)
    faces = [(here, after, after + 628), (here, after + 628, here + 628), (after, here, below), (here + 628, after + 628, above)]
    faces = np.vstack([np.column_stack(columns) for columns in faces])
    along = np.column_stack([np.tile(ring, (8, 1)), rng.uniform(-50, 50, 8 * 628)])
    return Scene("stretched mesh", [mesh_shape(vertices, faces)], around(rng, EYES, 0, 60.0), near(rng, along, 0.05), along)


def far_away(rng):
    """Balls, boxes and a mesh of size 100, a million units from the origin."""
    middle = np.array([1_000_000.0, -1_000_000.0, 500_000.0])
    places = middle + np.rint(scattered(rng, 31, 2000.0))
    shapes = []
    for number, place in enumerate(places[1:]):
        if number % 2:
            shapes.append({"type": "sphere", "center": exact(place), "radius": 100.0})
        else:
            shapes.append({"type": "box", "center": exact(place), "half_extents": [100.0, 50.0, 25.0]})
    vertices, faces = icosphere(3)
    vertices = np.array(exact(places[0] + 300 * bumpy(vertices)))
    shapes.append(mesh_shape(vertices, faces))
    aims = np.vstack([near(rng, places[1:], 60.0)[::2], near(rng, vertices, 5.0)[::2]])
    return Scene("a million from the origin", shapes, around(rng, EYES, middle, 4000.0), aims, vertices)


def coincident(rng):
    """Balls and cylinders twice in one place, and mats on tables, both boxes."""
    shapes, centers = [], scattered(rng, 45)
    for number, center in enumerate(exact(np.rint(centers * 16) / 16)):
        x, y, z = center
        if number % 3 == 0:
            shapes += 2 * [{"type": "sphere", "center": center, "radius": 0.5}]
        elif number % 3 == 1:
            shapes += 2 * [{"type": "cylinder", "start": center, "end": [x, y, z + 1], "radius": 0.5}]
        else:
            shapes.append({"type": "box", "center": center, "half_extents": [0.75, 0.75, 0.25]})
            shapes.append({"type": "box", "center": [x, y, z + 0.125], "half_extents": [0.5, 0.5, 0.125]})
    return Scene("coincident surfaces", shapes, around(rng, EYES, 0, 20.0), near(rng, centers, 0.5))


def inside(rng):
    """Rays that start in balls, boxes, cylinders and capsules."""
    places = 4 * scattered(rng, 40)
    shapes = []
    for number, place in enumerate(exact(np.rint(places))):
        x, y, z = place
        shapes.append([
            {"type": "sphere", "center": place, "radius": 1.5},
            {"type": "box", "center": place, "half_extents": [1.0, 1.5, 2.0]},
            {"type": "cylinder", "start": [x, y, z - 2], "end": [x, y, z + 2], "radius": 1.0},
            {"type": "capsule", "start": [x, y, z - 1], "end": [x, y, z + 1], "radius": 1.0},
        ][number % 4])
    return Scene("rays from inside", shapes, np.rint(places[:EYES]) + 0.5, near(rng, places, 1.0), is_inside=True)


def visual_only(rng):
    """Links of robots, each with a collision shape and, next to it, a visual-only shape, such as a sensor's housing."""
    shapes, aims, centers = [], [], scattered(rng, 30)
    for center in exact(np.rint(centers * 16) / 16):
        x, y, z = center
        shapes.append({"type": "capsule", "start": center, "end": [x, y, z + 1], "radius": 0.125})
        shapes.append({"type": "box", "center": [x + 1.5, y, z + 0.5], "half_extents": [0.5, 0.25, 0.25]})
        aims += [center, shapes[-1]["center"]]
    visual = set(range(1, len(shapes), 2))
    return Scene("visual-only geoms", shapes, around(rng, EYES, 0, 20.0), near(rng, np.array(aims), 0.5), visual=visual)


def rover(rng):
    eyes = around(rng, EYES, [0, 0, 0.5], 2.0)
    eyes[:, 2] = np.abs(eyes[:, 2]) + 0.5
    links = rng.uniform([-0.6, -0.4, 0.1], [0.8, 0.4, 1.0], (40, 3))
    dunes = rng.uniform([-3, -2, 0], [3, 2, 0.2], (80, 3))
    return Scene("`rover.xml`", [], eyes, near(rng, np.vstack([links, dunes]), 0.1), file=ROOT / "examples/robots/rover.xml")


def all_scenes(program, folder):
    """Returns the twenty scenes. Each has its own seed, so that a new scene does not change the others."""
    makers = [
        lambda rng: spheres(rng, "balls, 20 radii away", 20),
        lambda rng: spheres(rng, "balls, 1,000 radii away", 1e3),
        lambda rng: spheres(rng, "balls, 100,000 radii away", 1e5),
        room, lambda rng: pipe_rack(rng, program, folder), rods, cones, ellipsoids, boxes, pipes, ground, panels,
        heightfield, closed_mesh, slivers, far_away, coincident, inside, visual_only, rover,
    ]
    return [make(np.random.default_rng(seed)) for seed, make in enumerate(makers, 100)]


def rays_of(scene, count, cast, rng):
    """Returns rays (count, 6) from the scene's eyes: a third aimed at the shapes, a third at vertices if there are some, and a third
    between a ray and a neighbour with another answer, halved until they pass close to an outline.

    `cast` returns the ids of the shapes that rays hit.
    """
    per_eye = -(-count // EYES)
    eyes = np.repeat(scene.eyes.astype(np.float32), per_eye, axis=0)[:count]
    targets = scene.aims[rng.integers(len(scene.aims), size=count)]
    if scene.corners is not None:
        at_corners = rng.random(count) < 0.5
        targets[at_corners] = scene.corners[rng.integers(len(scene.corners), size=at_corners.sum())]
    other = scene.aims[rng.integers(len(scene.aims), size=count)]
    sides = [toward(eyes, targets), toward(eyes, other)]
    if not scene.is_inside and count >= 30:
        ids = [cast(side) for side in sides]
        steps = np.where((ids[0] != ids[1]) & (np.arange(count) % 3 == 0), rng.integers(4, 13, count), 0)
        for step in range(12):
            middle = toward(eyes, eyes.astype(float) + sides[0][:, 3:].astype(float) + sides[1][:, 3:])
            hit = cast(middle)
            is_first = (hit == ids[0]) & (step < steps)
            is_second = ~is_first & (step < steps)
            sides[0][is_first], sides[1][is_second] = middle[is_first], middle[is_second]
            ids[1] = np.where(is_second, hit, ids[1])
    return sides[0]


def toward(eyes, targets):
    directions = targets - eyes.astype(float)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.hstack([eyes, directions.astype(np.float32)]).astype(np.float32)
