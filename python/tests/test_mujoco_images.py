"""What a camera of a model sees in every world of a follower."""

import mujoco
import numpy as np
import pytest

import raytwin as rt
import raytwin.mujoco

MODEL = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="wall" type="box" size=".2 4 2" pos="3 0 2"/>
    <camera name="above" pos="0 0 9" fovy="60"/>
    <camera name="orthographic" pos="0 0 9" fovy="6" projection="orthographic"/>
    <body name="base" pos="0 0 2">
      <freejoint name="base"/>
      <geom name="trunk" type="box" size=".5 .3 .2"/>
      <site name="lidar" pos="0 0 .5"/>
      <geom name="arm" type="capsule" size=".1" fromto="0 0 0 1 0 0"/>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model():
    return mujoco.MjModel.from_xml_string(MODEL)


def states(model):
    """Three data in which the base is elsewhere."""
    made = []
    for place in ([0, 0, 2, 1, 0, 0, 0], [1, 1, 3, 1, 0, 0, 0.5], [-1, 0.5, 1, 1, 0.3, 0, 0]):
        data = mujoco.MjData(model)
        data.qpos[:] = place
        mujoco.mj_forward(model, data)
        made.append(data)
    return made


@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_images_of_worlds_are_those_of_each_world(model, device):
    follower = raytwin.mujoco.follow(model, device=device)
    follower.update(states(model))
    images = follower.render("above", (12, 8), normals=True, labels=True)
    assert images.z.shape == (3, 8, 12) and images.label_ids.shape == (3, 8, 12)
    poses = np.stack([follower.camera("above", world=world).matrix for world in range(3)])
    for world in range(3):
        single = follower.tracer.render(follower.camera("above", world=world), (12, 8), poses=poses[:1], world_ids=[world])
        np.testing.assert_array_equal(images.distance[world], single.distance[0])
        np.testing.assert_array_equal(images.geometry_ids[world], single.geometry_ids[0])
    floor = model.geom("floor").id
    assert (images.geometry_ids == floor).any()
    without = follower.render("above", (12, 8), ignore=[floor])
    assert not (without.geometry_ids == floor).any()
    np.testing.assert_array_equal(without.z[images.geometry_ids != floor], images.z[images.geometry_ids != floor])
    both = follower.render(["above", follower.camera("orthographic")], (5, 4))
    assert [each.z.shape for each in both] == [(3, 4, 5)] * 2
    lidar = rt.Camera.panorama(elevation_table_degrees=[0.0, -30.0], columns=16)
    scan = follower.render(lidar, site="lidar", ignore_body="base")
    cloud = follower.scan(lidar, site="lidar", ignore_body="base")
    assert np.isfinite(scan.distance).sum() == len(cloud.points)
    out = {"z": np.empty((3, 8, 12), np.float32)}
    assert follower.render("above", (12, 8), out=out).z is out["z"]
    with pytest.raises(TypeError, match="has its own place"):
        follower.render("above", site="lidar")
    with pytest.raises(TypeError, match="one by one"):
        follower.render(["above"], out=out)


def test_an_image_of_one_world_is_an_image(model):
    follower = raytwin.mujoco.follow(model, device="cpu").update(states(model)[0])
    image = follower.render("above", (12, 8))
    assert isinstance(image, rt.Image) and image.z.shape == (8, 12) and image.shaded(1).startswith(b"\x89PNG")
    np.testing.assert_array_equal(image.z, follower.tracer.render(follower.camera("above"), (12, 8)).z)
    without = follower.render("above", (12, 8), ignore="floor", out={"z": np.empty((8, 12), np.float32)})
    assert not (without.geometry_ids == model.geom("floor").id).any()
