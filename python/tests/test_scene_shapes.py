"""Shapes by arrays are, to the bit, the shapes of a scene file with the same numbers."""

import json

import numpy as np
import pytest

import raytwin as rt

RNG = np.random.default_rng(7)
N = 5


def positive(*shape):
    return RNG.uniform(0.2, 1.5, shape)


def points(*shape):
    return RNG.uniform(-9.0, 9.0, (*shape, 3))


def quaternions(count):
    return RNG.normal(size=(count, 4))


CENTERS, ENDS, RADII, EXTENTS, TURNS, AXES = points(N), points(N), positive(N), positive(N, 3), quaternions(N), points(N)

# The method, its arguments, and the keys of the same shapes in a file.
CASES = {
    "sphere": ("add_spheres", (CENTERS, RADII), {}, ["center", "radius"]),
    "box": ("add_boxes", (CENTERS, EXTENTS, TURNS), {}, ["center", "half_extents", "rotation_xyzw"]),
    "cylinder": ("add_cylinders", (CENTERS, ENDS, RADII), {}, ["start", "end", "radius"]),
    "tube": ("add_cylinders", (CENTERS, ENDS, RADII, 0.5 * RADII), {}, ["start", "end", "radius", "inner_radius"]),
    "open cylinder": (
        "add_cylinders",
        (CENTERS, ENDS, RADII),
        {"start_cap": np.arange(N) % 2 == 0, "end_cap": False},
        ["start", "end", "radius"],
    ),
    "capsule": ("add_capsules", (CENTERS, ENDS, RADII), {}, ["start", "end", "radius"]),
    "cone": ("add_cones", (CENTERS, ENDS, RADII, 0.1 * RADII), {}, ["start", "end", "start_radius", "end_radius"]),
    "ellipsoid": ("add_ellipsoids", (CENTERS, EXTENTS, TURNS), {}, ["center", "radii", "rotation_xyzw"]),
    "torus": (
        "add_tori",
        (CENTERS, AXES, 2 * RADII, 0.5 * RADII),
        {},
        ["center", "axis", "major_radius", "minor_radius"],
    ),
    "plane": ("add_planes", (CENTERS, AXES), {"one_sided": True}, ["point", "normal"]),
    "bounded plane": (
        "add_planes",
        (CENTERS,),
        {"half_extents": EXTENTS[:, :2], "rotations_xyzw": TURNS},
        ["point"],
    ),
    "disc": ("add_discs", (CENTERS, AXES, RADII, 0.5 * RADII), {}, ["center", "normal", "radius", "inner_radius"]),
    "triangle": ("add_triangles", (points(N, 3),), {}, ["vertices"]),
}
KEYS = {"rotations_xyzw": "rotation_xyzw"}


def file_shapes(case):
    method, arguments, keywords, keys = CASES[case]
    columns = dict(zip(keys, arguments)) | {KEYS.get(key, key): given for key, given in keywords.items()}
    shapes = []
    for row in range(N):
        entry = {key: np.broadcast_to(given, (N, *np.shape(given)[1:]))[row].tolist() for key, given in columns.items()}
        shapes.append({"type": case.split()[-1].replace("tube", "cylinder"), **entry})
    return shapes


def loaded(tmp_path, content):
    path = tmp_path / "given.json"
    path.write_text(json.dumps({"raytwin": 1, **content}))
    return rt.Scene.load(path)


def text_of(tmp_path, scene):
    path = tmp_path / "written.json"
    scene.save(path)
    return path.read_text()


def assert_same(tmp_path, scene, content):
    """The two have the same file, and the same answers to the bit."""
    other = loaded(tmp_path, content)
    assert scene.paths == other.paths
    assert text_of(tmp_path, scene) == text_of(tmp_path, other)
    origins = RNG.uniform(-12.0, 12.0, (4000, 3))
    rays = np.hstack([origins, RNG.normal(size=(4000, 3))])
    found, expected = (rt.Tracer(each, "cpu").cast_rays(rays) for each in (scene, other))
    assert np.isfinite(expected["t_hit"]).any()
    for name, array in expected.items():
        assert array.tobytes() == found[name].tobytes(), name


