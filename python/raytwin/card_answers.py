"""Answers that stay in GPU memory: closest hits of rays on a GPU, and images whose poses or output arrays are on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _raytwin
from .answers import Answers
from .camera import Camera
from .on_card import is_on_card, library_of, like_given, on_host

# The reason why some answers are not available on a GPU.
_ON_HOST = "are computed in float64 on the host: leave them out, or give arrays of the host (torch: .cpu())"


def cast_rays(
    tracer: _raytwin.Tracer,
    rays: Any,
    solid: bool,
    filters: tuple[Any, Any, Any],
    asked: tuple[bool | None, bool, bool, bool],
) -> Answers:
    """Does the work of `Tracer.cast_rays` for rays on a GPU.

    ``filters`` are masks, ids to ignore and worlds, which are copied to the GPU once. ``asked`` requests normals, faces,
    instances and labels.

    Raises ValueError for a request that is not available on a GPU.
    """
    normals, faces, instances, labels = asked
    refused = [name for name, is_asked in (("normals", normals), ("faces", faces), ("instances", instances)) if is_asked]
    if refused:
        raise ValueError(f"{' and '.join(refused)} {_ON_HOST}")
    filters = tuple(on_host(given) if is_on_card(given) else given for given in filters)
    arrays = tracer._cast_on_card(rays, solid, *filters, labels, library_of(rays) == "torch")
    return Answers({name: like_given(rays, array) for name, array in arrays.items()})


def render(
    tracer: _raytwin.Tracer,
    camera: Camera,
    size: tuple[int, int] | None,
    poses: np.ndarray,
    world_ids: np.ndarray | None,
    mask: int,
    asked: tuple[bool, bool, bool],
    like: Any,
    out: Mapping[str, Any],
) -> dict[str, Any]:
    """Returns the arrays of images in GPU memory, with a caller's arrays in place of new ones.

    ``asked`` requests normals, labels and colours. The arrays belong to the library of the tensor ``like``.

    Raises ValueError or TypeError for a request that is not available on a GPU, and for arrays that do not fit.
    """
    normals, labels, albedo = asked
    refused = [name for name, is_asked in (("normals", normals), ("albedo", albedo)) if is_asked]
    if refused:
        raise ValueError(f"{' and '.join(refused)} {_ON_HOST}")
    signed = library_of(like) == "torch"
    arrays = tracer._render_on_card(camera, size, poses, world_ids, mask, labels, signed, list(out.items()))
    return {name: out[name] if name in out else like_given(like, array) for name, array in arrays.items()}
