"""The columns that arguments take from tables of any library: by their names, and by position where the names say nothing."""

import collections

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import raytwin as rt
from scenes import ball, of_shapes, same_bits

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]
TURN = [0.0, 0.0, 0.6, 0.8]


@pytest.fixture(params=LIBRARIES)
def table(request):
    """Makes a table of columns by name, each of which has an entry for each of two rows."""
    return LIBRARIES[request.param]


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    return rt.Tracer(of_shapes(tmp_path_factory.mktemp("scene"), [ball(), ball((1.0, 2.0, 3.0), 0.5)]), "cpu")


def columns_of(names, numbers, order=-1):
    """Returns two rows of the numbers as columns, by default the last one first."""
    return {name: [number, number + 1] for name, number in [*zip(names.split(), numbers)][::order]}


def contents(add):
    scene = rt.Scene()
    add(scene)
    return scene.to_bytes()


BALLS = [[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]]
VECTORS = {
    "centers": (lambda scene, given: scene.add_spheres(given, 1.0), [1.0, 2.0, 3.0], ["center_x center_y center_z", "x y z"]),
    "half_extents": (lambda scene, given: scene.add_boxes(BALLS, given), [1.0, 2.0, 3.0], ["half_extents_x half_extents_y half_extents_z"]),
    "rotations_xyzw": (
        lambda scene, given: scene.add_boxes(BALLS, [1, 2, 3], given), TURN,
        ["qx qy qz qw", "rotation_x rotation_y rotation_z rotation_w", "x y z w"],
    ),
    "normals": (lambda scene, given: scene.add_discs(BALLS, given, 1.0), [1.0, 2.0, 3.0], ["nx ny nz", "normal_x normal_y normal_z"]),
    "radii": (lambda scene, given: scene.add_ellipsoids(BALLS, given), [1.0, 2.0, 3.0], ["radii_x radii_y radii_z", "x y z"]),
    "sides of rectangles": (
        lambda scene, given: scene.add_planes(BALLS, half_extents=given, rotations_xyzw=TURN), [1.0, 2.0], ["x y", "half_extents_x half_extents_y"],
    ),
    "vertices": (lambda scene, given: scene.add_mesh(given, [[0, 1, 0]]), [1.0, 2.0, 3.0], ["x y z", "vertices_x vertices_y vertices_z"]),
    "points": (lambda scene, given: scene.add_lines(given, [[0, 1]], 1.0), [1.0, 2.0, 3.0], ["x y z", "points_x points_y points_z"]),
}


@pytest.mark.parametrize("argument", VECTORS)
def test_vectors_are_taken_by_the_names_that_they_have_in_files(argument, table):
    add, numbers, spellings = VECTORS[argument]
    expected = contents(lambda scene: add(scene, np.array([numbers, np.array(numbers) + 1])))
    for names in spellings:
        for given in (columns_of(names, numbers), {"radius": [7.0, 8.0], **columns_of(names, numbers), "event": ["a", "b"]}):
            assert contents(lambda scene: add(scene, table(given))) == expected, names


def test_names_of_a_field_come_before_axes_alone():
    columns = columns_of("x y z", [7.0, 8.0, 9.0]) | columns_of("qx qy qz qw", TURN) | columns_of("half_extents_x half_extents_y half_extents_z", [1.0, 2.0, 3.0])
    frame = pd.DataFrame(columns)
    quaternions = frame[["qx", "qy", "qz", "qw"]].to_numpy()
    expected = contents(lambda scene: scene.add_boxes([[7, 8, 9], [8, 9, 10]], [[1, 2, 3], [2, 3, 4]], quaternions))
    assert contents(lambda scene: scene.add_boxes(frame, frame, frame)) == expected


def test_colors_are_red_green_and_blue(table):
    expected = contents(lambda scene: scene.add_spheres(BALLS, 1.0, color=[[0.0, 0.25, 1.0], [0.5, 0.25, 0.0]]))
    for names in (["b", "g", "r"], ["color_b", "color_g", "color_r"], ["c", "d", "e"]):
        columns = dict(zip(names, ([1.0, 0.0], [0.25, 0.25], [0.0, 0.5])))
        given = columns if names[0] != "c" else dict(zip(names, reversed(columns.values())))
        assert contents(lambda scene: scene.add_spheres(BALLS, 1.0, color=table(given))) == expected
    for names, message in (("B G R", "no column .*: color have"), ("base_r base_g base_b", "the column base_b of color is not in the place of its component: color have")):
        with pytest.raises(ValueError, match=f"{message} color_r color_g color_b or r g b"):
            rt.Scene().add_spheres(BALLS, 1.0, color=table(columns_of(names, [0.0, 0.0, 0.0])))