@pytest.mark.parametrize("case", CASES)
def test_shapes_are_those_of_a_file(tmp_path, case):
    method, arguments, keywords, _ = CASES[case]
    scene = rt.Scene()
    ids = getattr(scene, method)(*arguments, **keywords)
    assert ids.dtype == np.uint32 and ids.tolist() == list(range(N))
    assert_same(tmp_path, scene, {"shapes": file_shapes(case)})


MATRICES = {
    "moved": [[0, -1, 0, 3], [1, 0, 0, -2], [0, 0, 1, 1]],
    "grown": [[0, -2, 0, 3], [2, 0, 0, -2], [0, 0, 2, 1]],
    "mirrored": [[-1, 0, 0, 0.1], [0, 1, 0, 0.2], [0, 0, 1, 0.3]],
    "scaled by axis": [[2, 0, 0, 0.1], [0, 0.5, 0, 0.2], [0, 0, 1, 0.3]],
    "sheared": [[1, 0.5, 0, 0.1], [0, 1, 0.25, 0.2], [0, 0, 1, 0.3]],
}


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("case", CASES)
def test_a_matrix_does_what_that_of_a_node_does(tmp_path, case, matrix):
    method, arguments, keywords, _ = CASES[case]
    scene = rt.Scene()
    rows = np.asarray(MATRICES[matrix], dtype=float)
    getattr(scene, method)(*arguments, **keywords, matrix=np.vstack([rows, [0, 0, 0, 1]]))
    node = {"matrix": rows.ravel().tolist(), "shapes": file_shapes(case)}
    assert_same(tmp_path, scene, {"nodes": [node]})


def test_what_has_many_primitives_is_that_of_a_file(tmp_path):
    vertices, triangles = points(9), RNG.permuted(np.tile(np.arange(9), (6, 1)), axis=1)[:, :3]
    heights, segments = positive(4, 6), [[0, 1], [1, 2], [3, 8]]
    turn = quaternions(1)[0]
    scene = rt.Scene()
    ids = [
        scene.add_mesh(vertices, triangles, name="hull"),
        scene.add_heightfield(heights, (0.5, 0.75), center=(1, 2, 3), rotation_xyzw=turn, base=-1.0, mask=6),
        scene.add_heightfield(heights.astype(np.float32), 2, color=(1, 0.5, 0)),
        scene.add_lines(vertices, segments, 0.25),
    ]
    assert ids == [0, 1, 2, 3] and scene.geometry_count == 4
    shapes = [
        {"type": "mesh", "name": "hull", "vertices": vertices.tolist(), "triangles": triangles.tolist()},
        {
            "type": "heightfield",
            "heights": heights.tolist(),
            "spacing": [0.5, 0.75],
            "center": [1, 2, 3],
            "rotation_xyzw": turn.tolist(),
            "base": -1.0,
            "mask": 6,
        },
        {
            "type": "heightfield",
            "heights": heights.astype(np.float32).tolist(),
            "spacing": [2, 2],
            "center": [0, 0, 0],
            "color": [1, 0.5, 0],
        },
        {"type": "lines", "points": vertices.tolist(), "indices": segments, "radius": 0.25},
    ]
    assert_same(tmp_path, scene, {"shapes": shapes})


def test_numbers_are_rounded_once_after_the_origin_is_subtracted(tmp_path):
    far = np.array([500_000.0, 5_600_000.0, 120.0])
    centers = points(N) + far
    scene = rt.Scene(origin=far)
    scene.add_spheres(centers, RADII)
    shapes = [{"type": "sphere", "center": c.tolist(), "radius": float(r)} for c, r in zip(centers, RADII)]
    other = loaded(tmp_path, {"origin": far.tolist(), "shapes": shapes})
    assert text_of(tmp_path, scene) == text_of(tmp_path, other)
    np.testing.assert_array_equal(scene.bounds, other.bounds)
    np.testing.assert_allclose(scene.bounds[0], (centers - RADII[:, None]).min(axis=0), rtol=0, atol=1e-5)
    assert scene.origin == far.tolist()


