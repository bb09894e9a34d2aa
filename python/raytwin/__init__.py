"""Casts rays at analytic shapes on any GPU, and checks the answers against a float64 reference.

    >>> import raytwin as rt
    >>> scene = rt.Scene()
    >>> ball = scene.add_spheres([[0.0, 0.0, 5.0]], 1.0)
    >>> hits = rt.Tracer(scene, device="cpu").cast_rays([[0.0, 0.0, 0.0, 0.0, 0.0, 1.0]])
    >>> hits["t_hit"]
    array([4.], dtype=float32)
"""

import importlib.util
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from . import mujoco as mujoco, ray as ray, table as table

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

# Modules that the first use imports, each with a library that not everybody has and that takes long to import.
_ON_USE = {"mujoco": "mujoco", "ray": "ray", "table": "pyarrow"}

# A type checker would take any name for one of a module that has this function.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _ON_USE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    # Who reads all that is listed, such as help(), would stop at a module whose library is missing.
    return sorted({*globals(), *(name for name, library in _ON_USE.items() if importlib.util.find_spec(library))})
