"""Tensors on a card: rays and poses that lie there, and answers that stay there.

A tensor is one of torch, CuPy or JAX, or any object that hands out memory of CUDA by DLPack. Answers are tensors of the same
library, or `DeviceArray`s, which each of them takes without a copy. torch has hardly any arithmetic on uint32, so its ids are
int32 of the same bits: -1 stands for none.
"""

from __future__ import annotations

import sys
from importlib import import_module
from operator import index
from typing import Any

import numpy as np

from . import _raytwin
from .fork import spare_children

# The kinds of memory of DLPack that CUDA reads: its own, and that which moves between the card and the host.
_KINDS = (2, 13)

def is_on_card(given: Any) -> bool:
    """Returns true if an object is a tensor in the memory of a card."""
    tell = getattr(type(given), "__dlpack_device__", None)
    if tell is None or isinstance(given, np.ndarray):
        return False
    try:
        return tell(given)[0] in _KINDS
    except Exception:
        # What its library hands out nowhere, as pyarrow its lists, is read in another way.
        return False


def on_host(given: Any) -> Any:
    """Returns a copy of a tensor on a card in the host's memory, as an array or a tensor of the same library.

    Raises TypeError for a tensor of a library that is not known here.
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
    raise TypeError(f"the array lies on a card, and a {type(given).__name__} cannot be copied from there: give an array of the host")


def back_on_card(answer: Any, given: Any) -> Any:
    """Returns answers of the host as tensors of the library of a tensor, where that lies; NumPy's arrays for other libraries."""
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
    """Returns rays (count, 8) on a card, which `Tracer.cast_rays` casts without a copy: fill their origins and directions, as by
    torch.from_dlpack(rays). They begin at 0 and have no end, and until they have a direction they are invalid.

    ``device`` is ``"cuda"``, the card of the newest tracer or else the first, or ``"cuda:1"`` and so on.

    Raises ValueError for a count that is none, for another device and another card than the tracer's, NoAdapterError and DeviceError where CUDA and Vulkan
    share no card.
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
    """Returns an array as a tensor of the library of a tensor, without a copy, or as it is for other libraries."""
    library = library_of(given)
    if library in ("torch", "cupy"):
        return sys.modules[library].from_dlpack(array)
    if library == "jax":
        return import_module("jax.dlpack").from_dlpack(array)
    return array
