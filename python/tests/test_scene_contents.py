"""What a scene tells of its geometries, and the files that it is written to."""

import copy

import numpy as np
import pytest

import raytwin as rt


@pytest.fixture
def scene():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 5], [0, 0, 9]], 1.0, names=["arm/elbow", "arm/hand"])
    scene.add_boxes([0, 0, 20], [1, 2, 3])
    return scene


def nearest(scene, **keywords):
    return rt.Tracer(scene, "cpu").cast_rays([[0.0, 0, 0, 0, 0, 1]], **keywords)["geometry_ids"].tolist()


def test_geometries_are_reported_and_chosen(scene):
    assert scene.paths == ["arm/elbow", "arm/hand", "box[2]"] == [scene.path(index) for index in range(3)]
    assert scene.types == ["sphere", "sphere", "box"] and scene.type_counts == {"sphere": 2, "box": 1}
    assert scene.select("arm").tolist() == [0, 1] and scene.select("*hand").dtype == np.uint32
    assert scene.select("leg").tolist() == []
    assert scene.bounds.tolist() == [[-1, -2, 4], [1, 2, 23]]
    with pytest.raises(IndexError, match="3 geometries"):
        scene.path(3)
    with pytest.raises(IndexError, match="there is no id -1"):
        scene.path(-1)


def test_what_is_hidden_keeps_its_id(scene):
    scene.hide("arm/elbow")
    assert nearest(scene) == [1]
    scene.set_mask([0, 1], 4)
    assert scene.masks.tolist() == [4, 4, 0xFFFFFFFF]
    assert nearest(scene, masks=3) == [2] and nearest(scene, masks=4) == [0]
    scene.hide(np.array([1, 0]))
    assert nearest(scene) == [2]
    for wrong, error in [("leg", rt.SceneError), ([7], IndexError), ([-1], ValueError), ([0.5], TypeError)]:
        with pytest.raises(error):
            scene.hide(wrong)
    with pytest.raises(ValueError):
        scene.set_mask([0], 2**32)
    assert scene.masks.tolist() == [0, 0, 0xFFFFFFFF]


def test_the_bounds_of_nothing_are_empty():
    assert rt.Scene().bounds.tolist() == [[np.inf] * 3, [-np.inf] * 3]


def test_a_file_holds_what_it_can_or_is_refused(tmp_path, scene):
    scene.save(tmp_path / "all.json")
    assert rt.Scene.load(tmp_path / "all.json").paths == scene.paths
    with pytest.raises(rt.SceneError, match="2 names: .* give skip=True"):
        scene.save(tmp_path / "some.npz")
    assert not (tmp_path / "some.npz").exists()
    scene.save(tmp_path / "some.npz", skip=True)
    assert rt.Scene.load(tmp_path / "some.npz").types == scene.types
    with pytest.raises(rt.FileError, match="no scene that raytwin writes|not a scene that raytwin writes"):
        scene.save(tmp_path / "some.stl")
    scene.add_node("n")
    scene.add_spheres([0, 0, 0], 1.0, node="n")
    other = copy.deepcopy(scene)
    other.set_transforms("n", np.eye(4) + np.eye(4, k=3))
    scene.add_world(other)
    with pytest.raises(rt.SceneError, match="1 worlds after the first"):
        scene.save(tmp_path / "worlds.json")


def test_files_and_options_that_are_wrong_are_refused(tmp_path):
    (tmp_path / "bad.json").write_text('{ "raytwin": 1, "shapes": [ { "type": "sphere", "center": [0,0,0], "radius": -1 } ] }')
    with pytest.raises(rt.FileError, match=r"shapes\[0\].radius"):
        rt.Scene.load(tmp_path / "bad.json")
    with pytest.raises(rt.FileError):
        rt.Scene.load(tmp_path / "missing.json")
    with pytest.raises(TypeError, match="collision"):
        rt.Scene.load(tmp_path / "bad.json", collision=True)
    with pytest.raises(TypeError):
        rt.Scene.load(tmp_path / "bad.json", colour="red")
    with pytest.raises(TypeError, match="movable"):
        rt.Scene(movable=True)
    with pytest.raises(ValueError, match="origin"):
        rt.Scene(origin=(np.nan, 0, 0))
    with pytest.raises(TypeError):
        rt.Scene(3)


class MjModel:
    """An object of another library."""


@pytest.mark.parametrize("given", [MjModel(), None, 5, b"scene", rt.Scene()])
def test_what_is_no_file_is_reported(given):
    with pytest.raises(TypeError, match=f"load needs the path of a file, and not a {type(given).__name__}: .*mj_saveLastXML"):
        rt.Scene.load(given)
    if isinstance(given, MjModel):
        with pytest.raises(TypeError, match="source must be the path of a file, .* and not a MjModel"):
            rt.Scene(given)


@pytest.mark.parametrize("option, error, message", [
    ({"joints": {"hinge": None}}, TypeError, "the joint hinge must be a number, a text such as '90deg'.* and is None"),
    ({"joints": {"hinge": "fast"}}, ValueError, "the joint hinge must be a number, a text .* and is 'fast'"),
    ({"key": 1.5}, TypeError, "key must be the number of a key, from 0, or its name, and is 1.5"),
    ({"geom_groups": [-1]}, ValueError, r"geom_groups must be a list of numbers of groups, from 0, and is \[-1\]"),
    ({"collision": 3}, TypeError, "collision must be True or False, and is 3"),
    ({"origin": 5}, TypeError, "origin must be a point of three numbers, or 'auto', and is 5"),
    ({"key": -1}, rt.FileError, "-1"),
])
def test_an_option_that_does_not_fit_is_reported(tmp_path, option, error, message):
    body = "<body><joint name='hinge'/><geom size='1'/></body>"
    (tmp_path / "model.xml").write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(error, match=message):
        rt.Scene.load(tmp_path / "model.xml", **option)
