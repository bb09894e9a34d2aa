"""A cloud of a simulation as LAS has what the program writes of a scan: `scan` and this write by the same library."""

import pickle

import mujoco
import numpy as np
import pyarrow.parquet as pq
import pytest

import raytwin as rt
import raytwin.mujoco

# A robot's lidar above a floor of another group, and a ball.
ROOM = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" group="2"/>
    <geom name="ball" size=".5" pos="3 1 1"/>
    <body name="robot" pos="0 0 1"><freejoint/><geom name="trunk" size=".1"/><site name="lidar" pos="0 0 .5" euler="0 0 90"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model():
    return mujoco.MjModel.from_xml_string(ROOM)


@pytest.fixture
def data(model):
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return data


def test_a_cloud_as_las_tells_its_system_its_labels_and_its_intensities(model, data, tmp_path):
    follower = raytwin.mujoco.follow(model, device="cpu", label_groups=True)
    clouds = []
    for step in range(2):
        data.time = 7.0 + 0.5 * step
        data.site_xpos[:] += [0.1, 0, 0]
        clouds.append(follower.update(data).scan("VLP-16", site="lidar", labels=True, intensity=True))
    drive = pickle.loads(pickle.dumps(rt.Cloud.concatenate(clouds)))
    assert drive.label_names == follower.scene.label_names and drive.label_names[1] == "group0"
    drive.save(tmp_path / "drive.las", crs="EPSG:25832")
    las = (tmp_path / "drive.las").read_bytes()
    assert b"ETRS89 / UTM zone 32N" in las and b"\x01group0\0" in las
    start, length = int.from_bytes(las[96:100], "little"), int.from_bytes(las[105:107], "little")
    fields = {"intensity": ("<u2", 12), "class": ("u1", 16), "angle": ("<i2", 18), "source": ("<u2", 20), "time": ("<f8", 22)}
    kind = {"names": list(fields), "formats": [f[0] for f in fields.values()], "offsets": [f[1] for f in fields.values()]}
    rows = np.frombuffer(las[start:], np.dtype({**kind, "itemsize": length}))
    assert len(rows) == len(drive.points)
    np.testing.assert_array_equal(rows["class"], drive.label_ids)
    # The light of a perpendicular surface of reflectance 1 is 65535 at any distance.
    np.testing.assert_allclose(drive.normalized_intensity, drive.intensity * drive.distance**2, rtol=1e-5)
    np.testing.assert_allclose(rows["intensity"], 65535 * drive.normalized_intensity, atol=0.51)
    drive.save(tmp_path / "raw.las", intensity="raw")
    raw = (tmp_path / "raw.las").read_bytes()
    at = raw.index(b"raytwin\0", 375)
    least, most = np.frombuffer(raw[at + 52 : at + 68], "<f8")
    start = int.from_bytes(raw[96:100], "little")
    stored = np.frombuffer(raw[start:], np.dtype({**kind, "itemsize": length}))["intensity"]
    np.testing.assert_allclose(least * (most / least) ** (stored / 65535), drive.intensity, rtol=2e-4)
    np.testing.assert_array_equal(rows["time"], drive.time - 7.0)
    np.testing.assert_array_equal(rows["source"], np.repeat([1, 2], [len(cloud.points) for cloud in clouds]))
    eye = drive.sweeps.poses[0].reshape(3, 4)[:, 3]
    down = (eye - clouds[0].points)[:, 2] / np.linalg.norm(clouds[0].points - eye, axis=1)
    np.testing.assert_allclose(np.abs(0.006 * rows["angle"][: len(down)]), np.degrees(np.arccos(down)), atol=0.01)
    (tmp_path / "here.wkt").write_text('LOCAL_CS["here"]')
    drive.save(tmp_path / "here.laz", crs=tmp_path / "here.wkt")
    assert b'LOCAL_CS["here"]\0' in (tmp_path / "here.laz").read_bytes()
    for name, crs, reason in [
        ("a.las", "EPSG:4326", "degrees"),
        ("a.las", "EPSG:1", "not known"),
        ("a.ply", "EPSG:25832", "leave it out"),
        ("a.mcap", "EPSG:25832", "leave it out"),
    ]:
        with pytest.raises(ValueError, match=reason):
            drive.save(tmp_path / name, crs=crs)
    for name, kind_of_intensity, reason in [("a.las", "both", "'normalized' or 'raw'"), ("a.ply", "raw", "store both")]:
        with pytest.raises(ValueError, match=reason):
            drive.save(tmp_path / name, intensity=kind_of_intensity)
    with pytest.raises(rt.FileError, match="none.wkt"):
        drive.save(tmp_path / "a.las", crs="none.wkt")
    assert not (tmp_path / "a.las").exists()


def test_a_cloud_is_a_table_with_the_columns_of_its_file(model, data, tmp_path):
    cloud = raytwin.mujoco.follow(model, device="cpu").update(data).scan("VLP-16", site="lidar", intensity=True)
    cloud.save(tmp_path / "cloud.parquet")
    saved, table = pq.read_table(tmp_path / "cloud.parquet"), cloud.to_arrow()
    assert sorted(table.column_names) == sorted(saved.column_names) and table.num_rows > 100
    assert table.select(saved.column_names).cast(saved.schema) == saved
