"""Tables of rays: the program's answers to the same files, and clear errors."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from columns import answers_of_program, assert_same_bits, cast, random_rays, write_scene

import raytwin as rt
import raytwin.table

KINDS = {
    "closest": {"faces": True, "instances": True},
    "any": {},
    "count": {},
    "all": {},
}


@pytest.fixture
def scene(tmp_path):
    return write_scene(tmp_path / "balls.json")


def with_columns(rays, **columns):
    for name, column in columns.items():
        rays = rays.append_column(name, column) if name not in rays.column_names else rays.set_column(
            rays.column_names.index(name), name, column
        )
    return rays


def every(row_count, *values):
    """Returns a column that repeats the values."""
    return [values[row % len(values)] for row in range(row_count)]


@pytest.fixture
def rays():
    """Rays with all columns, of several types, with nulls in each."""
    count = 5000
    rays = random_rays(count)
    wide = rays["ox"].to_pylist()
    return with_columns(
        rays,
        ox=pa.array([None if row % 97 == 0 else x for row, x in enumerate(wide)], pa.float64()),
        t_min=pa.array(every(count, None, 0.5, -1.0, -np.inf), pa.float64()),
        t_max=pa.array(every(count, 5.0, None, 1.0, 0.75, 2.0), pa.float32()),
        ray_mask=pa.array(every(count, *range(1, 8), *[0xFFFFFFFF] * 9, None), pa.int64()),
        ignore_id=pa.array(every(count, 0, 1, 2, 3, 0xFFFFFFFF, None, 3), pa.uint64()),
        world_id=pa.array(every(count, *[0] * 50, None), pa.int16()),
    )


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_the_programs(kind, scene, rays, tmp_path):
    flags = [f"--{option}" for option in KINDS[kind]]
    answered = cast(scene, rays, kind, **KINDS[kind])
    expected = answers_of_program(scene, rays, tmp_path, "--kind", kind, *flags)
    assert_same_bits(answered, expected)
    assert answered.column_names == rays.column_names + expected.column_names
    assert answered.select(rays.column_names) == rays
    assert [str(field.type).replace("element: ", "item: ").replace(" not null", "") for field in expected.schema] == [
        str(field.type) for field in answered.schema.remove_metadata()
    ][len(rays.column_names) :]


def test_solids_are_the_programs(scene, rays, tmp_path):
    expected = answers_of_program(scene, rays, tmp_path, "--solid")
    assert_same_bits(cast(scene, rays, solid=True), expected)
    assert cast(scene, rays)["t_hit"] != expected["t_hit"]


def test_coordinates_are_rounded_after_the_origin_is_subtracted(rays, tmp_path):
    far = 1e7 + 0.123
    moved = with_columns(rays, ox=pa.array(np.array(rays["ox"].to_pylist(), float) + far, from_pandas=True))
    scene = write_scene(tmp_path / "far.json", origin=[1e7, 0, 0])
    assert_same_bits(cast(scene, moved), answers_of_program(scene, moved, tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_make_no_difference(kind, scene, rays, monkeypatch):
    whole = cast(scene, rays, kind)
    monkeypatch.setattr(raytwin.table, "_PIECE", 300)
    monkeypatch.setattr(raytwin.table, "_MOST_IN_LISTS", 100)
    in_pieces = cast(scene, rays, kind)
    assert in_pieces.column(in_pieces.num_columns - 1).num_chunks > 10
    assert_same_bits(in_pieces, whole.select(raytwin.table.answer_schema(kind).names))


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_is_answered_as_a_table_is(kind, scene, rays):
    batch = rays.combine_chunks().to_batches()[0].slice(17, 400)
    answered = cast(scene, batch, kind)
    assert isinstance(answered, pa.RecordBatch)
    assert_same_bits(pa.table(answered), cast(scene, pa.table(batch), kind).select(raytwin.table.answer_schema(kind).names))


@pytest.mark.parametrize("kind", KINDS)
def test_no_rays_have_the_same_columns(kind, scene, rays):
    schema = cast(scene, rays, kind, **KINDS[kind]).schema
    assert schema.names[-len(raytwin.table.answer_schema(kind, **KINDS[kind])) :] == raytwin.table.answer_schema(kind, **KINDS[kind]).names
    for none in (rays.slice(0, 0), rays.to_batches()[0].slice(0, 0), rays.schema.empty_table()):
        answered = cast(scene, none, kind, **KINDS[kind])
        assert (answered.num_rows, answered.schema) == (0, schema)


def test_all_nulls_are_defaults_and_invalid_rays(scene):
    rays = random_rays(3)
    assert np.isnan(cast(scene, with_columns(rays, dz=pa.nulls(3)))["t_hit"].to_numpy()).all()
    assert np.isnan(cast(scene, with_columns(rays, ray_mask=pa.nulls(3)))["t_hit"].to_numpy()).all()
    assert cast(scene, with_columns(rays, t_min=pa.nulls(3)))["t_hit"] == cast(scene, rays)["t_hit"]


BAD_COLUMNS = {
    "no column dz: rays have ox oy oz dx dy dz or origin_x .*, and there are ray, ox, oy": lambda rays: rays.drop_columns(["dz"]),
    "2 columns ox: leave all but one out": lambda rays: rays.append_column("ox", rays["oy"]),
    "already has a column t_hit: rename it or leave it out": lambda rays: rays.append_column("t_hit", rays["oy"]),
    r"ray_mask\[1\] is -2: it must be from 0 to 4294967295": lambda rays: with_columns(rays, ray_mask=[[1, -2, 3]]),
    r"ignore_id\[2\] is 4294967296": lambda rays: with_columns(rays, ignore_id=[[None, 1, 2**32]]),
    "the column oy is of type string: it must be float32, float64 or integers": lambda rays: with_columns(rays, oy=[["a", "b", "c"]]),
    "the column ray_mask is of type float: it must be integers": lambda rays: with_columns(rays, ray_mask=rays["ox"]),
    "must be a pyarrow.Table or RecordBatch or a frame of pandas or polars, and these are a dict": lambda rays: rays.to_pydict(),
}


@pytest.mark.parametrize("message", BAD_COLUMNS)
def test_bad_columns_are_refused(message, scene):
    rays = BAD_COLUMNS[message](random_rays(3))
    with pytest.raises((TypeError, ValueError), match=message):
        cast(scene, rays)


def test_a_row_is_counted_from_the_tables_first(scene, monkeypatch):
    monkeypatch.setattr(raytwin.table, "_PIECE", 2)
    with pytest.raises(ValueError, match=r"ignore_id\[4\] is -1"):
        cast(scene, with_columns(random_rays(5), ignore_id=[[0, 0, 0, 0, -1]]))


def test_a_misspelt_column_is_reported(scene):
    with pytest.warns(UserWarning, match="the column tmax is not read: did you mean t_max?"):
        cast(scene, with_columns(random_rays(3), tmax=[[1.0, 1.0, 1.0]]))


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("nearest", {}, "kind must be one of closest, any, count, all, and is 'nearest'"),
        ("count", {"solid": True}, "solid changes the first hit, but the kind count lists crossings"),
        ("any", {"faces": True}, "faces works only with the kind closest"),
    ],
)
def test_options_that_do_not_fit_are_refused(kind, options, message, scene):
    with pytest.raises(ValueError, match=message):
        cast(scene, random_rays(3), kind, **options)


def test_a_process_shares_one_tracer_until_the_scene_changes(tmp_path):
    mesh, scene = tmp_path / "ramp.obj", tmp_path / "ramp.json"
    mesh.write_text("v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n")
    scene.write_text(json.dumps({"raytwin": 1, "shapes": [{"type": "mesh", "file": "ramp.obj"}]}))
    first = raytwin.table.shared_tracer(scene, "cpu")
    assert raytwin.table.shared_tracer(str(scene), "cpu") is first
    mesh.write_text("v 0 0 2\nv 1 0 2\nv 0 1 2\nf 1 2 3\n")
    ray = [[0.25, 0.25, 0, 0, 0, 1]]
    assert first.cast_rays(ray)["t_hit"] == 1
    assert raytwin.table.shared_tracer(scene, "cpu").cast_rays(ray)["t_hit"] == 2
    scene.unlink()
    with pytest.raises(rt.FileError, match="ramp.json: cannot be read"):
        raytwin.table.shared_tracer(scene, "cpu")


def test_a_shared_tracer_keeps_the_scene_as_it_was():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 5]], 1)
    ray = [[0, 0, 0, 0, 0, 1]]
    first = raytwin.table.shared_tracer(scene, "cpu")
    assert raytwin.table.shared_tracer(rt.Scene(scene), "cpu") is first
    assert raytwin.table.shared_tracer(scene, "cpu", canonical=True) is not first
    scene.add_spheres([[0, 0, 3]], 1)
    assert first.cast_rays(ray)["t_hit"] == 4
    assert raytwin.table.shared_tracer(scene, "cpu").cast_rays(ray)["t_hit"] == 2
    with pytest.raises(TypeError, match="leave out the options for loading: joints"):
        raytwin.table.shared_tracer(scene, "cpu", joints={})


def test_the_options_of_a_file_reach_it():
    robot = Path(__file__).parents[2] / "examples/robots/arm.urdf"
    at_rest = raytwin.table.shared_tracer(robot, "cpu")
    bent = raytwin.table.shared_tracer(robot, "cpu", joints={"elbow": 1.0})
    assert bent is not at_rest
    with pytest.raises(TypeError, match="unexpected keyword argument 'joint'"):
        raytwin.table.shared_tracer(robot, "cpu", joint=1)


def test_an_unknown_device_is_refused(scene):
    with pytest.raises(rt.NoAdapterError, match="no-such-gpu"):
        raytwin.table.shared_tracer(scene, "no-such-gpu")


def test_an_error_in_a_later_piece_tells_where_it_begins(scene, monkeypatch):
    monkeypatch.setattr(raytwin.table, "_PIECE", 2)
    with pytest.raises(rt.SceneError, match="in the rays from row 4 on: ray 0 ignores geometry 9"):
        cast(scene, with_columns(random_rays(5), ignore_id=[[0, 0, 0, 0, 9]]))
