"""Answers as tables: one table whichever library holds it, with the columns of files."""

import pickle
import sys

import numpy as np
import pyarrow as pa
import pytest
from columns import random_rays, write_scene
from scenes import same_bits

import raytwin as rt
from raytwin.answers import Answers

NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]
NUMBERS = ["t_hit", "geometry_id", "primitive_id", "nx", "ny", "nz"]


@pytest.fixture(scope="module")
def tracer(tmp_path_factory):
    return rt.Tracer(rt.Scene.load(write_scene(tmp_path_factory.mktemp("scene") / "balls.json")), "cpu")


@pytest.fixture(scope="module")
def rays():
    """Rays of which some miss and two are invalid."""
    rays = np.column_stack([random_rays(240)[name] for name in NAMES])
    rays[[3, 100], 4] = [np.nan, np.inf]
    return rays


@pytest.mark.parametrize("asked", [[], ["faces"], ["instances"], ["labels"], ["faces", "instances", "labels"]], ids="-".join)
def test_the_table_of_closest_hits_is_that_of_cast_table(tracer, rays, asked):
    options = dict.fromkeys(asked, True)
    expected = rt.table.cast_table(tracer, pa.table(dict(zip(NAMES, rays.T.copy()))), **options).drop_columns(NAMES)
    answered = tracer.cast_rays(rays, **options).to_arrow()
    assert answered.schema == expected.schema == rt.table.answer_schema(**options)
    misses = (expected["geometry_id"].to_numpy() == 0xFFFFFFFF).sum()
    assert misses > 0
    for name in answered.column_names:
        is_id = name in ("geometry_id", "primitive_id", "face", "instance_id")
        filled = answered[name].fill_null(0xFFFFFFFF) if is_id else answered[name]
        assert same_bits(filled.to_numpy(), expected[name].to_numpy()), name
        assert answered[name].null_count >= misses if is_id else answered[name].null_count == 0


def test_a_miss_and_an_invalid_ray_are_as_the_schema_says(tracer):
    rays = [[0, 0, 9, 0, 0, 1], [0, 0, 9, 0, 0, 0]]
    table = tracer.cast_rays(rays, faces=True, instances=True, labels=True).to_arrow().to_pydict()
    assert table["t_hit"][0] == np.inf and np.isnan(table["t_hit"][1])
    for name in ("geometry_id", "primitive_id", "face", "instance_id"):
        assert table[name] == [None] * 2
    for name in ("nx", "ny", "nz", "label_id"):
        assert table[name] == [0, 0]


@pytest.mark.parametrize("shape", [(240,), (1,), (0,), (), (12, 20), (2, 3, 40), (4, 0, 3)], ids=str)
def test_leading_axes_are_flattened_in_their_order(tracer, rays, shape):
    count = int(np.prod(shape))
    hits = tracer.cast_rays(rays[:count].reshape(*shape, 6))
    flat = tracer.cast_rays(rays[:count])
    table = hits.to_arrow()
    assert (table.num_rows, table.column_names) == (count, NUMBERS)
    for name, array in zip(NUMBERS, [flat.t_hit, flat.geometry_ids, flat.primitive_ids, *flat.primitive_normals.T]):
        column = table[name].fill_null(0xFFFFFFFF) if name.endswith("_id") else table[name]
        assert same_bits(column.to_numpy(), array.copy()), name


def test_normals_are_left_out_where_there_are_none(tracer, rays):
    assert tracer.cast_rays(rays, normals=False).to_arrow().column_names == NUMBERS[:3]


def test_crossings_are_rows_with_their_rays(tracer, rays):
    crossings = tracer.list_intersections(rays)
    table = crossings.to_arrow()
    assert table.column_names == ["ray_id", "t_hit", "geometry_id", "primitive_id"]
    counts = np.bincount(table["ray_id"].to_numpy(), minlength=len(rays))
    assert (counts == tracer.count_intersections(rays)).all() and counts.any()
    assert same_bits(table["t_hit"].to_numpy(), crossings.t_hit)


def test_lengths_in_solids_are_rows_with_their_rays(tracer, rays):
    paths = tracer.compute_path_lengths(rays)
    table = paths.to_arrow()
    assert table.column_names == ["ray_id", "path_geometry_id", "path_length"] and table.num_rows > 10
    counts = np.bincount(table["ray_id"].to_numpy(), minlength=len(rays))
    assert (counts == np.diff(paths.path_splits)).all()


def test_points_are_rows_of_their_nearest_points(tracer):
    nearest = tracer.compute_closest_points(np.random.default_rng(1).uniform(-4, 4, (5, 6, 3)))
    table = nearest.to_arrow()
    assert table.column_names == ["x", "y", "z", "geometry_id", "primitive_id", "nx", "ny", "nz", "signed_distance", "contains", "containing_id"]
    assert same_bits(np.column_stack([table[name] for name in "xyz"]), nearest.points.reshape(-1, 3))
    assert same_bits(table["contains"].to_numpy(), nearest.contains.reshape(-1))


