"""The camera with which a view of a scene begins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._raytwin import SceneError
from ..camera import Camera, Perspective, cameras_of
from ..chosen_camera import camera_of

if TYPE_CHECKING:
    from ..scene import Scene


def viewpoint(scene: Scene, camera: Any) -> Camera:
    """Returns a perspective camera: the given one, the scene's camera with that name, or by default the scene's first
    perspective camera or one that sees everything.

    Raises ValueError for a camera that is not perspective, because you can turn and zoom a view.
    """
    if scene.geometry_count == 0:
        raise SceneError("there is nothing to show: the scene has no shapes")
    if camera is None:
        of_scene = (each for each in cameras_of(scene, (640, 400)) if isinstance(each.projection, Perspective))
        return next(of_scene, None) or scene.fit_camera((640, 400))
    chosen, _ = camera_of(scene, camera, None)
    if not isinstance(chosen.projection, Perspective):
        raise ValueError(f"camera must be perspective, as from Camera.perspective, and {chosen.name} is not")
    return chosen


def link_to(scene: Scene, camera: Camera | None, kind: str) -> str:
    """Returns the fragment of the page's address that shows the scene with a camera, or with the page's default camera."""
    parts = [f"picture={kind}"]
    if camera is not None:
        parts.append("camera=" + ",".join(map(repr, _numbers(scene, camera))))
    return "#" + "&".join(["scene=served", *parts])


def _numbers(scene: Scene, camera: Camera) -> list[float]:
    """Returns the eye, the target, the direction upwards and the angle of a perspective camera."""
    assert isinstance(camera.projection, Perspective)
    right, down, forward, eye = camera.matrix[:3].T
    target = camera.target
    if target is None:
        # A pose has no target. The view turns about a point ahead, as far away as the middle of the scene.
        target = eye + forward * (np.linalg.norm(scene.bounds.mean(axis=0) - eye) or 1.0)
    up = camera.up
    if up is None:
        # A view with a level horizon keeps it while turning, about the axis across which the camera that sees all looks.
        axis = np.eye(3)[np.argmin(np.abs(scene.fit_camera().matrix[:3, 0]))]
        is_level = abs(right @ axis) < 1e-6 and -down @ axis > 1e-3
        up = axis if is_level else -down
    return [float(number) for number in (*eye, *target, *up, camera.projection.fov_y_degrees)]
