"""Images: their arrays, their files and their pictures."""

import json
import pickle
import struct

import numpy as np
import pytest
from program import run

import raytwin as rt

CAMERA = rt.Camera.perspective((6, -6, 4), (0, 0, 1))
ARRAYS = ["distance", "z", "geometry_ids", "primitive_ids", "primitive_normals"]


@pytest.fixture
def scene():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 1], [2, 1, 1]], [1, 0.75], names=["ball", "apple"])
    scene.add_planes([0, 0, 0], [0, 0, 1])
    return scene


def png_size(picture):
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", picture[16:24])


def test_an_image_is_the_query_of_its_rays(scene):
    tracer = rt.Tracer(scene, "cpu")
    image = tracer.render(CAMERA, (80, 60))
    hits = tracer.cast_rays(rt.rays.camera(CAMERA, (80, 60)))
    assert [image[name].shape for name in ARRAYS] == [(60, 80)] * 4 + [(60, 80, 3)]
    assert image.distance.tobytes() == hits.t_hit.tobytes()
    for name in ["geometry_ids", "primitive_ids", "primitive_normals"]:
        assert image[name].tobytes() == hits[name].tobytes(), name
    assert set(np.unique(image.geometry_ids)) == {0, 1, 2, 0xFFFFFFFF}
    forward = CAMERA.matrix[:3, 2]
    seen = np.isfinite(image.distance)
    z = image.distance * (rt.rays.camera(CAMERA, (80, 60))[..., 3:] @ forward)
    np.testing.assert_allclose(image.z[seen], z[seen], rtol=1e-6)
    assert image.camera == CAMERA and repr(image) == "Image(80x60 by camera)"


CAMERAS = [
    {"name": "a", "eye": [6.1, -6.3, 4], "target": [0, 0, 1.7], "fov_y_degrees": 40, "range_max": 9},
    {"name": "b", "eye": [0, 0, 9], "target": [0, 0, 0], "height": 4, "noise": {"stddev": 0.5, "seed": 7}},
    {"name": "c", "eye": [1, 0, 9], "target": [0, 2, 3], "fx": 90, "fy": 91, "cx": 31, "cy": 25, "width": 64, "height": 48},
    {"name": "d", "eye": [1, -3, 2], "target": [0, 2, 2], "lidar": "VLP-16", "columns": 64},
]


@pytest.mark.parametrize("origin", [[0, 0, 0], [500000, 5600000, 100]])
@pytest.mark.parametrize("camera", [None, "b", "c", "d"])
def test_an_image_is_that_of_the_program(tmp_path, camera, origin):
    def moved(point):
        return [number + start for number, start in zip(point, origin)]

    cameras = [{**each, "eye": moved(each["eye"]), "target": moved(each["target"])} for each in CAMERAS]
    shapes = [
        {"type": "sphere", "center": moved([0, 0, 1]), "radius": 1.0},
        {"type": "torus", "center": moved([1, 2, 0.5]), "axis": [0.2, 0.1, 1], "major_radius": 1, "minor_radius": 0.3},
        {"type": "plane", "point": moved([0, 0, 0]), "normal": [0, 0, 1]},
    ]
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"raytwin": 1, "origin": origin, "shapes": shapes, "cameras": cameras}))
    # Those that have a size of their own are asked for no other.
    size = None if camera in ("c", "d") else (64, 48)
    named = ["--camera", camera] if camera else []
    sized = ["--size", "64x48"] if size else []
    run("render", path, "--device", "cpu", "--shading", 1, "--out", tmp_path / "program", *named, *sized)
    image = rt.Tracer(rt.Scene.load(path), "cpu").render(camera, size)
    image.save(tmp_path / "wheel", shading=1)
    written = [np.load(tmp_path / each / "render.npz") for each in ("program", "wheel")]
    for name in ARRAYS:
        assert image[name].tobytes() == written[0][name].tobytes() == written[1][name].tobytes(), name
    for name in ["shaded.png", "distance.png", "normals.png", "render.exr", "geometries.json"]:
        assert (tmp_path / "program" / name).read_bytes() == (tmp_path / "wheel" / name).read_bytes(), name


