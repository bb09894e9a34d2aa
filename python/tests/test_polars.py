"""Tables of polars are read by Arrow's capsule, and answers are frames of polars."""

import doctest

import numpy as np
import polars as pl
import pytest
from columns import answers_of_program, random_rays, write_scene

import raytwin as rt
from scenes import GALLERY, aimed, same_bits

NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]


def test_a_frame_of_columns_is_rays():
    rays = aimed(1_000)
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    expected = tracer.cast_rays(rays).t_hit
    frame = pl.DataFrame(rays, schema=NAMES)
    for same in (frame, frame.select(pl.lit("a").alias("event"), *NAMES[::-1]), frame.rename({name: name + "0" for name in NAMES})):
        assert same_bits(tracer.cast_rays(same).t_hit, expected)
        assert same_bits(tracer.cast_rays(same.to_struct("rays")).t_hit, expected)
    column = pl.Series(rays)
    assert same_bits(tracer.cast_rays(column).t_hit, expected)


def test_nulls_and_filters_are_what_they_are_in_a_file(tmp_path):
    scene = write_scene(tmp_path / "balls.json")
    frame = pl.from_arrow(random_rays(400)).with_columns(
        t_max=pl.Series([None, 4.0, np.nan, 9.0] * 100), ray_mask=pl.Series([1, 2, None, 7, 4] * 80), ignore_id=pl.Series([None, 1] * 200, dtype=pl.UInt64)
    )
    frame = frame.with_columns(oy=pl.when(pl.int_range(400) == 7).then(None).otherwise("oy"))
    hits = rt.Tracer(rt.Scene.load(scene), "cpu").cast_rays(frame)
    expected = answers_of_program(scene, frame.to_arrow(), tmp_path)
    assert same_bits(hits.t_hit, expected["t_hit"].to_numpy())
    structs = rt.Tracer(rt.Scene.load(scene), "cpu").cast_rays(pl.Series([{name: 1.0 for name in NAMES}, None]))
    assert np.isnan(structs.t_hit).tolist() == [False, True]
    assert np.isnan(hits.t_hit[7]) and 5 < np.isfinite(hits.t_hit).sum()


def test_what_is_still_to_be_computed_is_refused_with_what_to_do():
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    lazy = pl.LazyFrame({name: [0.0] for name in NAMES})
    with pytest.raises(TypeError, match=r"rays must be in memory, .*LazyFrame.*collect\(\)"):
        tracer.cast_rays(lazy)
    with pytest.raises(TypeError, match=r"centers must be in memory, .*LazyFrame.*collect\(\)"):
        rt.Scene().add_spheres(lazy, 1.0)


def test_points_and_shapes_are_taken_by_names():
    frame = pl.DataFrame({"radius": [1.0, 2.0], "z": [5.0, 15.0], "y": [3.0, 4.0], "x": [1.0, 2.0]})
    plain, scene = rt.Scene(), rt.Scene()
    plain.add_spheres(frame.select("x", "y", "z").to_numpy(), frame["radius"].to_numpy())
    scene.add_spheres(frame, frame["radius"])
    assert scene.to_bytes() == plain.to_bytes()
    tracer = rt.Tracer(scene, "cpu")
    assert tracer.compute_signed_distance(frame).tolist() == [-1.0, -2.0]
    assert np.isnan(tracer.compute_distance(frame.with_columns(x=pl.lit(None)))).all()
    with pytest.raises(ValueError, match="the table of points has no column y"):
        tracer.compute_distance(frame.drop("y"))


def test_columns_of_nulls_and_decimals_count_as_numbers():
    columns = {letter: [number] for letter, number in zip("abcdef", [0.0, 0.0, 0.0, 0.0, 0.0, 1.0])}
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    expected = tracer.cast_rays([[0.0, 0, 0, 0, 0, 1]]).t_hit
    nulls = pl.DataFrame({**columns, "g": [None], "h": [None]})
    decimals = pl.DataFrame(columns).with_columns(pl.col("a").cast(pl.Decimal(10, 2)))
    for table in (nulls, decimals):
        assert same_bits(tracer.cast_rays(table).t_hit, expected)


def test_answers_stand_beside_their_rays():
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    frame = pl.DataFrame(aimed(50), schema=NAMES).with_columns(event=pl.lit("a"))
    answered = pl.concat([frame, tracer.cast_rays(frame).to_polars()], how="horizontal")
    filled = answered.with_columns(pl.col("geometry_id", "primitive_id").fill_null(0xFFFFFFFF))
    assert filled.equals(pl.DataFrame(rt.table.cast_table(tracer, frame.to_arrow())))


def test_answers_are_a_frame():
    hits = rt.Tracer(rt.Scene.load(GALLERY), "cpu").cast_rays(aimed(300).reshape(10, 30, 6), faces=True, labels=True)
    frame, expected = hits.to_polars(), hits.to_arrow()
    assert frame.columns == expected.column_names and frame.schema == pl.DataFrame(expected).schema
    assert frame.equals(pl.DataFrame(expected))
    missing = (hits.geometry_ids == 0xFFFFFFFF).sum() * 2 + (hits.faces == 0xFFFFFFFF).sum()
    assert frame.null_count().sum_horizontal().item() == missing > 0


def test_the_example_of_answers_runs():
    (example,) = doctest.DocTestFinder().find(rt.answers.Answers.to_polars, "to_polars", globs={})
    assert doctest.DocTestRunner().run(example) == (0, 5)


def test_a_frame_of_rays_is_answered_by_a_frame():
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    frame = pl.DataFrame(aimed(50), schema=NAMES).with_columns(event=pl.lit("a"))
    answered = rt.table.cast_table(tracer, frame, faces=True)
    assert isinstance(answered, pl.DataFrame) and answered.columns[:7] == [*NAMES, "event"]
    assert answered.equals(pl.DataFrame(rt.table.cast_table(tracer, frame.to_arrow(), faces=True)))
    with pytest.raises(TypeError, match="a frame of pandas or polars, and these are a LazyFrame"):
        rt.table.cast_table(tracer, frame.lazy())
