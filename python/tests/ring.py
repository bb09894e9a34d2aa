"""A closed mesh for the tests: a ring whose thickness varies, so that no two of its triangles are alike."""

import numpy as np


def ring(around=48, across=24, center=(0, 0, 0)):
    """Returns vertices (N, 3) float32 and triangles (M, 3) uint32, counter-clockwise as seen from outside."""
    u, v = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.arange(across) / across * 2 * np.pi, indexing="ij")
    thickness = 0.3 + 0.1 * np.sin(3 * u)
    reach = 1 + thickness * np.cos(v)
    vertices = np.stack([reach * np.cos(u), reach * np.sin(u), thickness * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    corner = [(k % around * across + m % across).ravel() for k, m in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]]
    halves = [[corner[0], corner[1], corner[2]], [corner[0], corner[2], corner[3]]]
    triangles = np.concatenate([np.stack(half, axis=-1) for half in halves])
    return (vertices + center).astype(np.float32), triangles.astype(np.uint32)


def random_rays(count, seed=0):
    """Returns rays (N, 6) float32 about the ring, of lengths other than 1."""
    random = np.random.default_rng(seed)
    rays = [random.uniform(-2, 2, (count, 3)), random.normal(size=(count, 3))]
    return np.concatenate(rays, axis=-1).astype(np.float32)
