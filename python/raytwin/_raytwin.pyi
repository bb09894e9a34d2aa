"""The types of the extension module. Each class and function is described in its own docstring."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Never, Self

from .answers import Answers
from .camera import Camera
from .cloud import Cloud, Sweeps
from .generators import Generator
from .image import Image
from .images import Images
from .scene import Scene as PythonScene

__all__ = [
    "Device",
    "DeviceArray",
    "DeviceError",
    "Error",
    "FileError",
    "ImageSource",
    "MismatchError",
    "NoAdapterError",
    "Report",
    "Scene",
    "SceneError",
    "Tally",
    "Tracer",
    "Update",
    "__version__",
    "camera_pose",
    "camera_rays",
    "camera_size",
    "devices",
    "empty_rays",
    "lidars",
    "save_cloud",
    "save_messages",
    "shape_fields",
    "sweep_rays",
]

__version__: str

# `raytwin.arrays` reads NumPy arrays, lists, objects with DLPack or Arrow capsules, and pandas objects. They have no common type.
_ArrayLike: TypeAlias = Any
_Kind: TypeAlias = Literal["closest", "any", "count", "all", "points", "image"]

class Error(Exception): ...
class FileError(Error): ...
class SceneError(Error): ...
class NoAdapterError(Error): ...
class DeviceError(Error): ...
class MismatchError(Error): ...

@final
class Device:
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> Literal["discrete", "integrated", "virtual", "software", "other", "cpu"]: ...
    @property
    def backend(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def max_binding_bytes(self) -> int | None: ...

def devices() -> list[Device]: ...

@final
class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def numpy(self) -> NDArray[Any]: ...
    def __array__(self, *_arguments: Any, **_options: Any) -> Never: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

def empty_rays(count: int, *, ordinal: int | None = None) -> DeviceArray: ...

@final
class Update:
    @property
    def action(self) -> Literal["none", "refit", "rebuild", "repack"]: ...
    @property
    def moved(self) -> int: ...

@final
class Report:
    @property
    def passed(self) -> bool: ...
    @property
    def failures(self) -> list[str]: ...
    @property
    def device(self) -> str: ...
    @property
    def counts(self) -> dict[str, int]: ...
    @property
    def types(self) -> list[dict[str, Any]]: ...
    @property
    def parts(self) -> list[dict[str, Any]]: ...
    @property
    def worst(self) -> list[dict[str, Any]]: ...
    @property
    def worst_rays(self) -> Answers: ...
    def to_dict(self) -> dict[str, Any]: ...
    def save(self, folder: str | os.PathLike[str]) -> None: ...
    def raise_for_mismatch(self) -> None: ...
    def __bool__(self) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Tally:
    @property
    def rays(self) -> int: ...
    @property
    def ranges(self) -> list[range]: ...
    @property
    def misses(self) -> int: ...
    @property
    def invalid(self) -> int: ...
    @property
    def beyond(self) -> int: ...
    @property
    def unit(self) -> float: ...
    @property
    def hits(self) -> NDArray[np.uint64]: ...
    @property
    def distance_sums(self) -> list[int]: ...
    @property
    def mean_distances(self) -> NDArray[np.float64]: ...
    @property
    def has_paths(self) -> bool: ...
    @property
    def path_rays(self) -> NDArray[np.uint64]: ...
    @property
    def path_sums(self) -> list[int]: ...
    @property
    def path_squares(self) -> list[int]: ...
    @property
    def mean_paths(self) -> NDArray[np.float64]: ...
    @property
    def path_errors(self) -> NDArray[np.float64]: ...
    @property
    def volumes(self) -> NDArray[np.float64]: ...
    @property
    def volume_errors(self) -> NDArray[np.float64]: ...
    @property
    def histogram(self) -> NDArray[np.uint64]: ...
    @property
    def histogram_edges(self) -> NDArray[np.float64]: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> Tally: ...
    def __add__(self, other: Tally, /) -> Tally: ...
    def __radd__(self, other: int, /) -> Tally: ...  # `sum` begins with 0, and is typed to begin with any number.
    def __eq__(self, other: object, /) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Tracer:
    def __new__(cls, scene: Scene, device: str = "auto", *, canonical: bool = False) -> Tracer: ...
    @property
    def scene(self) -> PythonScene: ...
    @property
    def device(self) -> str: ...
    @property
    def device_reason(self) -> str | None: ...
    def cast_rays(
        self,
        rays: _ArrayLike,
        *,
        solid: bool = False,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        normals: bool | None = None,
        faces: bool = False,
        instances: bool = False,
        labels: bool = False,
        progress: bool = False,
    ) -> Answers: ...
    def test_occlusions(
        self,
        rays: _ArrayLike,
        *,
        solid: bool = False,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        progress: bool = False,
    ) -> NDArray[np.bool_]: ...
    def count_intersections(
        self,
        rays: _ArrayLike,
        *,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        progress: bool = False,
    ) -> NDArray[np.uint32]: ...
    def list_intersections(
        self,
        rays: _ArrayLike,
        *,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        progress: bool = False,
    ) -> Answers: ...
    # Old names, which 0.2 removes.
    compute_paths: Any
    sampled_rays: Any
    def compute_path_lengths(
        self,
        rays: _ArrayLike,
        *,
        innermost: bool = False,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        progress: bool = False,
    ) -> Answers: ...
    def compute_closest_points(self, points: _ArrayLike, *, innermost: bool = False, progress: bool = False) -> Answers: ...
    def compute_distance(self, points: _ArrayLike, *, progress: bool = False) -> NDArray[np.float32]: ...
    def compute_signed_distance(self, points: _ArrayLike, *, progress: bool = False) -> NDArray[np.float32]: ...
    def compute_occupancy(self, points: _ArrayLike, *, progress: bool = False) -> NDArray[np.float32]: ...
    @overload
    def render(
        self,
        camera: Any = None,
        size: tuple[int, int] | None = None,
        *,
        normals: bool | None = None,
        labels: bool = False,
        albedo: bool = False,
        progress: bool = False,
    ) -> Image: ...
    @overload
    def render(
        self,
        camera: Any = None,
        size: tuple[int, int] | None = None,
        *,
        poses: _ArrayLike,
        world_ids: _ArrayLike | None = None,
        normals: bool | None = None,
        labels: bool = False,
        albedo: bool = False,
        out: Mapping[str, NDArray[Any]] | None = None,
        progress: bool = False,
    ) -> Images: ...
    def scan(
        self,
        camera: Any = None,
        size: tuple[int, int] | None = None,
        *,
        poses: _ArrayLike | None = None,
        times: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        frame: Literal["world", "sensor"] | None = None,
        labels: bool = False,
        intensity: bool = False,
    ) -> Cloud: ...
    def _cast_on_card(
        self,
        rays: Any,
        solid: bool,
        masks: _ArrayLike | None,
        ignore_ids: _ArrayLike | None,
        world_ids: _ArrayLike | None,
        labels: bool,
        signed: bool,
    ) -> dict[str, DeviceArray]: ...
    def _render_on_card(
        self,
        camera: Camera,
        size: tuple[int, int] | None,
        poses: NDArray[np.float64],
        world_ids: NDArray[np.uint32] | None,
        mask: int,
        labels: bool,
        signed: bool,
        out: Sequence[tuple[str, Any]],
    ) -> dict[str, DeviceArray]: ...
    def _render_views(
        self,
        camera: Camera,
        size: tuple[int, int] | None,
        poses: NDArray[np.float64],
        world_ids: NDArray[np.uint32] | None,
        mask: int,
        first_image: int,
        normals: bool,
        labels: bool,
        albedo: bool,
        progress: bool,
    ) -> dict[str, NDArray[Any]]: ...
    def sample(
        self,
        generator: Generator | None = None,
        rays: SupportsIndex | range | None = None,
        seed: int = 0,
        *,
        paths: bool = False,
        histogram: tuple[float, float, int] | None = None,
        t_min: float = 0.0,
        t_max: float = ...,
        progress: bool = False,
    ) -> Tally: ...
    def generate_rays(
        self,
        generator: Generator | None = None,
        rays: SupportsIndex | range | None = None,
        seed: int = 0,
        *,
        t_min: float = 0.0,
        t_max: float = ...,
        progress: bool = False,
    ) -> NDArray[np.float32] | NDArray[np.float64]: ...
    def update(self) -> Update: ...
    def verify(
        self,
        rays: _ArrayLike | None = None,
        *,
        points: _ArrayLike | None = None,
        kinds: Sequence[_Kind] | None = None,
        solid: bool = False,
        masks: _ArrayLike | None = None,
        ignore_ids: _ArrayLike | None = None,
        world_ids: _ArrayLike | None = None,
        count: int = 14_000,
        seed: int = 1,
        progress: bool = False,
    ) -> Report: ...
    def _scan(
        self,
        camera: Camera,
        size: tuple[int, int] | None,
        poses: NDArray[np.float64],
        mask: int,
        first_image: int,
        is_in_sensor: bool,
        has_labels: bool,
        has_returns: bool,
        world_ids: NDArray[np.uint32] | None,
    ) -> dict[str, Any]: ...

class Scene:
    def __new__(cls, source: Any = None, *, strict: bool = False, **options: Any) -> Self: ...
    @property
    def geometry_count(self) -> int: ...
    @property
    def world_count(self) -> int: ...
    @property
    def origin(self) -> list[float]: ...
    @property
    def bounds(self) -> NDArray[np.float64]: ...
    @property
    def paths(self) -> list[str]: ...
    @property
    def types(self) -> list[str]: ...
    @property
    def type_counts(self) -> dict[str, int]: ...
    @property
    def masks(self) -> NDArray[np.uint32]: ...
    @property
    def labels(self) -> NDArray[np.uint16]: ...
    @property
    def label_names(self) -> dict[int, str]: ...
    @property
    def reflectances(self) -> NDArray[np.float32]: ...
    @property
    def nodes(self) -> list[str]: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def link_poses(self) -> dict[str, NDArray[np.float64]]: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def warnings(self) -> list[str]: ...
    def path(self, geometry_id: SupportsIndex) -> str: ...
    def select(self, pattern: str) -> NDArray[np.uint32]: ...
    def add_world(self, other: Scene) -> int: ...
    def save(self, path: str | os.PathLike[str], *, skip: bool = False) -> None: ...
    def to_bytes(self) -> bytes: ...
    # These methods need arguments that `raytwin.scene` has checked.
    _add_empty: Any
    _add_heightfield: Any
    _add_instances: Any
    _add_lines: Any
    _add_mesh: Any
    _add_nodes: Any
    _add_rows: Any
    _camera_number: Any
    _fit_camera: Any
    _cameras: Any
    _movable_joints: Any
    _overlaps: Any
    _set_joints: Any
    _set_label: Any
    _set_mask: Any
    _set_transforms: Any
    _set_worlds: Any
    _world_from_node: Any

# The following names are only for the other modules of the package.

@final
class ImageSource:
    save: Any
    shaded: Any

def shape_fields(kind: str) -> list[tuple[str, int, list[float] | None]]: ...
def camera_size(camera: Camera) -> tuple[int, int]: ...
def camera_pose(camera: Camera) -> list[list[float]]: ...
def camera_rays(camera: Camera, size: tuple[int, int] | None) -> tuple[NDArray[np.float64], list[int]]: ...
def sweep_rays(
    camera: Camera, size: tuple[int, int] | None, times: NDArray[np.float64], poses: NDArray[np.float64], index: int
) -> tuple[NDArray[np.float64], list[int]]: ...
def lidars() -> list[
    tuple[str, str, str, list[float], tuple[float, float, int], tuple[int, str, float], float]
]: ...
def save_cloud(
    path: str | os.PathLike[str], cloud: Answers, sweeps: Sweeps, label_names: dict[int, str], crs: str | None, is_raw: bool
) -> None: ...
def save_messages(path: str | os.PathLike[str], cloud: Answers, sweeps: Sweeps) -> None: ...
