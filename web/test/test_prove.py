"""Prove my GPU in a real browser, and its report in the program."""

import base64
import json
import time
import zlib

import pytest
from conftest import Page, program

# The page may stand still for so many milliseconds.
STILL = 2000
# Keeps what the page shows while it runs, with the time of each change, and what each step said.
WATCH = """() => {
  globalThis.seen = [[performance.now(), '', '']];
  const look = () => {
    const [text, step] = [document.querySelector('#running').innerText, document.querySelector('#steps .now')?.innerText ?? ''];
    if (text !== seen.at(-1)[1] || step !== seen.at(-1)[2]) seen.push([performance.now(), text, step]);
  };
  setInterval(look, 50);
  new MutationObserver(look).observe(document.querySelector('#running'), { subtree: true, childList: true, attributes: true });
}"""
ENDED = "html[data-proof=done], html[data-proof=failed]"


def ended(page):
    page.tab.wait_for_selector(ENDED, timeout=400_000)
    return page


@pytest.fixture(scope="module")
def proved(browser, address):
    """A page that has run the proof, was watched, and waited for a slow server first."""
    context = browser.new_context(viewport={"width": 920, "height": 480}, permissions=["clipboard-read", "clipboard-write"])
    page = Page(context.new_page(), address).visit("prove.html")
    page.tab.evaluate(WATCH)
    context.route("**/*.wasm", lambda route: (time.sleep(1.5 * STILL / 1000), route.continue_()))
    begun = time.monotonic()
    page.tab.click("#start")
    ended(page)
    print(f"proved in {time.monotonic() - begun:.1f} s")
    yield page
    context.close()


@pytest.fixture(scope="module")
def report(proved):
    return json.loads(proved.get("state.result.report"))


def packed(text):
    """Deflates a text into base 64 for addresses."""
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(encoder.compress(text.encode()) + encoder.flush()).rstrip(b"=").decode()


def sums(page, table):
    rows = page.tab.eval_on_selector_all(f"#{table} tbody tr", "all => all.map(row => [...row.cells].slice(1).map(cell => cell.textContent))")
    return sum(0 if text == "·" else int(text.replace(",", "")) for row in rows for text in row)


def assert_is_drawn(page, worst):
    """Fails unless the worst answer has its picture, if it is about a ray. Which answer is the worst is the driver's."""
    assert page.tab.is_visible("#worst figure") == (worst["ray"] is not None)
    if worst["ray"] is not None:
        page.tab.wait_for_function("() => document.querySelector('#worst img').naturalWidth > 0")


def judged(path):
    """Has the program judge a report."""
    return program(["diff", "--against", path.name, "--json", "--report", "out"], path.parent)


def test_a_million_rays_are_right_and_the_program_finds_the_same(proved, tmp_path):
    page = proved
    result = page.get("({ ...state.result, picture: null, report: null, link: null })")
    summary = result["summary"]
    assert summary["mismatches"] == 0 and summary["sound"], summary["failures"]
    assert summary["rays"] > 1_000_000
    assert page.tab.get_attribute("#verdict", "class") == "right"
    assert "correctly" in page.tab.text_content("#verdict h2")
    for table in ["questions", "forms"]:
        assert sums(page, table) == summary["rays"] + summary["points"], table
    assert result["hash"] == result["exactHash"]
    assert result["hash"] in page.tab.text_content("#device")
    assert "swiftshader" in page.tab.text_content("#device [data-of=adapter]").lower()
    assert "the promised precision holds" in page.tab.text_content("#device")
    assert_is_drawn(page, summary["worst"][0])

    with page.tab.expect_download() as download:
        page.tab.click("#download")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    report, ran = json.loads(path.read_text()), judged(path)
    assert ran.returncode == 0, ran.stderr
    assert path.name == "raytwin-proof.json" and "swiftshader" in report["adapter"].lower()
    said = json.loads(ran.stdout)
    for key in ["classes", "parts", "types", "rates", "rays", "points"]:
        assert said[key] == summary[key], key
    assert said["proof"]["exact_hash"] == result["hash"] == report["canonical_hash"]
    size = path.stat().st_size
    print(f"a report of {size / 1e6:.2f} MB")
    assert size < 3e6
    assert "Chrom" in (tmp_path / "out/report.html").read_text()


