"""The program, whose answers are those of the wheel."""

import os
import subprocess
from pathlib import Path


def _program():
    """Returns what RAYTWIN_PROGRAM names, or else the program that `cargo build` made last."""
    target = Path(__file__).resolve().parents[2] / "target"
    built = [path for path in (target / "debug/raytwin", target / "release/raytwin") if path.exists()]
    latest = max(built, key=lambda path: path.stat().st_mtime, default="raytwin")
    return os.environ.get("RAYTWIN_PROGRAM", str(latest))


PROGRAM = _program()


def run(*arguments):
    """Runs the program."""
    subprocess.run([PROGRAM, "-q", *map(str, arguments)], check=True, capture_output=True)
