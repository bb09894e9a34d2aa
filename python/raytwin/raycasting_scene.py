"""A replacement for Open3D's class RaycastingScene."""

from __future__ import annotations

import threading
from typing import Any, overload

import numpy as np

from . import camera
from ._raytwin import Tracer
from .answers import Answers
from .arrays import ARGUMENTS, points_of, rays_of
from .meshes import vertices_and_triangles
from .rows import as_float64, as_indices
from .scene import Scene
from .tensor import Tensor

_INVALID_ID = 0xFFFFFFFF


class RaycastingScene:
    """Triangle meshes with the methods of ``open3d.t.geometry.RaycastingScene``, cast on any GPU or on the CPU.

    Arguments are arrays of any kind, including Open3D tensors. Answers have Open3D's names, shapes and types. They are NumPy
    arrays with the tensor methods ``numpy() cpu() to() clone()``, so programs written for Open3D work unchanged. If two
    triangles are hit at the same place, or are equally near, the answer may be either.

    ``device`` is ``auto``, ``cpu``, ``gpu``, part of an adapter's name, or an Open3D device. ``nthreads`` is accepted as in
    Open3D and has no effect: raytwin uses all cores.

    >>> import raytwin as rt
    >>> scene = rt.RaycastingScene(device="cpu")
    >>> scene.add_triangles([[0, 0, 2], [1, 0, 2], [0, 1, 2]], [[0, 1, 2]])
    0
    >>> answers = scene.cast_rays([[0.25, 0.5, 0, 0, 0, 1]])
    >>> answers["t_hit"].numpy(), answers["primitive_uvs"].numpy()
    (array([2.], dtype=float32), array([[0.25, 0.5 ]], dtype=float32))
    """

    INVALID_ID = _INVALID_ID
    """The id that means no geometry or no triangle."""

    def __init__(self, nthreads: int = 0, device: Any = "auto") -> None:
        self._lock = threading.Lock()
        self._device = _device_named(device)
        self._scene = Scene()
        self._triangles = _Triangles([])
        self._added: list[np.ndarray] = []
        self._tracer: Tracer | None = None

    @overload
    def add_triangles(self, mesh: Any, /) -> int: ...
    @overload
    def add_triangles(self, vertex_positions: Any, triangle_indices: Any) -> int: ...
    def add_triangles(self, vertex_positions: Any = None, triangle_indices: Any = None, *, mesh: Any = None) -> int:
        """Adds a mesh, or vertices of shape (N, 3) and triangles of shape (M, 3), and returns its id.

        A mesh is an Open3D mesh of either kind, or a trimesh mesh.

        Raises SceneError for a mesh without triangles, and for an index that no vertex has. For such an index, Open3D reads
        invalid memory.
        """
        if triangle_indices is None:
            mesh = vertex_positions if mesh is None else mesh
            vertex_positions, triangle_indices = vertices_and_triangles(mesh)
        vertices = as_float64(vertex_positions, "vertex_positions", (None, 3))
        indices = as_indices(triangle_indices, "triangle_indices", 3)
        with self._lock:
            geometry_id = int(self._scene.add_mesh(vertices, indices))
            self._added.append(vertices.astype(np.float32)[indices])
            self._tracer = None
        return geometry_id

    def cast_rays(self, rays: Any, nthreads: int = 0) -> Answers:
        """Returns the closest hits of rays of shape (..., 6).

        - ``t_hit`` (...) float32: infinity for a miss.
        - ``geometry_ids``, ``primitive_ids`` (...) uint32: ``INVALID_ID`` for a miss.
        - ``primitive_normals`` (..., 3) float32: of unit length, on the side from which a triangle's corners are
          counter-clockwise; zero for a miss.
        - ``primitive_uvs`` (..., 2) float32: the barycentric weights of a triangle's second and third corner; zero for a miss.

        If a number of a ray is not finite, or its direction is zero, ``t_hit`` is NaN. Open3D returns a miss for such a ray.
        """
        tracer, triangles = self._committed()
        rays = _rays(rays)
        hits = tracer.cast_rays(rays)
        return _as_tensors({**hits, "primitive_uvs": triangles.where_hit(hits, _uvs_of_rays, rays)})

    def test_occlusions(
        self, rays: Any, tnear: float = 0.0, tfar: float = float("inf"), nthreads: int = 0
    ) -> Tensor:
        """Returns true for each ray of shape (..., 6) that hits a triangle between ``tnear`` and ``tfar``."""
        tracer, _ = self._committed()
        rays = _rays(rays)
        # Integers and 16-bit floats cannot represent the limits.
        rays = rays.astype(np.result_type(rays.dtype, np.float32), copy=False)
        limits = np.broadcast_to(np.array([tnear, tfar], rays.dtype), (*rays.shape[:-1], 2))
        return tracer.test_occlusions(np.concatenate([rays, limits], axis=-1)).view(Tensor)

    def count_intersections(self, rays: Any, nthreads: int = 0) -> Tensor:
        """Returns how many triangles each ray of shape (..., 6) crosses, as int32.

        If a ray crosses an edge that two triangles share, one of them counts.
        """
        tracer, _ = self._committed()
        counts = tracer.count_intersections(_rays(rays))
        return counts.astype(np.int32).view(Tensor)

    def list_intersections(self, rays: Any, nthreads: int = 0) -> Answers:
        """Returns all hits of rays of shape (..., 6), ray by ray and sorted by distance.

        Ray i has the hits from ``ray_splits[i]`` up to, but not including, ``ray_splits[i + 1]`` in the arrays ``ray_ids``,
        ``t_hit``, ``geometry_ids``, ``primitive_ids`` (all of shape (K,)) and ``primitive_uvs`` (K, 2).

        Raises OverflowError for 2³² hits or more, because ``ray_splits`` are uint32. ``Tracer.list_intersections`` has no such
        limit.
        """
        tracer, triangles = self._committed()
        rays = _rays(rays)
        hits = tracer.list_intersections(rays)
        if hits["ray_splits"][-1] > _INVALID_ID:
            raise OverflowError(f"there are {hits['ray_splits'][-1]} hits, more than uint32 can number: cast fewer rays at once")
        narrow = {name: hits[name].astype(np.uint32) for name in ("ray_splits", "ray_ids")}
        uvs = triangles.where_hit(hits, _uvs_of_rays, rays.reshape(-1, 6)[hits["ray_ids"]])
        return _as_tensors({**hits, **narrow, "primitive_uvs": uvs})

    def compute_closest_points(self, query_points: Any, nthreads: int = 0) -> Answers:
        """Returns the closest point on any triangle to each point of shape (..., 3).

        The arrays are ``points`` (..., 3), and ``geometry_ids``, ``primitive_ids``, ``primitive_uvs`` (..., 2) and
        ``primitive_normals`` (..., 3) as in ``cast_rays``.
        """
        tracer, triangles = self._committed()
        query_points = _points(query_points)
        nearest = tracer.compute_closest_points(query_points)
        answers = {name: nearest[name] for name in ("points", "geometry_ids", "primitive_ids", "primitive_normals")}
        answers["primitive_uvs"] = triangles.where_hit(nearest, _uvs_of_points, nearest["points"])
        return _as_tensors(answers)

    def compute_distance(self, query_points: Any, nthreads: int = 0) -> Tensor:
        """Returns the distance of each point of shape (..., 3) from the nearest triangle, as float32."""
        tracer, _ = self._committed()
        return tracer.compute_distance(_points(query_points)).view(Tensor)

    def compute_signed_distance(self, query_points: Any, nthreads: int = 0, nsamples: int = 1) -> Tensor:
        """Returns the distance of each point of shape (..., 3) from the nearest triangle, negative if ``compute_occupancy`` is 1."""
        distance = self.compute_distance(query_points)
        is_inside = self.compute_occupancy(query_points, nthreads, nsamples) == 1
        return np.where(is_inside, -distance, distance).view(Tensor)

    def compute_occupancy(self, query_points: Any, nthreads: int = 0, nsamples: int = 1) -> Tensor:
        """Returns 1 for each point of shape (..., 3) inside the meshes, and 0 for the others, as float32.

        A point is inside if most of ``nsamples`` rays from it cross an odd number of triangles. ``nsamples`` must be odd. For
        closed meshes one ray is enough, because rays through their edges are counted correctly.
        """
        if nsamples < 1 or nsamples % 2 == 0:
            raise ValueError(f"nsamples must be odd and at least 1, and is {nsamples}")
        tracer, _ = self._committed()
        points = _points(query_points)
        directions = np.ones((nsamples, 3), points.dtype)
        directions[1:] = np.random.default_rng(0).normal(size=(nsamples - 1, 3))
        votes = np.zeros(points.shape[:-1], np.int64)
        for direction in directions:
            rays = np.concatenate([points, np.broadcast_to(direction, points.shape)], axis=-1)
            votes += tracer.count_intersections(rays) % 2
        return np.asarray(2 * votes > nsamples, np.float32).view(Tensor)

    @staticmethod
    def create_rays_pinhole(*args: Any, **kwargs: Any) -> Tensor:
        """Returns rays through the middles of a pinhole camera's pixels, as float32 of shape (height_px, width_px, 6).

        There are two sets of arguments:

        - ``intrinsic_matrix`` (3, 3), ``extrinsic_matrix`` (4, 4) from the world frame to the camera's frame, ``width_px`` and
          ``height_px``;
        - ``fov_deg`` (the horizontal field of view), ``center``, ``eye`` and ``up`` (3,), ``width_px`` and ``height_px``.

        Directions have the length 1 along the camera's axis, so ``t_hit`` is the depth. They are computed in float64 and
        rounded once.
        """
        is_by_matrices = len(args) + len(kwargs) == 4
        return (_rays_of_matrices if is_by_matrices else _rays_of_view)(*args, **kwargs).view(Tensor)

    def _committed(self) -> tuple[Tracer, _Triangles]:
        """Returns the tracer of everything that was added so far, with its triangles."""
        with self._lock:
            if self._tracer is None:
                self._triangles = _Triangles(self._added)
                # The tracer uses a copy, because another thread may add to the scene meanwhile.
                self._tracer = Tracer(Scene(self._scene), device=self._device)
            return self._tracer, self._triangles


