"""Numbers of types that NumPy does not know itself, such as those of JAX, are refused by name wherever an array is taken."""

import ml_dtypes
import numpy as np
import pytest

import raytwin as rt
from scenes import GALLERY

TYPES = [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn]


class OfJax:
    """An array as JAX has it, whose type DLPack does not know."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype

    def __dlpack__(self, **options):
        raise RuntimeError("Unsupported dtype in DLTensor.")

    def __dlpack_device__(self):
        return (1, 0)


class OfTorch:
    """A tensor as PyTorch has it, whose type has a name of its own."""

    def __init__(self, array):
        self.dtype = f"torch.{array.dtype}"

    def numpy(self):
        raise TypeError("Got unsupported ScalarType")


@pytest.mark.parametrize("make", [np.asarray, list, OfJax, OfTorch], ids=lambda make: make.__name__)
@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.__name__)
def test_floats_of_other_libraries_are_refused_with_what_to_do(dtype, make):
    tracer = rt.Tracer(rt.Scene.load(GALLERY), "cpu")
    calls = {
        "rays": lambda array: tracer.cast_rays(array((2, 6))),
        "points": lambda array: tracer.compute_distance(array((2, 3))),
        "masks": lambda array: tracer.count_intersections(np.ones((2, 6)), masks=array((2,))),
        "centers": lambda array: rt.Scene().add_spheres(array((2, 3)), 1.0),
        "radii": lambda array: rt.Scene().add_spheres([[0, 0, 0], [1, 1, 1]], array((2,))),
        "matrix": lambda array: rt.Scene().add_node(matrix=array((4, 4))),
        "ray_origins": lambda array: rt.trimesh_ray(tracer.scene, "cpu").intersects_any(array((2, 3)), array((2, 3))),
        "query_points": lambda array: rt.RaycastingScene().compute_distance(array((2, 3))),
        "pose": lambda array: rt.Camera.lidar("VLP-16", pose=array((4, 4))),
    }
    for name, call in calls.items():
        message = rf"{name} must be real numbers of a NumPy type, and these are of type {dtype.__name__}: .*astype\(jnp.float32\)"
        with pytest.raises(TypeError, match=message):
            call(lambda shape: make(np.ones(shape, dtype)))


def test_integers_of_other_libraries_are_refused_with_what_to_do():
    for dtype in (ml_dtypes.int4, ml_dtypes.uint2):
        for make in (np.asarray, OfJax, OfTorch):
            with pytest.raises(TypeError, match=rf"triangles must .* of type {dtype.__name__}: .*astype\(jnp.int32\)"):
                rt.Scene().add_mesh(np.eye(3), make(np.array([[0, 1, 1]], dtype)))
