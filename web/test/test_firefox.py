"""The page in Firefox, which has no adapter here, by the driver that Mozilla drives it with."""

import contextlib
import json
import os
import time

import pytest
from conftest import ROOT, picked
from marionette_driver.marionette import Marionette

FIREFOX = os.environ.get("FIREFOX", "/usr/bin/firefox-esr")


@pytest.fixture(scope="module")
def firefox(tmp_path_factory):
    # The driver removes the log of that name, whatever it is, and writes another.
    log = tmp_path_factory.mktemp("firefox") / "log"
    client = Marionette(bin=FIREFOX, headless=True, gecko_log=str(log), prefs={"browser.aboutwelcome.enabled": False})
    client.start_session()
    client.timeout.script = 120
    yield client
    with contextlib.suppress(Exception):
        client.quit()
    client.cleanup()


def run(firefox, body):
    """Runs a line of the page, and returns what it gives."""
    # It runs among the page's own scripts, because what a driver's script makes is not theirs.
    text = f"(async () => {{ const {{ state, picture, tracer, look, pickCommand }} = raytwin; return JSON.stringify(await ({body})); }})()"
    return json.loads(firefox.execute_script("return window.wrappedJSObject.eval(arguments[0])", [text]))


def wait_for(firefox, condition):
    for _ in range(240):
        if firefox.execute_script(f"return {condition}"):
            return
        time.sleep(0.25)
    raise AssertionError(firefox.execute_script("return document.body.innerText"))


def drawn(firefox):
    wait_for(firefox, "document.documentElement.dataset.drawn === 'shaded' && !('loading' in document.documentElement.dataset)")


def test_firefox_draws_picks_and_moves_joints(firefox, address):
    firefox.navigate(address + "#scene=arm")
    drawn(firefox)
    text = firefox.execute_script("return document.querySelector('#device').textContent")
    assert "float64 tracer" in text or "your GPU" in text
    assert firefox.execute_script("return document.querySelector('#fault').hidden && getComputedStyle(document.querySelector('#starting')).display === 'none'")
    before = run(firefox, "Array.from(picture.ids)")
    assert sum(id != 0xFFFFFFFF for id in before) > 0.02 * len(before)
    firefox.execute_script("""
        const slider = document.querySelector("#joints input");
        slider.value = "0.75";
        slider.dispatchEvent(new Event("input"));
    """)
    wait_for(firefox, "location.hash.includes('joint=')")
    drawn(firefox)
    assert run(firefox, "Array.from(picture.ids)") != before
    for index in [index for index, id in enumerate(run(firefox, "Array.from(picture.ids)")) if id != 0xFFFFFFFF][::20000]:
        width = run(firefox, "picture.size().width")
        ask = f"tracer.ask('pick', {{ look: look(), ...picture.size(), x: {index % width}, y: {index // width} }})"
        answer = run(firefox, ask)["answer"]
        command = run(firefox, f"pickCommand({{ ...state, picked: {{ look: look(), size: picture.size(), pixel: {{ x: {index % width}, y: {index // width} }} }} }})")
        assert answer == {key: value for key, value in picked(command, ROOT).items() if key != "command"}


def test_firefox_shows_every_kind_of_picture_and_tells_what_a_proof_needs(firefox, address):
    firefox.navigate(address + "?cpu#scene=caffeine&picture=ids")
    wait_for(firefox, "document.documentElement.dataset.drawn === 'ids'")
    firefox.navigate(address + "prove.html")
    wait_for(firefox, "document.querySelector('#start') !== null && document.documentElement.dataset.proof === 'idle'")
    assert firefox.execute_script("return document.querySelector('#start').textContent.trim()") == "Prove my GPU"
