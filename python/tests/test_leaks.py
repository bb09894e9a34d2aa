"""Calls leave no memory behind."""

import gc
import resource
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import raytwin as rt
from scenes import GALLERY, aimed

CALLS = 10_000
RAYS = aimed(8)
FAR = RAYS.astype(np.float64)


@pytest.fixture(scope="module")
def tracer():
    return rt.Tracer(rt.Scene.load(GALLERY), "cpu")


def refused(tracer):
    with pytest.raises(ValueError):
        tracer.cast_rays(RAYS[:, :5])


ASKED = {
    "cast_rays": lambda tracer: tracer.cast_rays(RAYS, faces=True, masks=1, ignore_ids=0),
    "test_occlusions": lambda tracer: tracer.test_occlusions(FAR),
    "count_intersections": lambda tracer: tracer.count_intersections(RAYS.tolist()),
    "list_intersections": lambda tracer: tracer.list_intersections(RAYS),
    "compute_closest_points": lambda tracer: tracer.compute_closest_points(RAYS[:, :3]),
    "update": lambda tracer: tracer.update(),
    "refused": refused,
}


def kept_bytes():
    """The memory that the process takes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@pytest.mark.parametrize("ask", ASKED)
def test_ten_thousand_calls_leave_nothing(tracer, ask):
    def calls(count):
        for _ in range(count):
            ASKED[ask](tracer)
        gc.collect()

    calls(CALLS // 10)
    before = kept_bytes()
    calls(CALLS)
    # One number kept of each call would be 40 KB; the arrays of each would be megabytes.
    assert kept_bytes() - before < 2 << 20
    tracemalloc.start()
    try:
        calls(10)
        before = tracemalloc.get_traced_memory()[0]
        calls(200)
        assert tracemalloc.get_traced_memory()[0] - before < 4_000
    finally:
        tracemalloc.stop()