LIDAR = rt.Camera.lidar("VLP-16", [[1, 0, 0, 6], [0, 1, 0, -6], [0, 0, 1, 2]], beam=rt.camera.Beam(3.0, 0.01, 7))


@pytest.mark.parametrize("camera, size", [(CAMERA, (40, 30)), (LIDAR, None)])
def test_an_image_without_normals_is_the_same_otherwise_and_saves_them(tmp_path, scene, camera, size):
    tracer = rt.Tracer(scene, "cpu")
    whole, short = (tracer.render(camera, size, normals=normals) for normals in (True, False))
    assert set(whole) - set(short) == {"primitive_normals"}
    assert all(whole[name].tobytes() == short[name].tobytes() for name in short)
    for image, folder in [(whole, "whole"), (short, "short")]:
        image.save(tmp_path / folder, shading=0)
    assert (tmp_path / "whole/normals.png").read_bytes() == (tmp_path / "short/normals.png").read_bytes()
    assert short._repr_html_() == whole._repr_html_()


def test_a_camera_that_sees_everything_is_that_of_the_program(tmp_path, scene):
    scene.save(tmp_path / "scene.json")
    run("render", tmp_path / "scene.json", "--device", "cpu", "--shading", 0, "--size", "64x48", "--out", tmp_path)
    image = rt.Tracer(scene, "cpu").render(size=(64, 48))
    assert image.distance.tobytes() == np.load(tmp_path / "render.npz")["distance"].tobytes()
    scene.hide("ball")
    looking = ["--eye", "6.1,-6.2,4.3", "--target", "0.1,0.2,1.3", "--fov-y", 33, "--size", "50x40"]
    scene.save(tmp_path / "scene.json")
    run("render", tmp_path / "scene.json", "--device", "cpu", "--shading", 0, "--out", tmp_path, *looking)
    image = rt.Tracer(scene, "cpu").render(rt.Camera.perspective((6.1, -6.2, 4.3), (0.1, 0.2, 1.3), 33), (50, 40))
    assert image.distance.tobytes() == np.load(tmp_path / "render.npz")["distance"].tobytes()


def test_a_device_renders_what_the_cpu_does(scene):
    on_cpu, on_device = (rt.Tracer(scene, device).render(CAMERA, (80, 60)) for device in ("cpu", "gpu"))
    assert (on_cpu.geometry_ids == on_device.geometry_ids).mean() > 0.999
    seen = on_cpu.geometry_ids == on_device.geometry_ids
    np.testing.assert_allclose(on_device.distance[seen], on_cpu.distance[seen], rtol=1e-5)


def test_an_image_shows_itself(scene):
    image = rt.Tracer(scene, "cpu").render(CAMERA, (256, 257))
    assert png_size(image._repr_png_()) == (256, 257)
    html = image._repr_html_()
    assert html.count("data:image/png;base64,") == 2 and 'alt="distance"' in html


def test_pictures_are_of_the_scene_that_was_rendered(scene, tmp_path):
    tracer = rt.Tracer(scene, "cpu")
    image = tracer.render(CAMERA, (32, 32))
    before = image.shaded(1)
    scene.hide("ball")
    assert image.shaded(1) == before
    tracer.update()
    assert image.shaded(1) == before and tracer.render(CAMERA, (32, 32)).shaded(1) != before
    names = {path.name for path in image.save(tmp_path, shading=0, range=(1, 20), z_scale=1000, instances=True)}
    assert "z_16bit.png" in names and "shaded.png" not in names
    assert "instance_ids" in np.load(tmp_path / "render.npz")


def test_a_pickled_image_has_its_arrays(scene):
    image = rt.Tracer(scene, "cpu").render(CAMERA, (32, 24))
    again = pickle.loads(pickle.dumps(image))
    assert again.camera == CAMERA and all((again[name] == image[name]).all() for name in image)
    with pytest.raises(rt.Error, match="render it again"):
        again.shaded()


