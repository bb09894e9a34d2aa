"""Turns shapes into triangles, for casters that have no other shapes."""

import numpy as np

# The number of flat sides around a round shape. Balls have half as many from pole to pole.
AROUND = 16


def revolve(profile, is_closed=False):
    """Returns the vertices and triangles of a profile (pairs of radius and height) that is turned about z.

    The profile runs so that the outside is on its right: upwards on the outer side.
    """
    profile = np.asarray(profile, float)
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    turned = np.stack([np.cos(angles), np.sin(angles)], 1)
    vertices = [np.column_stack([radius * turned, np.full(AROUND, height)]) for radius, height in profile]
    # On the axis, a ring is one vertex.
    numbers = [np.arange(AROUND) * (radius > 0) + ring * AROUND for ring, (radius, _) in enumerate(profile)]
    faces = []
    for ring in range(len(profile) - 1 + is_closed):
        lower, upper = numbers[ring], numbers[(ring + 1) % len(profile)]
        faces.append(np.column_stack([lower, np.roll(lower, -1), np.roll(upper, -1)]))
        faces.append(np.column_stack([lower, np.roll(upper, -1), upper]))
    faces = np.vstack(faces)
    is_flat = (faces == np.roll(faces, 1, axis=1)).any(axis=1)
    used, faces = np.unique(faces[~is_flat], return_inverse=True)
    return np.vstack(vertices)[used], faces.reshape(-1, 3)


def arc(start, stop, count, middle=0.0, radius=1.0, height=0.0):
    angles = np.linspace(start, stop, count + 1) * np.pi / 180
    cosines = np.where(np.abs(np.cos(angles)) < 1e-12, 0, np.cos(angles))
    return np.column_stack([middle + radius * cosines, height + radius * np.sin(angles)])


def frame_of(axis):
    """Returns a rotation that takes z to an axis."""
    z = np.asarray(axis, float) / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[np.argmin(np.abs(z))], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def rotation_of(shape):
    x, y, z, w = np.divide(quaternion := shape.get("rotation_xyzw", [0.0, 0.0, 0.0, 1.0]), np.linalg.norm(quaternion))
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross


def grid_faces(rows, columns):
    """Returns the triangles of a heightfield's cells, cut from the first corner to the last."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    right, above, across = corner + 1, corner + columns, corner + columns + 1
    return np.stack([corner, right, across, corner, across, above], 1).reshape(-1, 3)


BOX_FACES = np.array([
    [0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 7, 3], [1, 5, 7],
])


def triangles_of(shape):
    """Returns the vertices, rounded to float32, and the triangles of a shape."""
    kind = shape["type"]
    if kind == "mesh":
        return np.array(shape["vertices"], np.float32), np.array(shape["triangles"], np.uint32)
    turn, place = np.eye(3), np.array(shape.get("center", [0.0] * 3))
    if kind == "heightfield":
        heights = np.array(shape["heights"])
        steps = [(np.arange(n) - (n - 1) / 2) * s for n, s in zip(heights.shape[::-1], shape["spacing"])]
        vertices, faces = np.stack([*np.meshgrid(*steps), heights], -1).reshape(-1, 3), grid_faces(*heights.shape)
    elif kind == "box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        vertices, faces, turn = corners * shape["half_extents"], BOX_FACES, rotation_of(shape)
    elif kind in ("sphere", "ellipsoid"):
        vertices, faces = revolve(arc(-90, 90, AROUND // 2))
        vertices, turn = vertices * shape.get("radii", shape.get("radius")), rotation_of(shape)
    elif kind == "torus":
        vertices, faces = revolve(arc(-180, 180, AROUND, shape["major_radius"], shape["minor_radius"])[:-1], is_closed=True)
        turn = frame_of(shape["axis"])
    else:
        start, axis = np.array(shape["start"]), np.subtract(shape["end"], shape["start"])
        length, turn, place = np.linalg.norm(axis), frame_of(axis), start
        if kind == "capsule":
            radius = shape["radius"]
            lower, upper = arc(-90, 0, AROUND // 4, 0, radius), arc(0, 90, AROUND // 4, 0, radius, length)
            vertices, faces = revolve(np.vstack([lower, upper]))
        elif inner := shape.get("inner_radius"):
            outer = shape["radius"]
            vertices, faces = revolve([(inner, 0), (outer, 0), (outer, length), (inner, length)], is_closed=True)
        else:
            radii = [shape.get("start_radius", shape.get("radius")), shape.get("end_radius", shape.get("radius"))]
            rims = [(radius, height) for radius, height in zip(radii, (0, length)) if radius > 0]
            vertices, faces = revolve([(0, 0), *rims, (0, length)])
    return (vertices @ turn.T + place).astype(np.float32), faces.astype(np.uint32)
