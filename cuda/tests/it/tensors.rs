//! Tensors are taken from other libraries.

use crate::common::python::{run, take, variable};
use crate::common::{Bench, numbers};
use pyo3::prelude::*;
use raytwin_cuda::{DeviceArray, Element, ForeignTensor, SharedBuffer};

/// Returns the exception that taking `x` raises, as text.
fn refusal(lines: &str) -> String {
    let bench = Bench::new();
    Python::attach(|py| match take(py, &bench, lines).0 {
        Ok(_) => panic!("{lines} was taken"),
        Err(error) => error.to_string(),
    })
}

#[test]
fn what_is_no_tensor_of_a_card_is_none() {
    let bench = Bench::new();
    Python::attach(|py| {
        for object in ["3", "[1.0]", "np.zeros(3)", "OnCard(np.zeros(3), kind=3)"] {
            let lines = format!("whole = np.zeros(1)\nx = {object}");
            assert!(take(py, &bench, &lines).0.unwrap().is_none(), "{object}");
        }
        let lines = "whole = np.zeros(3)\nx = OnCard(whole, kind=13)";
        assert!(take(py, &bench, lines).0.unwrap().is_some());
    });
}

#[test]
fn a_tensor_says_what_it_is() {
    let bench = Bench::new();
    Python::attach(|py| {
        for (name, element) in [
            ("float16", Element::F16),
            ("float32", Element::F32),
            ("float64", Element::F64),
            ("int32", Element::I32),
            ("int64", Element::I64),
            ("uint8", Element::U8),
            ("uint32", Element::U32),
            ("bool", Element::BOOL),
        ] {
            let lines = format!("whole = np.zeros((4, 3), np.{name})\nx = OnCard(whole[1:, :2])");
            let (tensor, whole) = take(py, &bench, &lines);
            let tensor = tensor.unwrap().unwrap();
            assert_eq!(tensor.element(), element);
            assert_eq!(tensor.element().to_string(), name);
            assert_eq!((tensor.shape(), tensor.strides()), (&[3, 2][..], &[3, 1][..]));
            assert_eq!(tensor.pointer(), whole.pointer + 3 * element.bytes());
            assert_eq!(tensor.bytes(), 6 * element.bytes());
            assert!(!tensor.is_contiguous() && !tensor.is_read_only());
        }
        let others = [("complex64", 8), ("int16", 2), ("uint64", 8)];
        for (name, bytes) in others {
            let lines = format!("whole = np.zeros(4, np.{name})\nx = OnCard(whole)");
            let tensor = take(py, &bench, &lines).0.unwrap().unwrap();
            assert_eq!((tensor.element().to_string().as_str(), tensor.bytes()), (name, 4 * bytes));
        }
        let (scalar, _whole) = take(py, &bench, "whole = np.array(7.0)\nx = OnCard(whole)");
        let scalar = scalar.unwrap().unwrap();
        assert_eq!((scalar.shape().len(), scalar.bytes()), (0, 8));
        assert!(scalar.is_contiguous());
    });
}

#[test]
fn a_new_library_is_asked_for_a_versioned_tensor_and_an_old_one_for_the_other() {
    let bench = Bench::new();
    Python::attach(|py| {
        for (class, expected) in [("OnCard", "[(1, (1, 0))]"), ("OldOnCard", "[(1, None)]")] {
            let lines = format!("whole = np.zeros(3)\nx = {class}(whole)");
            let (tensor, whole) = take(py, &bench, &lines);
            assert!(tensor.unwrap().is_some());
            let asked = variable(&whole.globals, "x").getattr("asked").unwrap();
            assert_eq!(asked.repr().unwrap().to_string(), expected);
        }
    });
    drop(bench);
    // A library's own error is not hidden.
    let lines = "class Failing(OldOnCard):
    def __dlpack__(self, **_):
        raise RuntimeError('it requires grad')
whole = np.zeros(3)\nx = Failing(whole)";
    assert_eq!(refusal(lines), "RuntimeError: it requires grad");
}

