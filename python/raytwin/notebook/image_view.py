"""An image in a notebook, with the values of the pixel under the pointer."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .answering import Answer, Answering, sources

if TYPE_CHECKING:
    from ..image import Image


class ImageView(Answering):
    """An image in a notebook, with the distance, the id and the path of the pixel under the pointer."""

    _esm = sources("asking.js", "image_view.js")

    def __init__(self, image: Image, png: bytes) -> None:
        super().__init__(png, repr(image), {"pixels": self._pixels})
        self._image = image

    def _pixels(self, _: dict[str, Any]) -> Answer:
        """Returns the distances and the ids of all pixels, and the geometries in the image."""
        with tempfile.TemporaryDirectory() as folder:
            self._image.save(folder, shading=0)
            geometries = json.loads(Path(folder, "geometries.json").read_text(encoding="utf-8"))
        height, width = self._image["distance"].shape
        arrays = [self._image[name].tobytes() for name in ("distance", "geometry_ids")]
        return {"size": [width, height], "geometries": geometries}, arrays
