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
from .deprecated import add_old_names
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

add_old_names()

# Modules that are imported at their first use. Each needs a library that is optional and slow to import.
_ON_USE = {"mujoco": "mujoco", "ray": "ray", "table": "pyarrow"}

# With this function, a type checker would accept any name as an attribute of the module.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _ON_USE:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    # A caller that reads every listed name, such as help(), would fail at a module whose library is missing.
    return sorted({*globals(), *(name for name, library in _ON_USE.items() if importlib.util.find_spec(library))})
