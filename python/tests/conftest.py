"""What tests of several subjects share."""

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from columns import random_rays, write_scene

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program() -> str:
    """The program, whose answers the wheel's must equal: that of the variable RAYTWIN_PROGRAM, or the one that was built last."""
    named = os.environ.get("RAYTWIN_PROGRAM")
    if named:
        return named
    built = [PROJECT / "target" / profile / "raytwin" for profile in ("release", "debug")]
    there = [path for path in built if path.exists()]
    if not there:
        pytest.fail("the program is missing: build it by 'cargo build --release', or name it in the variable RAYTWIN_PROGRAM")
    return str(max(there, key=lambda path: path.stat().st_mtime))


@pytest.fixture
def shared(tmp_path) -> Path:
    """A folder as the machines of a cluster share it: a scene, and rays in several files."""
    folder = tmp_path / "shared"
    (folder / "rays").mkdir(parents=True)
    write_scene(folder / "plant.json")
    for part in range(4):
        pq.write_table(random_rays(20_000).slice(part * 5000, 5000), folder / "rays" / f"{part}.parquet")
    return folder
