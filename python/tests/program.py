"""The program, whose answers are those of the wheel."""

import os
import subprocess
from pathlib import Path

BUILT = Path(__file__).parents[2] / "target/debug/raytwin"
PROGRAM = os.environ.get("RAYTWIN_PROGRAM", BUILT)


def run(*arguments):
    """Runs the program, which `cargo build` makes unless RAYTWIN_PROGRAM tells another."""
    subprocess.run([PROGRAM, "-q", *map(str, arguments)], check=True, capture_output=True)
