"""The code on the page about clusters, which runs as it is written."""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/guide/clusters.md"


def code_of(heading):
    """Returns the blocks of Python below a heading of the page, as one program."""
    section = PAGE.read_text().split(f"\n## {heading}", 1)[1].split("\n## ", 1)[0]
    blocks = [block.split("\n```", 1)[0] for block in section.split("```python\n")[1:]]
    assert blocks, f"there is no code below {heading}"
    return "\n".join(blocks)


def run_blocks(heading, shared):
    """Runs the code below a heading, with another folder in place of the one that all machines share."""
    code = code_of(heading).replace("/shared/", f"{shared}/")
    # Workers of Spark are started by the name of an interpreter.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    subprocess.run([sys.executable, "-c", code], cwd=shared, env=environment, check=True)
