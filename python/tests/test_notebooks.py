"""The notebooks run from their first cell to their last and show pictures; git keeps them without their outputs."""

from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def shown(notebook):
    """Returns the outputs of all cells."""
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_pictures(path):
    notebook = nbformat.read(path, as_version=4)
    assert not shown(notebook), "clear the outputs before you commit"
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": path.parent}}).execute()
    kinds = [set(output.get("data", ())) for output in shown(notebook)]
    assert any({"image/png", "text/html"} & kind for kind in kinds)
    warnings = [output["text"] for output in shown(notebook) if output.get("name") == "stderr"]
    assert not warnings


def test_there_are_four_notebooks():
    assert len(NOTEBOOKS) == 4
