"""Names of earlier builds, which version 0.2 removes."""

from __future__ import annotations

import warnings
from typing import Any

from ._raytwin import Tracer
from .cloud import Cloud
from .scene import Scene


class OldName:
    """An attribute that warns, and returns the attribute of the new name."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def __get__(self, instance: Any, owner: type) -> Any:
        name = owner.__name__
        text = f"{name}.{self.old} is now {name}.{self.new}, and raytwin 0.2 removes the old name"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return getattr(owner if instance is None else instance, self.new)


def add_old_names() -> None:
    """Gives classes their old names."""
    for owner, old, new in (
        (Scene, "camera_that_sees_all", "fit_camera"),
        (Scene, "census", "type_counts"),
        (Cloud, "joined", "concatenate"),
        (Tracer, "compute_paths", "compute_path_lengths"),
        (Tracer, "sampled_rays", "generate_rays"),
    ):
        setattr(owner, old, OldName(old, new))
