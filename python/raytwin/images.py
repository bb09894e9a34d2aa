"""Images of one camera from many poses, each in one of the scene's worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _raytwin, card_answers
from .answers import Answers
from .camera import Camera
from .on_card import is_on_card, on_host
from .rows import as_float64, as_ids, matrices_of

# The mask of rays that hit everything.
_ALL = 0xFFFFFFFF


class Images(Answers):
    """What a camera sees from many poses, as arrays by name that are also attributes.

    The first axis is that of the N poses, in their order. In each image the H rows count from the top, the W columns from the
    left.

    - ``distance``: float32 (N, H, W), along the rays, as the camera's sensor reports it; +inf for no return
    - ``z``: float32 (N, H, W), along the camera's axis; +inf for no return; negative behind a panoramic camera
    - ``geometry_ids``, ``primitive_ids``: uint32 (N, H, W); 0xFFFFFFFF for a miss
    - ``primitive_normals``: float32 (N, H, W, 3), outward and of unit length; zero for a miss; only with ``normals=True``
    - ``label_ids``: uint16 (N, H, W), the labels of geometries; 0 for none and for a miss; only with ``labels=True``
    - ``albedo``: uint8 (N, H, W, 3), the unlit colours of geometries, in sRGB; 0 for a miss; only with ``albedo=True``
    """

    def __init__(self, arrays: dict[str, Any], camera: Camera) -> None:
        super().__init__(arrays)
        self.__dict__["camera"] = camera

    def __repr__(self) -> str:
        count, height, width = self["distance"].shape
        return f"Images({count} of {width}x{height} by {self.camera.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Images, (dict(self), self.camera))


def render_views(
    tracer: _raytwin.Tracer,
    camera: Camera,
    size: tuple[int, int] | None,
    poses: Any,
    world_ids: Any,
    asked: tuple[bool, bool, bool, bool],
    out: Mapping[str, Any] | None,
    *,
    mask: int = _ALL,
    first_image: int = 0,
) -> Images:
    """Does the work of `Tracer.render` with poses, for rays with a mask.

    ``asked`` requests normals, labels, colours and a progress bar. The noise is that of the images from ``first_image`` on.
    """
    if poses is None:
        raise TypeError("world_ids and out are for images from several poses: give poses")
    if out is not None and not isinstance(out, Mapping):
        raise TypeError(f"out must be a dict of arrays by name, and is a {type(out).__name__}")
    cards = [given for given in (poses, *(out or {}).values()) if is_on_card(given)]
    numbers = poses_of(on_host(poses) if is_on_card(poses) else poses)
    worlds = None
    if world_ids is not None:
        worlds = as_ids(on_host(world_ids) if is_on_card(world_ids) else world_ids, "world_ids")
        if len(worlds) != len(numbers):
            raise ValueError(f"world_ids must have one number for each of {len(numbers)} poses, and there are {len(worlds)}")
    if cards:
        return Images(card_answers.render(tracer, camera, size, numbers, worlds, mask, asked[:3], cards[0], out or {}), camera)
    arrays = tracer._render_views(camera, size, numbers, worlds, mask, first_image, *asked)
    return Images(arrays if out is None else filled(out, arrays), camera)


def poses_of(given: Any) -> np.ndarray:
    """Returns the twelve numbers of each pose as float64 (N, 12), from matrices or from rows x y z qx qy qz qw."""
    shape = np.shape(given)
    if len(shape) > 1 and shape[-1] != 7 or len(shape) == 3:
        return matrices_of(given, "poses")
    rows = as_float64(given, "poses", (7,), (None, 7), (None, 4, 4)).reshape(-1, 7)
    lengths = np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    wrong = np.flatnonzero(~(np.isfinite(rows).all(axis=1) & (lengths[:, 0] >= 1e-6) & np.isfinite(lengths[:, 0])))
    if wrong.size:
        raise ValueError(f"poses[{wrong[0]}] must be x y z and a quaternion qx qy qz qw, of finite numbers, and is {rows[wrong[0]].tolist()}")
    x, y, z, w = (rows[:, 3:] / lengths).T
    matrices = np.empty((len(rows), 3, 4))
    matrices[:, 0, :3] = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)])
    matrices[:, 1, :3] = np.column_stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)])
    matrices[:, 2, :3] = np.column_stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)])
    matrices[:, :, 3] = rows[:, :3]
    return matrices.reshape(-1, 12)


def filled(out: Mapping[str, Any], arrays: dict[str, Any]) -> dict[str, Any]:
    """Writes arrays into those of a caller, and returns all arrays, with the caller's in place of ours.

    Nothing is written unless all arrays fit.
    """
    targets: list[np.ndarray] = []
    for name, target in out.items():
        if name not in arrays:
            raise ValueError(f"out has an array {name!r}, and the images have {', '.join(arrays)}: request it, or leave it out")
        array = arrays[name]
        if not isinstance(target, np.ndarray) or isinstance(target, np.ma.MaskedArray):
            raise TypeError(f"out[{name!r}] must be a NumPy array, and is a {type(target).__name__}")
        if (target.dtype, target.shape) != (array.dtype, array.shape):
            raise ValueError(f"out[{name!r}] must be {array.dtype} {array.shape}, and is {target.dtype} {target.shape}")
        if not target.flags.writeable:
            raise ValueError(f"out[{name!r}] is read-only")
        if _overlaps_itself(target) or any(_overlap(target, other) for other in targets):
            raise ValueError(f"out[{name!r}] shares memory with itself or another array of out: give each its own")
        targets.append(target)
    for name, target in out.items():
        np.copyto(target, arrays[name])
    return {**arrays, **out}


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Returns true if two arrays share memory, or if checking this takes too long."""
    # NumPy's type hints allow fewer numbers than NumPy does.
    work: Any = 10_000
    try:
        return np.shares_memory(a, b, max_work=work)
    except Exception:
        # This is TooHardError, which NumPy 1 and 2 define in different modules.
        return True


def _overlaps_itself(array: np.ndarray) -> bool:
    """Returns true if elements of an array overlap, as in a broadcast array."""
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < reach:
            return True
        reach += stride * (size - 1)
    return False