#[test]
fn a_tensor_is_deleted_once_and_its_capsule_says_that_it_was_taken() {
    let bench = Bench::new();
    Python::attach(|py| {
        for (version, used) in [("(1, 0)", "used_dltensor_versioned"), ("None", "used_dltensor")] {
            let lines = format!(
                "whole = np.zeros(3)
before = sys.getrefcount(whole)
x = Given(whole.__dlpack__(max_version={version}))"
            );
            let (tensor, whole) = take(py, &bench, &lines);
            let tensor = tensor.unwrap().unwrap();
            let count = |expression: &str| whole.numbers(expression)[0];
            let held = count("sys.getrefcount(whole) - before");
            assert!(held >= 1.0);
            let name = format!("name_of(x.capsule) == b'{used}'");
            assert_eq!(whole.numbers(&name), [1.0]);
            // It is in the capsule no more.
            let x = variable(&whole.globals, "x");
            let error = ForeignTensor::take(&x, &bench.card()).err().unwrap();
            assert!(error.to_string().contains("already consumed"), "{error}");
            // Any thread may drop it.
            py.detach(|| std::thread::spawn(move || drop(tensor)).join().unwrap());
            assert_eq!(count("sys.getrefcount(whole) - before"), held - 1.0);
            run(py, &[("x", x)], "del x.capsule\ngc.collect()");
            assert_eq!(count("sys.getrefcount(whole) - before"), held - 1.0);
        }
    });
}

#[test]
fn a_tensor_that_is_refused_is_deleted_too() {
    let bench = Bench::new();
    Python::attach(|py| {
        let lines = "whole = np.arange(6.0)
before = sys.getrefcount(whole)
x = OnCard(whole[::-1])";
        let (tensor, whole) = take(py, &bench, lines);
        assert!(tensor.is_err());
        drop(tensor);
        // The view is one that holds it.
        assert_eq!(whole.numbers("sys.getrefcount(whole) - before"), [1.0]);
    });
}

#[test]
fn what_cannot_be_cast_is_refused_with_advice() {
    let begin = "whole = np.arange(6.0)\n";
    for view in ["whole[::-1]", "np.broadcast_to(whole[:1], (4,))"] {
        let refusal = refusal(&format!("{begin}x = OnCard({view})"));
        assert!(
            refusal.starts_with("ValueError") && refusal.contains(".contiguous()"),
            "{refusal}"
        );
    }
    let other_card = refusal(&format!("{begin}x = OnCard(whole, ordinal=3)"));
    assert!(other_card.starts_with("ValueError"), "{other_card}");
    assert!(other_card.contains("cuda:3") && other_card.contains("cuda:0"), "{other_card}");
    let no_capsule = refusal(&format!("{begin}x = Given(5)"));
    assert!(no_capsule.starts_with("TypeError"), "{no_capsule}");
}

/// The fields of a `DLTensor` begin at these bytes: data 0, device 8 and 12, axes 16, element 20 to
/// 22, shape 24, strides 32, offset 40.
#[test]
fn fields_that_numpy_never_gives_are_read_too() {
    let bench = Bench::new();
    Python::attach(|py| {
        for version in ["None", "(1, 0)"] {
            let given = format!(
                "whole = np.arange(12, dtype=np.float32).reshape(4, 3)
x = Given(whole.__dlpack__(max_version={version}))"
            );
            // Strides that are null are those without gaps.
            let lines = format!("{given}\nfield(x.capsule, 32).value = 0");
            let tensor = take(py, &bench, &lines).0.unwrap().unwrap();
            assert_eq!(tensor.strides(), [3, 1]);
            assert!(tensor.is_contiguous());
            // The first element lies after an offset.
            let lines = format!(
                "{given}
field(x.capsule, 40).value = 12
shape = (ctypes.c_int64 * 2)(3, 3)
field(x.capsule, 24).value = ctypes.addressof(shape)"
            );
            let (tensor, whole) = take(py, &bench, &lines);
            let tensor = tensor.unwrap().unwrap();
            assert_eq!(tensor.pointer(), whole.pointer + 12);
            let buffer = bench.buffer(36);
            buffer.copy_from(0, &tensor).unwrap();
            assert_eq!(numbers(&buffer), whole.numbers("whole[1:]"));
            // What has no elements may have no memory, and its strides say nothing.
            let lines = format!(
                "{given}
shape, strides = (ctypes.c_int64 * 2)(0, 3), (ctypes.c_int64 * 2)(0, -1)
field(x.capsule, 24).value = ctypes.addressof(shape)
field(x.capsule, 32).value = ctypes.addressof(strides)
field(x.capsule, 0).value = 0"
            );
            let tensor = take(py, &bench, &lines).0.unwrap().unwrap();
            assert_eq!((tensor.shape(), tensor.pointer()), (&[0, 3][..], 0));
            assert!(tensor.is_contiguous() && SharedBuffer::holding(&tensor).is_none());
            bench.buffer(4).copy_from(4, &tensor).unwrap();
        }
    });
    drop(bench);
    let given =
        "whole = np.arange(12, dtype=np.float32)\nx = Given(whole.__dlpack__(max_version=(1, 0)))";
    for (change, expected) in [
        ("field(x.capsule, 0).value = 0", "has no memory"),
        ("field(x.capsule, 16, ctypes.c_int32).value = -1", "-1 axes"),
        ("one = ctypes.c_int64(-5); field(x.capsule, 24).value = ctypes.addressof(one)", "[-5]"),
        (
            "one = ctypes.c_int64(2**62); field(x.capsule, 24).value = ctypes.addressof(one)",
            "larger than memory",
        ),
        // The version is the first field of the struct, and its flags the one before the tensor.
        ("field(x.capsule, -32, ctypes.c_uint32).value = 2", "version 2 of DLPack"),
    ] {
        let refusal = refusal(&format!("{given}\n{change}"));
        assert!(refusal.contains(expected), "{refusal}");
    }
}

