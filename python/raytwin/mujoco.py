"""Follows a simulation of MuJoCo: casts rays at a compiled model where its data have it now.

    >>> import mujoco, raytwin
    >>> model = mujoco.MjModel.from_xml_string(
    ...     "<mujoco><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    ...     "<body pos='0 0 2'><freejoint/><geom size='.5'/><site name='eye' pos='0 0 1'/></body></worldbody></mujoco>"
    ... )
    >>> data = mujoco.MjData(model)
    >>> follower = raytwin.mujoco.follow(model, device="cpu")
    >>> for _ in range(20):
    ...     mujoco.mj_step(model, data)
    ...     cloud = follower.update(data).scan("VLP-16", site="eye")

Nothing is written to a file and nothing is read again. The answers are those of ``mj_ray`` with all groups of geoms and with
what stands still, but for a ray that starts inside a heightfield's base, and ids of geometries are those of geoms. Flexes and skins are no geoms, and a signed distance field keeps its
id and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from . import _raytwin
from .arrays import rays_of
from .camera import Camera, Orthographic, Perspective, Pinhole, size_of
from .cloud import Cloud, Sweeps
from .image import Image
from .images import filled, render_views
from .rows import matrices_of
from .scene import Scene

try:
    import mujoco
except ImportError as error:
    raise ImportError("raytwin.mujoco follows models of the package mujoco: pip install 'raytwin[mujoco]'") from error

from .mujoco_scene import ALL, SHAPE_ARRAYS, Labels, SceneBuilder, set_masks

Names = Union[str, int, Sequence[Union[str, int]]]

# MuJoCo's cameras look along their own -z, with y upwards, and OpenCV's along z, with y downwards.
_OPTICAL_FROM_CAMERA = np.diag([1.0, -1.0, -1.0])
# The axes of a lidar, x forward and z up, in those of MuJoCo's camera.
_LIDAR_IN_CAMERA = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
# MuJoCo moves an image's centre upwards by the second number of a camera's principal point since its version 3.6.
_UPWARDS = 1.0 if mujoco.mj_version() >= 3_006_000 else -1.0
# A bit of the masks for each set of geoms that rays pass through; the last one belongs to all geoms.
_MASK_BITS = 31
_FARTHEST = 1e9


def follow(
    model: Any,
    *,
    device: str = "auto",
    geom_groups: Sequence[int] | None = None,
    label_groups: bool = False,
    labels: Mapping[str, int] | None = None,
    origin: Sequence[float] | None = None,
) -> Follower:
    """Returns a follower of an ``MjModel``, which stands in its reference pose until the first `Follower.update`.

    ``geom_groups`` are the groups of geoms that rays can hit, all by default. ``device`` is that of `Tracer`. ``labels`` are
    semantic classes by patterns of paths, as `Scene.select` takes them; the first that chooses a geom counts.
    ``label_groups`` labels the geoms of group N by N + 1 where none of them does. ``origin`` is that of `Scene`, for a model far
    from its world's origin.

    A model that is changed is followed, too: the next update sees other sizes, colours, meshes and heights.
    """
    if not isinstance(model, mujoco.MjModel):
        raise TypeError(f"follow takes a compiled MjModel, and not a {type(model).__name__}")
    given = {} if labels is None else dict(labels)
    return Follower(model, device, geom_groups, Labels(label_groups, given), origin)


class Follower:
    """Casts at a model of MuJoCo where it was at the last `update`; made by `follow`.

    What a ray passes by is chosen by ``ignore_body``, a body or several, by name or number, with all bodies below them, as a
    sensor's own robot; and by ``ignore``, ids of geoms or patterns of their paths, such as ``"rover/*"``, as `Scene.select` takes
    them. Those of a `Camera` that scans pass by what it hides, too. A follower is for one thread at a time.
    """

    def __init__(self, model: Any, device: str, geom_groups: Sequence[int] | None, labels: Labels, origin: Any) -> None:
        self.model = model
        self._origin = origin
        self._labels = labels
        self._device = device
        self._groups = None if geom_groups is None else frozenset(_group(group) for group in _each(geom_groups))
        self._bits: dict[frozenset[int], int] = {}
        # The images of noise of all updates before the last one.
        self._images = 0
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        self._states = [_State(data)]
        self._build()

    @property
    def scene(self) -> Scene:
        """The scene, whose worlds are the states of the last update. It is the follower's, which undoes what others change in
        it, and another one after the model was changed."""
        return self._scene

    @property
    def tracer(self) -> _raytwin.Tracer:
        """The tracer of the scene, which is another one after the model was changed."""
        return self._tracer

    def update(self, data: Any) -> Follower:
        """Takes over where geoms, sites and cameras are in an ``MjData``, and returns the follower. Several are worlds, which
        are numbered from 0 and cast at together. MuJoCo must have computed them, as ``mj_forward`` does; after ``mj_step``
        everything is where it was when the step began.

        Raises ValueError for data of another model, and for numbers that are not finite: the follower stays as it was.
        """
        given = list(data) if isinstance(data, (list, tuple)) else [data]
        if not given:
            raise ValueError("update takes an MjData, or several: the list is empty")
        for number, each in enumerate(given):
            if not isinstance(each, mujoco.MjData):
                raise TypeError(f"update takes an MjData, or several, and not a {type(each).__name__}")
            if each.model is not self.model:
                raise ValueError(f"data {number} belong to another model: make a follower of that one")
        if len(given) > 1 and not self.model.ngeom:
            raise ValueError("a model without geoms has one world: give one MjData")
        states = [_State(each) for each in given]
        for number, state in enumerate(states):
            state.check(f"of data {number}", self._scene)
        before, self._states = self._states, states
        try:
            self._follow()
        except Exception:
            self._states = before
            raise
        self._images += len(before)
        return self

    def cast_rays(
        self, rays: Any, *, world_ids: Any = None, ignore_body: Names | None = None, ignore: Any = None, **options: Any
    ) -> Any:
        """Returns the closest hit of each ray, as `Tracer.cast_rays` does, which takes the other options, too. A ray is cast
        in the world of its id, by default in the first."""
        if "masks" in options:
            raise TypeError("a follower's own masks say what rays pass by: give ignore or ignore_body in place of masks")
        given = rays_of(rays, None, options.pop("ignore_ids", None), world_ids)
        if given.masks is not None:
            raise ValueError("a follower's own masks say what rays pass by: leave the column ray_mask out")
        mask = self._mask(ignore_body, ignore)
        filters = {**given._asdict(), "masks": None if mask == ALL else mask}
        return self._tracer.cast_rays(filters.pop("numbers"), **filters, **options)

    def scan(
        self,
        lidar: str | Camera,
        *,
        site: str | int | None = None,
        camera: str | int | None = None,
        pose: Any = None,
        size: tuple[int, int] | None = None,
        frame: str = "world",
        ignore_body: Names | None = None,
        ignore: Any = None,
        labels: bool = False,
        intensity: bool = False,
    ) -> Cloud:
        """Returns the points that a lidar, by its name or as a `Camera`, hits from where it is, in each world. By its name each of
        its rays is a line, as those of ``mj_ray`` are; ``Camera.lidar(name)`` has the lidar's beam and returns.

        It is at a ``site``, at a ``camera`` of the model, or at a ``pose``, (4, 4) or one for each world, in the frame of
        `Camera.pose`. The axes of a site are the sensor's: a lidar looks along the site's x with z upwards, and a `Camera`
        that is no lidar along its z with y downwards, as MuJoCo's own rangefinders look along z. On a camera both look where
        it looks. ``frame`` is that of the points, ``"world"`` or ``"sensor"``. With ``labels`` the cloud has
        ``label_ids``, and with ``intensity``, or of a lidar with a beam or rules for returns, ``intensity``,
        ``normalized_intensity``, ``return_number``, ``number_of_returns`` and ``incidence``. Ranges and noise are the sensor's; each update has noise of its own.
        """
        if isinstance(lidar, str):
            lidar = Camera.lidar(lidar, beam=None, returns=None)
        if not isinstance(lidar, Camera):
            raise TypeError(f"scan takes the name of a lidar, or a Camera, and not a {type(lidar).__name__}")
        if frame not in ("world", "sensor"):
            raise ValueError(f"frame must be 'world' or 'sensor', and is {frame!r}")
        poses = self._poses(lidar, site, camera, pose)
        first_image = self._images % 2**32
        mask = self._mask(ignore_body, ignore, lidar.hide)
        is_in_sensor = frame == "sensor"
        arrays = self._tracer._scan(lidar, size_of(size), poses, mask, first_image, is_in_sensor, labels, intensity, None)
        counts, worlds = arrays.pop("counts"), arrays.pop("pose_numbers")
        times = np.array([state.time for state in self._states])
        arrays["time"] = times[worlds]
        if len(self._states) > 1:
            arrays["world_ids"] = worlds
        sweeps = Sweeps(lidar.name, lidar.is_panoramic, is_in_sensor, lidar.range_min, times, counts, poses)
        return Cloud(arrays, sweeps, self._scene.label_names)

    def render(
        self,
        camera: str | int | Camera | Sequence[str | int | Camera],
        size: tuple[int, int] | None = None,
        *,
        site: str | int | None = None,
        pose: Any = None,
        ignore_body: Names | None = None,
        ignore: Any = None,
        normals: bool | None = None,
        labels: bool = False,
        albedo: bool = False,
        out: Mapping[str, Any] | None = None,
    ) -> Any:
        """Returns what a camera sees in each world: of several worlds the `Images`, in the order of their data and in one launch;
        of one the `Image`, which has no pictures if something is ignored.

        It is a camera of the model, by name or number, or a `Camera`, which is at a ``site`` or at a ``pose``, (4, 4) or one for
        each world, as in `scan`; without either it stays at its own pose. Several cameras in a list give a list. What is asked
        for by ``normals``, ``labels``, ``albedo`` and ``out`` is that of `Tracer.render`. Each update has noise of its own.
        """
        if isinstance(camera, (list, tuple)):
            if out is not None:
                raise TypeError("out takes the arrays of one camera: render the cameras one by one")
            given: dict[str, Any] = {"site": site, "pose": pose, "ignore_body": ignore_body, "ignore": ignore}
            asked: dict[str, Any] = {"normals": normals, "labels": labels, "albedo": albedo}
            return [self.render(each, size, **given, **asked) for each in camera]
        number: Any = None if isinstance(camera, Camera) else camera
        if number is not None and (site is not None or pose is not None):
            raise TypeError("a camera of the model has its own place: give site and pose to a Camera")
        lens = camera if isinstance(camera, Camera) else self.camera(number)
        poses = self._poses(lens, site, number, pose)
        mask = self._mask(ignore_body, ignore, lens.hide)
        size = size_of(size)
        is_one = len(self._states) == 1
        has_normals = is_one if normals is None else normals
        worlds = np.arange(len(self._states), dtype=np.uint32)
        asked_for = (has_normals, labels, albedo, False)
        rows = poses.reshape(-1, 3, 4)
        first_image = self._images % 2**32
        if is_one and mask == ALL and out is None and lens.noise is None:
            return self._tracer.render(lens.at(rows[0]), size, normals=has_normals, labels=labels, albedo=albedo)
        images = render_views(
            self._tracer, lens, size, rows, worlds, asked_for, None if is_one else out, mask=mask, first_image=first_image
        )
        if not is_one:
            return images
        arrays = {name: array[0] for name, array in images.items()}
        return Image(arrays if out is None else filled(out, arrays), lens)

    def camera(self, camera: str | int, *, world: int = 0, **sensor: Any) -> Camera:
        """Returns a camera of the model where it was at the last update, for `Tracer.render` and `rays.camera`. ``sensor``
        are the keywords of `Camera`."""
        number = self._number("camera", camera)
        if not 0 <= world < len(self._states):
            raise IndexError(f"there are {len(self._states)} worlds, numbered from 0, and none has the number {world}")
        state, model = self._states[world], self.model
        return Camera(
            _projection(model, number),
            pose=_pose(state.cameras[number], _OPTICAL_FROM_CAMERA),
            name=model.camera(number).name or f"camera[{number}]",
            **sensor,
        )

    def __copy__(self) -> Follower:
        raise TypeError("a follower is not copied, because its tracer is one: make another one by follow(model)")

    def __repr__(self) -> str:
        return f"Follower({self.model.ngeom} geoms, {len(self._states)} worlds, {self._tracer.device})"

    def _build(self) -> None:
        """Makes the scene anew, as it is in the states that there are."""
        made_of = {name: getattr(self.model, name).copy() for name in SHAPE_ARRAYS}
        builder = SceneBuilder(self.model, self._groups, self._origin)
        scene = builder.scene
        matrices = self._matrices()
        scene._set_worlds(builder.nodes, matrices.reshape(-1, 12))
        set_masks(scene, builder.visible, self._bits)
        self._labels.apply(scene, self.model)
        tracer = _raytwin.Tracer(scene, device=self._device)
        # All is there, so nothing of the old scene is left if something of this one was refused.
        self._made_of, self._scene, self._nodes, self._visible = made_of, scene, builder.nodes, builder.visible
        self._tracer, self._placed = tracer, matrices

    def _follow(self) -> None:
        if any(not np.array_equal(getattr(self.model, name), was) for name, was in self._made_of.items()):
            self._build()
            return
        matrices = self._matrices()
        if len(matrices) > 1 or self._scene.world_count > 1:
            self._scene._set_worlds(self._nodes, matrices.reshape(-1, 12))
        else:
            moved = (matrices[0] != self._placed[0]).any(axis=(1, 2))
            if moved.any():
                self._scene.set_transforms(self._nodes[moved], matrices[0][moved])
        self._tracer.update()
        self._placed = matrices

    def _matrices(self) -> np.ndarray:
        """Returns the matrix of each geom in each world."""
        return np.stack([state.geoms for state in self._states])

    def _poses(self, lidar: Camera, site: Any, camera: Any, pose: Any) -> np.ndarray:
        """Returns the twelve numbers of the sensor's pose in each world."""
        poses: Any
        if sum(each is not None for each in (site, camera, pose)) > 1:
            raise TypeError("give one of site, camera and pose")
        if site is not None:
            number = self._number("site", site)
            poses = [state.sites[number] for state in self._states]
        elif camera is not None:
            number = self._number("camera", camera)
            axes = _LIDAR_IN_CAMERA if lidar.is_panoramic else _OPTICAL_FROM_CAMERA
            poses = [_pose(state.cameras[number], axes) for state in self._states]
        else:
            poses = lidar.matrix if pose is None else pose
        poses = matrices_of(np.asarray(poses), "pose")
        if len(poses) not in (1, len(self._states)):
            raise ValueError(f"there are {len(poses)} poses for {len(self._states)} worlds")
        return np.ascontiguousarray(np.broadcast_to(poses, (len(self._states), 12)))

    def _number(self, kind: str, given: str | int) -> int:
        """Returns the number of something of the model, which may be given by its name."""
        if isinstance(given, bool) or not isinstance(given, (str, int, np.integer)):
            raise TypeError(f"a {kind} is given by its name or its number, and not by {given!r}")
        try:
            # The model's own words for it list the names that there are.
            return int(getattr(self.model, kind)(given).id)
        except (KeyError, IndexError) as error:
            raise ValueError(f"the model has no {kind} {given!r}: {error.args[0]}") from None

    def _mask(self, ignore_body: Names | None, ignore: Any, hide: tuple[str, ...] = ()) -> int:
        """Returns the mask of rays that pass by some geoms: those that a call ignores, and those that a camera hides."""
        geoms = self._ignored(ignore_body, ignore) | self._hidden(hide)
        if not geoms:
            return ALL
        if geoms not in self._bits:
            if len(self._bits) == _MASK_BITS:
                raise ValueError(f"a follower's rays pass by at most {_MASK_BITS} sets of geoms: make another follower")
            bits = self._bits | {geoms: 1 << len(self._bits)}
            set_masks(self._scene, self._visible, bits)
            self._tracer.update()
            self._bits = bits
        return self._bits[geoms]

    def _ignored(self, ignore_body: Names | None, ignore: Any) -> frozenset[int]:
        geoms: set[int] = set()
        if ignore_body is not None:
            bodies = _below(self.model, [self._number("body", body) for body in _each(ignore_body)])
            geoms.update(np.flatnonzero(bodies[self.model.geom_bodyid]).tolist())
        for each in () if ignore is None else _each(ignore):
            if not isinstance(each, (str, int, np.integer)) or isinstance(each, bool):
                raise TypeError(f"ignore takes ids of geoms and patterns of their paths, and not {each!r}")
            chosen = self._scene._geometries(each, "ignore").tolist()
            if any(geom >= self.model.ngeom for geom in chosen):
                raise ValueError(f"ignore: there is no geom {each}: the model has {self.model.ngeom}, numbered from 0")
            geoms.update(chosen)
        return frozenset(geoms)

    def _hidden(self, paths: tuple[str, ...]) -> frozenset[int]:
        return frozenset(geom for path in paths for geom in self._scene._geometries(path, "hide").tolist())


