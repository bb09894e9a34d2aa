"""The optional progress bar of a long call."""

from __future__ import annotations

from typing import Any


def bar(total: int, unit: str) -> Any:
    """Returns a tqdm progress bar, for a terminal or a notebook."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("a progress bar needs tqdm: pip install 'raytwin[progress]'") from None
    return tqdm(total=total, unit=f" {unit}", unit_scale=True)
