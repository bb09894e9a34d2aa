"""Reads the meshes of other libraries by the names of their attributes, so that none of them is imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import as_numbers
from .layouts import POINTS


def vertices_and_triangles(mesh: Any) -> tuple[np.ndarray, np.ndarray]:
    """Returns the vertices and the triangles of a mesh of Open3D (either kind), of trimesh, or of one with the same names.

    Raises TypeError for what has neither.
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
            "a mesh must have vertices and triangles by the names of Open3D or trimesh, "
            f"and a {type(mesh).__name__} has none"
        )
    return as_numbers(vertices, "vertices", POINTS), as_numbers(triangles, "triangles")
