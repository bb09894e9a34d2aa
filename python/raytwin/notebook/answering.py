"""A widget whose view in the browser sends requests to the kernel, with messages that a notebook does not save."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from .picture import base64_of

Answer = tuple[dict[str, Any], Sequence[bytes]]


def sources(*names: str) -> str:
    """Returns files of this folder, joined into one text."""
    return "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)


class Answering(anywidget.AnyWidget):
    """A widget that shows a picture until the kernel answers."""

    _picture = traitlets.Bytes().tag(sync=True)
    _told = traitlets.Unicode().tag(sync=True)
    _css = sources("view.css")

    def __init__(self, png: bytes, message: str, answers: dict[str, Callable[[dict[str, Any]], Answer]], **traits: Any) -> None:
        super().__init__(_picture=png, _told=message, **traits)
        self._answers = answers
        self.on_msg(self._hear)

    @property
    def png(self) -> bytes:
        """The picture, as the bytes of a PNG file."""
        return self._picture

    def _hear(self, _: Any, question: dict[str, Any], __: Any) -> None:
        try:
            answer, buffers = self._answers[question["ask"]](question)
        except Exception as error:  # The view shows the error, because exceptions here are not visible.
            answer, buffers = {"error": str(error)}, []
        self.send({**answer, "id": question["id"]}, list(buffers))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        return {**data, "image/png": base64_of(self.png)}, metadata

    def __repr__(self) -> str:
        return f"<view of {self._told}: a notebook shows it, and .png is a picture of it>"
