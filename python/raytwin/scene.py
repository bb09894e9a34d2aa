"""The class Scene: shapes by arrays, files, and what moves."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from . import _raytwin
from .arrays import joints_by_name
from .camera import Camera, cameras_of, of_attributes, size_of
from .overlaps import SceneOfSolids
from .rows import (
    Properties,
    PropertyArguments,
    Rows,
    as_flags,
    as_float64,
    as_ids,
    as_indices,
    color_of,
    matrices_in_worlds,
    matrices_of,
    matrices_of_nodes,
    names_of,
    properties_of,
    rows_of,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .notebook.picture import Picture
    from .notebook.scene_view import SceneView


class Scene(SceneOfSolids):
    """Geometries, each with an id, numbered from 0 in the order of adding.

    ``Scene()`` is empty. ``Scene(origin=(x, y, z))`` is empty and about a point far away: it is subtracted in float64 from
    all coordinates before they are rounded to float32. All arrays are given and answered in your own coordinates all the
    same. ``Scene(other)`` is a copy, `Scene.load` reads a file, and ``Scene(data)`` is what `to_bytes` wrote.

    A scene can be pickled, for another process or machine with the same version: all that it holds comes back to the bit, but
    not the file that it was read from, which `set_joints` and `link_poses` need.

    Each ``add_*`` takes arrays of any real type: one entry for all shapes, or one for each. Numbers are kept in float64
    until each is rounded once. Fields of several numbers may be columns of a table, in any order and beside others: called as in
    tables of shapes (``center_x``, ``rotation_w``), or ``x y z`` and for rotations ``qx qy qz qw``. A table whose names say nothing
    has as many columns of numbers. Either all shapes are added or, if one is invalid, none. All take the keywords

    - ``matrix``: (4, 4) or (3, 4), the transform of the shapes into the world, or into their node. A shape whose image is
      again one of the shapes is that shape; any other is placed as it is.
    - ``name``: the name of all, or ``names``: a name for each. Paths, `select` and messages use it.
    - ``mask``: uint32, for all or for each. A ray with a mask can hit a shape if ``mask & ray_mask`` is not 0.
    - ``color``: red, green and blue from 0 to 1, for all or for each, which pictures use.
    - ``node``: the number or the path of a node that the shapes move with, from `add_node`.

    They return ids: a uint32 array of shape (N,), or an int for a mesh, a heightfield and lines. They raise SceneError for
    a shape that is invalid, naming the argument and the row, ValueError for arrays of a wrong shape, and TypeError for what
    holds no numbers.

    Threads may share a scene. A tracer keeps the scene as it was when the tracer took it, and asks for `Tracer.update`
    after a change.
    """

    __slots__ = ()

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        strict: bool = False,
        collision: bool = False,
        joints: Any = None,
        key: int | str | None = None,
        qpos: str | os.PathLike[str] | None = None,
        geom_groups: Sequence[int] | None = None,
        label_groups: bool = False,
        labels: str | os.PathLike[str] | None = None,
        packages: Mapping[str, str | os.PathLike[str]] | None = None,
        style: Literal["ball-and-stick", "space-filling", "sticks", "trace"] | None = None,
        colors: Literal["element", "chain", "b-factor"] | None = None,
        model: int | None = None,
        alternate: str | None = None,
        hydrogens: bool | None = None,
        water: bool | None = None,
        line_radius: float | None = None,
        point_radius: float | None = None,
        origin: Sequence[float] | Literal["auto"] | None = None,
        movable: bool = False,
    ) -> Scene:
        """Reads a scene, a robot, a molecule, a mesh or a table of shapes, whose extension decides the format.

        What the file holds and cannot be read is a warning of Python's, and raises SceneError if ``strict``. ``joints``
        are values by name, as `set_joints` takes them, in radians or metres, or texts such as ``"90deg"``. ``movable`` lets it move
        a robot later.
        ``origin`` is subtracted in float64 before numbers are rounded; ``"auto"`` is a point near the scene. ``labels`` is a
        ``.csv`` of labels by patterns of paths, and ``label_groups`` labels MuJoCo's geoms by their groups.

        Raises FileError with the place in the file, and TypeError for an option that the format does not take.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"load takes the path of a file, and not a {type(path).__name__}: what another library holds is saved to a file "
                "first, as mujoco.mj_saveLastXML does with a model"
            )
        if joints is not None:
            joints = joints_by_name(joints)
            if joints is None:
                raise TypeError("joints must be values by the names of joints, such as {'elbow': 1.2}")
        options = dict(
            collision=collision or None, joints=joints, key=key, qpos=qpos, geom_groups=geom_groups,
            label_groups=label_groups or None, labels=labels, packages=packages and dict(packages), style=style, colors=colors, model=model,
            alternate=alternate, hydrogens=hydrogens, water=water, line_radius=line_radius, point_radius=point_radius, origin=origin, movable=movable or None,
        )
        return cls(path, strict=strict, **{name: value for name, value in options.items() if value is not None})

    def add_spheres(self, centers: Any, radii: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds spheres of centres (N, 3) and radii (N,), and returns their ids.

            >>> Scene().add_spheres([[0, 0, 0], [3, 0, 0]], 1.0, name="ball")
            array([0, 1], dtype=uint32)
        """
        return self._add(rows_of("sphere", center=("centers", centers), radius=("radii", radii)), "sphere", properties)

    def add_boxes(self, centers: Any, half_extents: Any, rotations_xyzw: Any = None, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds boxes of centres (N, 3), half extents along their own axes (N, 3) and rotations (N, 4), the identity by
        default, and returns their ids."""
        rows = rows_of(
            "box",
            center=("centers", centers),
            half_extents=("half_extents", half_extents),
            rotation_xyzw=("rotations_xyzw", rotations_xyzw),
        )
        return self._add(rows, "box", properties)

    def add_cylinders(
        self,
        starts: Any,
        ends: Any,
        radii: Any,
        inner_radii: Any = None,
        *,
        side: Any = None,
        start_cap: Any = None,
        end_cap: Any = None,
        **properties: Unpack[PropertyArguments],
    ) -> np.ndarray:
        """Adds cylinders between the middles of their flat ends (N, 3), of radii (N,), and returns their ids.

        ``inner_radii`` above 0 make tubes. ``side``, ``start_cap`` and ``end_cap``, true by default, say which parts of the
        surface are there; without one of them a cylinder has no inside.
        """
        rows = rows_of(
            "cylinder",
            start=("starts", starts),
            end=("ends", ends),
            radius=("radii", radii),
            inner_radius=("inner_radii", inner_radii),
            side=("side", as_flags(side, "side")),
            start_cap=("start_cap", as_flags(start_cap, "start_cap")),
            end_cap=("end_cap", as_flags(end_cap, "end_cap")),
        )
        return self._add(rows, "cylinder", properties)

    def add_capsules(self, starts: Any, ends: Any, radii: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds capsules between the middles of their round ends (N, 3), of radii (N,), and returns their ids."""
        rows = rows_of("capsule", start=("starts", starts), end=("ends", ends), radius=("radii", radii))
        return self._add(rows, "capsule", properties)

    def add_cones(
        self,
        starts: Any,
        ends: Any,
        start_radii: Any,
        end_radii: Any = 0.0,
        *,
        side: Any = None,
        start_cap: Any = None,
        end_cap: Any = None,
        **properties: Unpack[PropertyArguments],
    ) -> np.ndarray:
        """Adds cones and frustums between the middles of their ends (N, 3), of a radius (N,) at each end, one of which may
        be 0, and returns their ids. The parts are those of `add_cylinders`."""
        rows = rows_of(
            "cone",
            start=("starts", starts),
            end=("ends", ends),
            start_radius=("start_radii", start_radii),
            end_radius=("end_radii", end_radii),
            side=("side", as_flags(side, "side")),
            start_cap=("start_cap", as_flags(start_cap, "start_cap")),
            end_cap=("end_cap", as_flags(end_cap, "end_cap")),
        )
        return self._add(rows, "cone", properties)

    def add_ellipsoids(self, centers: Any, radii: Any, rotations_xyzw: Any = None, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds ellipsoids of centres (N, 3), radii along their own axes (N, 3) and rotations (N, 4), the identity by
        default, and returns their ids."""
        rows = rows_of(
            "ellipsoid",
            center=("centers", centers),
            radii=("radii", radii),
            rotation_xyzw=("rotations_xyzw", rotations_xyzw),
        )
        return self._add(rows, "ellipsoid", properties)

    def add_tori(self, centers: Any, axes: Any, major_radii: Any, minor_radii: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds tori of centres (N, 3) and axes (N, 3) of any length, and returns their ids. The major radius (N,) is that of
        the circle in the middle of the ring, and the minor one (N,), below it, that of the ring."""
        rows = rows_of(
            "torus",
            center=("centers", centers),
            axis=("axes", axes),
            major_radius=("major_radii", major_radii),
            minor_radius=("minor_radii", minor_radii),
        )
        return self._add(rows, "torus", properties)

    def add_planes(
        self,
        points: Any,
        normals: Any = None,
        *,
        half_extents: Any = None,
        rotations_xyzw: Any = None,
        one_sided: Any = None,
        **properties: Unpack[PropertyArguments],
    ) -> np.ndarray:
        """Adds planes through points (N, 3) with normals (N, 3) of any length, and returns their ids.

        Without ``half_extents`` they are infinite, and bound the half-space behind them. With ``half_extents`` (N, 2) and
        ``rotations_xyzw`` (N, 4) each is a rectangle about its point, whose normal is its own +z axis, so none is given.
        Rays that come from behind pass through a ``one_sided`` plane.
        """
        rows = rows_of(
            "plane",
            point=("points", points),
            normal=("normals", normals),
            half_extents=("half_extents", half_extents),
            rotation_xyzw=("rotations_xyzw", rotations_xyzw),
            one_sided=("one_sided", as_flags(one_sided, "one_sided")),
        )
        return self._add(rows, "plane", properties)

    def add_discs(
        self, centers: Any, normals: Any, radii: Any, inner_radii: Any = None, **properties: Unpack[PropertyArguments]
    ) -> np.ndarray:
        """Adds discs of centres (N, 3), normals (N, 3) of any length and radii (N,), and returns their ids. ``inner_radii``
        above 0 leave holes."""
        rows = rows_of(
            "disc",
            center=("centers", centers),
            normal=("normals", normals),
            radius=("radii", radii),
            inner_radius=("inner_radii", inner_radii),
        )
        return self._add(rows, "disc", properties)

    def add_triangles(self, vertices: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds single triangles of vertices (N, 3, 3), counter-clockwise as seen from the side of the normal, and returns
        their ids. Each is a geometry of its own: a surface of many triangles is `add_mesh`."""
        return self._add(rows_of("triangle", vertices=("vertices", vertices)), "triangle", properties)

    def add_mesh(self, vertices: Any, triangles: Any, **properties: Unpack[PropertyArguments]) -> int:
        """Adds a surface of triangles (M, 3), which are indices into vertices (V, 3), and returns its id. It is solid if it
        is closed: if each edge lies in exactly two triangles, once each way."""
        vertices = as_float64(vertices, "vertices", (None, 3))
        return self._add_mesh(vertices, as_indices(triangles, "triangles", 3), self._properties(1, properties))

    def add_heightfield(
        self,
        heights: Any,
        spacing: Any,
        center: Any = (0.0, 0.0, 0.0),
        rotation_xyzw: Any = (0.0, 0.0, 0.0, 1.0),
        base: float | None = None,
        **properties: Unpack[PropertyArguments],
    ) -> int:
        """Adds a surface of heights (R, C) above a grid, and returns its id.

        Rows follow one another along its own +y axis and columns along +x, ``spacing`` apart: one number, or one for x and
        one for y. ``center`` is the middle of the grid. A ``base``, below all heights, makes it a solid with upright sides.
        """
        heights = as_float64(heights, "heights", (None, None))
        spacing = np.broadcast_to(as_float64(spacing, "spacing", (), (2,)), 2).tolist()
        center = as_float64(center, "center", (3,)).tolist()
        rotation = as_float64(rotation_xyzw, "rotation_xyzw", (4,)).tolist()
        return self._add_heightfield(heights, spacing, center, rotation, base, self._properties(1, properties))

    def add_empty(self, **properties: Unpack[PropertyArguments]) -> int:
        """Adds a geometry that no ray hits, and returns its id: the ids of what follows are those that they are elsewhere."""
        return self._add_empty(self._properties(1, properties))

    def add_lines(self, points: Any, indices: Any, radius: float, **properties: Unpack[PropertyArguments]) -> int:
        """Adds segments (M, 2), which are indices into points (V, 3), and returns their id. A ray hits a segment if it comes
        as near as the radius."""
        points = as_float64(points, "points", (None, 3))
        return self._add_lines(points, as_indices(indices, "indices", 2), float(radius), self._properties(1, properties))

    def add_node(self, name: str | None = None, parent: int | str | None = None, matrix: Any = None) -> int:
        """Adds a node below another one, or below the world, and returns its number. What is added at it moves with it.
        ``matrix``, (4, 4) or (3, 4) and the identity by default, is its transform into its parent."""
        matrices = matrices_of(np.eye(4) if matrix is None else matrix, "matrix")
        if len(matrices) != 1:
            raise ValueError("matrix must be one matrix: add_nodes adds a node for each of several")
        return self._add_nodes([name], self._node(parent, "parent"), matrices)

    def add_nodes(
        self, matrices: Any, names: Sequence[str] | None = None, parent: int | str | None = None
    ) -> np.ndarray:
        """Adds a node for each matrix (N, 4, 4) or (N, 3, 4), its transform into the parent, and returns their numbers as a
        uint32 array of shape (N,)."""
        matrices = matrices_of(matrices, "matrices")
        each: Sequence[str | None] = names_of(None, names, len(matrices)) or [None] * len(matrices)
        first = self._add_nodes(each, self._node(parent, "parent"), matrices)
        return np.arange(first, first + len(matrices), dtype=np.uint32)

    def add_instances(
        self,
        definition: Scene,
        matrices: Any = None,
        *,
        nodes: Any = None,
        name: str | None = None,
        names: Sequence[str] | None = None,
        color: Any = None,
    ) -> np.ndarray:
        """Adds a scene to this one for each matrix or node, and returns the ids of their first geometries, a uint32 array of
        shape (N,). The geometries of an instance have consecutive ids. A definition takes memory once.

        ``matrices``, (N, 4, 4) or (N, 3, 4) and the identity by default, lead into the world, or into ``nodes``: numbers or
        paths, with which the instances move and whose names they have. ``color`` is that of geometries without one.

            >>> ball, scene = Scene(), Scene()
            >>> ids = ball.add_spheres([0, 0, 0], 1.0)
            >>> nodes = scene.add_nodes(np.tile(np.eye(4), (3, 1, 1)))
            >>> scene.add_instances(ball, nodes=nodes)
            array([0, 1, 2], dtype=uint32)
        """
        matrices = matrices_of(np.eye(4) if matrices is None else matrices, "matrices")
        numbers = None
        if nodes is not None:
            if name is not None or names is not None:
                raise TypeError("instances at nodes are called as these are: leave out name and names")
            numbers = self._nodes(nodes)
            count = max(len(matrices), len(numbers)) if len(matrices) and len(numbers) else 0
            if {len(matrices), len(numbers)} - {1, count}:
                raise ValueError(f"there are {len(matrices)} matrices for {len(numbers)} nodes")
            matrices = np.ascontiguousarray(np.broadcast_to(matrices, (count, 12)))
            numbers = np.ascontiguousarray(np.broadcast_to(numbers, (count,)))
        names = names_of(name, names, len(matrices))
        color = None if color is None else color_of(color)[0].tolist()
        return self._add_instances(definition, matrices, numbers, names, color)

    def set_transforms(self, nodes: Any, matrices: Any) -> None:
        """Moves nodes, and all that lies below them, at once: ``matrices``, (4, 4), (3, 4), (N, 4, 4) or (N, 3, 4), are the
        transforms of the nodes, given by numbers or paths, into their parents. If one is refused, nothing moves."""
        self._set_transforms(numbers := self._nodes(nodes), matrices_of_nodes(matrices, len(numbers)))

    def set_worlds(self, nodes: Any, matrices: Any) -> None:
        """Moves nodes, and all that lies below them, in each of some worlds, which the scene has afterwards and no others:
        ``matrices``, (W, N, 4, 4) or (W, N, 3, 4), are the transforms of the N nodes into their parents in each of W worlds. What
        lies still takes memory once. If a matrix is refused, nothing moves.

            >>> import numpy as np
            >>> import raytwin as rt
            >>> ball, scene = rt.Scene(), rt.Scene()
            >>> ids = ball.add_spheres([0, 0, 5], 1.0)
            >>> node = scene.add_node()
            >>> ids = scene.add_instances(ball, nodes=[node])
            >>> places = np.tile(np.eye(4), (3, 1, 1, 1))
            >>> places[:, 0, 2, 3] = 0, 1, 2
            >>> scene.set_worlds([node], places)
            >>> rt.Tracer(scene, device="cpu").cast_rays([[0, 0, 0, 0, 0, 1]] * 3, world_ids=[0, 1, 2]).t_hit
            array([4., 5., 6.], dtype=float32)
        """
        self._set_worlds(numbers := self._nodes(nodes), matrices_in_worlds(matrices, len(numbers)))

    def set_joints(self, joints: Any) -> None:
        """Moves the joints of the robot that the scene was loaded from with ``movable=True``.

        ``joints`` are values by name, or the values of all `joint_names`. Values by name are a mapping, a series of pandas whose
        index has the names, such as a row of a frame, or a table of one row. A floating joint of a URDF file, and its root link by
        its own name, take seven numbers: x, y, z and the quaternion w, x, y, z, as a free joint of MuJoCo does. Joints that are
        not named stay where they are. If one is refused, nothing moves.
        """
        named = joints_by_name(joints)
        if named is None:
            names = self.joint_names
            named = dict(zip(names, as_float64(joints, "joints", (len(names),)).tolist()))
        self._set_joints(named)

    def world_from_node(self, node: int | str) -> np.ndarray:
        """Returns the transform of a node into the world, a float64 array of shape (4, 4)."""
        return self._world_from_node(self._node(node))

    def set_mask(self, geometries: Any, mask: int) -> None:
        """Gives geometries, chosen by ids or as `select` does, a mask: a ray can hit them if ``mask & ray_mask`` is not 0."""
        self._set_mask(self._geometries(geometries), int(as_ids([mask], "mask")[0]))

    def hide(self, geometries: Any) -> None:
        """Lets all rays and points pass by geometries, chosen by ids or as `select` does. They keep their ids."""
        self.set_mask(geometries, 0)

    def set_label(
        self, geometries: Any, label: int, *, name: str | None = None, reflectance: float | None = None
    ) -> None:
        """Gives geometries, chosen by ids or as `select` does, a label, their semantic class: 1 to 65535, or 0 for none.

        ``name`` is the label's, and ``reflectance`` what a lidar sees of its light reflected, 0 to 1. A tracer returns labels of
        geometries after its next `Tracer.update`.

            >>> scene = Scene()
            >>> scene.set_label(scene.add_spheres([[0, 0, 0], [3, 0, 0]], 1.0), 7, name="ball")
            >>> scene.labels, scene.label_names
            (array([7, 7], dtype=uint16), {7: 'ball'})
        """
        number = int(as_ids([label], "label")[0])
        if number > 0xFFFF:
            raise ValueError(f"label must be from 0 to 65535, and is {number}")
        if reflectance is not None and not 0 <= reflectance <= 1:
            raise ValueError(f"reflectance must be from 0 to 1, and is {reflectance}")
        if name is not None and (number == 0 or not name):
            raise ValueError("the label 0 stands for none and has no name" if number == 0 else "name must not be empty")
        self._set_label(self._geometries(geometries), number, name, reflectance)

    @property
    def cameras(self) -> list[Camera]:
        """The cameras that the scene's file holds, in its order. That of a molecule, which its file does not hold, is where all
        shapes that are not hidden just fit in an image of 640x480."""
        return cameras_of(self, None)

    def camera_that_sees_all(self, size: tuple[int, int] | None = None) -> Camera:
        """Returns a camera with a level horizon, from where all shapes that are not hidden (by a mask of 0) just fit in an image of
        that size, 640x480 by default, with a margin of a twentieth at each side."""
        return of_attributes(self._camera_that_sees_all(*(size_of(size) or (640, 480))))

    def show(
        self,
        camera: Camera | str | None = None,
        *,
        kind: Literal["shaded", "distance", "ids", "normals"] = "shaded",
        height: int = 520,
    ) -> SceneView | Picture:
        """Returns a view of the scene as it is now, which shows itself at the end of a notebook's cell: to turn, to zoom, to
        pick, and with a slider for each joint of a robot that was loaded with ``movable=True``. They move the view's own copy.

        The browser draws it by WebGPU where it has it; its answers are in float64. It needs ``raytwin[notebook]`` and a running
        kernel. Elsewhere, as in an exported notebook, it is a picture, whose file's bytes are ``.png``.

        ``camera`` is a perspective one or the name of one in the scene, by default the first, or one that sees everything.
        ``height`` is in pixels. Raises SceneError for a camera that is not there and for a scene without shapes, and ValueError
        for a camera without perspective or an unknown kind.

            >>> scene = Scene()
            >>> ball = scene.add_spheres([0, 0, 0], 1.0)
            >>> scene.show().png[1:4]
            b'PNG'
        """
        from .notebook import show_scene

        return show_scene(self, camera, kind, height)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.to_bytes(),))

    def __copy__(self) -> Scene:
        return type(self)(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Scene:
        return type(self)(self)

    def _add(self, rows: Rows, kind: str, properties: PropertyArguments) -> np.ndarray:
        return self._add_rows(kind, *rows, self._properties(len(rows.numbers), properties))

    def _properties(self, count: int, properties: PropertyArguments) -> Properties:
        unknown = properties.keys() - PropertyArguments.__annotations__
        if unknown:
            known = ", ".join(PropertyArguments.__annotations__)
            raise TypeError(f"there is no keyword {unknown.pop()}: what is added takes {known}")
        if properties.get("node") is not None:
            properties["node"] = self._node(properties["node"])
        return properties_of(count, **properties)

    def _node(self, node: int | str | None, name: str = "node") -> int | None:
        """Returns the number of a node, which may be given by its path, for the argument of a name."""
        return None if node is None else int(self._nodes([node], name)[0])

    def _nodes(self, nodes: Any, name: str = "nodes") -> np.ndarray:
        """Returns the numbers of nodes, which may be given by their paths, for the argument of a name. A path is that of the
        first node that has it."""
        if isinstance(nodes, (str, int, np.integer)):
            nodes = [nodes]
        if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iu":
            return as_ids(nodes, name)
        if hasattr(nodes, "columns"):
            raise TypeError(f"{name} must be numbers or paths, and are a {type(nodes).__name__}: give one column of it")
        # What Arrow's arrays list are texts in wrappers.
        nodes = nodes.to_pylist() if hasattr(nodes, "to_pylist") else list(nodes)
        if not any(isinstance(node, str) for node in nodes):
            return as_ids(nodes, name)
        numbers = {path: number for number, path in reversed(list(enumerate(self.nodes)))}
        unknown = [node for node in nodes if isinstance(node, str) and (not node or node not in numbers)]
        if unknown:
            known = ", ".join([path for path in self.nodes if path][:20]) or "none"
            raise _raytwin.SceneError(f"there is no node '{unknown[0]}': the paths of nodes are {known}")
        return as_ids([numbers[node] if isinstance(node, str) else node for node in nodes], name)