/// Takes a tensor of four numbers that says to lie at an address.
fn four_at(py: Python<'_>, bench: &Bench, pointer: u64) -> ForeignTensor {
    let lines = "x = Given(np.zeros(4, np.float32).__dlpack__())
field(x.capsule, 0).value = pointer";
    let globals = run(py, &[("pointer", pointer.into_pyobject(py).unwrap().into_any())], lines);
    ForeignTensor::take(&variable(&globals, "x"), &bench.card()).unwrap().unwrap()
}

#[test]
fn the_buffer_that_holds_a_tensor_is_found() {
    let bench = Bench::new();
    Python::attach(|py| {
        let buffer = bench.filled(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        let array = DeviceArray::new(buffer.clone(), 8, vec![3, 2], Element::F32).unwrap();
        let array = Bound::new(py, array).unwrap();
        // Our own array is a tensor like others.
        let tensor = ForeignTensor::take(&array, &bench.card()).unwrap().unwrap();
        assert_eq!((tensor.shape(), tensor.element()), (&[3, 2][..], Element::F32));
        let (found, offset) = SharedBuffer::holding(&tensor).unwrap();
        assert_eq!((found.pointer(), found.bytes(), offset), (buffer.pointer(), 32, 8));
        drop((tensor, found));
        // A view that another library made of it lies in it, too.
        let lines = "x = OnCard(as_numpy(array)[1:, :1])";
        let globals = run(py, &[("array", array.clone().into_any())], lines);
        let tensor = ForeignTensor::take(&variable(&globals, "x"), &bench.card());
        let tensor = tensor.unwrap().unwrap();
        let (found, offset) = SharedBuffer::holding(&tensor).unwrap();
        assert_eq!((found.pointer(), offset), (buffer.pointer(), 16));
        // The tensor keeps what holds it, though nobody else does.
        drop((found, buffer, array));
        let (found, _) = SharedBuffer::holding(&tensor).unwrap();
        let mut one = [0.0_f32];
        found.read(16, bytemuck::cast_slice_mut(&mut one)).unwrap();
        assert_eq!(one, [4.0]);
        // What ends after a buffer does not lie in it, and neither does what lies elsewhere.
        let beyond = four_at(py, &bench, found.pointer() + 20);
        assert!(SharedBuffer::holding(&beyond).is_none());
        let within = four_at(py, &bench, found.pointer() + 16);
        assert!(SharedBuffer::holding(&within).is_some());
        drop(within);
        let (elsewhere, _whole) = take(py, &bench, "whole = np.zeros(4)\nx = OnCard(whole)");
        assert!(SharedBuffer::holding(&elsewhere.unwrap().unwrap()).is_none());
        // Nothing is found once the buffer is gone, though the address is the same.
        let pointer = found.pointer();
        drop((tensor, globals, found));
        run(py, &[], "gc.collect()");
        let gone = four_at(py, &bench, pointer);
        assert!(SharedBuffer::holding(&gone).is_none());
    });
}

#[test]
fn a_dead_buffer_hides_no_living_one() {
    let bench = Bench::new();
    Python::attach(|py| {
        // The system gives addresses again that were given back.
        let dead: Vec<SharedBuffer> = (0..64).map(|_| bench.buffer(4096)).collect();
        drop(dead);
        let large = bench.buffer(1 << 18);
        for page in 0..64 {
            let tensor = four_at(py, &bench, large.pointer() + 4096 * page);
            let (found, offset) = SharedBuffer::holding(&tensor).unwrap();
            assert_eq!((found.pointer(), offset), (large.pointer(), 4096 * page));
        }
    });
}