def test_a_sensor_acts_on_distances_and_not_on_ids(scene):
    tracer = rt.Tracer(scene, "cpu")
    plain = tracer.render(CAMERA, (80, 60))
    limited = rt.Camera.perspective((6, -6, 4), (0, 0, 1), range_max=9.0, noise=(0.01, 3))
    image = tracer.render(limited, (80, 60))
    assert (image.geometry_ids == plain.geometry_ids).all()
    seen = np.isfinite(image.distance)
    assert 0 < seen.sum() < np.isfinite(plain.distance).sum() and image.distance[seen].max() <= 9.0
    assert 0.005 < (image.distance[seen] - plain.distance[seen]).std() < 0.02


def test_what_cannot_be_rendered_is_refused(scene):
    tracer = rt.Tracer(scene, "cpu")
    for given, error, message in [
        (("front",), rt.SceneError, "camera front: the scene has no such camera"),
        ((3,), TypeError, "must be a Camera"),
        ((CAMERA, (0, 5)), ValueError, "width and height"),
        ((CAMERA, (-1, 5)), ValueError, "width and height"),
        ((CAMERA, 640), ValueError, "width and height"),
        ((CAMERA, (6.5, 5)), ValueError, "width and height"),
        ((CAMERA, (2**20, 2**20)), rt.SceneError, "pixels"),
        ((rt.Camera.perspective((6, -6, 4), (0, 0, 1), hide="ball"),), rt.SceneError, r"call hide\('ball'\)"),
        ((rt.Camera.perspective((6, -6, 4), (0, 0, 1), hide="nosuch"),), rt.SceneError, "no geometry has that path"),
    ]:
        with pytest.raises(error, match=message):
            tracer.render(*given)
    scene.hide("ball")
    with pytest.raises(rt.SceneError, match="update"):
        tracer.render(CAMERA)
    tracer.update()
    tracer.render(rt.Camera.perspective((6, -6, 4), (0, 0, 1), hide="ball"), (8, 8))


def test_an_image_has_labels_and_colours_where_they_are_asked_for(tmp_path):
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 0], [3, 0, 0], [6, 0, 0]], 1.0, color=[[1, 0, 0], [0, 0.5, 1], [1, 1, 1]])
    scene.set_label([0], 7, name="ball", reflectance=0.25)
    scene.set_label("sphere[1]", 65535)
    assert scene.labels.tolist() == [7, 65535, 0] and scene.label_names == {7: "ball"}
    assert scene.reflectances.tolist() == [0.25, 0.5, 0.5]
    tracer = rt.Tracer(scene, device="cpu")
    camera = rt.Camera.perspective((3, -20, 0), (3, 0, 0), fov_y_degrees=30)
    plain = tracer.render(camera, (80, 40))
    assert "label_ids" not in plain and "albedo" not in plain
    image = tracer.render(camera, (80, 40), labels=True, albedo=True)
    ids = image.geometry_ids
    of_ids = {0: (7, (255, 0, 0)), 1: (65535, (0, 128, 255)), 2: (0, (255, 255, 255)), 0xFFFFFFFF: (0, (0, 0, 0))}
    assert set(np.unique(ids).tolist()) == set(of_ids)
    for number, (label, color) in of_ids.items():
        assert (image.label_ids[ids == number] == label).all() and (image.albedo[ids == number] == color).all()
    assert image.label_ids.dtype == np.uint16 and image.albedo.dtype == np.uint8
    hits = tracer.cast_rays([[0, -5, 0, 0, 1, 0], [3, -5, 0, 0, 1, 0], [9, 0, 9, 0, 0, 1]], labels=True)
    assert hits.label_ids.tolist() == [7, 65535, 0] and hits.label_ids.dtype == np.uint16
    image.save(tmp_path / "out", shading=0, labels=True, cloud=tmp_path / "c.npy", cloud_normals=True, frame="sensor")
    saved = np.load(tmp_path / "out/render.npz")
    np.testing.assert_array_equal(saved["label_ids"], image.label_ids)
    np.testing.assert_array_equal(saved["albedo"], image.albedo)
    cloud = np.load(tmp_path / "c.npy")
    assert (tmp_path / "out/labels.png").exists() and len(cloud) == (ids != 0xFFFFFFFF).sum()
    np.testing.assert_allclose(cloud["z"], image.z[ids != 0xFFFFFFFF], rtol=1e-5)
    np.testing.assert_array_equal(cloud["label"], image.label_ids[ids != 0xFFFFFFFF])
    assert cloud.dtype.names == ("x", "y", "z", "geometry_id", "ring", "column", "label", "nx", "ny", "nz")
    with pytest.raises(rt.FileError, match="not a point cloud"):
        image.save(tmp_path / "bad", shading=0, cloud=tmp_path / "c.txt")
    with pytest.raises(ValueError, match="65535"):
        scene.set_label(0, 65536)
    with pytest.raises(ValueError, match="0 to 1"):
        scene.set_label(0, 1, reflectance=1.5)