class _State:
    """Where everything is at a time: the first three rows of matrices into the world."""

    def __init__(self, data: Any) -> None:
        self.time = float(data.time)
        self.geoms = _matrices(data.geom_xpos, data.geom_xmat)
        self.sites = _matrices(data.site_xpos, data.site_xmat)
        self.cameras = _matrices(data.cam_xpos, data.cam_xmat)

    def check(self, of: str, scene: Scene) -> None:
        """Raises ValueError for geoms that are nowhere, which a scene would refuse without their names."""
        def geom(wrong: Any) -> str:
            number = int(np.flatnonzero(wrong)[0])
            return f"geom {number} ({scene.path(number)}) {of}"

        lost = ~np.isfinite(self.geoms).all(axis=(1, 2))
        if lost.any():
            raise ValueError(f"{geom(lost)} is nowhere: its position or its axes are not finite")
        unset = ~self.geoms[:, :, :3].any(axis=(1, 2))
        if unset.any():
            raise ValueError(f"{geom(unset)} has no axes yet: call mujoco.mj_forward(model, data) first")
        far = np.abs(self.geoms[:, :, 3]).max(axis=1, initial=0) > _FARTHEST
        if far.any():
            raise ValueError(f"{geom(far)} is farther than {_FARTHEST:g} from the origin, which no scene holds")