def test_names_masks_and_colours_are_for_all_or_for_each(tmp_path):
    scene = rt.Scene()
    scene.add_spheres(CENTERS, RADII, name="ball", mask=3, color=(0.25, 0.5, 1))
    scene.add_spheres(CENTERS, RADII, names=list("abcde"), mask=np.arange(N), color=np.eye(N, 3))
    assert scene.paths == ["ball"] * N + list("abcde")
    assert scene.masks.tolist() == [3] * N + list(range(N))
    written = json.loads(text_of(tmp_path, scene))["shapes"]
    assert [shape["color"] for shape in written] == [[0.25, 0.5, 1.0]] * N + np.eye(N, 3).tolist()


def test_any_array_is_read_and_one_entry_is_that_of_all():
    scene = rt.Scene()
    fortran = np.asfortranarray(CENTERS.astype(np.float32))
    ids = [
        scene.add_spheres(fortran, 1),
        scene.add_spheres(CENTERS[::2], RADII[::-1][:3]),
        scene.add_spheres([0, 0, 0], RADII),
        scene.add_spheres([[0, 0, 0]], 2.0),
        scene.add_spheres(np.array([1, 2, 3], dtype=">i2"), 2.0),
        scene.add_spheres(np.empty((0, 3)), 1.0),
        scene.add_spheres([], []),
    ]
    assert [len(each) for each in ids] == [5, 3, 5, 1, 1, 0, 0]
    assert scene.geometry_count == 15


