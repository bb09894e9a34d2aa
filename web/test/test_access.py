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
