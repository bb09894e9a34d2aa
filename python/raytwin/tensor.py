"""Answers with the methods of Open3D tensors."""

from __future__ import annotations

from typing import Any, cast

import numpy as np


class Tensor(np.ndarray):
    """A NumPy array that has the methods that Open3D programs use to read a tensor. It is in the CPU's memory.

    Open3D's own functions accept it in place of a tensor. An entry, a sum or a minimum is again a tensor, as in Open3D. Its
    ``dtype`` is that of NumPy, so NumPy, pandas and Arrow can read it.
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
        """Returns the tensor with another type, an Open3D or NumPy type, or on a device, which must be the CPU.

        Raises ValueError for another device. The message shows how to copy the tensor there with Open3D.
        """
        given = [*wanted, *(each for each in (device, dtype) if each is not None)]
        if given and isinstance(given[-1], bool):
            copy = given.pop()
        made = self
        for each in given:
            name = str(each)
            kind, _, number = name.partition(":")
            if number and kind.upper() != "CPU":
                raise ValueError(f"answers are in the CPU's memory: copy one with o3d.core.Tensor(answer).to(o3d.core.Device('{name}'))")
            if kind.upper() != "CPU":
                # Open3D's types have the names of NumPy's types, with the first letter in upper case.
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

