"""A scene in a notebook that you can turn, zoom, pick in, and whose joints you can move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from . import page
from .answering import Answer, Answering, sources

if TYPE_CHECKING:
    from ..scene import Scene


class SceneView(Answering):
    """A scene in a notebook, which the browser draws with the files of the page.

    The sliders move the joints of the view's own scene, and not those of the scene that you showed."""

    _esm = sources("asking.js", "page_address.js", "scene_view.js")
    _page = traitlets.Unicode().tag(sync=True)
    _link = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int().tag(sync=True)

    def __init__(self, scene: Scene, png: bytes, link: str, height: int) -> None:
        answers = {"page": _page, "scene": self._scene_at}
        super().__init__(png, repr(scene), answers, _page=page.version(), _link=link, _height=height)
        self._scene = scene

    def _scene_at(self, question: dict[str, Any]) -> Answer:
        """Returns the scene with these joints, and the name, warnings and joints that the page shows."""
        if question["joints"]:
            self._scene.set_joints(question["joints"])
        fields = ("name", "turns", "value", "limits")
        joints = [dict(zip(fields, joint)) for joint in self._scene._movable_joints()]
        return {"head": {"name": "scene", "warnings": self._scene.warnings, "joints": joints}}, [self._scene.to_bytes()]


def _page(_: dict[str, Any]) -> Answer:
    files = page.packed()
    return {"names": list(files)}, list(files.values())
