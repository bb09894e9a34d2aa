"""What a scene and an image show in a notebook, with and without what lets them be turned."""

import base64
import gzip
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scenes import ball, of_shapes

import raytwin as rt
from raytwin import notebook

ROBOT = Path(__file__).resolve().parents[2] / "examples" / "robots" / "arm.urdf"
CAMERA = rt.Camera.perspective((6, -6, 4), (0, 0, 1), 35)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def scene():
    scene = rt.Scene()
    scene.add_spheres([[0, 0, 1], [3, 0, 1]], 0.8, name="ball")
    return scene


@pytest.fixture
def page(monkeypatch, tmp_path):
    """A page of two files, as the wheel holds it."""
    with zipfile.ZipFile(tmp_path / "page.zip", "w") as archive:
        for name, text in {"index.html": "<p>", "main.js": "1", "examples/a.json": "{}"}.items():
            archive.writestr(name, text)
    monkeypatch.setattr(notebook.page, "_ARCHIVE", tmp_path / "page.zip")
    notebook.page.version.cache_clear()
    notebook.page.packed.cache_clear()
    yield
    notebook.page.version.cache_clear()
    notebook.page.packed.cache_clear()


@pytest.fixture
def widgets():
    import anywidget

    return anywidget


def asked(view, question):
    """Asks a view as the browser does, and returns its answer and the buffers."""
    sent = []
    view.send = lambda content, buffers=None: sent.append((content, buffers))
    view._handle_custom_msg({**question, "id": 0.5}, [])
    ((answer, buffers),) = sent
    assert answer.pop("id") == 0.5
    json.dumps(answer)
    return answer, buffers


def test_a_picture_stands_in_without_anywidget(scene, page, monkeypatch):
    monkeypatch.setitem(sys.modules, "raytwin.notebook.scene_view", None)
    monkeypatch.setitem(sys.modules, "raytwin.notebook.image_view", None)
    shown = scene.show()
    bundle = shown._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/png"}
    assert base64.b64decode(bundle["image/png"]) == shown.png and shown.png.startswith(PNG)
    assert "pip install 'raytwin[notebook]'" in repr(shown) and "raytwin[notebook]" in bundle["text/html"]
    image = rt.Tracer(scene, "cpu").render(CAMERA, (40, 30)).show("ids")
    assert set(image._repr_mimebundle_()) == {"text/plain", "image/png"} and "Image(40x30" in repr(image)


def test_a_picture_stands_in_without_the_page(scene, monkeypatch, tmp_path):
    monkeypatch.setattr(notebook.page, "_ARCHIVE", tmp_path / "none.zip")
    assert "lacks the page" in repr(scene.show())


def test_a_script_gets_a_helpful_object(tmp_path):
    code = "import raytwin as rt; s = rt.Scene(); s.add_spheres([0, 0, 0], 1.0); print(s.show()); print(rt.Tracer(s, 'cpu').render(size=(8, 6)).show())"
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    lines = said.stdout.splitlines()
    assert len(lines) == 2 and all(re.match("<(view|picture) of .* a notebook shows it, and .png is", line) for line in lines)


def test_a_view_has_a_picture_for_exports_and_saves_no_scene(page, widgets):
    heavy = rt.Scene()
    heavy.add_spheres(np.random.default_rng(1).uniform(-9, 9, (20_000, 3)), 0.1)
    view = heavy.show()
    data, metadata = view._repr_mimebundle_()
    assert {"text/plain", "image/png", "application/vnd.jupyter.widget-view+json"} == set(data) and metadata == {}
    assert base64.b64decode(data["image/png"]) == view.png and view.png.startswith(PNG)
    saved = sum(len(each) for each in view.get_state().values() if isinstance(each, (bytes, str)))
    assert saved < 500_000 < len(heavy.to_bytes())


def test_a_view_answers_for_the_page_and_the_scene(scene, page, widgets):
    view = scene.show()
    answer, buffers = asked(view, {"ask": "page"})
    assert answer == {"names": ["index.html", "main.js"]}
    assert [gzip.decompress(buffer) for buffer in buffers] == [b"<p>", b"1"]
    before = scene.to_bytes()
    scene.hide("ball")
    answer, (now,) = asked(view, {"ask": "scene", "joints": {}})
    assert answer == {"head": {"name": "scene", "warnings": [], "joints": []}} and now == before
    answer, buffers = asked(view, {"ask": "scene", "joints": {"elbow": 1.0}})
    assert "joints" in answer["error"] and buffers == []


