"""Tensors on a GPU: rays and poses in its memory, and answers that stay there.

A tensor is one of torch, CuPy or JAX, or any object that shares CUDA memory with DLPack. Answers are tensors of the same
library, or `DeviceArray` objects, which each of these libraries reads without a copy. torch has hardly any arithmetic on
uint32, so its ids are int32 with the same bits: -1 means none.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import index
from typing import Any

import numpy as np

from . import _raytwin
from .fork import spare_children

# The DLPack memory types that CUDA reads: device memory and managed memory.
_KINDS = (2, 13)

def is_on_card(given: Any) -> bool:
    """Returns true if an object is a tensor in GPU memory."""
    tell = getattr(type(given), "__dlpack_device__", None)
    if tell is None or isinstance(given, np.ndarray):
        return False
    try:
        return tell(given)[0] in _KINDS
    except Exception:
        # An object that cannot be exported, such as a list of pyarrow, is read in another way.
        return False


def on_host(given: Any) -> Any:
    """Returns a copy of a GPU tensor in the host's memory, as an array or a tensor of the same library.

    Raises TypeError for a tensor of an unknown library.
    """
    library = library_of(given)
    if library == "cupy":
        return given.get()
    if library == "jax":
        return np.asarray(given)
    if library == "torch":
        return given.cpu()
    if isinstance(given, _raytwin.DeviceArray):
        return given.numpy()
    raise TypeError(f"the array is on a GPU, and a {type(given).__name__} cannot be copied from there: give an array of the host")


def back_on_card(answer: Any, given: Any) -> Any:
    """Returns answers of the host as tensors like `given`, on its device, or as NumPy arrays if its library is not known."""
    if isinstance(answer, dict):
        return type(answer)({name: back_on_card(array, given) for name, array in answer.items()})
    library = library_of(given)
    if library == "torch":
        torch = sys.modules["torch"]
        # torch has hardly any arithmetic on unsigned integers.
        signed = answer.view(answer.dtype.str.replace("u", "i")) if answer.dtype.kind == "u" and answer.dtype.itemsize > 1 else answer
        return torch.from_numpy(signed).to(given.device)
    if library == "cupy":
        with given.device:
            return sys.modules["cupy"].asarray(answer)
    if library == "jax":
        return sys.modules["jax"].device_put(answer, next(iter(given.devices())))
    return answer


def empty_rays(count: int, *, device: str = "cuda") -> _raytwin.DeviceArray:
    """Returns rays of shape (count, 8) in GPU memory, which `Tracer.cast_rays` casts without a copy.

    Fill in their origins and directions, for example through ``torch.from_dlpack(rays)``. Rays are invalid until they have a
    direction. Each has the ``t_min`` 0 and the ``t_max`` infinity.

    ``device`` is ``"cuda"`` (the GPU of the newest tracer, or else the first GPU), or ``"cuda:1"`` and so on.

    Raises ValueError for a count out of range, for an unknown device, and for a GPU that is neither the first GPU nor that of a
    tracer. Raises NoAdapterError or DeviceError if CUDA and Vulkan have no GPU in common.
    """
    if not 0 <= (wanted := index(count)) < 2**32:
        raise ValueError(f"count must be from 0 to 4294967295, and is {count}")
    kind, _, number = device.partition(":")
    if kind != "cuda" or device != kind and not number.isdecimal():
        raise ValueError(f"device must be 'cuda' or 'cuda:0', 'cuda:1' and so on, and is {device!r}")
    spare_children()
    return _raytwin.empty_rays(wanted, ordinal=int(number) if number else None)


def library_of(given: Any) -> str:
    name = type(given).__module__.partition(".")[0]
    return "jax" if name == "jaxlib" else name


def like_given(given: Any, array: _raytwin.DeviceArray) -> Any:
    """Returns an array, without a copy, as a tensor of the library of `given`, or unchanged if that library is not known."""
    library = library_of(given)
    if library in ("torch", "cupy"):
        return sys.modules[library].from_dlpack(array)
    if library == "jax":
        return import_module("jax.dlpack").from_dlpack(array)
    return array
