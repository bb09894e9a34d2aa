"""The page for those who see, hear or point otherwise: axe-core finds no violation in any state of it."""

import pytest
from axe_playwright_python.sync_playwright import Axe


def violations(page):
    found = Axe().run(page.tab).response["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_of_the_page_is_accessible(open_page, scheme):
    page = open_page("#scene=caffeine", color_scheme=scheme, device_scale_factor=1).drawn()
    assert violations(page) == []
    for button in ["#measure", "#cut", "#label", "#parallel"]:
        page.tab.click(button)
    page.tab.focus("#picture")
    page.tab.keyboard.press("Enter")
    page.tab.wait_for_function("() => globalThis.raytwin.state.picked !== null")
    assert violations(page) == []
    for dialog, opens in [("#saving", "#save"), ("#address", "#open-address")]:
        page.tab.click(opens)
        assert violations(page) == [], dialog
        page.tab.keyboard.press("Escape")
    page.visit("prove.html")
    page.tab.wait_for_selector("html[data-proof=idle]")
    assert violations(page) == []


def test_a_phone_shows_what_is_measured_and_is_accessible(open_page):
    page = open_page("#scene=caffeine", viewport={"width": 390, "height": 760}, has_touch=True, is_mobile=True).drawn()
    assert violations(page) == []
    page.tab.click("#measure")
    for name in ["C6", "O6"]:
        id = page.get(f"state.scene.geometries.findIndex(({{ path }}) => path.endsWith('/{name}'))")
        pixels = [index for index, other in enumerate(page.ids()) if other == id]
        before = page.get("state.marks.length")
        page.tab.mouse.click(*page.place(pixels[len(pixels) // 2]))
        page.tab.wait_for_function("before => globalThis.raytwin.state.marks.length > before", arg=before)
    assert page.tab.text_content("#marks text") == page.tab.text_content("#measured li b")
    assert violations(page) == []
