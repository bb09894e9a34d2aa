"""Ray queries with the names of trimesh."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ._raytwin import Tracer
from .arrays import points_of
from .layouts import DIRECTIONS, ORIGINS, POINTS, Layout
from .meshes import vertices_and_triangles
from .scene import Scene

# The direction of trimesh's test whether points are inside. It is unlikely to be parallel to a face.
_TOWARDS_OUTSIDE = (0.4395064455, 0.617598629942, 0.652231566745)


def trimesh_ray(scene_or_mesh: Any, device: str = "auto") -> RayIntersector:
    """Returns a replacement for trimesh's ``mesh.ray``: ``rt.trimesh_ray(mesh).intersects_location(origins, directions)``.

    After ``mesh.ray = rt.trimesh_ray(mesh)`` all functions of trimesh that cast rays use raytwin: ``mesh.contains``, signed
    distances, voxels.

    The argument is a trimesh mesh, an Open3D mesh or a ``raytwin.Scene``. For a mesh, indices are those of its triangles. A
    trimesh mesh may change between calls; an Open3D mesh is read once. For a scene, whose shapes need not consist of
    triangles, indices are ids of geometries.

    >>> import raytwin as rt
    >>> scene = rt.Scene()
    >>> ball = scene.add_spheres([[0, 0, 5]], 1)
    >>> locations, index_ray, index_tri = rt.trimesh_ray(scene, device="cpu").intersects_location([[0, 0, 0]], [[0, 0, 1]])
    >>> locations
    array([[0., 0., 4.],
           [0., 0., 6.]])
    """
    intersector = RayIntersector(scene_or_mesh, device)
    # This raises errors for a wrong mesh or device now, and not at the first call.
    intersector.tracer
    return intersector


class RayIntersector:
    """A replacement for trimesh's class ``RayMeshIntersector`` that uses a tracer. ``mesh`` is its mesh or scene."""

    def __init__(self, scene_or_mesh: Any, device: str = "auto") -> None:
        self.mesh = scene_or_mesh
        self._device = device
        self._indices = "geometry_ids" if isinstance(scene_or_mesh, Scene) else "primitive_ids"
        self._latest: tuple[Any, Tracer] | None = None

    @property
    def tracer(self) -> Tracer:
        """The tracer of the current mesh."""
        # The hash of a trimesh mesh is that of its numbers.
        contents = hash(self.mesh) if isinstance(self.mesh, Hashable) else None
        latest = self._latest
        if latest is None or latest[0] != contents:
            latest = self._latest = contents, Tracer(_scene_of(self.mesh), device=self._device)
        return latest[1]

    def intersects_id(
        self,
        ray_origins: Any,
        ray_directions: Any,
        return_locations: bool = False,
        multiple_hits: bool = True,
        max_hits: int | None = None,
    ) -> tuple[np.ndarray, ...]:
        """Returns ``index_tri`` (K,) and ``index_ray`` (K,), int64, and optionally ``locations`` (K, 3), float64.

        Origins and directions have the shape (N, 3). The hits of a ray are sorted by distance. By default all hits are returned.
        ``max_hits`` limits the hits of each ray, and ``multiple_hits=False`` returns only the first. If a ray crosses an edge that
        two triangles share, one of them is returned.
        """
        rays = _rays(ray_origins, ray_directions)
        if max_hits is not None and max_hits < 1:
            raise ValueError(f"max_hits must be at least 1, and is {max_hits}")
        if multiple_hits:
            hits = self.tracer.list_intersections(rays)
            index_ray, index_tri, t_hit = hits["ray_ids"].astype(np.int64), hits[self._indices], hits["t_hit"]
            if max_hits is not None:
                is_near = np.arange(len(index_ray)) - hits["ray_splits"][index_ray].astype(np.int64) < max_hits
                index_ray, index_tri, t_hit = index_ray[is_near], index_tri[is_near], t_hit[is_near]
        else:
            hits = self.tracer.cast_rays(rays, normals=False)
            index_ray = np.flatnonzero(np.isfinite(hits["t_hit"]))
            index_tri, t_hit = hits[self._indices][index_ray], hits["t_hit"][index_ray]
        index_tri = index_tri.astype(np.int64)
        if not return_locations:
            return index_tri, index_ray
        hit_rays = rays[index_ray]
        return index_tri, index_ray, hit_rays[:, :3] + hit_rays[:, 3:] * t_hit[:, np.newaxis].astype(np.float64)

    def intersects_location(
        self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True, max_hits: int | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns ``locations`` (K, 3), ``index_ray`` (K,) and ``index_tri`` (K,), which are as in ``intersects_id``."""
        index_tri, index_ray, locations = self.intersects_id(ray_origins, ray_directions, True, multiple_hits, max_hits)
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Returns the index (N,) int64 of the triangle that each ray hits first, or -1."""
        hits = self.tracer.cast_rays(_rays(ray_origins, ray_directions), normals=False)
        return np.where(np.isfinite(hits["t_hit"]), hits[self._indices].astype(np.int64), -1)

    def intersects_any(self, ray_origins: Any, ray_directions: Any) -> np.ndarray:
        """Returns true (N,) for each ray that hits anything."""
        return self.tracer.test_occlusions(_rays(ray_origins, ray_directions))

    def contains_points(self, points: Any) -> np.ndarray:
        """Returns true (N,) for each point (N, 3) that is inside.

        In a scene, a point is inside if a solid contains it. In a mesh, a point is inside if rays forwards and backwards both cross
        an odd number of triangles, which is correct for every closed mesh.
        """
        points = _rows(points, "points", POINTS)
        if self._indices == "geometry_ids":
            return self.tracer.compute_occupancy(points) == 1
        direction = np.broadcast_to(_TOWARDS_OUTSIDE, points.shape)
        counts = [self.tracer.count_intersections(_rays(points, towards)) for towards in (direction, -direction)]
        return np.logical_and(*(count % 2 == 1 for count in counts))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_latest": None}


def _scene_of(scene_or_mesh: Any) -> Scene:
    if isinstance(scene_or_mesh, Scene):
        return scene_or_mesh
    scene = Scene()
    scene.add_mesh(*vertices_and_triangles(scene_or_mesh))
    return scene


def _rays(ray_origins: Any, ray_directions: Any) -> np.ndarray:
    origins = _rows(ray_origins, "ray_origins", ORIGINS)
    directions = _rows(ray_directions, "ray_directions", DIRECTIONS)
    if len(origins) != len(directions):
        raise ValueError(f"there are {len(origins)} ray_origins and {len(directions)} ray_directions")
    return np.concatenate([origins, directions], axis=1)


def _rows(given: Any, name: str, layout: Layout) -> np.ndarray:
    array = points_of(given, name, layout).astype(np.float64)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{name} must have the shape (N, 3), and has {array.shape}")
    return array
