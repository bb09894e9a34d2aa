"""A follower of a simulation answers as mj_ray does; `.ci/mujoco_follow.py` holds it to that on whole models."""

import copy
import doctest
import pickle

import mujoco
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import raytwin as rt
import raytwin.mujoco

MISS = 0xFFFFFFFF
# MuJoCo turned the second number of a principal point round in its version 3.6.
UPWARDS = 1 if mujoco.mj_version() >= 3_006_000 else -1
ROBOT = """
<mujoco>
  <asset>
    <mesh name="tetrahedron" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>
    <hfield name="hills" nrow="3" ncol="4" size="2 3 .5 .25" elevation="0 1 0 0  1 0 .5 0  0 0 0 1"/>
    <material name="glass" rgba="1 1 1 0"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="mat" type="plane" size="1 2 1" pos="0 0 .01" group="3"/>
    <geom name="hills" type="hfield" hfield="hills" pos="9 0 0"/>
    <camera name="above" pos="0 0 9" fovy="60"/>
    <camera name="orthographic" pos="0 0 9" fovy="6" projection="orthographic"/>
    <camera name="measured" pos="0 0 9" resolution="64 48" sensorsize="4 3" focal="3 3" principal=".5 .25"/>
    <body name="base" pos="0 0 2">
      <freejoint name="base"/>
      <geom name="trunk" type="box" size=".5 .3 .2"/>
      <site name="lidar" pos="0 0 .5" euler="0 0 90"/>
      <body name="arm" pos=".6 0 0">
        <joint name="elbow" axis="0 1 0"/>
        <geom name="upper" type="capsule" size=".1" fromto="0 0 0 1 0 0"/>
        <geom type="cylinder" size=".2 .1" pos="1 0 0"/>
        <body pos="1.2 0 0"><joint/><geom type="ellipsoid" size=".2 .1 .3"/></body>
      </body>
    </body>
    <body name="stone" pos="3 1 .5"><geom name="stone" type="mesh" mesh="tetrahedron" euler="10 20 30"/></body>
    <body name="twin" pos="3 -2 .5"><geom name="twin" type="mesh" mesh="tetrahedron" material="glass"/></body>
    <body name="ball" pos="-3 0 1"><geom name="ball" size=".5" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>
"""
RNG = np.random.default_rng(36)


@pytest.fixture(autouse=True)
def the_same_numbers_in_each_test():
    global RNG
    RNG = np.random.default_rng(36)


@pytest.fixture
def model():
    return mujoco.MjModel.from_xml_string(ROBOT)


@pytest.fixture
def data(model):
    return state(model)


def state(model, qpos=None, time=0.0):
    data = mujoco.MjData(model)
    data.time = time
    if qpos is not None:
        data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    return data


def random_state(model, spread=0.3):
    qpos = model.qpos0 + RNG.normal(0, spread, model.nq)
    return state(model, qpos)


def random_rays(count=300):
    targets = RNG.uniform([-4, -3, 0], [4, 3, 3], (count, 3))
    origins = RNG.uniform([-6, -6, 1], [6, 6, 6], (count, 3))
    directions = targets - origins
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    return np.hstack([origins, directions]).astype(np.float32)


def by_mj_ray(model, data, rays):
    """Returns the distances and the ids that mj_ray answers."""
    geom, answers = np.zeros(1, np.int32), []
    for ray in rays.astype(float):
        distance = mujoco.mj_ray(model, data, ray[:3], ray[3:], None, 1, -1, geom)
        answers.append((distance, geom[0]) if geom[0] >= 0 else (np.inf, MISS))
    return np.array([distance for distance, _ in answers]), np.array([geom for _, geom in answers], dtype=np.uint32)


