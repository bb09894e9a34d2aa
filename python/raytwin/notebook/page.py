"""The browser page in the wheel, which shows a scene in a notebook."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from functools import cache
from pathlib import Path

_ARCHIVE = Path(__file__).parents[1] / "page.zip"


def is_there() -> bool:
    """Returns whether this build of the wheel has the page."""
    return _ARCHIVE.exists()


@cache
def version() -> str:
    """Returns a text that another page does not have."""
    return f"{zlib.crc32(_ARCHIVE.read_bytes()):08x}"


@cache
def packed() -> dict[str, bytes]:
    """Returns the page's own files by their names, each as a browser unpacks it (gzip). Its examples stay out."""
    with zipfile.ZipFile(_ARCHIVE) as archive:
        names = [name for name in archive.namelist() if "/" not in name]
        # Little effort packs well enough for what is sent once.
        return {name: gzip.compress(archive.read(name), 1, mtime=0) for name in names}
