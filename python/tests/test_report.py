"""Verification passes right answers, fails wrong ones, and shows both."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import raytwin as rt
from raytwin import report as shown
from scenes import GALLERY, aimed, ball, of_shapes, same_bits


@pytest.fixture(scope="module", params=["cpu", "gpu"])
def tracer(request):
    return rt.Tracer(rt.Scene.load(GALLERY), request.param)


def test_a_sound_tracer_passes_what_a_seed_asks(tracer):
    report = tracer.verify(count=100)
    assert report and report.passed and report.failures == []
    report.raise_for_mismatch()
    titles = [part["title"] for part in report.parts]
    assert "points" in titles and "filtered rays, all" in titles and "seeded rays, closest, solid" in titles
    counted = sum(report.counts.values())
    assert counted == sum(part["answers"] for part in report.parts) > 600
    assert report.device == tracer.device and "no mismatch" in repr(report)
    assert report.to_dict() == tracer.verify(count=100).to_dict() != tracer.verify(count=100, seed=2).to_dict()


def test_what_is_given_is_asked(tracer):
    rays = aimed(200)
    assert [part["title"] for part in tracer.verify(rays).parts] == [f"rays, {kind}" for kind in ("closest", "any", "count", "all")]
    assert [part["title"] for part in tracer.verify(rays, kinds=["any"], solid=True).parts] == ["rays, any, solid"]
    both = tracer.verify(rays, points=rays[:, :3], kinds=["count", "points"], masks=1)
    assert [(part["kind"], part["answers"]) for part in both.parts] == [("count", 200), ("points", 200)]
    assert tracer.verify(np.empty((0, 6))).parts == []


def test_the_worst_rays_can_be_cast_again(tmp_path):
    tracer = rt.Tracer(of_shapes(tmp_path, [ball((100.0, 0.0, 5.0))], origin=[100.0, 0.0, 0.0]), "gpu")
    rays = np.random.default_rng(5).normal(size=(2_000, 6)) * 0.3 + [100, 0, 0, 0, 0, 1]
    report = tracer.verify(rays, kinds=["closest"], masks=3)
    worst = report.worst_rays
    assert worst.rays.dtype == np.float64 and len(worst.rays) > 0 and set(worst.masks) == {3}
    index = report.worst[0]["index"]
    again = tracer.cast_rays(**worst)
    assert same_bits(again.t_hit[:1], tracer.cast_rays(rays[index : index + 1], masks=3).t_hit)
    assert np.float32(report.worst[0]["given"]["t"]) == again.t_hit[0]


def test_a_report_is_saved_whole(tracer, tmp_path):
    report = tracer.verify(aimed(500), kinds=["closest"])
    report.save(tmp_path / "report")
    saved = json.loads((tmp_path / "report" / "report.json").read_text())
    assert saved["classes"] == report.counts
    assert "<html" in (tmp_path / "report" / "report.html").read_text()
    (tmp_path / "file").write_text("")
    with pytest.raises(rt.FileError, match="file"):
        report.save(tmp_path / "file" / "report")


def test_a_notebook_gets_a_table_that_is_well_formed(tracer):
    html = tracer.verify(count=100)._repr_html_()
    page = ElementTree.fromstring(html)
    heads = [cell.text for cell in page.findall(".//table")[0].iter("th")]
    assert heads == ["type", *shown.CLASSES, "worst error / bound", "largest error", "99 % at most"]


def test_a_mismatch_is_reported_and_text_of_a_device_is_escaped():
    sound = rt.Tracer(rt.Scene.load(GALLERY), "cpu").verify(count=20).to_dict()
    nobody = {"t": None, "geometry_id": None, "primitive_id": None}
    worst = {
        **{"part": "rays, closest", "index": 3, "ray": "0, 0, 0, 0, 0, 1", "pick": "tracer.cast_rays([[0, 0, 0, 0, 0, 1]])"},
        **{"point": None, "class": "mismatch", "type": "sphere", "error": None, "cause": None, "exact": nobody},
        "given": {"t": 4.0, "geometry_id": 0, "primitive_id": 0},
    }
    wrong = {**sound, "sound": False, "failures": ["1 of 9 answers is wrong"], "mismatches": 1, "device": "<card>", "worst": [worst]}
    html = shown.html(wrong)
    ElementTree.fromstring(html)
    assert "&lt;card&gt;" in html and "raytwin-wrong" in html and "t 4.0, geometry_id 0" in html and "miss" in html
    assert "1 wrong" in shown.text(wrong) and "1 of 9 answers is wrong" in shown.text(wrong)


def test_images_of_worlds_are_judged(tracer):
    scene = rt.Scene.load(GALLERY)
    part = rt.Scene()
    part.add_boxes([0, 0, 0], [1, 1, 1])
    scene.add_instances(part, nodes=[scene.add_node(name="part")])
    places = np.tile(np.eye(4), (3, 1, 1, 1))
    places[:, 0, :3, 3] = [[0, 0, 0], [2, 0, 3], [-1, 1, 4]]
    scene.set_worlds(["part"], places)
    device = "cpu" if "CPU" in tracer.device else "gpu"
    report = rt.Tracer(scene, device=device).verify(kinds=["image"], count=1000)
    assert report.passed and [part["title"] for part in report.parts] == ["image, closest"] and sum(report.counts.values()) == 4 * 15**2
    with pytest.warns(UserWarning, match="points are not verified, because the scene has several worlds"):
        assert {part["kind"] for part in rt.Tracer(scene, device).verify(kinds=["points", "any"], count=100).parts} == {"any"}
    with pytest.raises(ValueError, match="leave 'image' out of kinds"):
        tracer.verify([[0, 0, 0, 0, 0, 1]], kinds=["image"])


def test_questions_that_cannot_be_asked_are_refused(tracer):
    with pytest.raises(ValueError, match="kinds must be a list of closest, any, count, all, points, image, and one is 'nearest'"):
        tracer.verify(kinds=["nearest"])
    with pytest.raises(ValueError, match="solid works with the kinds closest and any, and not with 'all'"):
        tracer.verify(kinds=["all"], solid=True)
    with pytest.raises(ValueError, match="rays must have 6 or 8 numbers"):
        tracer.verify([[1.0, 2.0]])
    with pytest.raises(ValueError, match="belong to rays: give rays"):
        tracer.verify(masks=[1])
    with pytest.raises(ValueError, match="count must be a whole number from 0, and is -1"):
        tracer.verify(count=-1)
    with pytest.raises(ValueError, match=r"seed must be a whole number from 0 to 2\*\*64 - 1, and is -1"):
        tracer.verify(count=1, seed=-1)


@pytest.mark.parametrize("asked", [{"count": 0}, {"kinds": []}, {"rays": np.zeros((1, 6)), "kinds": []}])
def test_what_asks_nothing_passes_for_nothing(asked):
    with pytest.raises(ValueError, match="nothing to verify"):
        rt.Tracer(rt.Scene.load(GALLERY), "cpu").verify(**asked)
