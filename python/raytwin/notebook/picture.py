"""Pictures of images, and their display in a notebook."""

from __future__ import annotations

import base64
import tempfile
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..image import Image

KINDS = ("shaded", "distance", "ids", "normals")
_FILES = {"distance": "distance.png", "ids": "geometry_ids.png", "normals": "normals.png"}


def png_of(image: Image, kind: str, samples: int | None = None) -> bytes:
    """Returns a picture of an image as the bytes of a PNG file. A shaded picture has ``samples`` rays for each pixel."""
    if kind == "shaded":
        return image.shaded(samples)
    with tempfile.TemporaryDirectory() as folder:
        image.save(folder, shading=0)
        return Path(folder, _FILES[kind]).read_bytes()


def base64_of(png: bytes) -> str:
    """Returns a picture as base64, the form of messages to a notebook."""
    return base64.b64encode(png).decode()


class Picture:
    """A picture that a notebook shows at the end of a cell. ``png`` has the bytes of its file."""

    def __init__(self, png: bytes, message: str, hint: str) -> None:
        self.png = png
        self._told = message
        self._hint = hint

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        source = base64_of(self.png)
        bundle = {"text/plain": repr(self), "image/png": source}
        if self._hint:
            picture = f'<img alt="{escape(self._told)}" style="max-width: 100%" src="data:image/png;base64,{source}">'
            bundle["text/html"] = f"<div>{picture}<br><small>A picture: {escape(self._hint)}.</small></div>"
        return bundle

    def __repr__(self) -> str:
        hint = f"; {self._hint}" if self._hint else ""
        return f"<picture of {self._told}: a notebook shows it, and .png is its file{hint}>"
