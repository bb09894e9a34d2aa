"""The class Scene: shapes from arrays and files, and their motion."""

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
    """A list of geometries, whose ids count from 0 in the order in which you add them.

    - ``Scene()`` is empty.
    - ``Scene(origin=(x, y, z))`` is empty and has an origin, for coordinates far from zero. raytwin subtracts the origin in
      float64 from all coordinates before it rounds them to float32. All arguments and answers stay in your own coordinates.
    - ``Scene(other)`` is a copy of another scene.
    - ``Scene(data)`` reads the bytes that `to_bytes` returned.
    - `Scene.load` reads a file.

    You can pickle a scene for another process or machine with the same version of raytwin. The copy is the same to the bit,
    except that it does not have its file, which `set_joints` and `link_poses` need.

    Each ``add_*`` method accepts arrays of any real type, with one entry for all shapes or one for each. Numbers stay in float64
    until each is rounded once. An argument with several numbers for each shape may be a table. raytwin finds its columns by
    name, in any order, and ignores other columns. The names are those of tables of shapes (``center_x``, ``rotation_w``), or
    ``x y z``, and for rotations ``qx qy qz qw``. A table without any of these names must have as many columns of numbers as
    the argument needs. Either all shapes are added or, if one is invalid, none. All ``add_*`` methods for shapes accept
    these keywords:

    - ``matrix``: (4, 4) or (3, 4), the transform of the shapes into the world frame, or into the frame of their node. If the
      transformed shape is one of raytwin's shapes, raytwin adds that one: a stretched sphere becomes an ellipsoid. Otherwise
      the shape keeps its transform.
    - ``name``: one name for all. ``names``: a name for each. Paths, `select` and messages use them.
    - ``mask``: uint32, for all or for each. A ray with a mask can hit a shape if ``mask & ray_mask`` is not 0.
    - ``color``: red, green and blue from 0 to 1, for all or for each, for pictures.
    - ``node``: the number or the path of a node from `add_node`, with which the shapes move.

    They return ids: a uint32 array of shape (N,), or an int for a mesh, a heightfield or lines. They raise SceneError, with the
    argument and the row, for an invalid shape. They raise ValueError for an array of a wrong shape, and TypeError for values that
    are not numbers.

    Threads may share a scene. A tracer keeps the scene as it was when the tracer was made, and needs `Tracer.update` after a
    change.
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
        """Returns the scene in a file: a scene, a robot, a molecule, a mesh or a table of shapes.

        The extension decides the format. If raytwin cannot read a part of the file, it warns with a Python warning, or raises
        SceneError if ``strict``. For a robot:

        - ``joints``: values by name, as in `set_joints`, in radians or metres, or texts such as ``"90deg"``.
        - ``movable``: allows you to move the joints later.
        - ``collision``: reads collision geometry instead of visual geometry.
        - ``packages``: a dictionary from the names in ``package://`` addresses to folders.

        For a MuJoCo model, ``key`` and ``qpos`` choose a pose, ``geom_groups`` are the groups of geoms that rays can hit, and
        ``label_groups`` gives the geoms of group N the label N + 1. For a molecule, ``style``, ``colors``, ``model``,
        ``alternate``, ``hydrogens`` and ``water`` choose what is read and drawn. For an X3D or VRML world, ``line_radius`` is
        the distance at which rays hit lines, and ``point_radius`` turns points into spheres. For all files:

        - ``origin``: a point that raytwin subtracts in float64 before it rounds numbers; ``"auto"`` is a point near the scene.
        - ``labels``: a ``.csv`` file of labels by patterns of paths.

        Raises FileError with the place in the file, and TypeError for an option that the format does not have.
        """
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"load needs the path of a file, and not a {type(path).__name__}: save an object of another library to a file "
                "first, for example a MuJoCo model with mujoco.mj_saveLastXML"
            )
        if joints is not None:
            joints = joints_by_name(joints)
            if joints is None:
                raise TypeError("joints must be values by joint name, such as {'elbow': 1.2}")
        options = dict(
            collision=collision or None, joints=joints, key=key, qpos=qpos, geom_groups=geom_groups,
            label_groups=label_groups or None, labels=labels, packages=packages and dict(packages), style=style, colors=colors, model=model,
            alternate=alternate, hydrogens=hydrogens, water=water, line_radius=line_radius, point_radius=point_radius, origin=origin, movable=movable or None,
        )
        return cls(path, strict=strict, **{name: value for name, value in options.items() if value is not None})

    def add_spheres(self, centers: Any, radii: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds spheres with centres (N, 3) and radii (N,), and returns their ids.

            >>> Scene().add_spheres([[0, 0, 0], [3, 0, 0]], 1.0, name="ball")
            array([0, 1], dtype=uint32)
        """
        return self._add(rows_of("sphere", center=("centers", centers), radius=("radii", radii)), "sphere", properties)

    def add_boxes(self, centers: Any, half_extents: Any, rotations_xyzw: Any = None, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds boxes, and returns their ids.

        ``centers`` are (N, 3). ``half_extents`` (N, 3) are half of the sizes along the boxes' own axes. ``rotations_xyzw`` are
        quaternions (N, 4), by default the identity.
        """
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
        """Adds cylinders between the middles of their flat ends (N, 3), with radii (N,), and returns their ids.

        With ``inner_radii`` above 0 they are tubes. ``side``, ``start_cap`` and ``end_cap``, all true by default, choose the parts
        of the surface. If one of them is false, the cylinder has no inside.
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
        """Adds capsules, and returns their ids.

        ``starts`` and ``ends`` (N, 3) are the centres of the half-spheres at both ends, and ``radii`` are (N,).
        """
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
        """Adds cones and frustums between the middles of their ends (N, 3), and returns their ids.

        Each end has a radius (N,), one of which may be 0. ``side``, ``start_cap`` and ``end_cap`` are as in `add_cylinders`.
        """
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
        """Adds ellipsoids, and returns their ids.

        ``centers`` are (N, 3). ``radii`` (N, 3) are the semi-axes along the ellipsoids' own axes. ``rotations_xyzw`` are
        quaternions (N, 4), by default the identity.
        """
        rows = rows_of(
            "ellipsoid",
            center=("centers", centers),
            radii=("radii", radii),
            rotation_xyzw=("rotations_xyzw", rotations_xyzw),
        )
        return self._add(rows, "ellipsoid", properties)

    def add_tori(self, centers: Any, axes: Any, major_radii: Any, minor_radii: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds tori, and returns their ids.

        ``centers`` are (N, 3), and ``axes`` are (N, 3) of any length. ``major_radii`` (N,) are the radii of the circles in the
        middle of the tubes. ``minor_radii`` (N,) are the radii of the tubes, and must be smaller.
        """
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

        Without ``half_extents`` a plane is infinite, and bounds the half-space behind it. With ``half_extents`` (N, 2) and
        ``rotations_xyzw`` (N, 4) each plane is a rectangle around its point. Its normal is its own +z axis, so leave ``normals``
        out. Rays from behind pass through a ``one_sided`` plane.
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
        """Adds discs with centres (N, 3), normals (N, 3) of any length and radii (N,), and returns their ids.

        With ``inner_radii`` above 0 they have holes.
        """
        rows = rows_of(
            "disc",
            center=("centers", centers),
            normal=("normals", normals),
            radius=("radii", radii),
            inner_radius=("inner_radii", inner_radii),
        )
        return self._add(rows, "disc", properties)

    def add_triangles(self, vertices: Any, **properties: Unpack[PropertyArguments]) -> np.ndarray:
        """Adds single triangles with vertices (N, 3, 3), and returns their ids.

        The vertices are counter-clockwise as seen from the side of the normal. Each triangle is a geometry of its own. For a
        surface of many triangles, use `add_mesh`.
        """
        return self._add(rows_of("triangle", vertices=("vertices", vertices)), "triangle", properties)

    def add_mesh(self, vertices: Any, triangles: Any, **properties: Unpack[PropertyArguments]) -> int:
        """Adds a mesh, and returns its id.

        ``vertices`` are (V, 3), and ``triangles`` (M, 3) are indices into them. The mesh is a solid if it is closed: if each edge
        belongs to exactly two triangles, once in each direction.
        """
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
        """Adds a heightfield, and returns its id.

        ``heights`` (R, C) are the heights above a grid. Rows follow one another along its own +y axis, and columns along +x.
        ``spacing`` is the distance between them: one number, or one for x and one for y. ``center`` is the middle of the grid.
        With a ``base``, which must be below all heights, the heightfield is a solid with vertical sides.
        """
        heights = as_float64(heights, "heights", (None, None))
        spacing = np.broadcast_to(as_float64(spacing, "spacing", (), (2,)), 2).tolist()
        center = as_float64(center, "center", (3,)).tolist()
        rotation = as_float64(rotation_xyzw, "rotation_xyzw", (4,)).tolist()
        return self._add_heightfield(heights, spacing, center, rotation, base, self._properties(1, properties))

    def add_empty(self, **properties: Unpack[PropertyArguments]) -> int:
        """Adds a geometry that no ray hits, and returns its id.

        Use it to reserve an id, so that the following ids agree with those of another program.
        """
        return self._add_empty(self._properties(1, properties))

    def add_lines(self, points: Any, indices: Any, radius: float, **properties: Unpack[PropertyArguments]) -> int:
        """Adds line segments, and returns their id.

        ``points`` are (V, 3), and ``indices`` (M, 2) are the ends of the segments. A ray hits a segment if its distance from the
        segment is at most ``radius``.
        """
        points = as_float64(points, "points", (None, 3))
        return self._add_lines(points, as_indices(indices, "indices", 2), float(radius), self._properties(1, properties))

    def add_node(self, name: str | None = None, parent: int | str | None = None, matrix: Any = None) -> int:
        """Adds a node, and returns its number. Shapes and instances at a node move with it.

        ``parent`` is the number or the path of another node, by default the root of the scene. ``matrix``, (4, 4) or (3, 4), is
        the transform of the node into its parent, by default the identity.
        """
        matrices = matrices_of(np.eye(4) if matrix is None else matrix, "matrix")
        if len(matrices) != 1:
            raise ValueError("matrix must be one matrix: use add_nodes for several")
        return self._add_nodes([name], self._node(parent, "parent"), matrices)

    def add_nodes(
        self, matrices: Any, names: Sequence[str] | None = None, parent: int | str | None = None
    ) -> np.ndarray:
        """Adds a node for each matrix, and returns their numbers as a uint32 array of shape (N,).

        ``matrices``, (N, 4, 4) or (N, 3, 4), are the transforms of the nodes into the parent.
        """
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
        """Adds an instance of another scene for each matrix or node, and returns the ids of their first geometries.

        The ids are a uint32 array of shape (N,). The geometries of an instance have consecutive ids. The definition is
        stored only once.

        ``matrices``, (N, 4, 4) or (N, 3, 4), are the transforms of the instances into the world frame, by default the identity.
        With ``nodes``, given by numbers or paths, they are the transforms into the nodes. The instances then move with the
        nodes and have their names. ``color`` is the colour of geometries that have none.

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
                raise TypeError("instances at nodes have the names of the nodes: leave out name and names")
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
        """Sets the transforms of nodes, which moves everything below them.

        ``nodes`` are numbers or paths. ``matrices``, (4, 4), (3, 4), (N, 4, 4) or (N, 3, 4), are the transforms of the nodes into
        their parents. If one matrix is invalid, nothing moves.
        """
        self._set_transforms(numbers := self._nodes(nodes), matrices_of_nodes(matrices, len(numbers)))

    def set_worlds(self, nodes: Any, matrices: Any) -> None:
        """Sets the transforms of nodes in each world. These worlds replace the worlds of the scene.

        ``nodes`` are N numbers or paths. ``matrices``, (W, N, 4, 4) or (W, N, 3, 4), are the transforms of the nodes into their
        parents in each of W worlds. Shapes that do not move are stored only once. If one matrix is invalid, nothing moves.

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
        """Moves the joints of a robot, which must have been loaded with ``movable=True``.

        ``joints`` are values by name, or an array with the values of all `joint_names`, in radians or metres. Values by name are a
        mapping, a table with one row, or a pandas series with the names in its index (such as a row of a frame). Joints that
        you do not name stay where they are. If one value is invalid, nothing moves.

        A floating joint of a URDF file needs seven numbers: x, y, z and the quaternion w, x, y, z, like a free joint of MuJoCo.
        The root link of a URDF file can be moved in the same way, with its own name.
        """
        named = joints_by_name(joints)
        if named is None:
            names = self.joint_names
            named = dict(zip(names, as_float64(joints, "joints", (len(names),)).tolist()))
        self._set_joints(named)

    def world_from_node(self, node: int | str) -> np.ndarray:
        """Returns the transform of a node into the world frame, as a float64 array of shape (4, 4)."""
        return self._world_from_node(self._node(node))

    def set_mask(self, geometries: Any, mask: int) -> None:
        """Sets the mask of geometries. A ray can hit a geometry if ``mask & ray_mask`` is not 0.

        ``geometries`` are ids, or a pattern as in `select`.
        """
        self._set_mask(self._geometries(geometries), int(as_ids([mask], "mask")[0]))

    def hide(self, geometries: Any) -> None:
        """Hides geometries from all rays and points, by setting their mask to 0. They keep their ids.

        ``geometries`` are ids, or a pattern as in `select`.
        """
        self.set_mask(geometries, 0)

    def set_label(
        self, geometries: Any, label: int, *, name: str | None = None, reflectance: float | None = None
    ) -> None:
        """Sets the label of geometries: their semantic class from 1 to 65535, or 0 for none.

        ``geometries`` are ids, or a pattern as in `select`. ``name`` is the name of the label. ``reflectance``, from 0 to 1, is the
        share of a lidar's light that the geometries reflect. A tracer uses the labels after its next `Tracer.update`.

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
            raise ValueError("the label 0 means no label and has no name" if number == 0 else "name must not be empty")
        self._set_label(self._geometries(geometries), number, name, reflectance)

    @property
    def cameras(self) -> list[Camera]:
        """The cameras of the scene's file, in its order.

        A molecule's file has no camera. The scene then has one from which all visible shapes just fit in an image of 640x480.
        """
        return cameras_of(self, None)

    def fit_camera(self, size: tuple[int, int] | None = None) -> Camera:
        """Returns a camera with a level horizon from which all visible shapes just fit in an image.

        ``size`` is the width and height of the image, by default 640x480. The margin at each side is a twentieth of the image.
        Shapes with the mask 0 are hidden and do not count.
        """
        return of_attributes(self._fit_camera(*(size_of(size) or (640, 480))))

    def show(
        self,
        camera: Camera | str | None = None,
        *,
        kind: Literal["shaded", "distance", "ids", "normals"] = "shaded",
        height: int = 520,
    ) -> SceneView | Picture:
        """Returns an interactive view of the current scene, which a notebook shows at the end of a cell.

        You can turn and zoom the view, and pick shapes. A robot that was loaded with ``movable=True`` has a slider for each joint.
        The sliders move only the view's own copy of the scene.

        The browser draws the view, with WebGPU if it is available. The answers about picked shapes are in float64. The view needs
        ``raytwin[notebook]`` and a running kernel. Elsewhere, for example in an exported notebook, it is a picture. ``.png`` has
        the bytes of the picture's file.

        ``camera`` is a perspective camera, or the name of one in the scene. By default it is the first one, or one that sees
        everything. ``kind`` is the kind of picture. ``height`` is the height of the view in pixels.

        Raises SceneError for a camera name that does not exist and for a scene without shapes. Raises ValueError for a camera
        that is not perspective, and for an unknown kind.

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
            raise TypeError(f"there is no keyword {unknown.pop()}: the keywords are {known}")
        if properties.get("node") is not None:
            properties["node"] = self._node(properties["node"])
        return properties_of(count, **properties)

    def _node(self, node: int | str | None, name: str = "node") -> int | None:
        """Returns the number of a node, from its number or path. `name` is the name of the argument."""
        return None if node is None else int(self._nodes([node], name)[0])

    def _nodes(self, nodes: Any, name: str = "nodes") -> np.ndarray:
        """Returns the numbers of nodes, from numbers or paths. If several nodes have the same path, it means the first of them.

        `name` is the name of the argument.
        """
        if isinstance(nodes, (str, int, np.integer)):
            nodes = [nodes]
        if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iu":
            return as_ids(nodes, name)
        if hasattr(nodes, "columns"):
            raise TypeError(f"{name} must be numbers or paths, and are a {type(nodes).__name__}: give one column of it")
        # The entries of an Arrow array are texts in wrappers.
        nodes = nodes.to_pylist() if hasattr(nodes, "to_pylist") else list(nodes)
        if not any(isinstance(node, str) for node in nodes):
            return as_ids(nodes, name)
        numbers = {path: number for number, path in reversed(list(enumerate(self.nodes)))}
        unknown = [node for node in nodes if isinstance(node, str) and (not node or node not in numbers)]
        if unknown:
            known = ", ".join([path for path in self.nodes if path][:20]) or "none"
            raise _raytwin.SceneError(f"there is no node '{unknown[0]}': the paths of nodes are {known}")
        return as_ids([numbers[node] if isinstance(node, str) else node for node in nodes], name)
