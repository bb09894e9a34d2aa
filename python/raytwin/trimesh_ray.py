"""Ray queries by the names that trimesh gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._raytwin import Tracer
from .arrays import as_numbers
from .meshes import vertices_and_triangles
from .scene import Scene


def trimesh_ray(scene_or_mesh: Any, device: str = "auto") -> RayIntersector:
    """Returns what stands for ``mesh.ray`` of trimesh: ``rt.trimesh_ray(mesh).intersects_location(origins, directions)``.

    A mesh is one of trimesh or Open3D, whose indices are those of its triangles. In a ``raytwin.Scene``, whose shapes
    need not consist of triangles, they are ids of geometries.

    >>> import raytwin as rt
    >>> scene = rt.Scene()
    >>> ball = scene.add_spheres([[0, 0, 5]], 1)
    >>> locations, index_ray, index_tri = rt.trimesh_ray(scene, device="cpu").intersects_location([[0, 0, 0]], [[0, 0, 1]])
    >>> locations
    array([[0., 0., 4.],
           [0., 0., 6.]])
    """
    if isinstance(scene_or_mesh, Scene):
        return RayIntersector(scene_or_mesh, "geometry_ids", device)
    scene = Scene()
    scene.add_mesh(*vertices_and_triangles(scene_or_mesh))
    return RayIntersector(scene, "primitive_ids", device)


class RayIntersector:
    """Answers the calls of trimesh's class ``RayMeshIntersector`` by a tracer, which is ``tracer``."""

    def __init__(self, scene: Scene, indices: str, device: str = "auto") -> None:
        self.tracer = Tracer(scene, device=device)
        self._indices = indices

    def intersects_id(
        self, ray_origins: Any, ray_directions: Any, return_locations: bool = False, multiple_hits: bool = True
    ) -> tuple[np.ndarray, ...]:
        """Returns ``index_tri`` (K,) and ``index_ray`` (K,), int64, and on request ``locations`` (K, 3), float64.

        Origins and directions have the shape (N, 3). The hits of a ray follow each other in the order of distance, or
        only the first is told. Where a ray crosses an edge that two triangles share, one of them is told.
        """
        rays = _rays(ray_origins, ray_directions)
        if multiple_hits:
            hits = self.tracer.list_intersections(rays)
            index_ray, index_tri, t_hit = hits["ray_ids"].astype(np.int64), hits[self._indices], hits["t_hit"]
        else:
            hits = self.tracer.cast_rays(rays)
            index_ray = np.flatnonzero(np.isfinite(hits["t_hit"]))
            index_tri, t_hit = hits[self._indices][index_ray], hits["t_hit"][index_ray]
        index_tri = index_tri.astype(np.int64)
        if not return_locations:
            return index_tri, index_ray
        hit_rays = rays[index_ray]
        return index_tri, index_ray, hit_rays[:, :3] + hit_rays[:, 3:] * t_hit[:, np.newaxis].astype(np.float64)

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns ``locations`` (K, 3), ``index_ray`` (K,) and ``index_tri`` (K,), as ``intersects_id`` tells them."""
        index_tri, index_ray, locations = self.intersects_id(ray_origins, ray_directions, True, multiple_hits)
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Returns the index (N,) int64 of the triangle that each ray hits first, or -1."""
        hits = self.tracer.cast_rays(_rays(ray_origins, ray_directions))
        return np.where(np.isfinite(hits["t_hit"]), hits[self._indices].astype(np.int64), -1)

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Returns true (N,) for each ray that hits anything."""
        return self.tracer.test_occlusions(_rays(ray_origins, ray_directions))


def _rays(ray_origins: Any, ray_directions: Any) -> np.ndarray:
    origins = as_numbers(ray_origins, "ray_origins").astype(np.float64)
    directions = as_numbers(ray_directions, "ray_directions").astype(np.float64)
    for name, array in [("ray_origins", origins), ("ray_directions", directions)]:
        if array.ndim != 2 or array.shape[1] != 3:
            raise ValueError(f"{name} must have the shape (N, 3), and it is {array.shape}")
    if len(origins) != len(directions):
        raise ValueError(f"there are {len(origins)} ray_origins and {len(directions)} ray_directions")
    return np.concatenate([origins, directions], axis=1)
