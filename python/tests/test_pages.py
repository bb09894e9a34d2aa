"""The Python on the pages for users runs as it is written, in a folder that holds the examples."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PAGES = ["README.md", "python/README.md", "docs/guide/python.md", "docs/guide/robotics.md", "docs/reference/sampling.md"]


def python_on(page):
    """Returns the fenced blocks of Python on a page."""
    text = (PROJECT / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_the_python_on_a_page_runs(page, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(PROJECT / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = python_on(page)
    assert blocks
    # A block goes on from those before it.
    names = {}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_the_first_lines_hit_the_first_ball(capsys):
    exec(python_on("python/README.md")[0], {})
    assert capsys.readouterr().out == "[ 4. inf] [         0 4294967295]\n"