def test_sliders_move_the_copy_that_is_shown(page, widgets):
    robot = rt.Scene.load(ROBOT, movable=True, joints={"elbow": 0.5})
    still = robot.to_bytes()
    view = robot.show()
    answer, (scene,) = asked(view, {"ask": "scene", "joints": {}})
    joints = {joint["name"]: joint for joint in answer["head"]["joints"]}
    assert list(joints) == robot.joint_names and scene == still
    assert joints["elbow"] == {"name": "elbow", "turns": True, "value": 0.5, "limits": joints["elbow"]["limits"]}
    low, high = joints["elbow"]["limits"]
    assert low < 0.5 < high

    answer, (moved,) = asked(view, {"ask": "scene", "joints": {"elbow": 1.25}})
    assert {joint["name"]: joint["value"] for joint in answer["head"]["joints"]}["elbow"] == 1.25
    assert robot.to_bytes() == still
    robot.set_joints({"elbow": 1.25})
    rays = rt.rays.camera(CAMERA, (64, 48))
    hits = [rt.Tracer(each, "cpu").cast_rays(rays) for each in (robot, rt.Scene(moved))]
    assert hits[0].t_hit.tobytes() == hits[1].t_hit.tobytes()
    # What stands still has no sliders.
    answer, _ = asked(rt.Scene.load(ROBOT).show(), {"ask": "scene", "joints": {}})
    assert answer["head"]["joints"] == []


def test_a_view_begins_at_a_camera(scene, page, widgets, tmp_path):
    assert scene.show()._link == "#scene=served&picture=shaded"
    assert scene.show(CAMERA, kind="ids")._link.startswith("#scene=served&picture=ids&camera=")

    def numbers(shown, camera):
        return [float(number) for number in shown.show(camera)._link.split("camera=")[1].split(",")]

    assert numbers(scene, CAMERA) == [6, -6, 4, 0, 0, 1, 0, 0, 1, 35]
    # What has no target looks as far as the middle of the scene, at (1.5, 0, 1), and what has no level horizon keeps its own.
    posed = rt.Camera(rt.camera.Perspective(40), pose=np.hstack([np.eye(3), [[1.5], [0], [-9]]]))
    np.testing.assert_allclose(numbers(scene, posed), [1.5, 0, -9, 1.5, 0, 1, 0, -1, 0, 40], atol=1e-5)
    of_file = of_shapes(tmp_path, [ball()], cameras=[{"name": "low", "eye": [3, 4, 5], "target": [0, 0, 5], "fov_y_degrees": 30}])
    np.testing.assert_allclose(numbers(of_file, "low"), [3, 4, 5, 0, 0, 5, 0, 0, 1, 30], atol=1e-5)


def test_an_image_tells_its_pixels(scene, widgets):
    image = rt.Tracer(scene, "cpu").render(CAMERA, (40, 30))
    pictures = {kind: image.show(kind).png for kind in notebook.KINDS}
    assert len(set(pictures.values())) == 4 and all(png.startswith(PNG) for png in pictures.values())
    view = image.show("distance")
    answer, (distances, ids) = asked(view, {"ask": "pixels"})
    assert answer["size"] == [40, 30]
    assert distances == image.distance.tobytes() and ids == image.geometry_ids.tobytes()
    paths = {each["id"]: each["path"] for each in answer["geometries"]}
    assert paths == {index: scene.path(index) for index in (0, 1)}
    saved = sum(len(each) for each in view.get_state().values() if isinstance(each, (bytes, str)))
    assert saved < 100_000


def test_what_cannot_be_shown_is_refused(scene):
    with pytest.raises(ValueError, match="kind must be one of shaded, distance, ids, normals"):
        scene.show(kind="z")
    with pytest.raises(ValueError, match="height"):
        scene.show(height=0)
    with pytest.raises(ValueError, match="perspective"):
        scene.show(rt.Camera.lidar("VLP-16"))
    with pytest.raises(rt.SceneError, match="camera front: the scene has no such camera"):
        scene.show("front")
    with pytest.raises(rt.SceneError, match="no shapes"):
        rt.Scene().show()
    image = rt.Tracer(scene, "cpu").render(CAMERA, (8, 6))
    with pytest.raises(ValueError, match="kind must be one of"):
        image.show("z")
