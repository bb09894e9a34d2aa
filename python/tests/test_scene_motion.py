"""Nodes, instances, joints and worlds."""

import copy
import json

import numpy as np
import pytest

import raytwin as rt

RNG = np.random.default_rng(11)


def moved(x=0.0, y=0.0, z=0.0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def distances(scene, origins=((0.0, 0.0, 0.0),), world=None):
    rays = np.hstack([np.asarray(origins, float), np.tile([1.0, 0, 0], (len(origins), 1))])
    return rt.Tracer(scene, "cpu").cast_rays(rays, world_ids=world)["t_hit"].tolist()


def ball():
    scene = rt.Scene()
    scene.add_spheres([0, 0, 0], 1.0, name="ball")
    return scene


def test_what_is_added_at_a_node_moves_with_it():
    scene = rt.Scene()
    arm = scene.add_node("arm", matrix=moved(x=10))
    hand = scene.add_node("hand", parent="arm", matrix=moved(x=5)[:3])
    assert (arm, hand, scene.nodes) == (0, 1, ["arm", "arm/hand"])
    ids = scene.add_spheres([[0, 0, 0], [0, 0, 9]], 1.0, node=hand, names=["tip", "side"], matrix=moved(x=1))
    assert ids.tolist() == [0, 1] and scene.paths == ["arm/hand/tip", "arm/hand/side"]
    assert distances(scene) == [15.0]
    scene.set_transforms("arm", moved(x=20))
    assert distances(scene) == [25.0]
    scene.set_transforms(["arm", "arm/hand"], [moved(x=1), moved(x=2)])
    assert distances(scene) == [3.0]
    np.testing.assert_array_equal(scene.world_from_node("arm/hand"), moved(x=3))
    scene.set_transforms(np.array([1]), moved(x=7)[None])
    assert distances(scene) == [8.0]


def test_an_instance_is_what_a_file_uses(tmp_path):
    definition = rt.Scene()
    definition.add_spheres(RNG.uniform(-1, 1, (4, 3)), 0.5)
    definition.add_tori([0, 0, 0], [0, 0, 1], 2.0, 0.25)
    shears = np.tile(np.eye(4), (6, 1, 1)) + np.pad(RNG.uniform(-0.3, 0.3, (6, 3, 3)), ((0, 0), (0, 1), (0, 1)))
    shears[:, :3, 3] = RNG.uniform(-9, 9, (6, 3))
    scene = rt.Scene()
    ids = scene.add_instances(definition, shears, names=[f"copy_{index}" for index in range(6)])
    assert ids.tolist() == [0, 5, 10, 15, 20, 25] and scene.geometry_count == 30
    definition.save(tmp_path / "definition.json")
    shapes = json.loads((tmp_path / "definition.json").read_text())["shapes"]
    nodes = [
        {"name": f"copy_{index}", "use": "d", "matrix": matrix[:3].ravel().tolist()}
        for index, matrix in enumerate(shears)
    ]
    path = tmp_path / "used.json"
    path.write_text(json.dumps({"raytwin": 1, "definitions": {"d": {"shapes": shapes}}, "nodes": nodes}))
    rays = RNG.uniform(-9, 9, (4000, 6))
    found, used = (rt.Tracer(each, "cpu").cast_rays(rays, instances=True) for each in (scene, rt.Scene.load(path)))
    assert (used["instance_ids"] < 6).sum() > 100
    # A sphere that a file writes out is rounded in the world, and one of an instance where it is.
    np.testing.assert_allclose(found["t_hit"], used["t_hit"], rtol=1e-5)
    same = found["geometry_ids"] == used["geometry_ids"]
    assert same.mean() > 0.999 and (found["instance_ids"] == used["instance_ids"])[same].all()


def test_instances_at_nodes_move_and_share_their_definition():
    scene, definition = rt.Scene(), ball()
    nodes = scene.add_nodes([moved(x=10 * index, y=index) for index in range(1, 4)], names=list("abc"))
    assert nodes.dtype == np.uint32 and nodes.tolist() == [0, 1, 2]
    assert scene.add_instances(definition, nodes=nodes).tolist() == [0, 1, 2]
    assert scene.add_instances(definition, moved(z=2), nodes=["a", 2]).tolist() == [3, 4]
    assert scene.paths == ["a/ball", "b/ball", "c/ball", "a/ball", "c/ball"]
    tracer = rt.Tracer(scene, "cpu")
    scene.set_transforms(nodes[::-1], np.tile(moved(x=5), (3, 1, 1)))
    assert distances(scene) == [4.0]
    with pytest.raises(rt.SceneError, match="update"):
        tracer.cast_rays([[0.0, 0, 0, 1, 0, 0]])


def test_a_definition_keeps_its_own_coordinates():
    far = np.array([1e6, 2e6, 3e6])
    definition = rt.Scene(origin=far)
    definition.add_spheres(far + 0.25, 0.125)
    scene = rt.Scene(origin=far)
    scene.add_instances(definition)
    np.testing.assert_allclose(scene.bounds, definition.bounds, rtol=0, atol=1e-9)


REFUSED = [
    (lambda s: s.add_node("c", parent="b"), rt.SceneError, "no node 'b'"),
    (lambda s: s.add_node("c", parent=7), IndexError, "is no number 7"),
    (lambda s: s.add_nodes([np.eye(4), np.zeros((4, 4))]), ValueError, r"matrices\[1\]"),
    (lambda s: s.add_nodes([np.eye(4)[:3], np.zeros((3, 4))]), rt.SceneError, r"matrices\[1\]"),
    (lambda s: s.set_transforms(["a", "b"], [np.eye(4)] * 2), rt.SceneError, "no node 'b'"),
    (lambda s: s.set_transforms([0, 9], [np.eye(4)] * 2), IndexError, "is no number 9"),
    (lambda s: s.set_transforms([0, 0.5], [np.eye(4)] * 2), TypeError, "integers"),
    (lambda s: s.set_transforms([0, 0], np.eye(4)), ValueError, "1 matrices for 2 nodes"),
    (lambda s: s.set_transforms("a", np.full((3, 4), np.nan)), rt.SceneError, "a has a transform .* not finite"),
    (lambda s: s.set_transforms("a", moved(x=1e10)), rt.SceneError, "1e9"),
    (lambda s: s.add_instances(ball(), [moved(), moved(x=2e9)]), rt.SceneError, r"matrices\[1\].*1e9"),
    (lambda s: s.add_instances(ball(), nodes=[0, 3]), IndexError, "is no number 3"),
    (lambda s: s.add_instances(ball(), [moved()] * 3, nodes=[0, 0]), ValueError, "3 matrices for 2 nodes"),
    (lambda s: s.add_instances(ball(), nodes=0, name="x"), TypeError, "leave out"),
    (lambda s: s.add_instances("ball"), TypeError, "Scene"),
    (lambda s: s.set_joints({"elbow": 1.0}), rt.SceneError, "was not read from a file"),
    (lambda s: s.add_world(ball()), rt.SceneError, "world 1 differs"),
]


@pytest.mark.parametrize("change, error, message", REFUSED)
def test_what_is_refused_moves_and_adds_nothing(change, error, message):
    scene = rt.Scene()
    scene.add_node("a", matrix=moved(x=3))
    scene.add_spheres([0, 0, 0], 1.0, node="a")
    tracer = rt.Tracer(scene, "cpu")
    with pytest.raises(error, match=message):
        change(scene)
    assert (scene.nodes, scene.geometry_count, scene.world_count) == (["a"], 1, 1)
    assert tracer.cast_rays([[0.0, 0, 0, 1, 0, 0]])["t_hit"] == [2.0]


ROBOT = """<robot name="r">
  <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="2 0 0"/><geometry><sphere radius="0.5"/></geometry></visual></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="arm"/><axis xyz="1 0 0"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def robot(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    return path


def test_joints_move_a_robot_and_what_else_was_changed_stays(robot):
    scene = rt.Scene.load(robot, movable=True)
    scene.hide("*base*")
    scene.add_spheres([0, 50, 0], 1.0)
    assert distances(scene, [(0, 0, 0), (-9, 50, 0)]) == [1.5, 8.0]
    scene.set_joints({"slide": 3.0})
    assert distances(scene, [(0, 0, 0), (-9, 50, 0)]) == [4.5, 8.0]
    np.testing.assert_array_equal(scene.link_poses["arm"], moved(x=3))
    other = rt.Scene.load(robot, joints={"slide": 3.0})
    np.testing.assert_array_equal(other.link_poses["arm"], moved(x=3))
    assert other.bounds.tolist() == rt.Scene.load(robot, joints={"slide": 3.0}, movable=True).bounds.tolist()


def test_joints_are_set_by_an_array_and_a_floating_base_by_seven_numbers(robot):
    scene = rt.Scene.load(robot, movable=True)
    assert scene.joint_names == ["slide"]
    scene.set_joints(np.array([3.0]))
    np.testing.assert_array_equal(scene.link_poses["arm"], moved(x=3))
    # A quarter turn about z.
    scene.set_joints({"base": [1, 2, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)], "slide": 2.0})
    expected = [[0, -1, 0, 1], [1, 0, 0, 4], [0, 0, 1, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(scene.link_poses["arm"], expected, atol=1e-15)
    np.testing.assert_allclose(scene.link_poses["base"][:3, 3], [1, 2, 0])
    # The ball is two further along the arm's x, which is now the world's y.
    rays = [[1, -9, 0, 0, 1, 0], [1, 9, 0, 0, -1, 0]]
    np.testing.assert_allclose(rt.Tracer(scene, "cpu").cast_rays(rays).t_hit, [10.5, 2.5], atol=1e-6)
    with pytest.raises(ValueError, match="joints must have the shape"):
        scene.set_joints([1.0, 2.0])
    with pytest.raises(rt.Error, match="'base' is a floating joint"):
        scene.set_joints({"base": 1.0})
    with pytest.raises(rt.Error, match="must not be zero"):
        scene.set_joints({"base": [0, 0, 0, 0, 0, 0, 0]})
    np.testing.assert_allclose(scene.link_poses["arm"], expected, atol=1e-15)


def test_joints_that_cannot_move_are_refused(robot):
    still = rt.Scene.load(robot)
    with pytest.raises(rt.SceneError, match="movable=True"):
        still.set_joints({"slide": 1.0})
    scene = rt.Scene.load(robot, movable=True)
    with pytest.raises(rt.Error, match="elbow"):
        scene.set_joints({"elbow": 1.0})
    with pytest.raises(ValueError, match="slide"):
        scene.set_joints({"slide": "far"})
    assert distances(scene, [(1.0, 0, 0)]) == [0.5]
    np.testing.assert_array_equal(scene.link_poses["arm"], np.eye(4))


def test_joints_move_the_robot_that_was_read_whatever_becomes_of_its_file(robot):
    scene = rt.Scene.load(robot, movable=True)
    robot.unlink()
    scene.set_joints({"slide": 1.0})
    assert distances(scene, [(1.0, 0, 0)]) == [1.5]
    np.testing.assert_array_equal(scene.link_poses["arm"], moved(x=1))


def test_worlds_differ_in_places_alone():
    scene = rt.Scene()
    scene.add_node("a", matrix=moved(x=3))
    scene.add_spheres([0, 0, 0], 1.0, node="a")
    other = copy.copy(scene)
    other.set_transforms("a", moved(x=9))
    assert scene.add_world(other) == 1 and scene.world_count == 2
    assert distances(scene, np.zeros((2, 3)), [0, 1]) == [2.0, 8.0]
    assert distances(other) == [8.0], "a copy shares nothing that changes"


def test_links_and_matrices_are_in_the_coordinates_of_the_file(robot):
    far = (0.0, 7e6, 0.0)
    robot.write_text(ROBOT.replace('child link="arm"/>', 'child link="arm"/><origin xyz="0 7000000 0"/>'))
    scene = rt.Scene.load(robot, movable=True, origin=far)
    assert scene.link_poses["arm"][:3, 3].tolist() == [0, 7e6, 0]
    scene.set_joints({"slide": 2.25})
    assert scene.link_poses["arm"][:3, 3].tolist() == [2.25, 7e6, 0]
    assert distances(scene, [(0, 7e6, 0)]) == [3.75]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda scene: scene.add_spheres([0, 0, 0], 1.0, node=-1), "node"),
        (lambda scene: scene.add_node(parent=-1), "parent"),
        (lambda scene: scene.add_nodes([np.eye(4)], parent=-1), "parent"),
        (lambda scene: scene.world_from_node(-1), "node"),
        (lambda scene: scene.set_transforms([-1], [np.eye(4)]), "nodes"),
        (lambda scene: scene.hide(-1), "geometries"),
    ],
)
def test_an_error_names_the_argument_that_was_given(change, name):
    with pytest.raises(ValueError, match=rf"^{name}\[0\] is -1: it must be a number from 0"):
        change(rt.Scene())
