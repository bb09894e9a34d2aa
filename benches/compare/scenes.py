"""Makes the scenes and the rays for `compare.py`."""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "census"))
from tessellate import AROUND, BOX_FACES, arc, revolve

SPHERE, CYLINDER, BOX = 0, 1, 2


def random_shapes(count, radius, rng):
    """Returns equal numbers of spheres, capped cylinders and boxes in a cube of side 100: the rows that `embree.cpp` reads, and their
    rotations as quaternions x y z w."""
    shapes = np.zeros((count, 16), np.float32)
    shapes[:, 0] = np.arange(count) % 3
    shapes[:, 1:4] = rng.uniform(-50, 50, (count, 3))
    axes, quaternions = rotations(count, rng)
    shapes[:, 4:13] = axes.reshape(-1, 9)
    factors = rng.uniform(0.5, 1.5, (count, 3))
    shapes[:, 13:16] = radius * factors * np.where(shapes[:, :1] == SPHERE, 1.0, 0.7)
    shapes[:, 14] = np.where(shapes[:, 0] == CYLINDER, radius * factors[:, 2], shapes[:, 14])
    return shapes, quaternions


def rotations(count, rng):
    """Returns random rotations: the axes of each, row by row, and its quaternion x y z w. Rotations are uniform."""
    quaternions = rng.standard_normal((count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1, keepdims=True)
    x, y, z, w = quaternions.T
    axes = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(axes).transpose(2, 0, 1), quaternions


def bulk_arrays(shapes, quaternions):
    """Returns the same shapes as the arrays of raytwin's .npz."""
    spheres, cylinders, boxes = (shapes[shapes[:, 0] == kind] for kind in (SPHERE, CYLINDER, BOX))
    half = cylinders[:, 10:13] * cylinders[:, 14:15]
    return {
        "sphere": np.hstack([spheres[:, 1:4], spheres[:, 13:14]]),
        "cylinder": np.hstack([cylinders[:, 1:4] - half, cylinders[:, 1:4] + half, cylinders[:, 13:14]]),
        "box": np.hstack([boxes[:, 1:4], boxes[:, 13:16], quaternions[shapes[:, 0] == BOX].astype(np.float32)]),
    }


def triangles(shapes):
    """Returns the vertices and the faces of the same shapes in triangles: 224 for a sphere, 64 for a cylinder."""
    signs = (-1, 1)
    corners = np.array([[x, y, z] for x in signs for y in signs for z in signs])
    units = {
        SPHERE: revolve(arc(-90, 90, AROUND // 2)),
        CYLINDER: revolve([(0, -1), (1, -1), (1, 1), (0, 1)]),
        BOX: (corners, BOX_FACES),
    }
    sizes = {SPHERE: [13, 13, 13], CYLINDER: [13, 13, 14], BOX: [13, 14, 15]}
    vertices, faces, first = [], [], 0
    for kind, (unit, unit_faces) in units.items():
        of_kind = shapes[shapes[:, 0] == kind]
        axes = of_kind[:, 4:13].reshape(-1, 3, 3)
        placed = of_kind[:, None, 1:4] + np.einsum("vk,nk,nkx->nvx", unit, of_kind[:, sizes[kind]], axes)
        vertices.append(placed.reshape(-1, 3))
        faces.append((first + len(unit) * np.arange(len(of_kind))[:, None, None] + unit_faces).reshape(-1, 3))
        first += placed.shape[0] * placed.shape[1]
    return np.vstack(vertices).astype(np.float32), np.vstack(faces).astype(np.uint32)


def incoherent_rays(rng, count=1_000_000, side=100.0):
    directions = rng.standard_normal((count, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.hstack([rng.uniform(-side / 2, side / 2, (count, 3)), directions]).astype(np.float32)


def camera_rays(eye, half_angle, width=1024, height=768):
    """Returns the rays of a pinhole camera that looks at the origin, row by row."""
    eye = np.asarray(eye, np.float64)
    forward = -eye / np.linalg.norm(eye)
    right = np.cross(forward, [0, 0, 1])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    tangent = np.tan(np.radians(half_angle))
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * tangent * width / height
    y = (1 - (np.arange(height) + 0.5) / height * 2) * tangent
    directions = forward + x[None, :, None] * right + y[:, None, None] * up
    directions /= np.linalg.norm(directions, axis=2, keepdims=True)
    rays = np.empty((height * width, 6), np.float32)
    rays[:, :3], rays[:, 3:] = eye, directions.reshape(-1, 3)
    return rays


def write_instances(path, arrays, places):
    """Writes a scene of instances of some shapes; a place is a translation, a rotation and a scale."""
    spheres, cylinders, boxes = (arrays[kind].tolist() for kind in ("sphere", "cylinder", "box"))
    shapes = [{"type": "sphere", "center": row[:3], "radius": row[3]} for row in spheres]
    shapes += [{"type": "cylinder", "start": row[:3], "end": row[3:6], "radius": row[6]} for row in cylinders]
    shapes += [{"type": "box", "center": row[:3], "half_extents": row[3:6], "rotation_xyzw": row[6:]} for row in boxes]
    uses = [
        {"use": "cluster", "translation": center, "rotation_xyzw": turned, "scale": [scale] * 3}
        for center, turned, scale in places
    ]
    path.write_text(json.dumps({"raytwin": 1, "definitions": {"cluster": {"shapes": shapes}}, "nodes": uses}))


def bumpy_ball(times):
    """Returns an octahedron with bumps and a radius of about 1, whose triangles are cut into four the given number of times."""
    vertices = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float64)
    faces = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
    for _ in range(times):
        edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        unique, inverse = np.unique(edges, axis=0, return_inverse=True)
        a, b, c = (len(vertices) + inverse.reshape(-1, 3)).T
        middles = vertices[unique].sum(axis=1)
        vertices = np.vstack([vertices, middles / np.linalg.norm(middles, axis=1, keepdims=True)])
        x, y, z = faces.T
        faces = np.vstack([np.stack(corners, 1) for corners in ((x, a, c), (a, y, b), (c, b, z), (a, b, c))])
    x, y, z = vertices.T
    radius = 1 + 0.1 * np.sin(5 * x) * np.cos(4 * y + z) + 0.02 * np.sin(40 * z + 30 * x * y)
    return (vertices * radius[:, None]).astype(np.float32), faces.astype(np.uint32)