def test_an_origin_is_a_row_by_its_names_or_three_numbers(tmp_path):
    row = pd.DataFrame({"z": [30.0], "y": [20.0], "x": [10.0]}).iloc[0]
    scene = of_shapes(tmp_path, [ball()])
    scene.save(tmp_path / "saved.json")
    for origin in (row, row[["x", "y", "z"]].to_numpy(), (10, 20, 30), pl.Series([10, 20, 30])):
        assert rt.Scene(origin=origin).origin == [10.0, 20.0, 30.0]
        assert rt.Scene.load(tmp_path / "saved.json", origin=origin).origin == [10.0, 20.0, 30.0]
    with pytest.raises(ValueError, match=r"origin must have the shape \(3,\), and has \(2,\)"):
        rt.Scene(origin=[1.0, 2.0])
    with pytest.raises(ValueError, match="no column x: origin have origin_x origin_y origin_z or x y z"):
        rt.Scene.load(tmp_path / "saved.json", origin=row.rename(str.upper))


UNKNOWN = ["pos_x pos_y pos_z", "centerX centerY centerZ", "x_m y_m z_m", "position.x position.y position.z", "vx vy vz"]


@pytest.mark.parametrize("names", UNKNOWN)
def test_unknown_names_of_axes_count_by_position_in_their_order_alone(tracer, names, table):
    point = np.array([[1.0, 2.0, 3.0]])
    assert same_bits(tracer.compute_distance(table(columns_of(names, point[0], 1)))[0], tracer.compute_distance(point)[0])
    given = table(columns_of(names, point[0]))
    for name, spellings, call in (
        ("points", "x y z", tracer.compute_distance),
        ("centers", "center_x center_y center_z or x y z", lambda centers: rt.Scene().add_spheres(centers, 1.0)),
    ):
        with pytest.raises(ValueError, match=f"{names.split()[-1]} of {name} is not in the place of its component: {name} have {spellings}, or 3 columns"):
            call(given)


def test_some_axes_in_other_places_are_refused(tracer, table):
    with pytest.raises(ValueError, match="the column y0 of points is not in the place of its component"):
        tracer.compute_distance(table(columns_of("y0 z0 h", [1.0, 2.0, 3.0], 1)))
    with pytest.raises(ValueError, match="the table of points has no column x: points have x y z, and there are Z, Y, X"):
        tracer.compute_distance(table(columns_of("X Y Z", [1.0, 2.0, 3.0])))
    with pytest.raises(ValueError, match="the column b_z of rays is not in the place of its component"):
        tracer.cast_rays(table(columns_of("a_x a_y a_z b_z b_y b_x", range(6), 1)))


def test_rays_and_rotations_have_longer_names(tracer, table):
    ray = [0.0, 0.1, 0.2, 0.3, 0.4, 1.0]
    names = "origin_x origin_y origin_z direction_x direction_y direction_z"
    expected = tracer.cast_rays(np.array([ray])).t_hit
    for order in (1, -1):
        assert same_bits(tracer.cast_rays(table(columns_of(names, ray, order))).t_hit[0], expected[0])
    with pytest.raises(ValueError, match="rotation_w or qx qy qz qw or x y z w"):
        rt.Scene().add_boxes(BALLS, [1, 2, 3], table(columns_of("quat_x quat_y quat_z quat_w", TURN)))


def test_names_that_say_nothing_leave_columns_in_their_order(tracer, table):
    rays = np.array([[0.0, 0, 0, 0, 0, 1], [1.0, 2, 0, 0, 0, 1]])
    for names in ("abcdef", "012345", ["c10", "c11", "c12", "c20", "c21", "c22"], ["first", "index", "max", "key", "day", "many"]):
        columns = dict(zip(names, rays.T.tolist()))
        assert same_bits(tracer.cast_rays(table(columns)).t_hit, tracer.cast_rays(rays).t_hit)


OTHERS = {
    "texts": lambda numbers: [str(number) for number in numbers],
    "booleans": lambda numbers: [number > 0 for number in numbers],
    "categories": lambda numbers: pd.Categorical(numbers),
}