class _Triangles:
    """The corners of all triangles, by geometry and index."""

    def __init__(self, corners: list[np.ndarray]) -> None:
        self._first = np.cumsum([0, *map(len, corners)])
        self._corners = np.concatenate([*corners, np.empty((0, 3, 3), np.float32)])

    def where_hit(self, hits: dict[str, np.ndarray], compute: Any, *given: np.ndarray) -> np.ndarray:
        """Returns float32 rows computed from the corners of the hit triangles, (3, K, 3), and from further arrays with a row for
        each ray or point. Rows of a miss are zero.
        """
        is_hit = hits["geometry_ids"] != _INVALID_ID
        triangles = self._first[hits["geometry_ids"][is_hit]] + hits["primitive_ids"][is_hit]
        corners = np.moveaxis(self._corners[triangles].astype(np.float64), 1, 0)
        rows = compute(corners, *(array[is_hit].astype(np.float64) for array in given))
        answer = np.zeros((*is_hit.shape, rows.shape[-1]), np.float32)
        answer[is_hit] = rows
        return answer


def _uvs_of_rays(corners: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """Returns the barycentric weights of hits, with the determinants of Möller and Trumbore (1997)."""
    first, second, third = corners
    offset, direction = rays[:, :3] - first, rays[:, 3:]
    across = np.cross(direction, third - first)
    weights = [_dot(offset, across), _dot(direction, np.cross(offset, second - first))]
    return _quotients(np.stack(weights, axis=-1), _dot(second - first, across))


def _uvs_of_points(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Returns the barycentric weights of points in triangles, as quotients of areas."""
    first, second, third = corners
    normal = np.cross(second - first, third - first)
    areas = [np.cross(points - first, third - first), np.cross(second - first, points - first)]
    return _quotients(np.stack([_dot(area, normal) for area in areas], axis=-1), _dot(normal, normal))


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", left, right)


def _quotients(rows: np.ndarray, divisors: np.ndarray) -> np.ndarray:
    """Returns rows divided by one number each. A row with the divisor zero, of a triangle without area, becomes zero."""
    return np.divide(rows, divisors[:, np.newaxis], out=np.zeros_like(rows), where=divisors[:, np.newaxis] != 0)


def _as_tensors(arrays: dict[str, np.ndarray]) -> Answers:
    return Answers({name: array.view(Tensor) for name, array in arrays.items()})


def _rays(given: Any) -> np.ndarray:
    rays = rays_of(given)
    filters = [column for column, argument in ARGUMENTS.items() if getattr(rays, argument) is not None]
    if filters:
        raise ValueError(f"the table of rays has a column {filters[0]}, which a RaycastingScene does not support: leave it out, or use a Tracer")
    if rays.numbers.shape[-1:] == (8,):
        raise ValueError(
            "rays must have 6 numbers in the last axis, and these also have t_min and t_max, which a RaycastingScene does not support: "
            "leave them out, give tnear and tfar to test_occlusions, or use a Tracer"
        )
    return _with_last_axis(rays.numbers, "rays", 6)


def _points(given: Any) -> np.ndarray:
    return _with_last_axis(points_of(given, "query_points"), "query_points", 3)


def _with_last_axis(array: np.ndarray, name: str, width: int) -> np.ndarray:
    if array.ndim == 0 or array.shape[-1] != width:
        raise ValueError(f"{name} must have {width} numbers in the last axis, and the shape is {array.shape}")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _device_named(device: Any) -> str:
    """Returns raytwin's name of a device, which may be an Open3D device such as CPU:0 or SYCL:0."""
    name = str(device)
    kind, _, number = name.partition(":")
    if not number.isdigit():
        return name
    return "cpu" if kind == "CPU" else "gpu"


def _rays_of_matrices(intrinsic_matrix: Any, extrinsic_matrix: Any, width_px: int, height_px: int) -> np.ndarray:
    intrinsic = as_float64(intrinsic_matrix, "intrinsic_matrix", (3, 3))
    extrinsic = as_float64(extrinsic_matrix, "extrinsic_matrix", (4, 4))
    world_from_camera = extrinsic[:3, :3].T
    width_px, height_px = camera.size_of((width_px, height_px))
    columns, rows = np.meshgrid(np.arange(width_px) + 0.5, np.arange(height_px) + 0.5)
    pixels = np.stack([columns, rows, np.ones_like(rows)], axis=-1)
    try:
        in_camera = pixels @ np.linalg.inv(intrinsic).T
    except np.linalg.LinAlgError:
        raise ValueError("intrinsic_matrix has no inverse: give focal lengths that are not zero") from None
    rays = np.empty((height_px, width_px, 6), np.float32)
    rays[..., :3] = -world_from_camera @ extrinsic[:3, 3]
    rays[..., 3:] = in_camera @ world_from_camera.T
    return rays


def _rays_of_view(fov_deg: float, center: Any, eye: Any, up: Any, width_px: int, height_px: int) -> np.ndarray:
    if not 0 < fov_deg < 180:
        raise ValueError(f"fov_deg must be above 0 and below 180, and is {fov_deg}")
    center, eye, up = (as_float64(given, name, (3,)) for given, name in [(center, "center"), (eye, "eye"), (up, "up")])
    forward = center - eye
    right = np.cross(up, forward)
    down = np.cross(forward, right)
    axes = [axis / np.linalg.norm(axis) if axis.any() else axis for axis in (right, down, forward)]
    if not all(axis.any() for axis in axes):
        raise ValueError("center must differ from eye, and the view must not be along up")
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = axes
    extrinsic[:3, 3] = -extrinsic[:3, :3] @ eye
    focal_length = 0.5 * width_px / np.tan(0.5 * np.radians(fov_deg))
    intrinsic = np.array([[focal_length, 0, 0.5 * width_px], [0, focal_length, 0.5 * height_px], [0, 0, 1]])
    return _rays_of_matrices(intrinsic, extrinsic, width_px, height_px)
