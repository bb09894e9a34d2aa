"""Shows scenes and images in notebooks: as interactive views if anywidget is installed, and as pictures otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._raytwin import Tracer
from . import page
from .picture import KINDS, Picture, png_of
from .viewpoint import link_to, viewpoint

if TYPE_CHECKING:
    from ..image import Image
    from ..scene import Scene
    from .image_view import ImageView
    from .scene_view import SceneView

_HINT = "for an interactive view, pip install 'raytwin[notebook]'"


def show_scene(scene: Scene, camera: Any, kind: str, height: int) -> SceneView | Picture:
    """Does the work of `Scene.show`."""
    _check(kind)
    if height < 1:
        raise ValueError(f"height must be a number of pixels, and is {height!r}")
    chosen = viewpoint(scene, camera)
    link = link_to(scene, None if camera is None else chosen, kind)
    # The view shows a copy, which later changes of the scene do not affect.
    copy = type(scene)(scene)
    # The float64 tracer needs no driver.
    png = png_of(Tracer(copy, device="cpu").render(chosen, (640, 400)), kind, samples=2)
    if not page.is_there():
        return Picture(png, repr(scene), "this build of raytwin lacks the page for interactive views: see python/README.md for how to build it")
    try:
        from .scene_view import SceneView
    except ImportError:
        return Picture(png, repr(scene), _HINT)
    return SceneView(copy, png, link, height)


def show_image(image: Image, kind: str) -> ImageView | Picture:
    """Does the work of `Image.show`."""
    _check(kind)
    png = png_of(image, kind)
    try:
        from .image_view import ImageView
    except ImportError:
        return Picture(png, repr(image), "")
    return ImageView(image, png)


def _check(kind: str) -> None:
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, and is {kind!r}")