REFUSED = [
    (lambda s, r: s.add_spheres(CENTERS, r), np.r_[RADII[:3], -1.0, 1.0], rt.SceneError, r"radii\[3\] is -1.0"),
    (lambda s, r: s.add_spheres(CENTERS, r), -1.0, rt.SceneError, r"^radii is -1.0"),
    (lambda s, r: s.add_spheres(CENTERS, r), np.nan, rt.SceneError, r"radii is NaN"),
    (lambda s, r: s.add_spheres(r, 1), np.where(np.arange(15).reshape(5, 3) == 7, np.inf, 0), rt.SceneError, r"centers\[2\]\[1\] is inf"),
    (lambda s, r: s.add_spheres(r, 1), np.full((5, 3), 2e9), rt.SceneError, r"centers\[0\]\[0\] is 2000000000.0"),
    (lambda s, r: s.add_spheres(CENTERS, r), np.ones(3), ValueError, "centers has 5, radii has 3"),
    (lambda s, r: s.add_spheres(r, 1), np.zeros((5, 2)), ValueError, r"centers must have the shape \(3,\) or \(N, 3\)"),
    (lambda s, r: s.add_spheres(CENTERS, r), "thick", TypeError, "radii must be real numbers"),
    (lambda s, r: s.add_spheres(CENTERS, r), 1j, TypeError, "radii must be real numbers"),
    (lambda s, r: s.add_spheres(CENTERS, 1, **r), {"mass": 1}, TypeError, "mass"),
    (lambda s, r: s.add_spheres(CENTERS, 1, mask=r), -1, ValueError, r"mask\[0\] is -1"),
    (lambda s, r: s.add_spheres(CENTERS, 1, mask=r), 1.5, TypeError, "mask must be integers"),
    (lambda s, r: s.add_spheres(CENTERS, 1, mask=r), [1, 2], ValueError, "one for each of 5"),
    (lambda s, r: s.add_spheres(CENTERS, 1, names=r), ["a"], ValueError, "names must be 5 texts"),
    (lambda s, r: s.add_spheres(CENTERS, 1, names=r), "abcde", TypeError, "list of texts"),
    (lambda s, r: s.add_spheres(CENTERS, 1, color=r), [0, 0, 2], ValueError, "from 0 to 1"),
    (lambda s, r: s.add_spheres(CENTERS, 1, color=r), [0, 0, np.nan], ValueError, "from 0 to 1"),
    (lambda s, r: s.add_spheres(CENTERS, 1, matrix=r), np.eye(3), ValueError, "matrix must have the shape"),
    (lambda s, r: s.add_spheres(CENTERS, 1, matrix=r), np.ones((4, 4)), ValueError, "last row"),
    (lambda s, r: s.add_spheres(CENTERS, 1, matrix=r), np.zeros((3, 4)), rt.SceneError, "stretches lengths"),
    (lambda s, r: s.add_spheres(CENTERS, 1, matrix=r), np.full((3, 4), np.nan), rt.SceneError, "not finite"),
    (lambda s, r: s.add_spheres(CENTERS, 1, node=r), 0, IndexError, "0 nodes"),
    (lambda s, r: s.add_spheres(CENTERS, 1, node=r), "arm", rt.SceneError, "no node 'arm'"),
    (lambda s, r: s.add_boxes(CENTERS, 1 * r), np.ones(3) * [1, 0, 1], rt.SceneError, r"half_extents\[1\] is 0.0"),
    (lambda s, r: s.add_boxes(CENTERS, [1, 1, 1], r), np.zeros((5, 4)), rt.SceneError, r"rotations_xyzw\[0\] is a quaternion"),
    (lambda s, r: s.add_cylinders(CENTERS, r, 1), CENTERS, rt.SceneError, r"ends\[0\]"),
    (lambda s, r: s.add_cylinders(CENTERS, ENDS, 1, r), [0, 0, 2, 0, 0], rt.SceneError, r"inner_radii\[2\]"),
    (lambda s, r: s.add_cylinders(CENTERS, ENDS, 1, side=r), 0.5, rt.SceneError, "side is 0.5"),
    (lambda s, r: s.add_planes(r), CENTERS, rt.SceneError, r"normals.* is missing or has no length"),
    (lambda s, r: s.add_tori(CENTERS, AXES, 1, r), 2, rt.SceneError, "minor_radii"),
    (lambda s, r: s.add_triangles(r), np.zeros((2, 3, 3)), rt.SceneError, r"vertices\[0\]|triangle\[0\]"),
    (lambda s, r: s.add_mesh(points(3), r), [[0, 1, 3]], rt.SceneError, r"triangles\[0\] refers to vertex 3"),
    (lambda s, r: s.add_mesh(points(3), r), [[0, 1, -1]], ValueError, r"triangles\[0\]\[2\] is -1"),
    (lambda s, r: s.add_mesh(points(3), r), [[0, 1, 2**32]], ValueError, "4294967296"),
    (lambda s, r: s.add_mesh(points(3), r), [[0.0, 1.0, 2.0]], TypeError, "integers"),
    (lambda s, r: s.add_mesh(points(3), r), np.empty((0, 3), int), rt.SceneError, "triangles is empty"),
    (lambda s, r: s.add_mesh(r, [[0, 1, 2]]), [[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], rt.SceneError, r"vertices\[2\]"),
    (lambda s, r: s.add_mesh(r, [[0, 1, 2]]), np.zeros(9), ValueError, r"vertices must have the shape \(N, 3\)"),
    (lambda s, r: s.add_heightfield(r, 1), np.ones((1, 4)), rt.SceneError, "heights"),
    (lambda s, r: s.add_heightfield(np.ones((2, 2)), r), [1, 0], rt.SceneError, "spacing"),
    (lambda s, r: s.add_heightfield(np.ones((2, 2)), 1, base=r), 1.0, rt.SceneError, "base is 1.0"),
    (lambda s, r: s.add_lines(points(3), [[0, 1]], r), 0.0, rt.SceneError, "radius is 0.0"),
    (lambda s, r: s.add_lines(points(3), r, 1.0), [[0, 9]], rt.SceneError, r"indices\[0\] refers to point 9"),
]


@pytest.mark.parametrize("add, given, error, message", REFUSED)
def test_what_is_no_shape_is_named_and_the_scene_stays_as_it_was(tmp_path, add, given, error, message):
    scene = rt.Scene()
    scene.add_spheres(CENTERS, RADII)
    tracer = rt.Tracer(scene, "cpu")
    before = text_of(tmp_path, scene)
    with pytest.raises(error, match=message):
        add(scene, given)
    assert text_of(tmp_path, scene) == before
    # The tracer still knows the scene, which has not changed.
    tracer.cast_rays([[0.0, 0, 0, 0, 0, 1]])