def test_the_page_is_never_still_and_says_what_it_does(proved):
    seen = proved.tab.evaluate("() => [...seen, [performance.now(), '', '']]")
    shown = [(time, text) for time, text, _ in seen if text]
    still = max(later[0] - earlier[0] for earlier, later in zip(shown, shown[1:]))
    print(f"still for {still:.0f} ms at most, {len(shown)} texts")
    assert still <= STILL
    steps = [step for *_, step in seen]
    for text in ["Load the module", "Open the GPU", "scene 1 of 28", "compiling kernels", "· casting", "checking", "scene 28 of 28", "Write the report"]:
        assert any(text in step for step in steps), text


def test_the_plan_says_what_is_cast(open_page, proved):
    page = open_page("prove.html#start")
    assert page.get("state.phase") == "idle" and page.tab.is_visible("#plan")
    counts = page.tab.eval_on_selector_all("#plan .counts li", "all => all.map(item => item.innerText.replace(/\\s+/g, ' '))")
    summary = proved.get("state.result.summary")
    scenes = max(int(step.split("scene ")[1].split(" ")[0]) for *_, step in proved.tab.evaluate("() => seen") if "scene " in step)
    shapes = len([row for row in summary["types"] if row["type"] not in ("none", "hit")])
    rays, points = f"{summary['rays'] / 1e6:.2f} million rays", f"{round(summary['points'], -3):,} points"
    assert counts == [f"{scenes} scenes", rays, points, f"{shapes} kinds of shapes"]
    assert "Nothing leaves your machine" in page.tab.text_content("#begin")
    orange = page.tab.eval_on_selector_all(
        "button, a, select",
        """all => all.filter(e => e.checkVisibility() && getComputedStyle(e).backgroundColor === getComputedStyle(document.querySelector('#start')).backgroundColor)
            .map(e => e.id)""",
    )
    assert orange == ["start"]


