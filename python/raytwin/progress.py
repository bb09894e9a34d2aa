"""The bar that a long call shows if it is asked to."""

from __future__ import annotations

from typing import Any


def bar(total: int, unit: str) -> Any:
    """Returns a bar of tqdm, for a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install 'raytwin[progress]'") from None
    return tqdm(total=total, unit=f" {unit}", unit_scale=True)
