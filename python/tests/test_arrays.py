"""Arrays of every make give the answers of plain ones, and what is no array of numbers is refused by its name."""

import numpy as np
import pyarrow as pa
import pytest

import raytwin as rt
from scenes import GALLERY, aimed, same_bits

RAYS = aimed(3_000)
NAMES = ["ox", "oy", "oz", "dx", "dy", "dz"]


@pytest.fixture(scope="module")
def tracer():
    return rt.Tracer(rt.Scene.load(GALLERY), "cpu")


@pytest.fixture(scope="module")
def plain(tracer):
    return tracer.cast_rays(RAYS)


def misaligned(array):
    bytes_of = np.zeros(array.nbytes + 1, np.uint8)
    bytes_of[1:] = np.frombuffer(array.tobytes(), np.uint8)
    return bytes_of[1:].view(array.dtype).reshape(array.shape)


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


class WithInterface:
    """An array of another library, by NumPy's oldest protocol."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class WithDlpack:
    """An array of another library that has DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class WithMethod(WithDlpack):
    """A tensor as Open3D has it: its own method gives the numbers as they lie, and DLPack takes long."""

    def __dlpack__(self, **options):
        raise AssertionError("there is a faster way")

    def numpy(self):
        return self.array


class OnCard(WithDlpack):
    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **options):
        raise BufferError("the array lies on a card")


class WithAxes(WithInterface):
    """An array as xarray has it, whose stream of Arrow has lost its axes."""

    ndim = 2

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.table({"values": self.array.ravel()}).__arrow_c_stream__(requested_schema)


def fixed_size_lists(array):
    return pa.FixedSizeListArray.from_arrays(pa.array(array.ravel()), array.shape[1])


def table(array):
    return pa.table(dict(zip(NAMES, array.T)))


MAKES = {
    "float64": lambda array: array.astype(np.float64),
    "method": WithMethod,
    "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
    "negative strides": lambda array: array[::-1].copy()[::-1],
    "Fortran": np.asfortranarray,
    "byte-swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "read-only": read_only,
    "misaligned": misaligned,
    "columns of more": lambda array: np.hstack([array, array])[:, :6],
    "a subclass": lambda array: array.view(np.matrix),
    "a list": lambda array: array.tolist(),
    "a list of arrays": list,
    "__array_interface__": WithInterface,
    "DLPack": WithDlpack,
    "axes and Arrow": WithAxes,
    "Arrow's lists of a fixed size": fixed_size_lists,
    "Arrow's lists in chunks": lambda array: pa.chunked_array([fixed_size_lists(array[:999]), fixed_size_lists(array[999:])]),
    "Arrow's lists": lambda array: pa.array(array.tolist(), pa.list_(pa.float32())),
    "Arrow's tensors": lambda array: pa.FixedShapeTensorArray.from_numpy_ndarray(array),
    "a table": table,
    "a record batch": lambda array: table(array).to_batches()[0],
    "a table in chunks": lambda array: pa.concat_tables([table(array[:7]), table(array[7:])]),
    "a column of structs": lambda array: table(array).to_struct_array(),
}


@pytest.mark.parametrize("make", MAKES)
def test_arrays_of_every_make_are_read(tracer, plain, make):
    hits = tracer.cast_rays(MAKES[make](RAYS))
    assert all(same_bits(hits[name], plain[name]) for name in plain)


def test_eight_numbers_are_read_as_six_are(tracer, plain):
    rays = np.hstack([RAYS, np.zeros((len(RAYS), 1)), np.full((len(RAYS), 1), np.inf)]).astype(np.float32)
    for given in (rays, np.asfortranarray(rays), misaligned(rays), rays.astype(np.float64), rays.reshape(3, -1, 8)):
        hits = tracer.cast_rays(given)
        assert all(hits[name].tobytes() == plain[name].tobytes() for name in plain)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.uint16, np.float16, np.longdouble])
def test_numbers_of_every_real_type_are_read(tracer, dtype):
    rays = np.random.default_rng(1).integers(0, 100, (500, 6)).astype(dtype)
    assert same_bits(tracer.cast_rays(rays).t_hit, tracer.cast_rays(rays.astype(np.float64)).t_hit)


STRUCTURED = np.zeros(3, [(name, np.float32) for name in NAMES])


@pytest.mark.parametrize(
    "given",
    [
        np.ones((3, 6), bool),
        np.ones((3, 6), complex),
        np.full((3, 6), None),
        np.full((3, 6), "1"),
        np.full((3, 6), b"1"),
        np.zeros((3, 6), "datetime64[s]"),
        np.zeros((3, 6), "timedelta64[s]"),
        STRUCTURED,
        "rays",
        None,
        {"rays": 1},
        object(),
        pa.array(["a", "b"]),
        pa.table({"ox": ["a"]}),
    ],
    ids=lambda given: f"{type(given).__name__}-{getattr(given, 'dtype', '')}",
)
def test_what_holds_no_real_numbers_is_refused_by_name(tracer, given):
    for ask in (tracer.cast_rays, tracer.list_intersections):
        with pytest.raises(TypeError, match="rays must"):
            ask(given)
    with pytest.raises(TypeError, match="points must"):
        tracer.compute_distance(given)


