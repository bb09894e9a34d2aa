"""The browser page in the wheel, which shows scenes in notebooks."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from functools import cache
from pathlib import Path

_ARCHIVE = Path(__file__).parents[1] / "page.zip"


def is_there() -> bool:
    """Returns true if this build of the wheel has the page."""
    return _ARCHIVE.exists()


@cache
def version() -> str:
    """Returns a text that identifies this version of the page."""
    return f"{zlib.crc32(_ARCHIVE.read_bytes()):08x}"


@cache
def packed() -> dict[str, bytes]:
    """Returns the page's own files by name, compressed with gzip, without its examples."""
    with zipfile.ZipFile(_ARCHIVE) as archive:
        names = [name for name in archive.namelist() if "/" not in name]
        # A fast compression is good enough, because each file is sent once.
        return {name: gzip.compress(archive.read(name), 1, mtime=0) for name in names}
