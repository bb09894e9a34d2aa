"""Casts rays at analytic shapes on any GPU, and checks the answers against a float64 reference.

    >>> import raytwin as rt
    >>> scene = rt.Scene()
    >>> ball = scene.add_spheres([[0.0, 0.0, 5.0]], 1.0)
    >>> hits = rt.Tracer(scene, device="cpu").cast_rays([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    >>> hits["t_hit"]
    array([4.], dtype=float32)
"""

from . import camera, generators, image, rays
from ._raytwin import (
    Device,
    DeviceArray,
    DeviceError,
    Error,
    FileError,
    MismatchError,
    NoAdapterError,
    Report,
    SceneError,
    Tally,
    Tracer,
    Update,
    __version__,
    devices,
)
from .camera import Camera
from .cloud import Cloud
from .image import Image
from .images import Images
from .on_card import empty_rays
from .raycasting_scene import RaycastingScene
from .scene import Scene
from .trimesh_ray import trimesh_ray

__all__ = [
    "Camera",
    "Cloud",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Error",
    "FileError",
    "Image",
    "Images",
    "MismatchError",
    "NoAdapterError",
    "RaycastingScene",
    "Report",
    "Scene",
    "SceneError",
    "Tally",
    "Tracer",
    "Update",
    "__version__",
    "camera",
    "devices",
    "empty_rays",
    "generators",
    "image",
    "rays",
    "trimesh_ray",
]
