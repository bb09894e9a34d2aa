"""The files that the page saves, held against the program."""

import json
import struct

import numpy as np
import pytest
from conftest import program


def saved(page, what, folder):
    with page.tab.expect_download() as download:
        page.tab.click(f"[data-save={what}]")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.mark.parametrize("scene", ["gallery", "robot-room", "wrist", "pipe-rack"])
def test_the_program_finds_no_mismatch_in_the_picture_that_the_gpu_of_the_page_cast(open_page, tmp_path, scene):
    page = open_page(f"#scene={scene}&picture=ids").drawn()
    assert page.get("state.device.gpu"), page.get("state.device.reason")
    page.tab.click("#save")
    page.tab.select_option("#saving select", "640x480")
    path = saved(page, "npz", tmp_path)
    arrays = np.load(path)
    assert {name: arrays[name].shape for name in arrays} == {
        "distance": (480, 640), "z": (480, 640), "geometry_ids": (480, 640), "primitive_ids": (480, 640),
        "primitive_normals": (480, 640, 3), "albedo": (480, 640, 3),
    }
    assert np.isfinite(arrays["distance"]).mean() > 0.05
    command = page.tab.text_content("[data-of=judge] code")
    assert command.startswith("raytwin diff ") and "--against render.npz" in command
    ran = program(command.replace("render.npz", str(path)) + " --json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    judged = json.loads(ran.stdout)
    assert judged["mismatches"] == 0 and judged["rays"] == 640 * 480, judged


def test_a_saved_picture_is_what_the_page_shows(open_page, tmp_path):
    page = open_page("#scene=arm&picture=ids").drawn("ids")
    page.tab.click("#save")
    png = saved(page, "png", tmp_path).read_bytes()
    assert png.startswith(b"\x89PNG") and struct.unpack(">2I", png[16:24]) == page.size()
    path = saved(page, "npz", tmp_path)
    assert page.tab.evaluate("() => document.querySelector('#saving').open")
    ids = np.load(path)["geometry_ids"]
    page.tab.keyboard.press("Escape")
    page.drawn("ids")
    assert ids.ravel().tolist() == page.ids()