def test_images_are_rows_of_pixels(tracer):
    image = tracer.render(size=(8, 5), labels=True, albedo=True)
    table = image.to_arrow()
    assert table.num_rows == 40
    assert set(table.column_names) == {
        "distance", "z", "geometry_id", "primitive_id", "instance_id", "nx", "ny", "nz", "label_id", "albedo_r", "albedo_g", "albedo_b"
    }
    assert same_bits(table["distance"].to_numpy(), image.distance.reshape(-1))
    assert same_bits(table["albedo_g"].to_numpy(), image.albedo[..., 1].reshape(-1))
    images = tracer.render(image.camera, (8, 5), poses=np.tile([0.0, 0, -9, 0, 0, 0, 1], (3, 1)))
    assert same_bits(images.to_arrow()["geometry_id"].fill_null(0xFFFFFFFF).to_numpy(), images.geometry_ids.reshape(-1))


def test_worst_rays_are_a_table_that_is_cast_again(tracer, rays):
    worst = Answers(tracer.verify(rays[:10], kinds=["closest"]).worst_rays)
    worst.update(rays=np.pad(rays[:2], [(0, 0), (0, 2)], constant_values=9).astype(np.float32))
    worst.update(masks=np.uint32([1, 2]), ignore_ids=np.uint32([0, 0xFFFFFFFF]), world_ids=np.uint32([0, 0]))
    assert same_bits(tracer.cast_rays(worst.to_arrow()).t_hit, tracer.cast_rays(**worst).t_hit)


def test_answers_of_the_stand_in_for_open3d_are_tables():
    scene = rt.RaycastingScene(device="cpu")
    scene.add_triangles(np.float32([[0, 0, 1], [2, 0, 1], [0, 2, 1]]), np.uint32([[0, 1, 2]]))
    table = scene.cast_rays([[0.5, 0.25, 0, 0, 0, 1]]).to_arrow()
    assert table.to_pylist()[0] | {"nz": 0} == {"t_hit": 1, "geometry_id": 0, "primitive_id": 0, "nx": 0, "ny": 0, "nz": 0, "u": 0.25, "v": 0.125}
    assert scene.list_intersections([[0.5, 0.25, 0, 0, 0, 1]]).to_arrow().num_rows == 1


def test_ids_that_are_signed_on_a_card_are_those_of_the_host():
    hits = Answers({"t_hit": np.float32([1, np.inf]), "geometry_ids": np.int32([7, -1]), "label_ids": np.int32([65535, 0])})
    table = hits.to_arrow()
    assert table.schema.field("geometry_id").type == pa.uint32() and table["geometry_id"].to_pylist() == [7, None]
    assert table.schema.field("label_id").type == pa.uint16() and table["label_id"].to_pylist() == [65535, 0]


def test_arrays_that_were_added_are_columns_or_refused(tracer, rays):
    hits = tracer.cast_rays(rays.reshape(12, 20, 6))
    hits["weight"] = np.arange(240).reshape(12, 20)
    assert hits.to_arrow()["weight"].to_pylist() == list(range(240))
    hits["weight"] = np.arange(240)
    with pytest.raises(ValueError, match=r"weight must have the shape \(12, 20\) to have the same rows as .*, and has \(240,\)"):
        hits.to_arrow()
    del hits["weight"]
    hits["points"] = np.zeros((12, 20, 2))
    with pytest.raises(ValueError, match=r"points must have the shape \(12, 20, 3\)"):
        hits.to_arrow()
    assert Answers({}).to_arrow().shape == (0, 0)


@pytest.mark.parametrize(("library", "package"), [("pandas", "pandas"), ("polars", "polars"), ("pyarrow", r"'raytwin\[arrow\]'")])
def test_a_library_that_is_missing_is_named(tracer, rays, library, package, monkeypatch):
    hits = tracer.cast_rays(rays)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=f"this table needs {library}: pip install {package}"):
        getattr(hits, f"to_{library.removeprefix('py')}")()


def test_answers_are_dictionaries(tracer, rays, tmp_path):
    hits = tracer.cast_rays(rays)
    assert isinstance(hits, dict) and dict(**hits) == hits and list(hits) == list(hits.keys())
    np.savez(tmp_path / "hits.npz", **hits)
    again = pickle.loads(pickle.dumps(hits))
    with np.load(tmp_path / "hits.npz") as saved:
        assert all(same_bits(saved[name], hits[name]) and same_bits(again[name], getattr(hits, name)) for name in hits)
    # Their six columns of numbers would be taken for rays by their order.
    with pytest.raises(TypeError, match="rays must be an array of real numbers, and is of type Answers"):
        tracer.cast_rays(hits)
