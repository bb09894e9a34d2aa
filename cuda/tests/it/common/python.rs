//! Arrays of NumPy, which pass for those of another library on the card.

use super::Bench;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use raytwin_cuda::ForeignTensor;
use std::ffi::CString;

/// `OnCard` makes an array of NumPy one of the card, and `as_numpy` lets NumPy take one of ours.
const PRELUDE: &str = r#"
import ctypes, gc, sys
import numpy as np

class OnCard:
    def __init__(self, array, kind=2, ordinal=0):
        self.array, self.place, self.asked = array, (kind, ordinal), []

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, *, stream, max_version=None):
        self.asked.append((stream, max_version))
        return self.array.__dlpack__(max_version=max_version)

class OldOnCard(OnCard):
    def __dlpack__(self, *, stream):
        self.asked.append((stream, None))
        return self.array.__dlpack__()

class Given(OnCard):
    """A capsule that was made already."""
    def __init__(self, capsule, kind=2):
        super().__init__(None, kind)
        self.capsule = capsule

    def __dlpack__(self, **_):
        return self.capsule

pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]

def field(capsule, at, kind=ctypes.c_int64):
    """The field at a byte of a capsule's DLTensor."""
    name = name_of(capsule)
    begin = pointer_of(capsule, name) + (32 if name.endswith(b"_versioned") else 0)
    return kind.from_address(begin + at)

def as_numpy(array, max_version=None):
    """Lets NumPy take an array of ours, whose addresses are the host's here."""
    capsule = array.__dlpack__(stream=2, max_version=max_version)
    assert field(capsule, 8, ctypes.c_int32).value == 2
    field(capsule, 8, ctypes.c_int32).value = 1
    taken = np.from_dlpack(Given(capsule, kind=1))
    assert name_of(capsule).startswith(b"used_dltensor")
    return taken
"#;

/// Runs lines of Python with some variables, and returns what they leave.
pub fn run<'py>(
    py: Python<'py>,
    variables: &[(&str, Bound<'py, PyAny>)],
    lines: &str,
) -> Bound<'py, PyDict> {
    static DEFINED: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let define = || {
        let globals = PyDict::new(py);
        py.run(&CString::new(PRELUDE).unwrap(), Some(&globals), None).unwrap();
        globals.unbind()
    };
    // The functions refer to these variables and not to those of the lines, which are freed with
    // their dictionary.
    let globals = DEFINED.get_or_init(py, define).bind(py).copy().unwrap();
    for (name, value) in variables {
        globals.set_item(name, value).unwrap();
    }
    let code = CString::new(lines).unwrap();
    if let Err(error) = py.run(&code, Some(&globals), None) {
        error.print(py);
        panic!("{lines} raised {error}");
    }
    globals
}

/// Returns the value of a variable that lines of Python leave.
pub fn variable<'py>(globals: &Bound<'py, PyDict>, name: &str) -> Bound<'py, PyAny> {
    globals.get_item(name).unwrap().unwrap_or_else(|| panic!("no {name}"))
}

/// Takes the tensor `x` that lines of Python make of an array `whole`, whose memory passes for the
/// card's.
pub fn take<'py>(
    py: Python<'py>,
    bench: &Bench,
    lines: &str,
) -> (PyResult<Option<ForeignTensor>>, Whole<'py>) {
    let globals = run(py, &[], lines);
    let whole = Whole::of(bench, &globals);
    (ForeignTensor::take(&variable(&globals, "x"), &bench.card()), whole)
}

/// An array of NumPy whose memory passes for the card's while this lives.
pub struct Whole<'py> {
    pub globals: Bound<'py, PyDict>,
    pub pointer: u64,
    stand_in: &'static super::StandIn,
}

impl<'py> Whole<'py> {
    pub fn of(bench: &Bench, globals: &Bound<'py, PyDict>) -> Self {
        let whole = variable(globals, "whole");
        let pointer = whole.getattr("ctypes").unwrap().getattr("data").unwrap();
        let pointer = pointer.extract().unwrap();
        let bytes: u64 = whole.getattr("nbytes").unwrap().extract().unwrap();
        bench.stand_in.own(pointer, bytes);
        Self { globals: globals.clone(), pointer, stand_in: bench.stand_in }
    }

    /// Returns the numbers that an expression of Python makes of it.
    pub fn numbers(&self, expression: &str) -> Vec<f32> {
        let code = CString::new(format!("np.ravel({expression}).tolist()")).unwrap();
        let py = self.globals.py();
        py.eval(&code, Some(&self.globals), None).unwrap().extract().unwrap()
    }
}

impl Drop for Whole<'_> {
    fn drop(&mut self) {
        self.stand_in.disown(self.pointer);
    }
}