def test_a_table_labels_the_scene_of_a_file(tmp_path):
    (tmp_path / "balls.csv").write_text("type,name,center_x,center_y,center_z,radius\nsphere,a/b,0,0,0,1\nsphere,a/c,3,0,0,1\n")
    (tmp_path / "labels.csv").write_text("pattern,label,name\na/c,2,two\na,1,one\n")
    scene = rt.Scene.load(tmp_path / "balls.csv", labels=tmp_path / "labels.csv")
    assert scene.labels.tolist() == [1, 2] and scene.label_names == {1: "one", 2: "two"}
    assert rt.Scene(scene.to_bytes()).labels.tolist() == [1, 2]
    (tmp_path / "labels.csv").write_text("pattern,label\na,red\n")
    with pytest.raises(rt.FileError, match="labels.csv:2:3.*'red'"):
        rt.Scene.load(tmp_path / "balls.csv", labels=tmp_path / "labels.csv")


def test_a_lidar_with_a_beam_shows_its_first_returns(tmp_path):
    scene = rt.Scene()
    scene.add_cylinders([6, 0, -1], [6, 0, 1], 0.1)
    scene.add_planes([9, 0, 0], [-1, 0, 0])
    scene.set_label([1], 3, reflectance=0.25)
    beam, returns = rt.camera.Beam(20.0, exit_diameter=0.02, subrays=19), rt.camera.Returns(max=3, range_resolution=0.3)
    lidar = rt.Camera(
        rt.camera.Panoramic((10, -10), elevation_table_degrees=(0.5, -0.5)), (0, 0, 0), (1, 0, 0), name="l", beam=beam,
        returns=returns, noise=rt.camera.Noise(0.0, 7, jitter_mrad=0.01),
    )
    tracer = rt.Tracer(scene, device="cpu")
    image = tracer.render(lidar, (80, 2))
    assert np.isfinite(image.distance).all() and set(np.unique(image.geometry_ids)) == {0, 1}
    image.save(tmp_path / "out", shading=0, cloud=tmp_path / "c.npy", labels=True)
    cloud = np.load(tmp_path / "c.npy")
    assert (cloud["number_of_returns"] == 2).sum() >= 4 and (cloud["return_number"] == 1).sum() == 160
    wall = cloud[(cloud["geometry_id"] == 1) & (cloud["number_of_returns"] == 1)]
    distance = np.linalg.norm(np.column_stack([wall["x"], wall["y"], wall["z"]]), axis=1)
    wanted = 0.25 * np.cos(np.radians(wall["incidence"])) / distance**2
    np.testing.assert_allclose(wall["intensity"], wanted, rtol=0.01)
    image.save(tmp_path / "out", shading=0, cloud=tmp_path / "c.laz")
    with pytest.raises(rt.SceneError, match="subrays"):
        rt.Camera(lidar.projection, (0, 0, 0), (1, 0, 0), beam=rt.camera.Beam(1.0, subrays=8))
    with pytest.raises(ValueError, match="mode must be one of"):
        rt.Camera(lidar.projection, (0, 0, 0), (1, 0, 0), returns=rt.camera.Returns(mode="best"))
    with pytest.raises(TypeError, match="beam must be a Beam"):
        rt.Camera(lidar.projection, (0, 0, 0), (1, 0, 0), beam=(1.0, 0.0, 7))


