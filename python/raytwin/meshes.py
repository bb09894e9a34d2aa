"""Reads the meshes of other libraries by the names of their attributes, without importing these libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import as_numbers
from .layouts import POINTS


def vertices_and_triangles(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the vertices and the triangles of an Open3D mesh (either kind), a trimesh mesh, or a mesh with the same attributes.

    Raises TypeError for an object without these attributes.
    """
    if hasattr(mesh, "vertex") and hasattr(mesh, "triangle"):
        try:
            vertices, triangles = mesh.vertex["positions"], mesh.triangle["indices"]
        except KeyError as error:
            raise ValueError(f"the mesh is empty: {error}") from None
    elif hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        vertices, triangles = mesh.vertices, mesh.faces
    elif hasattr(mesh, "vertices") and hasattr(mesh, "triangles"):
        vertices, triangles = mesh.vertices, mesh.triangles
    else:
        raise TypeError(
            "a mesh must have vertices and triangles with the names of Open3D or trimesh, "
            f"and a {type(mesh).__name__} does not"
        )
    return as_numbers(vertices, "vertices", POINTS), as_numbers(triangles, "triangles")
