"""The scene of a compiled MuJoCo model: each geom is at a node of its own, with its path, colour, label and masks."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import mujoco
import numpy as np

from . import _raytwin
from .scene import Scene

_GEOM = mujoco.mjtGeom
# The arrays that determine the geometry of a scene. If they change in the model, a follower rebuilds its scene.
SHAPE_ARRAYS = (
    "geom_type", "geom_size", "geom_dataid", "geom_group", "geom_rgba", "geom_matid", "mat_rgba", "mesh_vert", "mesh_face",
    "hfield_size", "hfield_data",
)
# The mask of rays that ignore nothing.
ALL = 0xFFFFFFFF


class Labels(NamedTuple):
    """The labels of geoms, by their groups and by patterns."""

    by_groups: bool
    patterns: dict[str, int]

    def apply(self, scene: Scene, model: Any) -> None:
        if self.by_groups:
            groups = groups_of(model)
            for group in range(6):
                scene.set_label(np.flatnonzero(groups == group), group + 1, name=f"group{group}")
        # The first pattern is applied last, so it counts.
        for pattern, label in reversed(self.patterns.items()):
            chosen = scene.select(pattern)
            if not len(chosen):
                warnings.warn(f"labels: no geom matches {pattern!r}", stacklevel=5)
            scene.set_label(chosen, label)


class SceneBuilder:
    """Builds the scene of a model's geoms, each at a node of its own."""

    def __init__(self, model: Any, groups: frozenset[int] | None, origin: Any) -> None:
        self.model = model
        self.scene = Scene() if origin is None else Scene(origin=origin)
        self._left_out: list[str] = []
        self.nodes = np.arange(model.ngeom, dtype=np.uint32)
        for geom, path in enumerate(paths_of(model)):
            try:
                self._add(geom, path)
            except (_raytwin.SceneError, ValueError) as error:
                raise _raytwin.SceneError(f"geom {geom} ({path}): {error}") from None
        hidden = _alphas(model) == 0
        if groups is not None:
            hidden |= ~np.isin(groups_of(model), list(groups))
        self.scene.hide(np.flatnonzero(hidden))
        self.visible = np.flatnonzero(~hidden)
        if self._left_out:
            shown = ", ".join(self._left_out[:3]) + (" ..." if len(self._left_out) > 3 else "")
            warnings.warn(f"{len(self._left_out)} geoms are left out, and their ids stay reserved: {shown}", stacklevel=4)

    def _add(self, geom: int, path: str) -> None:
        """Adds the shape of a geom in its own frame."""
        scene, kind = self.scene, self.model.geom_type[geom]
        [radius, half, _] = size = self.model.geom_size[geom]
        ends = [0.0, 0.0, -half], [0.0, 0.0, half]
        own: dict[str, Any] = {"name": path, "node": scene.add_node(), "color": self._color(geom)}
        if kind == _GEOM.mjGEOM_SPHERE:
            scene.add_spheres([0.0, 0.0, 0.0], radius, **own)
        elif kind == _GEOM.mjGEOM_CAPSULE:
            scene.add_capsules(*ends, radius, **own)
        elif kind == _GEOM.mjGEOM_CYLINDER:
            scene.add_cylinders(*ends, radius, **own)
        elif kind == _GEOM.mjGEOM_ELLIPSOID:
            scene.add_ellipsoids([0.0, 0.0, 0.0], size, **own)
        elif kind == _GEOM.mjGEOM_BOX:
            scene.add_boxes([0.0, 0.0, 0.0], size, **own)
        elif kind == _GEOM.mjGEOM_PLANE and not size[:2].any():
            scene.add_planes([0.0, 0.0, 0.0], [0.0, 0.0, 1.0], one_sided=True, **own)
        elif kind == _GEOM.mjGEOM_PLANE:
            # A side with the length 0 is infinite in MuJoCo.
            scene.add_planes([0.0, 0.0, 0.0], half_extents=size[:2], rotations_xyzw=[0.0, 0.0, 0.0, 1.0], one_sided=True, **own)
        elif kind == _GEOM.mjGEOM_HFIELD:
            self._add_heightfield(int(self.model.geom_dataid[geom]), own)
        elif kind == _GEOM.mjGEOM_MESH:
            self._add_mesh(int(self.model.geom_dataid[geom]), own)
        else:
            self._left_out.append(f"{path} (a signed distance field)")
            del own["node"]
            scene.add_empty(**own)

    def _add_heightfield(self, number: int, own: dict[str, Any]) -> None:
        model = self.model
        rows, columns = int(model.hfield_nrow[number]), int(model.hfield_ncol[number])
        half_x, half_y, top, base = model.hfield_size[number]
        start = int(model.hfield_adr[number])
        heights = top * model.hfield_data[start : start + rows * columns].astype(float).reshape(rows, columns)
        spacing = [2 * half_x / (columns - 1), 2 * half_y / (rows - 1)]
        self.scene.add_heightfield(heights, spacing, base=-base, **own)

    def _add_mesh(self, number: int, own: dict[str, Any]) -> None:
        model = self.model
        vertices, triangles = int(model.mesh_vertadr[number]), int(model.mesh_faceadr[number])
        self.scene.add_mesh(
            model.mesh_vert[vertices : vertices + int(model.mesh_vertnum[number])],
            model.mesh_face[triangles : triangles + int(model.mesh_facenum[number])],
            **own,
        )

    def _color(self, geom: int) -> np.ndarray:
        material = self.model.geom_matid[geom]
        rgba = self.model.geom_rgba[geom] if material < 0 else self.model.mat_rgba[material]
        return np.clip(rgba[:3], 0, 1)


def set_masks(scene: Scene, visible: np.ndarray, bits: dict[frozenset[int], int]) -> None:
    """Sets, for each visible geom, the mask bits of the sets that it does not belong to."""
    masks = np.full(scene.geometry_count, ALL, dtype=np.uint32)
    for geoms, bit in bits.items():
        masks[list(geoms)] &= np.uint32(ALL ^ bit)
    changed = visible[masks[visible] != scene.masks[visible]]
    for mask in np.unique(masks[changed]):
        scene.set_mask(changed[masks[changed] == mask], int(mask))


def _alphas(model: Any) -> np.ndarray:
    """Returns the opacity of each geom. MuJoCo's rays pass through geoms with the alpha 0."""
    materials = model.geom_matid
    if not len(model.mat_rgba):
        return model.geom_rgba[:, 3]
    return np.where(materials < 0, model.geom_rgba[:, 3], model.mat_rgba[materials, 3])


def groups_of(model: Any) -> np.ndarray:
    """Returns the group of each geom, limited to 0 to 5 as for MuJoCo's rays."""
    return np.clip(model.geom_group, 0, 5)


def paths_of(model: Any) -> list[str]:
    """Returns the path of each geom: the names of its bodies and its own name, as for a model file."""
    of_body = [""]
    children = [0] * model.nbody
    for body in range(1, model.nbody):
        parent = model.body_parentid[body]
        of_body.append(of_body[parent] + (model.body(body).name or f"body[{children[parent]}]") + "/")
        children[parent] += 1
    paths = []
    for geom in range(model.ngeom):
        body = model.geom_bodyid[geom]
        name = model.geom(geom).name
        if not name and (body == 0 or model.body_geomnum[body] > 1):
            name = f"geom[{geom - model.body_geomadr[body]}]"
        paths.append(of_body[body] + name if name else of_body[body][:-1])
    return paths
