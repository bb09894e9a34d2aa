"""Answers as programs for Open3D read them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np


class Tensor(np.ndarray):
    """A NumPy array with the methods by which programs for Open3D read a tensor, which lies in the CPU's memory.

    Open3D's own functions take it where they take a tensor. An entry, a sum or a minimum is again a tensor, as Open3D has
    it. Its ``dtype`` is NumPy's, by which NumPy, pandas and Arrow read it.
    """

    def numpy(self) -> np.ndarray:
        """Returns the same numbers as a plain array, without a copy."""
        return self.view(np.ndarray)

    def cpu(self) -> Tensor:
        """Returns the tensor itself."""
        return self

    def clone(self) -> Tensor:
        """Returns a copy."""
        return self.copy()

    def to(self, *wanted: Any, dtype: Any = None, device: Any = None, copy: bool = False) -> Tensor:
        """Returns the tensor with a type, one of Open3D's or NumPy's, on a device, which is the CPU.

        Raises ValueError for another device, on which Open3D can make a tensor of the answer.
        """
        given = [*wanted, *(each for each in (device, dtype) if each is not None)]
        if given and isinstance(given[-1], bool):
            copy = given.pop()
        made = self
        for each in given:
            name = str(each)
            kind, _, number = name.partition(":")
            if number and kind.upper() != "CPU":
                raise ValueError(f"answers lie in the CPU's memory: o3d.core.Tensor(answer).to(o3d.core.Device('{name}')) copies one")
            if kind.upper() != "CPU":
                # Open3D's types have NumPy's names, with a first letter in upper case.
                dtype = name.lower() if type(each).__module__.startswith("open3d") else each
                made = cast(Tensor, made.astype(dtype, copy=False))
        return made.clone() if copy and made is self else made

    def isfinite(self) -> Tensor:
        """Returns true where a number is neither infinite nor NaN."""
        return cast(Tensor, np.isfinite(self))

    def isinf(self) -> Tensor:
        """Returns true where a number is infinite."""
        return cast(Tensor, np.isinf(self))

    def isnan(self) -> Tensor:
        """Returns true where a number is NaN."""
        return cast(Tensor, np.isnan(self))

    def __getitem__(self, index: Any) -> Any:
        return np.asarray(super().__getitem__(index)).view(Tensor)

    def __array_wrap__(self, array: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        return array.view(Tensor)

