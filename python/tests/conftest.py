"""Fixtures that tests of several subjects share."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from columns import random_rays, write_scene


@pytest.fixture
def shared(tmp_path) -> Path:
    """A folder as the machines of a cluster share it: a scene, and rays in several files."""
    folder = tmp_path / "shared"
    (folder / "rays").mkdir(parents=True)
    write_scene(folder / "plant.json")
    for part in range(4):
        pq.write_table(random_rays(20_000).slice(part * 5000, 5000), folder / "rays" / f"{part}.parquet")
    return folder
