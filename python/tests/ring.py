"""A closed mesh for the tests: a ring whose thickness varies, so that no two of its triangles are alike."""

from __future__ import annotations

import numpy as np


def ring(around: int = 48, across: int = 24, center: tuple[float, float, float] = (0, 0, 0)) -> tuple[np.ndarray, np.ndarray]:
    """Returns vertices (N, 3) float32 and triangles (M, 3) uint32, counter-clockwise as seen from outside."""
    u, v = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.arange(across) / across * 2 * np.pi, indexing="ij")
    thickness = 0.3 + 0.1 * np.sin(3 * u)
    reach = 1 + thickness * np.cos(v)
    vertices = np.stack([reach * np.cos(u), reach * np.sin(u), thickness * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    corner = [(k % around * across + m % across).ravel() for k, m in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]]
    triangles = np.concatenate([np.stack([corner[a], corner[b], corner[c]], axis=-1) for a, b, c in [(0, 1, 2), (0, 2, 3)]])
    return (vertices + center).astype(np.float32), triangles.astype(np.uint32)


def random_rays(count: int, seed: int = 0) -> np.ndarray:
    """Returns rays (N, 6) float32 about the ring, of lengths other than 1."""
    random = np.random.default_rng(seed)
    return np.concatenate([random.uniform(-2, 2, (count, 3)), random.normal(size=(count, 3))], axis=-1).astype(np.float32)