@pytest.mark.parametrize("other", OTHERS)
def test_columns_of_no_numbers_are_named_where_numbers_count_by_position(tracer, other):
    numbers = pd.DataFrame(np.arange(16.0).reshape(2, 8), columns=list("abcdefgh"))
    for places in ("ab", "gh"):
        frame = numbers.assign(**{place: OTHERS[other](numbers[place].tolist()) for place in places})
        with pytest.warns(UserWarning, match=f"columns of numbers in their order, and other columns are not read: {places[0]}, {places[1]}"):
            hits = tracer.cast_rays(frame)
        assert same_bits(hits.t_hit, tracer.cast_rays(numbers.drop(columns=list(places))).t_hit)


def test_a_row_of_a_frame_has_whole_filters_among_its_numbers(tracer):
    frame = pd.DataFrame([[0.0, 0, 0, 0, 0, 1], [1.0, 2, 0, 0, 0, 1.5]], columns=NAMES).assign(ignore_id=[0, 1], ray_mask=[2**32 - 1, 0])
    expected = tracer.cast_rays(frame[NAMES].to_numpy(), ignore_ids=[0, 1], masks=[2**32 - 1, 0]).t_hit
    for row in range(2):
        assert same_bits(tracer.cast_rays(frame.iloc[row]).t_hit, expected[row])
    assert np.isnan(tracer.cast_rays(frame.iloc[0].where(frame.columns != "ignore_id")).t_hit)
    for wrong in (0.5, np.inf, 1e300):
        with pytest.raises(TypeError, match="the column ignore_id is of type float64: it must be integers"):
            tracer.cast_rays(frame.astype(float).iloc[0].replace({2**32 - 1: wrong}).rename({"ray_mask": "ignore_id", "ignore_id": "ray_mask"}))


FLAGS = {
    "a list": [True, False],
    "NumPy": np.array([True, False]),
    "NumPy's in a list": [np.True_, np.False_],
    "numbers": [1.0, 0.0],
    "pandas": pd.Series([True, False], index=[1, 0]),
    "pandas with nulls": pd.Series([True, False], dtype="boolean"),
    "pandas of Arrow": pd.Series([True, False], dtype="bool[pyarrow]"),
    "objects": pd.Series([True, False], dtype=object),
    "polars": pl.Series([True, False]),
    "Arrow": pa.array([True, False]),
    "chunks of Arrow": pa.chunked_array([[True], [False]]),
}


@pytest.mark.parametrize("library", FLAGS)
def test_flags_are_booleans_of_any_library(library):
    flags = FLAGS[library]
    for part in ("side", "start_cap", "end_cap"):
        expected = contents(lambda scene: scene.add_cylinders(BALLS, [0, 0, 5], 1.0, **{part: [1, 0]}))
        assert contents(lambda scene: scene.add_cylinders(BALLS, [0, 0, 5], 1.0, **{part: flags})) == expected
        expected = contents(lambda scene: scene.add_cones(BALLS, [0, 0, 5], 1.0, 0.5, **{part: [1, 0]}))
        assert contents(lambda scene: scene.add_cones(BALLS, [0, 0, 5], 1.0, 0.5, **{part: flags})) == expected
    expected = contents(lambda scene: scene.add_planes(BALLS, [0, 0, 1], one_sided=[1, 0]))
    assert contents(lambda scene: scene.add_planes(BALLS, [0, 0, 1], one_sided=flags)) == expected


@pytest.mark.parametrize("flag", [True, np.True_, np.array(True), pa.scalar(True)], ids=lambda flag: type(flag).__module__ + "." + type(flag).__name__)
def test_one_flag_is_that_of_all(flag):
    expected = contents(lambda scene: scene.add_planes(BALLS, [0, 0, 1], one_sided=[1, 1]))
    assert contents(lambda scene: scene.add_planes(BALLS, [0, 0, 1], one_sided=flag)) == expected


def test_what_is_no_flag_is_refused():
    for nulls in (pd.Series([True, None], dtype="boolean"), pa.array([True, None]), pl.Series([True, None])):
        with pytest.raises(ValueError, match="side has 1 nulls: fill them first"):
            rt.Scene().add_cylinders(BALLS, [0, 0, 5], 1.0, side=nulls)
    with pytest.raises(rt.SceneError, match=r"side\[1\] is 0.5: it must be 1 for true or 0 for false"):
        rt.Scene().add_cylinders(BALLS, [0, 0, 5], 1.0, side=[1, 0.5])
    with pytest.raises(TypeError, match="radii must be real numbers"):
        rt.Scene().add_spheres(BALLS, [True, False])