def _group(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not 0 <= given <= 5:
        raise ValueError(f"geom_groups are whole numbers from 0 to 5, and one is {given!r}")
    return int(given)


def _below(model: Any, bodies: Iterable[int]) -> np.ndarray:
    """Returns which bodies are among some, or below one of them."""
    chosen = np.zeros(model.nbody, bool)
    chosen[list(bodies)] = True
    # A parent has a lower number than its children.
    for body in range(1, model.nbody):
        chosen[body] |= chosen[model.body_parentid[body]]
    return chosen


def _projection(model: Any, camera: int) -> Perspective | Pinhole | Orthographic:
    fov_y, sensor = float(model.cam_fovy[camera]), model.cam_sensorsize[camera]
    width, height = (int(side) for side in model.cam_resolution[camera])
    # MuJoCo 3 has flags for what MuJoCo 4 numbers.
    is_orthographic: Any = getattr(model, "cam_projection", None)
    if is_orthographic is None:
        is_orthographic = getattr(model, "cam_orthographic", np.zeros(model.ncam))
    if is_orthographic[camera]:
        return Orthographic(fov_y)
    if sensor.all():
        # Lengths on the sensor become pixels.
        scale = [width, height] / sensor
        focal_x, focal_y = model.cam_intrinsic[camera, :2] * scale
        right, up = model.cam_intrinsic[camera, 2:] * scale
        return Pinhole(focal_x, focal_y, 0.5 * width - right, 0.5 * height - _UPWARDS * up, width, height)
    if (width, height) == (1, 1):
        return Perspective(fov_y)
    focal = 0.5 * height / np.tan(np.radians(0.5 * fov_y))
    return Pinhole(focal, focal, 0.5 * width, 0.5 * height, width, height)


def _each(given: Any) -> list[Any]:
    """Returns several of something, of which one alone may be given."""
    return list(given) if isinstance(given, (list, tuple, set, frozenset, range, np.ndarray)) else [given]


def _matrices(positions: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Returns the first three rows of matrices (N, 3, 4)."""
    return np.concatenate([axes.reshape(-1, 3, 3), positions.reshape(-1, 3, 1)], axis=2)


def _pose(matrix: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Returns a pose that is turned by axes, which are given in its own."""
    return np.column_stack([matrix[:, :3] @ axes, matrix[:, 3]])
