"""Prove my GPU in a real browser, and its report in the program."""

import json
import time

import pytest
from conftest import program

DONE = "html[data-proof=done]"


def prove(open_page, fault=None, **options):
    """Runs the proof to its end, and returns the page."""
    page = open_page("prove.html" if fault else "prove.html#start", **options)
    if fault:
        page.tab.wait_for_selector(f"#fault option[value={fault}]", state="attached")
        page.tab.select_option("#fault", fault)
        page.tab.click("#start")
    page.tab.wait_for_selector("html[data-proof=done], html[data-proof=failed]", timeout=400_000)
    return page


def sums(page, table):
    rows = page.tab.eval_on_selector_all(f"#{table} tbody tr", "all => all.map(row => [...row.cells].slice(1).map(cell => cell.textContent))")
    return sum(0 if text == "·" else int(text.replace(",", "")) for row in rows for text in row)


def assert_is_drawn(page, worst):
    """Fails unless the worst answer has its picture, if it is about a ray. Which answer is the worst is the driver's."""
    assert page.tab.is_visible("#worst figure") == (worst["ray"] is not None)
    if worst["ray"] is not None:
        page.tab.wait_for_function("() => document.querySelector('#worst img').naturalWidth > 0")


def judged(page, folder):
    """Downloads the report, and has the program judge it."""
    with page.tab.expect_download() as download:
        page.tab.click("#download")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    ran = program(["diff", "--against", path.name, "--json", "--report", "out"], folder)
    return json.loads(path.read_text()), ran


def test_a_million_rays_are_right_and_the_program_finds_the_same(open_page, tmp_path):
    begun = time.monotonic()
    page = prove(open_page)
    print(f"proved in {time.monotonic() - begun:.1f} s")
    result = page.get("({ ...state.result, picture: null, report: null })")
    summary = result["summary"]
    assert summary["mismatches"] == 0 and summary["sound"], summary["failures"]
    assert summary["rays"] > 1_000_000
    assert page.tab.get_attribute("#verdict", "class") == "right"
    assert "rightly" in page.tab.text_content("#verdict h2")
    for table in ["questions", "forms"]:
        assert sums(page, table) == summary["rays"] + summary["points"], table
    assert result["hash"] == result["exactHash"]
    assert result["hash"] in page.tab.text_content("#device")
    assert "swiftshader" in page.tab.text_content("#device [data-of=adapter]").lower()
    assert "the promised precision holds" in page.tab.text_content("#device")
    assert_is_drawn(page, summary["worst"][0])

    report, ran = judged(page, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "swiftshader" in report["adapter"].lower()
    said = json.loads(ran.stdout)
    for key in ["classes", "parts", "types", "rates", "rays", "points"]:
        assert said[key] == summary[key], key
    assert said["proof"]["exact_hash"] == result["hash"] == report["canonical_hash"]
    size = (tmp_path / "raytwin-proof.json").stat().st_size
    print(f"a report of {size / 1e6:.2f} MB")
    assert size < 3e6
    assert "Chrom" in (tmp_path / "out/report.html").read_text()


def test_a_fault_is_seen_and_its_report_fails(open_page, tmp_path):
    page = prove(open_page, "cylinder-no-caps")
    summary = page.get("state.result.summary")
    assert summary["mismatches"] > 0
    assert page.tab.get_attribute("#verdict", "class") == "wrong"
    assert "wrongly" in page.tab.text_content("#verdict h2")
    assert "cylinder-no-caps" in page.tab.text_content("#verdict p")
    assert page.tab.text_content("#worst h2") == "A wrong answer"
    assert summary["worst"][0]["ray"] is not None
    assert_is_drawn(page, summary["worst"][0])
    _, ran = judged(page, tmp_path)
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["mismatches"] == summary["mismatches"]
    assert "cylinder-no-caps" in (tmp_path / "out/report.html").read_text()


def test_a_cancelled_proof_shows_nothing_and_begins_anew(open_page):
    page = open_page("prove.html")
    assert page.tab.is_hidden("#cancel") and page.tab.is_hidden("#running")
    page.tab.click("#start")
    page.tab.wait_for_function("() => document.querySelector('#running [data-of=asked]').textContent !== '0'")
    page.tab.click("#cancel")
    for part in ["verdict", "running", "classes", "report"]:
        assert page.tab.is_hidden(f"#{part}"), part
    assert page.get("state.worker") is None
    assert "cancelled" in page.tab.text_content("#live")
    page.tab.keyboard.press("Enter")
    assert page.get("state.phase") == "running"
    page.tab.click("#cancel")


def test_without_webgpu_the_page_says_so(open_page):
    page = open_page("prove.html")
    page.tab.evaluate("() => Object.defineProperty(navigator, 'gpu', { value: undefined })")
    page.tab.click("#start")
    assert "no WebGPU" in page.tab.text_content("#verdict h2")
    assert "Chrome" in page.tab.text_content("#verdict p")
    assert page.tab.is_hidden("#report") and page.tab.is_hidden("#running")


def test_a_failure_in_the_middle_leaves_no_verdict(open_page):
    page = open_page("prove.html")
    page.tab.click("#start")
    page.tab.wait_for_function("() => document.querySelector('#running [data-of=asked]').textContent !== '0'")
    page.tab.evaluate("() => globalThis.raytwin.state.worker.onmessage({ data: { event: 'failed', reason: 'the device is lost' } })")
    assert "no verdict" in page.tab.text_content("#verdict h2")
    assert "the device is lost" in page.tab.text_content("#verdict p")
    for part in ["classes", "report", "worst", "running"]:
        assert page.tab.is_hidden(f"#{part}"), part
    assert page.tab.is_visible("#start")


def test_arrow_keys_choose_the_table(open_page):
    page = open_page("prove.html#start")
    page.tab.wait_for_selector("#classes:not([hidden])")
    page.tab.focus("#by-question")
    page.tab.keyboard.press("ArrowRight")
    assert page.tab.is_visible("#forms") and page.tab.is_hidden("#questions")
    assert page.get("document.activeElement.id") == "by-form"
    page.tab.click("#cancel")


def test_the_viewer_leads_to_the_proof(open_page):
    page = open_page("#scene=arm").drawn()
    page.tab.click("text=Prove my GPU")
    page.tab.wait_for_selector("html[data-proof=running]")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nothing_overflows_and_all_controls_have_names(open_page, scheme, width):
    viewport = {"width": width, "height": 760}
    page = open_page("prove.html#start", viewport=viewport, color_scheme=scheme)
    page.tab.wait_for_selector("#classes:not([hidden])")
    assert page.get("document.documentElement.scrollWidth") <= width
    nameless = page.tab.eval_on_selector_all(
        "button, select, a, section:not([hidden])",
        "all => all.filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.outerHTML)",
    )
    assert nameless == []