def test_a_link_holds_the_report_and_is_judged_anew(open_page, proved, tmp_path):
    proved.tab.click("#link")
    link = proved.tab.evaluate("() => navigator.clipboard.readText()")
    print(f"a link of {len(link):,} characters")
    assert link.startswith(f"{proved.address}prove.html#report=")
    assert f"{len(link):,} characters" in proved.tab.text_content("#about-link")
    page = ended(open_page(link.removeprefix(proved.address)))
    result = page.get("({ ...state.result, picture: null })")
    assert result["summary"] == proved.get("state.result.summary")
    assert result["claims"]["hash"] == result["exactHash"]
    assert page.tab.get_attribute("#verdict", "class") == "right"
    assert "again" in page.tab.text_content("#verdict p")
    assert "swiftshader" in page.tab.text_content("#device [data-of=adapter]").lower()
    assert page.tab.text_content("#device [data-of=date]") == proved.tab.text_content("#device [data-of=date]")
    (tmp_path / "link.txt").write_text(link)
    ran = program(["diff", "--against", "link.txt", "--json"], tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["classes"] == result["summary"]["classes"]


def test_a_report_that_lies_is_found_out(open_page, report, tmp_path):
    lies = {**report, "adapter": "<b>a GPU</b>", "mutate": "cylinder-no-caps", "answers": list(report["answers"])}
    # The first part asks for closest hits, of each t, geometry and primitive: no t is as it was.
    words = zlib.decompress(base64.b64decode(lies["answers"][0]), -15)
    bent = bytes(byte ^ 64 if at % 4 == 2 and at < len(words) // 3 else byte for at, byte in enumerate(words))
    encoder = zlib.compressobj(9, zlib.DEFLATED, -15)
    lies["answers"][0] = base64.b64encode(encoder.compress(bent) + encoder.flush()).decode()
    assert lies["outcome"]["sound"]
    page = ended(open_page(f"prove.html#report={packed(json.dumps(lies))}"))
    assert page.tab.get_attribute("#verdict", "class") == "wrong"
    assert "wrongly" in page.tab.text_content("#verdict h2")
    assert page.tab.text_content("#device [data-of=adapter]") == "<b>a GPU</b>"
    assert "cylinder-no-caps" in page.tab.text_content("#verdict p")
    summary = page.get("state.result.summary")
    assert summary["mismatches"] > 0 and summary["worst"][0]["ray"] is not None
    assert page.tab.text_content("#worst h2") == "A wrong answer"
    assert_is_drawn(page, summary["worst"][0])
    (tmp_path / "lies.json").write_text(json.dumps(lies))
    ran = judged(tmp_path / "lies.json")
    assert ran.returncode == 1
    assert json.loads(ran.stdout)["mismatches"] == summary["mismatches"]
    assert "cylinder-no-caps" in (tmp_path / "out/report.html").read_text()


def test_links_that_hold_no_report_are_refused_in_words(open_page, report):
    page = open_page("prove.html")
    whole = packed(json.dumps(report))
    bad = {
        "ends too early": whole[: len(whole) // 2],
        "copy the link again": "%%%",
        "copy the whole link": "",
        "definition 99": packed(json.dumps({**report, "raytwin_proof": 99})),
        "unpacks to more than": packed(" " * 300_000_000),
    }
    for expected, text in bad.items():
        page.tab.evaluate("text => { location.hash = `report=${text}`; }", text)
        page.tab.wait_for_function("expected => document.querySelector('#verdict p').textContent.includes(expected)", arg=expected)
        assert "no report that can be checked" in page.tab.text_content("#verdict h2")
        assert page.get("state.phase") == "failed"
        assert page.tab.is_hidden("#classes") and page.tab.is_hidden("#device")
    page.tab.click("#start")
    assert "#report" not in page.tab.url
    page.tab.click("#cancel")


def test_links_back_keep_what_was_shown(open_page):
    page = open_page("prove.html?served=1")
    links = "all => all.map(link => link.getAttribute('href'))"
    assert page.tab.eval_on_selector_all("header a", links) == ["index.html?served=1"] * 2
    page.tab.evaluate("() => sessionStorage.setItem('view', '?served=1#picture=ids')")
    page.tab.reload()
    assert page.tab.eval_on_selector_all("header a", links) == ["index.html?served=1#picture=ids"] * 2
    page.tab.evaluate("() => sessionStorage.setItem('view', 'javascript:0')")
    page.tab.reload()
    assert page.tab.eval_on_selector_all("header a", links) == ["index.html?served=1"] * 2


def test_a_fault_is_seen_as_soon_as_it_is_cast(open_page, proved):
    page = open_page("prove.html")
    page.tab.click("#plan summary")
    page.tab.wait_for_selector("#fault option[value=cylinder-no-caps]", state="attached")
    page.tab.select_option("#fault", "cylinder-no-caps")
    page.tab.click("#start")
    page.tab.wait_for_selector("#questions tbody td.bad")
    # The rest of the million rays would end as the proof does, with these answers among them.
    result = proved.get("({ ...state.result, picture: null })")
    result["summary"] = {**result["summary"], "mismatches": 7, "sound": False}
    page.tab.evaluate("result => globalThis.raytwin.state.worker.onmessage({ data: { event: 'done', ...result } })", result)
    assert page.tab.get_attribute("#verdict", "class") == "wrong"
    assert "wrongly" in page.tab.text_content("#verdict h2")
    assert "The fault cylinder-no-caps was planted on purpose" in page.tab.text_content("#verdict p")


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
    page = open_page("prove.html")
    page.tab.click("#start")
    page.tab.wait_for_selector("#classes:not([hidden])")
    page.tab.focus("#by-question")
    page.tab.keyboard.press("ArrowRight")
    assert page.tab.is_visible("#forms") and page.tab.is_hidden("#questions")
    assert page.get("document.activeElement.id") == "by-form"
    page.tab.click("#cancel")


def test_the_viewer_leads_to_the_proof(open_page):
    page = open_page("#scene=arm").drawn()
    page.tab.click("text=Prove my GPU")
    page.tab.wait_for_selector("#plan:not([hidden])")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
def test_nothing_overflows_and_all_controls_have_names(open_page, scheme, width):
    viewport = {"width": width, "height": 760}
    page = open_page("prove.html", viewport=viewport, color_scheme=scheme)
    assert page.get("document.documentElement.scrollWidth") <= width
    page.tab.click("#start")
    page.tab.wait_for_selector("#classes:not([hidden])")
    assert page.get("document.documentElement.scrollWidth") <= width
    nameless = page.tab.eval_on_selector_all(
        "button, select, a, section:not([hidden])",
        "all => all.filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).map(e => e.outerHTML)",
    )
    assert nameless == []
