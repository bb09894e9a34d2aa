"""Follows a MuJoCo simulation: casts rays at a compiled model in its current state.

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

No file is written or read. The answers are those of ``mj_ray`` with all groups of geoms and with static geoms, except for a ray
that starts inside a heightfield's base. Ids of geometries are those of geoms. Flexes and skins are not geoms, so rays pass
through them. Rays also pass through a signed distance field, whose id stays reserved.
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
    raise ImportError("raytwin.mujoco needs the package mujoco: pip install 'raytwin[mujoco]'") from error

from .mujoco_scene import ALL, SHAPE_ARRAYS, Labels, SceneBuilder, set_masks

Names = Union[str, int, Sequence[Union[str, int]]]

# MuJoCo's cameras look along their own -z, with y upwards. OpenCV's cameras look along z, with y downwards.
_OPTICAL_FROM_CAMERA = np.diag([1.0, -1.0, -1.0])
# The axes of a lidar, x forward and z up, in the frame of a MuJoCo camera.
_LIDAR_IN_CAMERA = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
# From version 3.6 on, MuJoCo moves an image's centre upwards by the second number of a camera's principal point.
_UPWARDS = 1.0 if mujoco.mj_version() >= 3_006_000 else -1.0
# The number of mask bits for sets of geoms that rays pass through. One more bit belongs to all geoms.
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
    """Returns a `Follower` of an ``MjModel``, which is in its reference pose until the first `Follower.update`.

    - ``device``: as in `Tracer`.
    - ``geom_groups``: the groups of geoms that rays can hit, from 0 to 5. Default: all.
    - ``labels``: a dictionary from patterns of paths, as in `Scene.select`, to labels. If several patterns choose a geom, the
      first one counts.
    - ``label_groups``: gives the geoms of group N the label N + 1, unless ``labels`` gives them one.
    - ``origin``: as in `Scene`, for a model far from the world's origin.

    You may change the model: the next update uses its new sizes, colours, meshes and heights.

    Raises TypeError if ``model`` is not an ``MjModel``.
    """
    if not isinstance(model, mujoco.MjModel):
        raise TypeError(f"follow needs a compiled MjModel, and not a {type(model).__name__}")
    given = {} if labels is None else dict(labels)
    return Follower(model, device, geom_groups, Labels(label_groups, given), origin)


class Follower:
    """Casts rays at a MuJoCo model in its state at the last `update`. The function `follow` makes it.

    Two arguments of its methods choose geoms that rays pass through:

    - ``ignore_body``: one or several bodies, by name or number, with all bodies below them, such as the sensor's own robot.
    - ``ignore``: ids of geoms, or patterns of their paths such as ``"rover/*"``, as in `Scene.select`.

    The rays of a `Camera` also pass through the geoms that the camera hides. Use a follower from one thread at a time.
    """

    def __init__(self, model: Any, device: str, geom_groups: Sequence[int] | None, labels: Labels, origin: Any) -> None:
        self.model = model
        self._origin = origin
        self._labels = labels
        self._device = device
        self._groups = None if geom_groups is None else frozenset(_group(group) for group in _each(geom_groups))
        self._bits: dict[frozenset[int], int] = {}
        # The number of images, for their noise, of all updates before the last one.
        self._images = 0
        data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        self._states = [_State(data)]
        self._build()

    @property
    def scene(self) -> Scene:
        """The scene, whose worlds are the states of the last update.

        It belongs to the follower, which may overwrite your changes. After a change of the model it is another object.
        """
        return self._scene

    @property
    def tracer(self) -> _raytwin.Tracer:
        """The tracer of the scene. After a change of the model it is another object."""
        return self._tracer

    def update(self, data: Any) -> Follower:
        """Reads the poses of geoms, sites and cameras from an ``MjData``, and returns the follower.

        A list of several ``MjData`` becomes several worlds, numbered from 0. MuJoCo must have computed the poses, for example
        with ``mj_forward``. After ``mj_step`` the poses are those from the beginning of the step.

        Raises ValueError for data of another model, and for numbers that are not finite. The follower then stays as it was.
        """
        given = list(data) if isinstance(data, (list, tuple)) else [data]
        if not given:
            raise ValueError("update needs one or several MjData: the list is empty")
        for number, each in enumerate(given):
            if not isinstance(each, mujoco.MjData):
                raise TypeError(f"update needs one or several MjData, and not a {type(each).__name__}")
            if each.model is not self.model:
                raise ValueError(f"data {number} belong to another model: make a follower of that model")
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
        """Returns the closest hit of each ray, as `Tracer.cast_rays` does.

        ``world_ids`` are the worlds of the rays, by default the first. The other options are those of `Tracer.cast_rays`, except
        ``masks``.
        """
        if "masks" in options:
            raise TypeError("a follower has its own masks: give ignore or ignore_body in place of masks")
        given = rays_of(rays, None, options.pop("ignore_ids", None), world_ids)
        if given.masks is not None:
            raise ValueError("a follower has its own masks: leave the column ray_mask out")
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
        """Returns the points that a lidar hits in each world.

        ``lidar`` is the name of a published lidar or a `Camera`. With a name, each ray is a line, as in ``mj_ray``;
        ``Camera.lidar(name)`` has the lidar's beam and returns.

        The lidar is at a ``site``, at a ``camera`` of the model, or at a ``pose`` in the frame of `Camera.pose`: a (4, 4)
        matrix, or one for each world. At a site, the sensor has the axes of the site: a lidar looks along the site's x with z
        upwards. A `Camera` that is not a lidar looks along the site's z with y downwards, as MuJoCo's rangefinders look along
        z. At a camera, both look where the camera looks.

        ``frame`` is the frame of the points, ``"world"`` or ``"sensor"``. With ``labels=True`` the cloud has ``label_ids``.
        With ``intensity=True``, or if the lidar has a beam or rules for returns, it has the arrays of returns: see `Cloud`.
        Ranges and noise are those of the sensor. Each update has its own noise.
        """
        if isinstance(lidar, str):
            lidar = Camera.lidar(lidar, beam=None, returns=None)
        if not isinstance(lidar, Camera):
            raise TypeError(f"scan needs the name of a lidar or a Camera, and not a {type(lidar).__name__}")
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
        """Returns what a camera sees in each world.

        For one world it returns an `Image`, which cannot make pictures if rays ignore geoms. For several worlds it returns
        `Images`, in the order of the data, all in one launch. For a list of cameras it returns a list.

        ``camera`` is a camera of the model, by name or number, or a `Camera`. A `Camera` is at a ``site`` or at a ``pose``, as
        in `scan`, or otherwise at its own pose. ``normals``, ``labels``, ``albedo`` and ``out`` are as in `Tracer.render`. Each
        update has its own noise.
        """
        if isinstance(camera, (list, tuple)):
            if out is not None:
                raise TypeError("out has the arrays of one camera: render the cameras one by one")
            given: dict[str, Any] = {"site": site, "pose": pose, "ignore_body": ignore_body, "ignore": ignore}
            asked: dict[str, Any] = {"normals": normals, "labels": labels, "albedo": albedo}
            return [self.render(each, size, **given, **asked) for each in camera]
        number: Any = None if isinstance(camera, Camera) else camera
        if number is not None and (site is not None or pose is not None):
            raise TypeError("a camera of the model has its own place: use site and pose only with a Camera")
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
        """Returns a camera of the model at its pose in the last update, for `Tracer.render` and `rays.camera`.

        ``sensor`` are keywords of `Camera`. Raises IndexError for a world that does not exist.
        """
        number = self._number("camera", camera)
        if not 0 <= world < len(self._states):
            raise IndexError(f"there are {len(self._states)} worlds, numbered from 0, and there is no number {world}")
        state, model = self._states[world], self.model
        return Camera(
            _projection(model, number),
            pose=_pose(state.cameras[number], _OPTICAL_FROM_CAMERA),
            name=model.camera(number).name or f"camera[{number}]",
            **sensor,
        )

    def __copy__(self) -> Follower:
        raise TypeError("a follower cannot be copied, because it has one tracer: make another with follow(model)")

    def __repr__(self) -> str:
        return f"Follower({self.model.ngeom} geoms, {len(self._states)} worlds, {self._tracer.device})"

    def _build(self) -> None:
        """Rebuilds the scene in the current states."""
        made_of = {name: getattr(self.model, name).copy() for name in SHAPE_ARRAYS}
        builder = SceneBuilder(self.model, self._groups, self._origin)
        scene = builder.scene
        matrices = self._matrices()
        scene._set_worlds(builder.nodes, matrices.reshape(-1, 12))
        set_masks(scene, builder.visible, self._bits)
        self._labels.apply(scene, self.model)
        tracer = _raytwin.Tracer(scene, device=self._device)
        # These are set only after everything succeeded, so that an error leaves the old scene complete.
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
        """Returns the number of an element of the model, from its name or number."""
        if isinstance(given, bool) or not isinstance(given, (str, int, np.integer)):
            raise TypeError(f"a {kind} is given by its name or its number, and not by {given!r}")
        try:
            # The model's own error message lists the names.
            return int(getattr(self.model, kind)(given).id)
        except (KeyError, IndexError) as error:
            raise ValueError(f"the model has no {kind} {given!r}: {error.args[0]}") from None

    def _mask(self, ignore_body: Names | None, ignore: Any, hide: tuple[str, ...] = ()) -> int:
        """Returns the mask of rays that pass through the geoms that a call ignores or a camera hides."""
        geoms = self._ignored(ignore_body, ignore) | self._hidden(hide)
        if not geoms:
            return ALL
        if geoms not in self._bits:
            if len(self._bits) == _MASK_BITS:
                raise ValueError(f"a follower can ignore at most {_MASK_BITS} different sets of geoms: make another follower")
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
                raise TypeError(f"ignore must be ids of geoms or patterns of their paths, and not {each!r}")
            chosen = self._scene._geometries(each, "ignore").tolist()
            if any(geom >= self.model.ngeom for geom in chosen):
                raise ValueError(f"ignore: there is no geom {each}: the model has {self.model.ngeom}, numbered from 0")
            geoms.update(chosen)
        return frozenset(geoms)

    def _hidden(self, paths: tuple[str, ...]) -> frozenset[int]:
        return frozenset(geom for path in paths for geom in self._scene._geometries(path, "hide").tolist())


class _State:
    """The poses of geoms, sites and cameras at a time: the first three rows of their matrices into the world frame."""

    def __init__(self, data: Any) -> None:
        self.time = float(data.time)
        self.geoms = _matrices(data.geom_xpos, data.geom_xmat)
        self.sites = _matrices(data.site_xpos, data.site_xmat)
        self.cameras = _matrices(data.cam_xpos, data.cam_xmat)

    def check(self, of: str, scene: Scene) -> None:
        """Raises ValueError, with the name of the geom, for a pose that a scene would reject."""
        def geom(wrong: Any) -> str:
            number = int(np.flatnonzero(wrong)[0])
            return f"geom {number} ({scene.path(number)}) {of}"

        lost = ~np.isfinite(self.geoms).all(axis=(1, 2))
        if lost.any():
            raise ValueError(f"{geom(lost)} has no valid pose: its position or its axes are not finite")
        unset = ~self.geoms[:, :, :3].any(axis=(1, 2))
        if unset.any():
            raise ValueError(f"{geom(unset)} has no axes yet: call mujoco.mj_forward(model, data) first")
        far = np.abs(self.geoms[:, :, 3]).max(axis=1, initial=0) > _FARTHEST
        if far.any():
            raise ValueError(f"{geom(far)} is farther than {_FARTHEST:g} from the origin, the limit of a scene")


def _group(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)) or not 0 <= given <= 5:
        raise ValueError(f"geom_groups are whole numbers from 0 to 5, and one is {given!r}")
    return int(given)


def _below(model: Any, bodies: Iterable[int]) -> np.ndarray:
    """Returns which bodies are among the given ones, or below one of them."""
    chosen = np.zeros(model.nbody, bool)
    chosen[list(bodies)] = True
    # A parent has a lower number than its children.
    for body in range(1, model.nbody):
        chosen[body] |= chosen[model.body_parentid[body]]
    return chosen


def _projection(model: Any, camera: int) -> Perspective | Pinhole | Orthographic:
    fov_y, sensor = float(model.cam_fovy[camera]), model.cam_sensorsize[camera]
    width, height = (int(side) for side in model.cam_resolution[camera])
    # MuJoCo 3 has a flag, and MuJoCo 4 a number for the projection.
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
    """Returns a list of several values, or of one value."""
    return list(given) if isinstance(given, (list, tuple, set, frozenset, range, np.ndarray)) else [given]


def _matrices(positions: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Returns the first three rows of matrices (N, 3, 4)."""
    return np.concatenate([axes.reshape(-1, 3, 3), positions.reshape(-1, 3, 1)], axis=2)


def _pose(matrix: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Returns a pose that is rotated to axes, which are relative to the pose."""
    return np.column_stack([matrix[:, :3] @ axes, matrix[:, 3]])
