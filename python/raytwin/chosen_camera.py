"""Finds the camera that an argument chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .camera import Camera, cameras_of, size_of

if TYPE_CHECKING:
    from .scene import Scene


def camera_of(scene: Scene, camera: Any, size: Any) -> tuple[Camera, tuple[int, int] | None]:
    """Returns the chosen camera, and the size of its image if one is given.

    The choice is a `Camera`, or the name of one of the scene's cameras or the last parts of that name. By default it is the
    scene's first camera, or one that sees everything if the scene has none.
    """
    size = size_of(size)
    if isinstance(camera, Camera):
        return camera, size
    cameras = cameras_of(scene, size)
    if camera is None:
        return (cameras[0] if cameras else scene.fit_camera(size)), size
    if not isinstance(camera, str):
        raise TypeError(f"camera must be a Camera or the name of one of the scene's cameras, and is {camera!r}")
    return cameras[scene._camera_number(camera)], size
