"""The forest example counts and measures what is true of its trees."""

import json
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from program import PROGRAM

sys.path.insert(0, str(Path(__file__).parents[2] / "examples/forest"))

import forest
import scene
import stand
import volume

TRUNK_RADII = np.array([0.24, 0.2, 0.16, 0.12, 0.08])
TRUNK_VOLUME = np.pi * 8 / 3 * (0.24**2 + 0.24 * 0.08 + 0.08**2)


def trunk(thicker=1.0):
    """A stand of one upright trunk of 8 m, whose frustums together are one."""
    joints = np.zeros((1, 5, 3))
    joints[0, :, 2] = [0, 2, 4, 6, 8]
    wood = stand.frustums(np.array([1]), 0, joints, thicker * TRUNK_RADII[None])
    bare = stand.Branches(*(np.empty((0, *shape)) for shape in [(), (3,), (3,), (), ()]))
    return stand.Stand(12, 1, wood, bare, np.zeros((30, 30)))


def scanned(grown, folder, shape="cone", leaf="disc", step=0.5):
    """Scans a stand roughly, and returns the program and all points with the hits of each tree."""
    scene.write(grown, folder, shape, leaf)
    places = forest.stations_of(grown.side) + [1, 0]
    scene.write_stations(folder / "stations.csv", places, stand.ground(*places.T) + 1.6)
    raytwin = forest.Raytwin(PROGRAM, folder)
    return raytwin, *forest.scan_from_stations(raytwin, step)


@pytest.mark.parametrize("shape", ["cylinder", "cone"])
def test_the_volume_is_that_of_the_shapes(shape, tmp_path):
    grown = trunk()
    assert grown.wood.volumes_of_trees(1) == pytest.approx([TRUNK_VOLUME], rel=1e-12)
    scene.write_wood(grown.wood, tmp_path / "wood.csv", shape)
    words = [PROGRAM, "-q", "sample", "wood.csv", "--paths", "--rays", "1000000", "--device", "cpu", "--json"]
    sampled = json.loads(subprocess.run(words, cwd=tmp_path, check=True, capture_output=True).stdout)
    volumes, errors = np.array([(row["volume"], row["volume_error"]) for row in sampled["geometries"]]).T
    assert abs(volumes.sum() - TRUNK_VOLUME) < 4 * np.linalg.norm(errors) < 0.05 * TRUNK_VOLUME


def test_a_trunk_is_measured(tmp_path):
    grown = trunk()
    _, points, _ = scanned(grown, tmp_path)
    [row] = forest.measure(points, grown.wood, 1)
    assert row["stem"] == row["wood"] == pytest.approx(TRUNK_VOLUME)
    assert row["dbh"] == pytest.approx(2 * 0.214)
    assert abs(forest.error(row, "dbh")) < 1
    assert abs(forest.error(row, "stem")) < 3
    # A thicker tree has another volume.
    _, points, _ = scanned(trunk(thicker=1.1), tmp_path)
    [row] = forest.measure(points, grown.wood, 1)
    assert forest.error(row, "dbh") == pytest.approx(10, abs=1)
    assert forest.error(row, "stem") == pytest.approx(21, abs=3)


@pytest.mark.parametrize(("shape", "leaf"), [("cylinder", "disc"), ("cone", "ellipsoid")])
def test_points_are_those_that_were_counted(shape, leaf, tmp_path):
    grown = stand.make(seed=2, trees=3, orders=2)
    raytwin, points, counted = scanned(grown, tmp_path, shape, leaf, step=0.8)
    trees, hits = np.unique(points["tree_id"], return_counts=True)
    assert dict(zip(trees.tolist(), hits.tolist(), strict=True)) == counted
    assert set(counted) == {0, 1, 2, 3}
    # Points of the ground alone have no tree, and leaves have one, too.
    assert np.array_equal(points["tree_id"] == 0, points["label"] == scene.LABELS["ground"])
    is_leaf = points["label"] == scene.LABELS["leaf"]
    assert np.count_nonzero(is_leaf) > 1000
    assert np.array_equal(is_leaf, points["branch_order"] == scene.LEAF_ORDER)
    assert set(points["branch_order"][~is_leaf]) == {0, 1, 2}

    scene.write_strips(tmp_path / "strips.csv", grown.side, 60)
    from_air = forest.scan_from_the_air(raytwin)
    # The number of points is at this place of the header of LAS 1.4.
    [count] = struct.unpack_from("<Q", (tmp_path / "air.laz").read_bytes(), 247)
    assert sum(from_air.values()) == count
    assert set(from_air) == {0, 1, 2, 3}


def test_a_seed_gives_the_same_stand():
    first, again, other = (stand.make(seed, trees=2, orders=3) for seed in (5, 5, 6))
    assert all(np.array_equal(one, two) for one, two in zip(first.wood, again.wood, strict=True))
    assert not np.array_equal(first.wood.start, other.wood.start)
    # Neighbours' radii meet within a branch.
    trunk = first.wood.of_order(0)
    assert np.array_equal(trunk.end_radius[:29], trunk.start_radius[1:30])


def test_circles_are_fitted_to_a_part_of_their_edge():
    angle = np.linspace(0, 1.5, 30)
    arc = np.column_stack([3 + 0.2 * np.cos(angle), -7 + 0.2 * np.sin(angle)])
    circle = volume.fit_circle(arc)
    assert circle.center == pytest.approx([3, -7], abs=1e-9)
    assert circle.radius == pytest.approx(0.2, abs=1e-9)
    assert circle.radius_error < 1e-6
