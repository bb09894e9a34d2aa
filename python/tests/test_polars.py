"""Tables of polars are read by Arrow's capsule."""

import polars as pl

import raytwin as rt
from scenes import GALLERY, aimed, same_bits


def test_a_frame_of_columns_is_rays():
    rays = aimed(1_000)
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    frame = pl.DataFrame(rays, schema=["ox", "oy", "oz", "dx", "dy", "dz"])
    assert same_bits(tracer.cast_rays(frame).t_hit, tracer.cast_rays(rays).t_hit)
    column = pl.Series(rays)
    assert same_bits(tracer.cast_rays(column).t_hit, tracer.cast_rays(rays).t_hit)
