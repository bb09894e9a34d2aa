"""Frames of pandas: columns by their names, an index that never counts, missing numbers as in a file of Parquet, and answers."""

import doctest
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from columns import BALLS, answers_of_program, random_rays, write_scene

import raytwin as rt
from scenes import same_bits

NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    return rt.Tracer(rt.Scene.load(write_scene(tmp_path_factory.mktemp("scene") / "balls.json")), "cpu")


@pytest.fixture(scope="module")
def rays():
    return random_rays(500).select(NAMES).to_pandas()


@pytest.fixture(params=["with pyarrow", "without pyarrow"])
def library(request, monkeypatch):
    if request.param == "without pyarrow":
        monkeypatch.setitem(sys.modules, "pyarrow", None)


COUNT = 500
INDICES = {
    "a range": pd.RangeIndex(COUNT),
    "a range with steps": pd.RangeIndex(7, 7 + 3 * COUNT, 3),
    "numbers": pd.Index(np.arange(COUNT)[::-1] % 50),
    "floats": pd.Index(np.linspace(0, 1, COUNT), name="t_min"),
    "texts": pd.Index([f"ray {row}" for row in range(COUNT)]),
    "times": pd.date_range("2026-01-01", periods=COUNT),
    "categories": pd.CategoricalIndex(np.arange(COUNT) % 3),
    "two levels": pd.MultiIndex.from_arrays([np.arange(COUNT) // 10, np.arange(COUNT) % 10], names=["event", "track"]),
    "two levels without names": pd.MultiIndex.from_arrays([np.zeros(COUNT), np.ones(COUNT)]),
}
CALLS = {
    "cast_rays": lambda tracer, rays: tracer.cast_rays(rays).t_hit,
    "test_occlusions": lambda tracer, rays: tracer.test_occlusions(rays),
    "count_intersections": lambda tracer, rays: tracer.count_intersections(rays),
    "list_intersections": lambda tracer, rays: tracer.list_intersections(rays).t_hit,
    "verify": lambda tracer, rays: np.array(tracer.verify(rays, kinds=["closest"]).counts["exact"]),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("index", INDICES)
def test_an_index_is_no_column(tracer, rays, index, call, library):
    expected = CALLS[call](tracer, rays.to_numpy())
    assert same_bits(CALLS[call](tracer, rays.set_axis(INDICES[index])), expected)
    assert same_bits(CALLS[call](tracer, rays.set_axis(INDICES[index]).set_axis(list("abcdef"), axis=1)), expected)


@pytest.mark.parametrize("index", INDICES)
def test_an_index_that_went_into_a_table_of_arrow_is_no_column(tracer, rays, index):
    table = pa.Table.from_pandas(rays.set_axis(INDICES[index]).set_axis(list("abcdef"), axis=1), preserve_index=True)
    assert table.num_columns > 6
    assert same_bits(tracer.cast_rays(table).t_hit, tracer.cast_rays(rays.to_numpy()).t_hit)


def test_filtered_and_sorted_frames_are_answered_row_by_row(tracer, rays, library):
    for frame in (rays[rays.ox > 0], rays.sample(frac=1, random_state=0), rays.sort_values("dz"), rays.iloc[::-7], rays.iloc[:0]):
        assert same_bits(tracer.cast_rays(frame).t_hit, tracer.cast_rays(frame.to_numpy()).t_hit)


def test_named_columns_are_taken_in_any_order_beside_others(tracer, rays, library):
    frame = rays.assign(event="a", weight=2.5)[["dz", "weight", "oy", "ox", "event", "dx", "oz", "dy"]]
    assert same_bits(tracer.cast_rays(frame).t_hit, tracer.cast_rays(rays.to_numpy()).t_hit)
    frame = frame.assign(t_max=1.0)
    eight = np.hstack([rays.to_numpy(), np.zeros((COUNT, 1)), np.ones((COUNT, 1))])
    assert same_bits(tracer.cast_rays(frame).t_hit, tracer.cast_rays(eight).t_hit)


def test_a_frame_that_is_made_row_by_row_holds_numbers(tracer, rays, library):
    frame = rays.iloc[:20].assign(event="a", t_max=None).astype(object)
    assert same_bits(tracer.cast_rays(frame).t_hit, tracer.cast_rays(rays.iloc[:20]).t_hit)


def test_a_row_of_a_frame_is_a_ray_by_its_names(tracer, rays, library):
    expected = tracer.cast_rays(rays.to_numpy()).t_hit
    for row in range(20):
        turned = rays[NAMES[::-1]].assign(event="a", ray_mask=-1 % 2**32).iloc[row]
        assert same_bits(tracer.cast_rays(turned).t_hit, expected[row])
        assert same_bits(tracer.cast_rays(rays.iloc[row].set_axis(range(6))).t_hit, expected[row])
    with pytest.raises(ValueError, match="no column ox"):
        tracer.cast_rays(rays.iloc[0].rename(str.upper))


def test_what_is_missing_is_what_it_is_in_a_file(tracer, rays, monkeypatch, tmp_path):
    frame = rays.assign(
        t_min=np.where(np.arange(COUNT) % 3 == 0, np.nan, 0.5),
        t_max=pd.array([None, 4.0] * (COUNT // 2), "Float64"),
        ray_mask=pd.array([1, 2, 4, None, 7] * (COUNT // 5), "Int64"),
        ignore_id=pd.array([0, 1, 2**32 - 1, None] * (COUNT // 4), "UInt32"),
        world_id=pd.array([0] * (COUNT - 1) + [None], "Int8"),
    )
    frame.loc[7, "dy"] = np.nan
    expected = answers_of_program(write_scene(tmp_path / "balls.json"), pa.Table.from_pandas(frame), tmp_path)
    found = [tracer.cast_rays(frame)]
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found.append(tracer.cast_rays(frame))
    for hits in found:
        assert same_bits(hits.t_hit, expected["t_hit"].to_numpy())
        assert same_bits(hits.geometry_ids, expected["geometry_id"].to_numpy())
        assert np.isnan(hits.t_hit[7]) and 5 < np.isfinite(hits.t_hit).sum() < 400


def test_columns_of_filters_are_the_arguments(tracer, rays, library):
    filters = {"masks": np.arange(COUNT) % 8, "ignore_ids": np.arange(COUNT) % 4, "world_ids": np.zeros(COUNT, int)}
    columns = dict(zip(["ray_mask", "ignore_id", "world_id"], filters.values()))
    assert same_bits(tracer.cast_rays(rays.assign(**columns)).t_hit, tracer.cast_rays(rays.to_numpy(), **filters).t_hit)
    for (column, numbers), argument in zip(columns.items(), filters):
        with pytest.raises(ValueError, match=f"a column {column}, which replaces the argument {argument}: leave one of them out"):
            tracer.count_intersections(rays.assign(**{column: numbers}), **{argument: numbers})
    # By position there are no names, and nothing stands for an argument.
    assert same_bits(
        tracer.cast_rays(rays.set_axis(range(6), axis=1), **filters).t_hit, tracer.cast_rays(rays.to_numpy(), **filters).t_hit
    )


BAD_FRAMES = {
    "a name that is mistaken": (["ox", "oy", "oz", "dx", "dy", "d_z"], ValueError, "no column dz: rays have ox oy oz dx dy dz or origin_x .*, and there are ox, oy, oz, dx, dy, d_z"),
    "a name that is there twice": (["ox", "oy", "oz", "dx", "dy", "dy"], ValueError, "2 columns dy: leave all but one out"),
    "names in upper case": (["OX", "OY", "OZ", "DX", "DY", "DZ"], ValueError, "no column ox: .*Only if the table has none of these names, its 6 or 8 columns of numbers are read in their order"),
    "no column but an optional one": (["a", "b", "c", "d", "e", "t_max"], ValueError, "no column ox"),
    "the names of directions alone": (["x", "y", "z", "dx", "dy", "dz"], ValueError, "no column ox"),
}


@pytest.mark.parametrize("bad", BAD_FRAMES)
def test_some_of_the_names_do_not_fall_back_to_positions(tracer, rays, bad, library):
    names, error, message = BAD_FRAMES[bad]
    with pytest.raises(error, match=message):
        tracer.cast_rays(rays.set_axis(names, axis=1))


def test_other_columns_than_rays_have_are_refused_with_both_spellings(tracer, rays, library):
    both = "rays have ox oy oz dx dy dz or origin_x origin_y origin_z direction_x direction_y direction_z, or 6 or 8 columns of numbers in this order"
    for frame in (rays.iloc[:, :5].set_axis(range(5), axis=1), rays.set_axis(range(6), axis=1).assign(seventh=1)):
        with pytest.raises(ValueError, match=f"has {frame.shape[1]} columns of numbers: {both}"):
            tracer.cast_rays(frame)
    with pytest.raises(TypeError, match="the column oy is of type (str|object)"):
        tracer.cast_rays(rays.assign(oy="1"))
    with pytest.raises(TypeError, match="rays must be integers, and the column ray_mask is of type float64"):
        tracer.cast_rays(rays.assign(ray_mask=1.0))
    with pytest.raises(ValueError, match=r"ignore_id\[1\] is -1: it must be from 0 to 4294967295"):
        tracer.cast_rays(rays.assign(ignore_id=[0, -1] * (COUNT // 2)))
    with pytest.warns(UserWarning, match="the column tmax is not read: did you mean t_max?"):
        tracer.cast_rays(rays.assign(tmax=1.0))


POINT_CALLS = ["compute_distance", "compute_signed_distance", "compute_occupancy"]


@pytest.mark.parametrize("call", POINT_CALLS)
def test_points_are_x_y_and_z(tracer, call, library):
    points = np.random.default_rng(2).uniform(-3, 3, (200, 3))
    expected = getattr(tracer, call)(points)
    frame = pd.DataFrame(points, columns=list("xyz"), index=np.arange(200)[::-1])
    for same in (frame, frame[["z", "x", "y"]].assign(name="a", intensity=1), frame.set_axis(["easting", "northing", "height"], axis=1)):
        assert same_bits(getattr(tracer, call)(same), expected)
    for wrong in (frame[["x", "y"]], frame.set_axis(list("XYZ"), axis=1), frame.set_axis(["x", "y", "h"], axis=1)):
        with pytest.raises(ValueError, match="the table of points has no column [xz]: points have x y z"):
            getattr(tracer, call)(wrong)
    with pytest.raises(ValueError, match="has 4 columns of numbers: points have x y z, or 3 columns"):
        getattr(tracer, call)(pd.DataFrame(np.zeros((2, 4))))
    missing = tracer.compute_closest_points(frame.assign(x=np.nan))
    assert np.isnan(missing.points).all() and not missing.contains.any()


def test_shapes_take_points_by_their_names_and_no_index(library):
    frame = pd.DataFrame({"z": [5.0, 9.0], "x": [1.0, 2.0], "y": [3.0, 4.0], "radius": [0.5, 1.0]}, index=[3, 7])
    plain = rt.Scene()
    plain.add_spheres(frame[["x", "y", "z"]].to_numpy(), frame.radius.to_numpy())
    for centers in (frame, frame[["z", "y", "x"]], frame[["x", "y", "z"]].set_axis(["a", "b", "c"], axis=1)):
        scene = rt.Scene()
        scene.add_spheres(centers, frame.radius)
        assert scene.to_bytes() == plain.to_bytes()
    with pytest.raises(ValueError, match="the table of centers has no column z"):
        rt.Scene().add_spheres(frame[["x", "y"]], 1.0)
    with pytest.raises(ValueError, match="centers has 1 nulls: fill them first"):
        rt.Scene().add_spheres(frame.assign(x=[1.0, np.nan]), 1.0)
    with pytest.raises(ValueError, match="radii has 1 nulls: fill them first"):
        rt.Scene().add_spheres(frame, pd.Series([1.0, None]))


def test_rotations_vertices_and_indices_are_read_from_frames(library):
    angles = np.random.default_rng(3).normal(size=(4, 4))
    rotations = pd.DataFrame(angles, columns=list("xyzw"), index=list("abcd"))
    plain, scene = rt.Scene(), rt.Scene()
    plain.add_boxes([0, 0, 0], [1, 2, 3], angles)
    scene.add_boxes([0, 0, 0], [1, 2, 3], rotations[["w", "x", "y", "z"]])
    vertices = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    triangles = [[0, 1, 2], [1, 2, 3]]
    plain.add_mesh(vertices, triangles)
    scene.add_mesh(pd.DataFrame(vertices[:, ::-1], columns=list("zyx"), index=[9, 8, 7, 6]), pd.DataFrame(triangles, index=[4, 5]))
    heights = np.arange(6.0).reshape(2, 3)
    plain.add_heightfield(heights, 1.0)
    scene.add_heightfield(pd.DataFrame(heights, index=[4, 5]), 1.0)
    plain.add_spheres([[0, 0, 0], [1, 1, 1]], 1.0, mask=[1, 2])
    scene.add_spheres([[0, 0, 0], [1, 1, 1]], 1.0, mask=pd.Series([1, 2], index=[5, 6], dtype="UInt8"))
    assert scene.to_bytes() == plain.to_bytes()


def test_series_are_filters_without_their_index(tracer, rays, library):
    masks = pd.Series(np.arange(COUNT) % 8, index=np.arange(COUNT)[::-1])
    assert same_bits(tracer.cast_rays(rays, masks=masks).t_hit, tracer.cast_rays(rays.to_numpy(), masks=masks.to_numpy()).t_hit)


def test_the_stand_ins_read_frames(rays, library):
    assert BALLS["shapes"][0]["radius"] == 1.5
    vertices = pd.DataFrame(np.float32([[0, 0, 1], [2, 0, 1], [0, 2, 1]]), columns=list("xyz"), index=[3, 1, 2])
    scene = rt.RaycastingScene(device="cpu")
    scene.add_triangles(vertices[["y", "z", "x"]], pd.DataFrame([[0, 1, 2]], index=["a"]))
    frame = pd.DataFrame([[1.0, 0.0, 0.0, 0.5, 0.5, 0.0]], columns=["dz", "dx", "dy", "ox", "oy", "oz"], index=[5])
    assert scene.cast_rays(frame)["t_hit"].tolist() == [1.0]
    with pytest.raises(ValueError, match="a column ray_mask, which a RaycastingScene does not support"):
        scene.cast_rays(frame.assign(ray_mask=1))
    with pytest.raises(ValueError, match="6 numbers in the last axis"):
        scene.cast_rays(frame.assign(t_max=1.0))
    assert scene.compute_distance(pd.DataFrame({"z": [0.0], "x": [0.5], "y": [0.5]}, index=[2])).tolist() == [1.0]
    solid = rt.Scene()
    solid.add_spheres([0, 0, 5], 1)
    ray = rt.trimesh_ray(solid, device="cpu")
    origins = pd.DataFrame({"z": [0.0], "y": [0.0], "x": [0.0]}, index=[4])
    assert ray.intersects_location(origins, origins.assign(z=1.0))[0].tolist() == [[0, 0, 4], [0, 0, 6]]
    assert ray.contains_points(origins.assign(z=5.0)).tolist() == [True]


def test_a_row_of_a_frame_is_taken_by_name_by_what_builds_shapes(library):
    def bounds(add):
        scene = rt.Scene()
        add(scene)
        return np.array(scene.bounds)

    row = pd.DataFrame({"z": [30.0], "y": [20.0], "x": [10.0]}).iloc[0]
    assert bounds(lambda scene: scene.add_spheres(row, 1.0)).tolist() == [[9, 19, 29], [11, 21, 31]]
    turn = pd.Series({"w": 0.5**0.5, "x": 0.0, "y": 0.0, "z": 0.5**0.5})
    assert np.allclose(bounds(lambda scene: scene.add_boxes([[0, 0, 0]], [[1, 2, 3]], turn)), [[-2, -1, -3], [2, 1, 3]])
    assert rt.Camera.perspective(row, [0, 0, 0]).eye == (10.0, 20.0, 30.0)


@pytest.mark.parametrize("label", [lambda name: (name, ""), lambda name: (name,), lambda name: name.encode()], ids=["two levels", "one level", "bytes"])
def test_labels_of_columns_that_stand_for_names_are_names(tracer, rays, label, library):
    turned = rays[NAMES[::-1]]
    labels = [label(name) for name in turned.columns]
    levels = pd.MultiIndex.from_tuples(labels) if isinstance(labels[0], tuple) else pd.Index(labels)
    assert same_bits(tracer.cast_rays(turned.set_axis(levels, axis=1)).t_hit, tracer.cast_rays(rays).t_hit)


def test_nulls_of_pandas_between_numbers_make_rays_invalid(tracer, rays, library):
    few = rays.head(3).astype(object)
    few.iloc[1, 0] = pd.NA
    assert np.isnan(tracer.cast_rays(few).t_hit).tolist() == [False, True, False]


def test_an_optional_column_that_is_written_otherwise_is_a_warning(tracer, rays, library):
    with pytest.warns(UserWarning, match="the column T_MAX is not read: did you mean t_max"):
        tracer.cast_rays(rays.assign(T_MAX=1.0))


@pytest.mark.parametrize("index", INDICES)
def test_answers_stand_beside_their_rays(tracer, rays, index, library):
    frame = rays.assign(event="a").set_axis(INDICES[index])
    hits = tracer.cast_rays(frame, faces=True, instances=True, labels=True)
    answered = pd.concat([frame, hits.to_pandas(frame.index)], axis=1)
    assert answered.columns.tolist() == [*NAMES, "event", "t_hit", "geometry_id", "primitive_id", "nx", "ny", "nz", "face", "instance_id", "label_id"]
    assert answered.index.equals(frame.index) and same_bits(answered.t_hit.to_numpy(), hits.t_hit)
    assert same_bits(answered.ny.to_numpy(), hits.primitive_normals[:, 1].copy())
    assert (answered.geometry_id[np.isinf(answered.t_hit)] == 4294967295).all() and np.isinf(answered.t_hit).any()


def test_answers_are_a_frame(tracer, rays, library):
    hits = tracer.cast_rays(rays, labels=True)
    frame = hits.to_pandas()
    assert frame.dtypes.astype(str).tolist() == ["float32", "UInt32", "UInt32", "float32", "float32", "float32", "uint16"]
    misses = hits.geometry_ids == 0xFFFFFFFF
    ids = ["geometry_id", "primitive_id"]
    assert frame.index.equals(pd.RangeIndex(COUNT)) and not frame.drop(columns=["t_hit", *ids]).isna().any(axis=None)
    assert misses.any() and all((frame[name].isna() == misses).all() for name in ids)
    for array in hits.values():
        array[:] = 0
    assert frame.t_hit.any() and frame.geometry_id.any(), "the frame is a copy"
    with pytest.raises(ValueError, match="Length of values .500. does not match length of index .499."):
        hits.to_pandas(rays.index[1:])


@pytest.mark.parametrize("shape", [(), (0,), (20, 25)], ids=str)
def test_the_frame_is_the_table_of_arrow(tracer, rays, shape):
    hits = tracer.cast_rays(rays.to_numpy()[: int(np.prod(shape))].reshape(*shape, 6))
    nullable = {pa.uint32(): pd.UInt32Dtype()}
    pd.testing.assert_frame_equal(hits.to_pandas(), hits.to_arrow().to_pandas(types_mapper=nullable.get))


def test_the_example_of_answers_runs():
    (example,) = doctest.DocTestFinder().find(rt.answers.Answers.to_pandas, "to_pandas", globs={})
    assert doctest.DocTestRunner().run(example) == (0, 7)


def test_the_lines_for_frames_on_the_page_run(tracer, rays):
    page = (Path(__file__).parents[2] / "docs/guide/python.md").read_text(encoding="utf-8")
    lines = page.split("\n## Tables", 1)[1].split("```text\n", 1)[1].split("```", 1)[0].splitlines()
    frame = rays[::2].assign(event="a")
    answered = []
    for line in lines[:2]:
        names = {"rt": rt, "pa": pa, "pd": pd, "tracer": tracer, "frame": frame}
        exec(line, names)
        answered.append(names["answered"])
    filled = answered[1].fillna({"geometry_id": 0xFFFFFFFF, "primitive_id": 0xFFFFFFFF})
    pd.testing.assert_frame_equal(answered[0], filled.astype(answered[0].dtypes))
    assert answered[0].columns.tolist()[:7] == frame.columns.tolist() and answered[0].index.equals(frame.index)


def test_a_frame_of_rays_is_answered_by_a_frame_with_its_index(tracer, rays):
    frame = rays.assign(event="a").set_index(pd.Index(range(1000, 1000 + len(rays)), name="number"))
    answered = rt.table.cast_table(tracer, frame, "count")
    assert isinstance(answered, pd.DataFrame) and list(answered.columns) == [*NAMES, "event", "intersections"]
    assert answered.index.equals(frame.index) and answered.index.name == "number"
    assert np.array_equal(answered["intersections"], tracer.count_intersections(rays))
    with pytest.raises(TypeError, match="these are a Series"):
        rt.table.cast_table(tracer, frame["ox"])