def test_names_are_texts_of_any_library():
    texts = ["left", "right"]
    for names in (pa.array(texts), pa.chunked_array([texts]), pl.Series(texts), pd.Series(texts, dtype="category"), np.array(texts)):
        scene = rt.Scene()
        scene.add_spheres(BALLS, 1.0, names=names)
        scene.add_nodes([np.eye(4)] * 2, names=names)
        assert scene.paths == texts and scene.nodes == texts
    for wrong in (pa.array(["left", None]), pd.Series(["left", np.nan]), ["left", 2]):
        with pytest.raises(TypeError, match=r"names\[1\] must be a text, and is (None|nan|2)"):
            rt.Scene().add_spheres(BALLS, 1.0, names=wrong)
    for frame in (pd.DataFrame({"name": texts, "other": texts}), pl.DataFrame({"name": texts}), pa.table({"name": texts})):
        with pytest.raises(TypeError, match="names must be a list of texts, one for each, and is a (DataFrame|Table): give one column"):
            rt.Scene().add_spheres(BALLS, 1.0, names=frame)


ROBOT = """<robot name="r"><link name="base"/><link name="arm"><visual><geometry><sphere radius="0.5"/></geometry></visual></link>
<link name="hand"><visual><geometry><sphere radius="0.5"/></geometry></visual></link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="lift" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>"""


def test_joints_are_taken_by_the_names_of_a_series_or_of_a_table(tmp_path, table):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    scene = rt.Scene.load(path, movable=True)
    assert scene.joint_names == ["slide", "lift"]

    def places(joints):
        scene.set_joints([0.0, 0.0])
        scene.set_joints(joints)
        return scene.link_poses["hand"][[0, 2], 3].tolist()

    frame = pd.DataFrame({"lift": [2.0, 4.0], "slide": [1.0, 3.0]})
    for joints in (pd.Series({"lift": 2.0, "slide": 1.0}), frame.iloc[0], pd.Series({b"lift": 2, b"slide": 1}), table({"lift": [2], "slide": [1.0]})):
        assert places(joints) == [1.0, 2.0]
        assert rt.Scene.load(path, joints=joints).link_poses["hand"][[0, 2], 3].tolist() == [1.0, 2.0]
    assert places(table({"lift": [2.0]})) == [0.0, 2.0]
    for joints in (pd.Series([1.0, 2.0]), pd.Series([1.0, 2.0], index=[1, 0]), pl.Series([1.0, 2.0]), pa.array([1.0, 2.0])):
        assert places(joints) == [1.0, 2.0]
    with pytest.raises(rt.Error, match="elbow"):
        scene.set_joints(pd.Series({"lift": 2.0, "elbow": 1.0}))
    with pytest.raises(ValueError, match="the table of joints has 2 rows: give one row"):
        scene.set_joints(table({"lift": [2.0, 4.0]}))
    with pytest.raises(TypeError, match="joints must be values by joint name"):
        rt.Scene.load(path, joints=[1.0, 2.0])


def test_the_stand_ins_take_origins_and_directions_by_the_names_of_rays(tmp_path, table):
    mesh = rt.RaycastingScene(device="cpu")
    mesh.add_triangles([[0, 0, 1], [2, 0, 1], [0, 2, 1]], [[0, 1, 2]])
    columns = {"dz": [1.0, 1.0], "dx": [0.0, 0.0], "dy": [0.0, 0.0], "oz": [0.0, -1.0], "ox": [0.5, 0.25], "oy": [0.25, 0.5]}
    assert mesh.cast_rays(table(columns))["t_hit"].tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="6 numbers in the last axis, and these also have t_min and t_max, .* tnear and tfar to test_occlusions"):
        mesh.cast_rays(table(columns | {"t_max": [1.0, 1.0]}))
    ray = rt.trimesh_ray(of_shapes(tmp_path, [ball((0.5, 0.25, 5.0))]), device="cpu")
    assert ray.intersects_any(table(columns), table(columns)).tolist() == [True, True]
    locations, _, _ = ray.intersects_location(table(columns), table(columns), multiple_hits=False)
    assert locations[0].tolist() == [0.5, 0.25, 4.0]


def levels_of(kind, frame):
    """Returns the frame, whose columns are rays in another order, with levels of columns."""
    if kind == "what differs is below":
        return pd.concat({"value": frame}, axis=1)
    if kind == "what differs is above":
        return pd.concat({"run 1": frame}, axis=1).swaplevel(axis=1)
    if kind == "both":
        halves = {"origin": frame[NAMES[:3]].set_axis(list("xyz"), axis=1), "direction": frame[NAMES[3:]].set_axis(list("xyz"), axis=1)}
        return pd.concat(halves, axis=1).sort_index(axis=1)
    return frame.reset_index(names="event").melt(id_vars="event").pivot(index="event", columns="variable", values=["value"])


