"""Scenes and rays that several tests use."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import raytwin as rt

GALLERY = Path(__file__).resolve().parents[2] / "examples" / "scenes" / "gallery.json"


def of_shapes(folder: Path, shapes: list[dict], **others: object) -> rt.Scene:
    """Reads a scene that a test writes down."""
    path = folder / "scene.json"
    path.write_text(json.dumps({"raytwin": 1, "shapes": shapes, **others}))
    return rt.Scene.load(path)


def ball(center: tuple[float, float, float] = (0.0, 0.0, 5.0), radius: float = 1.0) -> dict:
    return {"type": "sphere", "center": list(center), "radius": radius}


def aimed(count: int, seed: int = 1) -> np.ndarray:
    """Rays from within a box about the gallery in all directions, (count, 6) float32."""
    random = np.random.default_rng(seed)
    origins, directions = random.uniform(-6, 6, (count, 3)), random.normal(size=(count, 3))
    return np.concatenate([origins, directions], axis=1).astype(np.float32)


def same_bits(first: np.ndarray, second: np.ndarray) -> bool:
    """Tells whether two arrays are of one type and shape and have the same bits, NaNs included."""
    return first.dtype == second.dtype and first.shape == second.shape and first.tobytes() == second.tobytes()