def assert_same(model, data, hits, rays):
    """Holds hits to mj_ray's, but for one that may pass an edge on the other side."""
    distances, ids = by_mj_ray(model, data, rays)
    same = (hits.geometry_ids == ids) & np.isclose(hits.t_hit, distances, atol=1e-4)
    assert (~same).sum() <= 1 + len(rays) // 1000 and (ids != MISS).sum() > len(rays) // 2


def test_it_answers_as_mj_ray_before_and_after_updates(model):
    follower = raytwin.mujoco.follow(model, device="cpu")
    rays = random_rays()
    assert_same(model, state(model), follower.cast_rays(rays), rays)
    for _ in range(5):
        data = random_state(model)
        assert follower.update(data) is follower
        assert_same(model, data, follower.cast_rays(rays), rays)


def test_several_data_are_worlds_of_one_cast(model):
    follower = raytwin.mujoco.follow(model, device="cpu")
    for count in (3, 2, 3, 1):
        states = [random_state(model) for _ in range(count)]
        tracer = follower.tracer
        follower.update(states)
        assert follower.tracer is tracer and follower.scene.world_count == count
        rays = random_rays()
        worlds = RNG.integers(0, count, len(rays))
        hits = follower.cast_rays(rays, world_ids=worlds)
        for world, data in enumerate(states):
            there = worlds == world
            assert_same(model, data, rt.answers.Answers({name: each[there] for name, each in hits.items()}), rays[there])


def test_geometries_are_geoms_by_id_and_path(model, tmp_path):
    scene = raytwin.mujoco.follow(model, device="cpu").scene
    (tmp_path / "robot.xml").write_text(ROBOT)
    assert scene.paths == rt.Scene.load(tmp_path / "robot.xml").paths
    assert scene.paths[5:7] == ["base/arm/geom[1]", "base/arm/body[0]"]


