//! Arrays on the card are handed to other libraries.

use crate::common::Bench;
use crate::common::python::run;
use crate::common::stand_in::{Alive, NOTHING};
use pyo3::prelude::*;
use raytwin_cuda::{CudaError, DeviceArray, Element};

/// What is alive while a buffer is.
const ONE: Alive = Alive { contexts: 1, pushed: 0, imports: 1, mappings: 1 };

/// Makes an array of six numbers, which its buffer holds after two others.
fn six<'py>(py: Python<'py>, bench: &Bench) -> Bound<'py, PyAny> {
    let buffer = bench.filled(&[-1.0, -2.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let array = DeviceArray::new(buffer, 8, vec![3, 2], Element::F32).unwrap();
    Bound::new(py, array).unwrap().into_any()
}

#[test]
fn an_array_says_what_it_is() {
    let bench = Bench::new();
    bench.stand_in.set_cards(&[[7; 16], bench.device.uuid()]);
    Python::attach(|py| {
        let array = six(py, &bench);
        let (buffer, offset) = {
            let array = array.cast::<DeviceArray>().unwrap().get();
            assert_eq!(array.element(), Element::F32);
            (array.buffer().clone(), array.offset())
        };
        let pointer = (buffer.pointer() + offset).into_pyobject(py).unwrap().into_any();
        let lines = "
assert array.shape == (3, 2) and type(array.shape) is tuple
assert array.dtype == 'float32' and np.dtype(array.dtype) == np.float32
assert array.nbytes == 24 and len(array) == 3 and array.device == 'cuda:1'
assert repr(array) == \"DeviceArray(shape=(3, 2), dtype=float32, device='cuda:1')\", repr(array)
assert type(array).__module__ == 'raytwin' and type(array).__name__ == 'DeviceArray'
assert array.__dlpack_device__() == (2, 1)
interface = array.__cuda_array_interface__
assert interface == {'shape': (3, 2), 'typestr': '<f4', 'data': (pointer, False),
    'strides': None, 'stream': None, 'version': 3}, interface
assert np.dtype(interface['typestr']) == np.float32
for max_version in [None, (0, 8), (1, 0), (1, 1), (2, 3)]:
    capsule = array.__dlpack__(max_version=max_version)
    assert field(capsule, 0).value == pointer and field(capsule, 40).value == 0
    assert [field(capsule, at, ctypes.c_int32).value for at in (8, 12, 16)] == [2, 1, 2]
    is_versioned = max_version is not None and max_version >= (1, 0)
    assert (name_of(capsule) == b'dltensor_versioned') == is_versioned
    if is_versioned:
        assert [field(capsule, at, ctypes.c_uint32).value for at in (-32, -28, -8)] == [1, 0, 0]
";
        run(py, &[("array", array), ("pointer", pointer)], lines);
    });
}

#[test]
fn numpy_takes_arrays_of_all_types_and_shapes() {
    let bench = Bench::new();
    Python::attach(|py| {
        let bytes: Vec<u8> = (0..96).map(|byte| byte % 2).collect();
        let buffer = bench.buffer(96);
        bench.device.write(buffer.buffer(), &bytes);
        let types = [
            Element::F16,
            Element::F32,
            Element::F64,
            Element::I32,
            Element::I64,
            Element::U8,
            Element::U32,
            Element::BOOL,
        ];
        for element in types {
            for shape in [vec![], vec![0], vec![3], vec![2, 0, 3], vec![1, 2, 3], vec![3, 1]] {
                let array = DeviceArray::new(buffer.clone(), 16, shape.clone(), element).unwrap();
                let array = Bound::new(py, array).unwrap().into_any();
                let shape = pyo3::types::PyTuple::new(py, &shape).unwrap().into_any();
                let dtype = element.to_string().into_pyobject(py).unwrap().into_any();
                let lines = "
expected = np.frombuffer(bytes([0, 1] * 40), dtype)[:int(np.prod(shape))].reshape(shape)
for taken in (array.numpy(), as_numpy(array), as_numpy(array, (1, 0))):
    assert taken.dtype == dtype and taken.shape == shape, (taken.dtype, taken.shape)
    assert (taken == expected).all(), (taken, expected)
    assert array.__cuda_array_interface__['typestr'] == taken.dtype.str
assert array.numpy().flags.writeable
";
                run(py, &[("array", array), ("shape", shape), ("dtype", dtype)], lines);
            }
        }
    });
}

#[test]
fn what_another_library_writes_is_seen_by_vulkan() {
    let bench = Bench::new();
    Python::attach(|py| {
        let array = six(py, &bench);
        // This NumPy lets nobody write what it has taken.
        let lines = "
pointer = as_numpy(array, (1, 0))[1:].ctypes.data
ctypes.c_float.from_address(pointer).value = 20
ctypes.c_float.from_address(pointer + 8).value = 40";
        run(py, &[("array", array.clone())], lines);
        let buffer = array.cast::<DeviceArray>().unwrap().get().buffer().clone();
        bench.device.double(buffer.buffer());
        let doubled = [-2.0, -4.0, 0.0, 2.0, 40.0, 6.0, 80.0, 10.0];
        assert_eq!(bench.device.read(buffer.buffer()), doubled);
        run(py, &[("array", array)], "assert array.numpy()[2, 0] == 80");
    });
}

#[test]
fn capsules_that_nobody_takes_free_their_tensor() {
    let bench = Bench::new();
    Python::attach(|py| {
        let array = six(py, &bench);
        let lines = "capsules = [array.__dlpack__(max_version=v) for v in (None, (1, 0))]";
        let globals = run(py, &[("array", array)], lines);
        for last in ["del array", "capsules.pop()", "capsules.pop()"] {
            assert_eq!(bench.stand_in.alive(), ONE, "before {last}");
            let last = std::ffi::CString::new(last).unwrap();
            py.run(&last, Some(&globals), None).unwrap();
        }
        assert_eq!(bench.stand_in.alive(), NOTHING);
    });
}

#[test]
fn what_was_taken_is_freed_by_the_taker_alone() {
    let bench = Bench::new();
    Python::attach(|py| {
        let array = six(py, &bench);
        let lines = "taken = [as_numpy(array), as_numpy(array, (1, 0))]\ndel array\ngc.collect()";
        let globals = run(py, &[("array", array)], lines);
        for last in ["taken.pop()", "taken.pop()"] {
            assert_eq!(bench.stand_in.alive(), ONE, "before {last}");
            let code = std::ffi::CString::new(format!("assert taken[-1][2, 1] == 5\n{last}"));
            py.run(&code.unwrap(), Some(&globals), None).unwrap();
        }
        assert_eq!(bench.stand_in.alive(), NOTHING);
    });
}

#[test]
fn a_tensor_is_deleted_by_a_thread_that_knows_no_python() {
    let bench = Bench::new();
    let managed = Python::attach(|py| {
        let array = six(py, &bench);
        let lines = "
capsule = array.__dlpack__()
managed = pointer_of(capsule, b'dltensor')
ctypes.pythonapi.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
used = b'used_dltensor'
assert ctypes.pythonapi.PyCapsule_SetName(capsule, used) == 0
# The deleter is the last field, after the tensor of 48 bytes and its owner.
deleter = field(capsule, 56).value
del array, capsule
";
        let globals = run(py, &[("array", array)], lines);
        let number = |name: &str| crate::common::python::variable(&globals, name).extract();
        let (managed, deleter): (usize, usize) =
            (number("managed").unwrap(), number("deleter").unwrap());
        // SAFETY: it is the deleter of an unversioned tensor.
        let delete: unsafe extern "C" fn(usize) = unsafe { std::mem::transmute(deleter) };
        assert_eq!(bench.stand_in.alive(), ONE);
        // This thread holds the interpreter's lock while the other deletes.
        // SAFETY: the tensor was taken, and is deleted once.
        std::thread::spawn(move || unsafe { delete(managed) }).join().unwrap();
        managed
    });
    assert!(managed != 0);
    assert_eq!(bench.stand_in.alive(), NOTHING);
}

#[test]
fn what_is_not_possible_is_refused_as_dlpack_demands() {
    let bench = Bench::new();
    Python::attach(|py| {
        let lines = "
def refused(error, call):
    try:
        call()
    except error as raised:
        return str(raised)
    raise AssertionError('it was not refused')

assert 'cuda:0' in refused(BufferError, lambda: array.__dlpack__(dl_device=(1, 0)))
assert 'cuda:0' in refused(BufferError, lambda: array.__dlpack__(dl_device=(2, 1)))
assert 'copy' in refused(BufferError, lambda: array.__dlpack__(copy=True))
refused(TypeError, lambda: array.__dlpack__(1))
for stream in (None, -1, 1, 2, 2**47):
    array.__dlpack__(stream=stream, dl_device=(2, 0), copy=False)
refused(TypeError, lambda: type(array)())
refused(TypeError, lambda: len(scalar))
";
        let buffer = bench.buffer(8);
        let scalar = DeviceArray::new(buffer.clone(), 0, vec![], Element::F64).unwrap();
        let scalar = Bound::new(py, scalar).unwrap().into_any();
        run(py, &[("array", six(py, &bench)), ("scalar", scalar)], lines);
        let make = |offset, shape: &[usize]| {
            DeviceArray::new(buffer.clone(), offset, shape.to_vec(), Element::F32).err().unwrap()
        };
        for (offset, shape) in [(0, [3]), (8, [1]), (u64::MAX, [1]), (0, [usize::MAX])] {
            let error = make(offset, &shape);
            assert!(matches!(error, CudaError::OutOfBounds { .. }), "{error}");
        }
        assert_eq!(make(2, &[1]), CudaError::Misaligned { offset: 2, size: 4 });
    });
}