@pytest.mark.parametrize("kind", ["what differs is below", "what differs is above", "both", "a pivot"])
def test_names_are_known_in_levels_of_columns(tracer, kind):
    rays = np.array([[0.0, 0.1, 0.2, 0.3, 0.4, 1.0], [1.0, 2, 0, 0, 0, 1]])
    frame = pd.DataFrame(rays, columns=NAMES)[sorted(NAMES)]
    assert same_bits(tracer.cast_rays(levels_of(kind, frame)).t_hit, tracer.cast_rays(rays).t_hit)


def test_names_with_dots_are_refused_and_the_contracts_come_first(tracer):
    rays = np.array([[0.0, 0.1, 0.2, 0.3, 0.4, 1.0]])
    frame = pd.DataFrame(rays, columns=NAMES)
    dotted = [f"{part}.{axis}" for part in ("direction", "origin") for axis in "xyz"]
    with pytest.raises(ValueError, match="no column origin_x: rays have ox"):
        tracer.cast_rays(frame.set_axis(dotted, axis=1))
    both = pd.concat([frame.set_axis([name.replace(".", "_") for name in dotted], axis=1), frame], axis=1)
    assert same_bits(tracer.cast_rays(both).t_hit, tracer.cast_rays(rays).t_hit)


def test_lists_of_tables_of_rows_and_of_masked_arrays_are_refused(tracer):
    frame = pd.DataFrame(np.arange(12.0).reshape(2, 6), columns=NAMES)
    table = pa.Table.from_pandas(frame)
    for given in ([frame], [table], table.to_batches(), [pl.DataFrame(frame)], [row for _, row in frame.iterrows()], list(frame.itertuples())):
        with pytest.raises(TypeError, match="rays is a list of tables or of their rows, whose names would be lost: give one table"):
            tracer.cast_rays(given)
    with pytest.raises(ValueError, match="rays has masked numbers: fill them first"):
        tracer.cast_rays([np.arange(6.0), np.ma.array(np.arange(6.0), mask=[0, 1, 0, 0, 0, 0])])
    plain = [pd.Series(np.arange(6.0)), np.ma.array(np.arange(6.0)), list(range(6))]
    assert tracer.cast_rays(plain).t_hit.shape == (3,)
    assert same_bits(tracer.cast_rays(frame.assign(_mask=True)).t_hit, tracer.cast_rays(frame).t_hit)


def test_joints_that_are_there_twice_are_refused_and_named_tuples_have_names(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    scene = rt.Scene.load(path, movable=True)
    with pytest.raises(ValueError, match="joints have the same name twice: lift, lift"):
        scene.set_joints(pd.Series([1.0, 2.0], index=["lift", "lift"]))
    scene.set_joints(collections.namedtuple("Joints", "lift slide")(lift=0.5, slide=2.0))
    assert scene.link_poses["hand"][[0, 2], 3].tolist() == [2.0, 0.5]


def test_nodes_come_from_any_iterable_and_names_in_order():
    scene, ball = rt.Scene(), rt.Scene()
    ball.add_spheres([0.0, 0.0, 0.0], 1.0)
    scene.add_nodes(np.tile(np.eye(4), (2, 1, 1)), names=["p", "q"])
    for nodes in ((path for path in "pq"), pa.array(["p", "q"]), pl.Series(["p", "q"])):
        assert len(scene.add_instances(ball, nodes=nodes)) == 2
    with pytest.raises(TypeError, match="nodes must be numbers or paths, and are a DataFrame"):
        scene.add_instances(ball, nodes=pd.DataFrame({"p": [0]}))
    with pytest.raises(TypeError, match="a set has no order"):
        scene.add_spheres(BALLS, 1.0, names={"a", "b"})


def test_limits_are_as_precise_as_they_are_given():
    scene = rt.RaycastingScene()
    scene.add_triangles(np.array([[-9, -9, 4.001], [9, -9, 4.001], [0, 9, 4.001]], np.float32), np.array([[0, 1, 2]], np.uint32))
    rays = np.array([[0, 0, 0, 0, 0, 1]])
    for dtype in (np.float16, np.float32, np.float64, np.int8):
        assert scene.test_occlusions(rays.astype(dtype), tfar=4.0015)
        assert not scene.test_occlusions(rays.astype(dtype), tfar=4.0005)