def test_a_model_that_changes_is_followed(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu")
    down = [9.0, 0.0, 5.0, 0, 0, -1]
    before = float(follower.cast_rays(down).t_hit)
    model.hfield_data[:] = 0.75
    assert float(follower.cast_rays(down).t_hit) == before, "nothing changes until the update"
    follower.update(data)
    assert float(follower.cast_rays(down).t_hit) == pytest.approx(5 - 0.75 * 0.5)
    model.geom_size[model.geom("ball").id, 0] = 1.0
    assert float(follower.update(data).cast_rays([-3, 0, 5, 0, 0, -1]).t_hit) == pytest.approx(3.0)
    model.geom_rgba[model.geom("ball").id, 3] = 0.0
    assert int(follower.update(data).cast_rays([-3, 0, 5, 0, 0, -1]).geometry_ids) == model.geom("floor").id


def test_what_is_ignored_is_a_body_with_all_below_it(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    rays = random_rays(1000)
    for bodies in ("arm", ["base"], [model.body("arm").id, "ball"], "base", "world"):
        other = mujoco.MjModel.from_xml_string(ROBOT)
        below = raytwin.mujoco._below(model, [model.body(body).id for body in np.atleast_1d(np.array(bodies, object))])
        # Rays of MuJoCo pass by a geom of no alpha, and its own bodyexclude leaves out one body alone.
        gone = below[model.geom_bodyid]
        other.geom_rgba[gone, 3], other.geom_matid[gone] = 0, -1
        distances, ids = by_mj_ray(other, state(other), rays)
        hits = follower.cast_rays(rays, ignore_body=bodies)
        assert (hits.geometry_ids != ids).sum() <= 1
    assert_same(model, data, follower.cast_rays(rays), rays)
    stone = model.geom("stone").id
    assert stone in follower.cast_rays(rays, ignore_body="base").geometry_ids
    assert stone not in follower.cast_rays(rays, ignore="stone/*").geometry_ids
    assert stone not in follower.cast_rays(rays, ignore=[stone]).geometry_ids
    assert stone in follower.update(random_state(model)).cast_rays(rays, ignore="floor").geometry_ids


def test_groups_that_are_not_chosen_cannot_be_hit(model):
    down = [0.5, 1.5, 9.0, 0, 0, -1]
    follower = raytwin.mujoco.follow(model, device="cpu")
    assert int(follower.cast_rays(down).geometry_ids) == model.geom("mat").id
    follower = raytwin.mujoco.follow(model, device="cpu", geom_groups=[0])
    assert int(follower.cast_rays(down).geometry_ids) == model.geom("floor").id
    assert int(follower.cast_rays(down, ignore_body="base").geometry_ids) == model.geom("floor").id


def test_a_scan_is_cast_from_a_site_with_its_axes(model):
    data = random_state(model, 0.02)
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    cloud = follower.scan("VLP-16", site="lidar", ignore_body="base")
    place, axes = data.site("lidar").xpos, data.site("lidar").xmat.reshape(3, 3)
    assert cloud.points.dtype == np.float64 and cloud.points.shape == (len(cloud.distance), 3)
    lidar = rt.Camera.lidar("VLP-16", np.column_stack([axes, place]))
    expected = follower.cast_rays(rt.rays.camera(lidar), ignore_body="base")
    seen = (expected.t_hit >= lidar.range_min) & (expected.t_hit <= lidar.range_max)
    assert seen.sum() == len(cloud.distance) > 1000
    np.testing.assert_array_equal(cloud.geometry_ids, expected.geometry_ids[seen])
    np.testing.assert_allclose(cloud.distance, expected.t_hit[seen], rtol=1e-5)
    np.testing.assert_array_equal(np.column_stack([cloud.ring, cloud.column]), np.argwhere(seen))
    np.testing.assert_allclose(np.linalg.norm(cloud.points - place, axis=1), cloud.distance, rtol=1e-5)
    inside = follower.scan("VLP-16", site="lidar", ignore_body="base", frame="sensor")
    np.testing.assert_allclose(inside.points @ axes.T + place, cloud.points, atol=1e-5)
    # The column in the middle looks along the site's x.
    middle = inside.points[inside.column == 904]
    assert (np.abs(middle[:, 1]) < 0.01 * middle[:, 0]).all() and len(middle)


def test_a_scan_of_worlds_tells_where_each_point_is_of(model):
    states = [state(model, time=time) for time in (1.0, 2.0)]
    states[1].site_xpos[:] += [0, 0, 1]
    follower = raytwin.mujoco.follow(model, device="cpu").update(states)
    cloud = follower.scan("VLP-16", site="lidar", ignore_body="base")
    assert set(cloud.world_ids) == {0, 1}
    np.testing.assert_array_equal(cloud.time, cloud.world_ids + 1.0)
    alone = raytwin.mujoco.follow(model, device="cpu").update(states[1]).scan("VLP-16", site="lidar", ignore_body="base")
    assert "world_ids" not in alone
    np.testing.assert_array_equal(cloud.points[cloud.world_ids == 1], alone.points)


def test_examples_of_the_module_answer_as_they_are_written():
    failed, attempted = doctest.testmod(raytwin.mujoco)
    assert failed == 0 and attempted == 5


def test_noise_is_another_one_after_each_update_and_the_same_again(model, data):
    lidar = rt.Camera.lidar("VLP-16", noise=(0.01, 7))
    def distances():
        follower = raytwin.mujoco.follow(model, device="cpu")
        return [follower.update(data).scan(lidar, site="lidar").distance for _ in range(2)]
    first, again = distances(), distances()
    assert (first[0] != first[1]).mean() > 0.9
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("camera", ["above", "orthographic", "measured"])
def test_cameras_see_what_mujoco_shows(model, data, camera):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    seen = follower.camera(camera)
    size = (64, 48)
    rays = rt.rays.camera(seen, size).reshape(-1, 6)
    # The middle of the image looks down, its top is along the camera's y, and its right along its x.
    distances, ids = by_mj_ray(model, data, rays)
    image = follower.tracer.render(seen, size)
    assert (image.geometry_ids.ravel() != ids).sum() <= 3
    assert rays[0, 0] + rays[0, 3] < rays[63, 0] + rays[63, 3] and rays[0, 1] + rays[0, 4] > rays[-64, 1] + rays[-64, 4]
    if camera == "measured":
        # A focal length of 3 on a sensor of 4 by 3 is that of 64 * 3 / 4 pixels.
        assert seen.projection == rt.camera.Pinhole(48, 48, 32 - 0.5 * 16, 24 - UPWARDS * 0.25 * 16, 64, 48) and seen.size == (64, 48)
    cloud = follower.scan(rt.Camera.lidar("VLP-16"), camera=camera, frame="sensor")
    forward = cloud.points[cloud.column == 904]
    assert (forward[:, 0] > 0).all()


@pytest.mark.parametrize("camera", ["above", "measured"])
def test_a_camera_has_the_frustum_that_mujoco_draws(model, data, camera):
    scene = mujoco.MjvScene(model, maxgeom=99)
    drawn = mujoco.MjvCamera()
    drawn.type, drawn.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, model.camera(camera).id
    mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, drawn, mujoco.mjtCatBit.mjCAT_ALL, scene)
    frustum = scene.camera[0]
    seen = raytwin.mujoco.follow(model, device="cpu").update(data).camera(camera)
    rays = rt.rays.camera(seen, (640, 480))[..., 3:6]
    rays = rays / -rays[..., 2:]
    # The pixels at the edges have their centres half a pixel within the frustum.
    bottom, top = rays[-1, 0, 1] - 0.5 * (rays[-2, 0, 1] - rays[-1, 0, 1]), rays[0, 0, 1] + 0.5 * (rays[0, 0, 1] - rays[1, 0, 1])
    near = frustum.frustum_near
    np.testing.assert_allclose([bottom * near, top * near], [frustum.frustum_bottom, frustum.frustum_top], rtol=1e-4)
    if camera == "measured":
        middle = 0.5 * (rays[0, 0, 0] + rays[0, -1, 0]) * near
        np.testing.assert_allclose(middle, frustum.frustum_center, rtol=1e-3)


def test_a_cloud_is_saved_as_scans_are_and_pickled(model, data, tmp_path):
    cloud = raytwin.mujoco.follow(model, device="cpu").update(data).scan("VLP-16", site="lidar")
    cloud.save(tmp_path / "cloud.npy")
    rows = np.load(tmp_path / "cloud.npy")
    np.testing.assert_array_equal(np.column_stack([rows["x"], rows["y"], rows["z"]]), cloud.points)
    for name, field in {"geometry_ids": "geometry_id", "ring": "ring", "distance": "distance", "time": "time"}.items():
        np.testing.assert_array_equal(rows[field], cloud[name])
    for name in ("cloud.ply", "cloud.pcd", "cloud.las"):
        cloud.save(str(tmp_path / name))
        assert (tmp_path / name).stat().st_size > 1000
    with pytest.raises(rt.FileError, match="not a point cloud"):
        cloud.save(tmp_path / "cloud.txt")
    assert repr(pickle.loads(pickle.dumps(cloud))) == repr(cloud)


def test_clouds_of_a_drive_become_messages(model, data, tmp_path):
    follower = raytwin.mujoco.follow(model, device="cpu", labels={"base": 2, "*": 1}, label_groups=True)
    clouds = []
    for step in range(3):
        data.time = 0.5 * step
        data.site_xpos[:] += [0.1, 0, 0]
        clouds.append(follower.update(data).scan("VLP-16", site="lidar", frame="sensor", labels=True))
    drive = rt.Cloud.concatenate(clouds)
    assert len(drive.points) == sum(len(cloud.points) for cloud in clouds) and drive.sweeps.counts.sum() == len(drive.points)
    np.testing.assert_array_equal(drive.label_ids, np.where(np.isin(drive.geometry_ids, [4, 5, 6, 7]), 2, 1))
    drive.save(tmp_path / "drive.mcap")
    written = (tmp_path / "drive.mcap").read_bytes()
    assert written.count(b"sensor_msgs/msg/PointCloud2") and b"/VLP_16/points" in written and written.count(b"label") >= 3
    drive.save(tmp_path / "drive.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "drive.parquet")
    np.testing.assert_array_equal(np.column_stack([table[axis] for axis in "xyz"]), drive.points)
    np.testing.assert_array_equal(table["label"], drive.label_ids)
    worlds = follower.update([data, data]).scan("VLP-16", site="lidar")
    with pytest.raises(ValueError, match="of_world"):
        worlds.save(tmp_path / "worlds.mcap")
    second = worlds.of_world(1)
    np.testing.assert_array_equal(second.points, worlds.points[worlds.world_ids == 1])
    second.save(tmp_path / "second.mcap")
    with pytest.raises(IndexError, match="2 worlds"):
        worlds.of_world(2)
    with pytest.raises(ValueError, match="other|arrays|another"):
        rt.Cloud.concatenate([clouds[0], second])
    with pytest.raises(ValueError, match="no cloud"):
        rt.Cloud.concatenate([])
    data.time = -1.0
    with pytest.raises(rt.FileError, match="has the time -1"):
        follower.update(data).scan("VLP-16", site="lidar").save(tmp_path / "early.mcap")
    assert not (tmp_path / "early.mcap").exists()


def test_groups_are_labels_where_no_pattern_is(model):
    follower = raytwin.mujoco.follow(model, device="cpu", labels={"floor": 9}, label_groups=True)
    labels = follower.scene.labels
    assert labels[model.geom("floor").id] == 9 and labels[model.geom("mat").id] == 4 and labels[model.geom("trunk").id] == 1
    assert follower.scene.label_names[4] == "group3"
    model.geom_size[model.geom("trunk").id] *= 1.5
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(follower.update(data).scene.labels, labels)


def test_a_model_far_away_is_followed_about_an_origin(model):
    far = mujoco.MjModel.from_xml_string(ROBOT.replace('<body name="ball" pos="-3 0 1">', '<body name="ball" pos="1000000 0.25 1">'))
    data = state(far)
    follower = raytwin.mujoco.follow(far, device="cpu", origin=(1e6, 0, 0)).update(data)
    down = [1e6 + 0.3, 0.25, 9, 0, 0, -1]
    assert abs(float(follower.cast_rays(down).t_hit) - (8 - 0.4)) < 1e-6


def test_what_is_wrong_is_said_and_changes_nothing(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    rays = random_rays()
    before = follower.cast_rays(rays).t_hit
    other = mujoco.MjModel.from_xml_string(ROBOT)
    with pytest.raises(ValueError, match="data 0 belong to another model"):
        follower.update(mujoco.MjData(other))
    broken = state(model)
    broken.geom_xpos[4] = np.nan
    with pytest.raises(ValueError, match=r"geom 4 \(base/arm/upper\) of data 1 has no valid pose"):
        follower.update([data, broken])
    broken.geom_xpos[4] = 1e30
    with pytest.raises(ValueError, match="geom 4 .* is farther"):
        follower.update(broken)
    with pytest.raises(ValueError, match="has no axes yet: call mujoco.mj_forward"):
        follower.update(mujoco.MjData(model))
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.copy(follower)
    with pytest.raises(ValueError, match="groups are whole numbers from 0 to 5"):
        raytwin.mujoco.follow(model, geom_groups=[0.5])
    with pytest.raises(TypeError, match="by its name or its number"):
        follower.scan("VLP-16", site=1.5)
    with pytest.raises(TypeError, match="patterns of their paths, and not 1.5"):
        follower.cast_rays(rays, ignore=1.5)
    with pytest.raises(IndexError, match="1 worlds, numbered from 0"):
        follower.camera("above", world=3)
    for _ in range(2):
        with pytest.raises(ValueError, match="there is no geom 99"):
            follower.cast_rays(rays, ignore=99)
    follower.cast_rays(rays, ignore=1)
    with pytest.raises(TypeError, match="not a int"):
        follower.update(7)
    with pytest.raises(ValueError, match="empty"):
        follower.update([])
    with pytest.raises(TypeError, match="compiled MjModel"):
        raytwin.mujoco.follow("robot.xml")
    with pytest.raises(ValueError, match="no site 'radar'.*lidar"):
        follower.scan("VLP-16", site="radar")
    with pytest.raises(ValueError, match="no body 'leg'.*base"):
        follower.cast_rays(rays, ignore_body="leg")
    with pytest.raises(ValueError, match="no body 99"):
        follower.cast_rays(rays, ignore_body=99)
    with pytest.raises(TypeError, match="one of site, camera and pose"):
        follower.scan("VLP-16", site="lidar", camera="above")
    with pytest.raises(rt.SceneError, match="no geometry matches 'leg'"):
        follower.cast_rays(rays, ignore="leg")
    with pytest.raises(ValueError, match=r"^ignore\[0\] is -1"):
        follower.cast_rays(rays, ignore=-1)
    with pytest.raises(TypeError, match="in place of masks"):
        follower.cast_rays(rays, masks=1)
    with pytest.raises(ValueError, match="3 poses for 1 worlds"):
        follower.scan("VLP-16", pose=np.tile(np.eye(4), (3, 1, 1)))
    with pytest.raises(ValueError, match="frame must be"):
        follower.scan("VLP-16", site="lidar", frame="body")
    np.testing.assert_array_equal(follower.cast_rays(rays).t_hit, before)


def test_a_camera_does_not_see_what_it_hides(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    for hide in ("base/trunk", ("base/*", "ball")):
        camera = follower.camera("above", hide=hide)
        ignored = follower.scan(follower.camera("above"), camera="above", size=(64, 48), ignore=hide)
        hidden = follower.scan(camera, camera="above", size=(64, 48))
        assert hidden.points.tolist() == ignored.points.tolist() and len(hidden.points) > 100
        assert follower.update(data).scan(camera, camera="above", size=(64, 48)).points.tolist() == hidden.points.tolist()
    with pytest.raises(rt.SceneError, match="no geometry matches 'leg'"):
        follower.scan(follower.camera("above", hide="leg"), camera="above")


def test_tables_of_rays_have_columns_by_name(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    rays = random_rays()
    names = ["ox", "oy", "oz", "dx", "dy", "dz"]
    ids = np.arange(len(rays)) % 3
    table = pa.table({"dz": rays[:, 5], **dict(zip(names, rays.T)), "ignore_id": ids})
    expected = follower.cast_rays(rays, ignore_ids=ids, ignore="ball")
    assert follower.cast_rays(table, ignore="ball").t_hit.tolist() == expected.t_hit.tolist()
    with pytest.raises(ValueError, match="which replaces the argument ignore_ids"):
        follower.cast_rays(table, ignore_ids=ids)
    with pytest.raises(ValueError, match="leave the column ray_mask out"):
        follower.cast_rays(table.append_column("ray_mask", [ids]))


def test_a_height_that_cannot_be_leaves_the_follower_as_it_was(model, data):
    follower = raytwin.mujoco.follow(model, device="cpu").update(data)
    rays = random_rays()
    before = follower.cast_rays(rays).t_hit
    heights = model.hfield_data.copy()
    model.hfield_data[3] = np.nan
    with pytest.raises(rt.SceneError, match="height"):
        follower.update(data)
    np.testing.assert_array_equal(follower.cast_rays(rays).t_hit, before)
    model.hfield_data[:] = heights
    np.testing.assert_array_equal(follower.update(data).cast_rays(rays).t_hit, before)