def test_what_lies_on_a_card_is_refused_by_a_tracer_that_casts_elsewhere(tracer):
    with pytest.raises(rt.DeviceError, match=r"casts on .*give arrays of the host"):
        tracer.cast_rays(OnCard(RAYS))
    for ask in (tracer.list_intersections, tracer.test_occlusions, tracer.compute_distance):
        with pytest.raises(TypeError, match="OnCard cannot be copied from there: give an array of the host"):
            ask(OnCard(RAYS))
    with pytest.raises(ValueError, match="normals are computed in float64 on the host"):
        tracer.cast_rays(OnCard(RAYS), normals=True)
    with pytest.raises(ValueError, match="device must be 'cuda'"):
        rt.empty_rays(3, device="cpu")


def test_rows_of_different_lengths_and_nulls_are_refused(tracer):
    with pytest.raises(ValueError, match="rays must be an array"):
        tracer.cast_rays([[0.0] * 6, [0.0] * 5])
    with pytest.raises(ValueError, match="rays has rows of different lengths"):
        tracer.cast_rays(pa.array([[0.0] * 6, [0.0] * 5]))
    with pytest.raises(ValueError, match="rays has 1 null"):
        tracer.cast_rays(pa.array([[0.0] * 6, [0.0] * 5 + [None]]))
    with pytest.raises(ValueError, match="centers has 1 null"):
        rt.Scene().add_spheres(pa.table({name: [0.0, None if name == "x" else 1.0] for name in "xyz"}), 1.0)


def test_a_null_in_a_table_makes_its_ray_or_point_invalid(tracer):
    columns = {name: [1.0, None if name == "dx" else 1.0] for name in NAMES}
    for table in (pa.table(columns), pa.table(columns).rename_columns(list("abcdef")), pa.table(columns).to_struct_array()):
        assert np.isnan(tracer.cast_rays(table).t_hit).tolist() == [False, True]
    filtered = pa.table({**columns, "dx": [1.0, 1.0], "ray_mask": pa.array([None, 1], pa.int32())})
    assert np.isnan(tracer.cast_rays(filtered).t_hit).tolist() == [True, False]
    points = pa.table({"z": [1.0, 1.0], "y": [None, 1.0], "x": [1.0, 1.0]})
    assert np.isnan(tracer.compute_distance(points)).tolist() == [True, False]


class WithNames(WithInterface):
    """A table of a library that has no capsules."""

    columns = NAMES[::-1]


def test_a_table_whose_names_cannot_be_read_is_refused(tracer):
    with pytest.raises(TypeError, match="rays must have an Arrow capsule, and a WithNames has none: give it as a pyarrow.Table"):
        tracer.cast_rays(WithNames(RAYS))


def test_columns_of_arrow_are_taken_by_name(tracer, plain):
    turned = table(RAYS).select(NAMES[::-1]).append_column("event", pa.array(["a"] * len(RAYS)))
    batches = pa.RecordBatchReader.from_batches(turned.schema, turned.to_batches(max_chunksize=700))
    for given in (turned, turned.combine_chunks().to_batches()[0], turned.to_struct_array(), turned.combine_chunks().to_struct_array().chunk(0), batches):
        assert same_bits(tracer.cast_rays(given).t_hit, plain.t_hit)
    with pytest.raises(ValueError, match="the table of rays has 2 columns oz"):
        tracer.cast_rays(turned.rename_columns([*NAMES[:3], "oz", "dx", "dy", "dz"]))
    with pytest.raises(ValueError, match="rays have ox oy oz dx dy dz or .*, or 6 or 8 columns of numbers in this order"):
        tracer.cast_rays(pa.table({letter: [1.0] for letter in "abcdefg"}))


def test_an_array_too_large_for_memory_is_an_error_of_python(tracer):
    huge = np.broadcast_to(np.float32(1), (1 << 45, 8))
    with pytest.raises(MemoryError):
        tracer.cast_rays(huge)
    assert tracer.cast_rays(RAYS[:1]).t_hit.shape == (1,)


def test_what_is_given_is_left_as_it_is(tracer):
    rays = RAYS.copy()
    tracer.cast_rays(rays)["t_hit"][:] = 0
    assert np.array_equal(rays, RAYS)


def test_answers_are_arrays_of_their_own(tracer, plain):
    hits = tracer.cast_rays(RAYS)
    for array in hits.values():
        assert array.flags.writeable and array.flags.c_contiguous
    hits.t_hit[:] = -1
    assert same_bits(tracer.cast_rays(RAYS).t_hit, plain.t_hit)


def test_masked_numbers_are_refused_as_nulls_are():
    rays = np.ma.array(np.zeros((2, 6), np.float32), mask=[[0] * 6, [0] * 5 + [1]])
    with pytest.raises(ValueError, match="rays has 1 masked numbers: fill them first"):
        rt.Tracer(rt.Scene.load(GALLERY), "cpu").cast_rays(rays)