def test_the_last_part_of_a_cameras_path_names_it(tmp_path):
    camera = {"eye": [6, 0, 0], "target": [0, 0, 0], "fov_y_degrees": 40}
    names = ["a/front", "a/rear", "b/rear"]
    ball = {"type": "sphere", "center": [0, 0, 0], "radius": 1}
    cameras = [{"name": name, **camera} for name in names]
    path = tmp_path / "scene.json"
    path.write_text(json.dumps({"raytwin": 1, "shapes": [ball], "cameras": cameras}))
    tracer = rt.Tracer(rt.Scene.load(path), "cpu")
    for name, found in [("front", "a/front"), ("b/rear", "b/rear")]:
        assert tracer.render(name, (4, 3)).camera.name == found
    with pytest.raises(rt.SceneError, match="camera rear: several cameras .* a/rear, b/rear"):
        tracer.render("rear", (4, 3))
    with pytest.raises(rt.SceneError, match="no such camera; it has a/front, a/rear, b/rear"):
        tracer.render("ear", (4, 3))


def test_a_background_is_seen_where_nothing_was_hit(tmp_path, scene):
    image = rt.Tracer(scene, "cpu").render(CAMERA, (80, 60))
    kinds = {None: 2, "white": 2, "#102030": 2, "none": 6}
    for background, kind in kinds.items():
        image.save(tmp_path / "out", shading=1, background=background)
        pictures = [tmp_path / "out" / f"{name}.png" for name in ["shaded", "distance", "geometry_ids", "normals"]]
        assert [picture.read_bytes()[25] for picture in pictures] == [kind] * 4
        assert image.shaded(1, background=background) == pictures[0].read_bytes()
    with pytest.raises(ValueError, match="background must be white, black, none or a colour such as #ff8000, and is 'pink'"):
        image.shaded(1, background="pink")
    with pytest.raises(TypeError, match="background must be"):
        image.shaded(1, background=7)


def test_a_chosen_camera_frames_what_is_not_hidden(tmp_path):
    atoms = [(0, "N"), (1.4, "CA"), (30, "CB"), (31.4, "C")]
    lines = [f"ATOM  {n:>5}  {name:<3} GLY A   1    {x:8.3f}   0.000   0.000\n" for n, (x, name) in enumerate(atoms, 1)]
    (tmp_path / "m.pdb").write_text("".join(lines))
    scene = rt.Scene.load(tmp_path / "m.pdb")

    def widths(size):
        hits = np.isfinite(rt.Tracer(scene, "cpu").render(size=size).distance).any(axis=0)
        return np.flatnonzero(hits)[[0, -1]]

    assert np.abs(widths((400, 300)) - [20, 379]).max() <= 1
    assert np.abs(widths((300, 400)) - [15, 284]).max() <= 1
    scene.hide("A/GLY1/C*")
    scene.hide("A/GLY1/N-*")
    alone = np.flatnonzero(np.isfinite(rt.Tracer(scene, "cpu").render().distance).any(axis=1))
    assert scene.fit_camera().name == "all" and np.abs(alone[[0, -1]] - [24, 455]).max() <= 1


def test_a_path_of_a_png_is_that_of_one_picture(scene, tmp_path):
    image = rt.Tracer(scene, "cpu").render(CAMERA, (32, 24))
    path = tmp_path / "x.PNG"
    assert image.save(path, shading=1, background="none") == [path]
    assert path.read_bytes() == image.shaded(1, background="none")
    image.save(path, shading=1)
    assert path.read_bytes() == image.shaded(1) and [*tmp_path.iterdir()] == [path]
    for options in ({"labels": True}, {"cloud": "a.ply"}, {"shading": 0}, {"range": (0, 9)}):
        with pytest.raises(ValueError, match="give a folder for other files"):
            image.save(tmp_path / "y.png", **options)
    with pytest.raises(ValueError, match="is neither: give a folder"):
        image.save(tmp_path / "x.jpg")
    (tmp_path / "folder.png").mkdir()
    for wrong in (tmp_path / "folder.png", tmp_path / "none" / "x.png"):
        with pytest.raises(rt.FileError, match="cannot be written"):
            image.save(wrong)
    assert {each.name for each in tmp_path.iterdir()} == {"x.PNG", "folder.png"}
