"""Overlaps of solids: the arrays, what is left out, and what is refused."""

import pickle

import numpy as np
import pytest

import raytwin as rt


def row_of_balls(*xs: float) -> rt.Scene:
    scene = rt.Scene()
    scene.add_spheres([[x, 0.0, 0.0] for x in xs], 1.0)
    return scene


def test_each_overlap_has_a_point_in_both() -> None:
    rng = np.random.default_rng(3)
    scene = rt.Scene(origin=(1e6, 0, 0))
    scene.add_spheres(rng.uniform(0, 10, (60, 3)) + (1e6, 0, 0), rng.uniform(0.3, 1.5, 60))
    scene.add_boxes(rng.uniform(0, 10, (60, 3)) + (1e6, 0, 0), rng.uniform(0.2, 1.0, (60, 3)))
    found = scene.overlaps()
    assert len(found.a) > 50 and (found.a < found.b).all()
    assert (np.lexsort((found.b, found.a)) == np.arange(len(found.a))).all()
    both = np.isin(found.kind, ["pierces", "inside"])
    assert both.all() and found.proved[found.kind == "pierces"].all()
    assert (found.depth > 0).all() and np.isnan(found.gap).all()
    assert (found.witness == found.other_witness).all()
    tracer = rt.Tracer(scene, device="cpu")
    assert (tracer.compute_closest_points(found.witness).contains >= 2).all()
    assert sum(found.counts[name] for name in ("apart_proved", "apart_by_lines", "adjacent")) + len(found.a) == found.counts["looked_at"]


def test_gaps_have_two_points_and_a_lower_bound() -> None:
    scene = row_of_balls(0.0, 2.5, 9.0)
    found = scene.overlaps(clearance=1.0)
    assert found.kind.tolist() == ["near"] and found.proved.tolist() == [True]
    assert found.gap == pytest.approx([0.5]) and 0.499 < found.gap_at_least[0] <= 0.5
    assert found.witness[0] == pytest.approx([1.0, 0.0, 0.0]) and found.other_witness[0] == pytest.approx([1.5, 0.0, 0.0])
    assert np.isnan(found.depth[0]) and found.inner[0] == 0xFFFFFFFF


def test_sets_and_tables() -> None:
    scene = row_of_balls(0.0, 0.1, 0.2)
    assert scene.overlaps(between=([0], [2])).b.tolist() == [2]
    assert scene.overlaps(between=(0, 0)).a.tolist() == []
    table = pickle.loads(pickle.dumps(scene.overlaps())).to_pandas()
    assert list(table.columns) == [
        *("a", "b", "kind", "inner", "depth", "gap", "gap_at_least"),
        *("x", "y", "z", "other_x", "other_y", "other_z", "proved"),
    ]
    assert len(table) == 3


def test_links_of_a_joint_belong_together(tmp_path) -> None:
    link = '<link name="{}"><collision><geometry><sphere radius="1"/></geometry></collision></link>'
    joint = '<joint name="{0}{1}" type="revolute"><parent link="{0}"/><child link="{1}"/><origin xyz="0.5 0 0"/><axis xyz="1 0 0"/></joint>'
    file = tmp_path / "robot.urdf"
    text = "".join(link.format(name) for name in "abc") + joint.format("a", "b") + joint.format("b", "c")
    file.write_text(f"<robot name='r'>{text}</robot>")
    scene = rt.Scene.load(file, collision=True)
    for scene in (scene, pickle.loads(pickle.dumps(scene))):
        found = scene.overlaps()
        assert (found.a.tolist(), found.b.tolist(), found.counts["adjacent"]) == ([0], [2], 2)
        assert len(scene.overlaps(adjacent=True).a) == 3


def test_what_is_no_length_is_refused() -> None:
    scene = row_of_balls(0.0)
    for name in ("clearance", "tolerance"):
        for number in (-1.0, float("nan"), float("inf")):
            with pytest.raises(ValueError, match=name):
                scene.overlaps(**{name: number})
    with pytest.raises(rt.SceneError, match="world is 3"):
        scene.overlaps(world=3)
    with pytest.raises(ValueError, match="lines"):
        scene.overlaps(lines=0)
