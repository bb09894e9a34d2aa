//! Answers for Python: dictionaries of NumPy arrays, whose numbers are not copied.

use numpy::{Element, IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

pub(crate) fn shaped<'py, T: Element>(
    py: Python<'py>,
    numbers: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let array = numbers.into_pyarray(py);
    match shape.len() {
        1 => Ok(array.into_any()),
        _ => Ok(array.reshape(shape)?.into_any()),
    }
}

/// Puts arrays of a shape into a dictionary, under the names of the fields that hold their numbers.
macro_rules! set_arrays {
    ($arrays:ident, $shape:expr, $answers:ident: $($name:ident),+) => {
        let py = $arrays.py();
        $($arrays.set_item(
            pyo3::intern!(py, stringify!($name)),
            crate::answers::shaped(py, $answers.$name, $shape)?,
        )?;)+
    };
}

pub(crate) use set_arrays;

/// Returns rows of three numbers as an array of a shape, with a last axis of three.
pub(crate) fn shaped_rows<'py, T: Element>(
    py: Python<'py>,
    rows: Vec<[T; 3]>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let with_rows: Vec<usize> = shape.iter().copied().chain([3]).collect();
    Ok(rows.into_flattened().into_pyarray(py).reshape(with_rows)?.into_any())
}

pub(crate) fn answers<'py, const N: usize>(
    py: Python<'py>,
    arrays: [(&Bound<'py, PyString>, Bound<'py, PyAny>); N],
) -> PyResult<Bound<'py, PyAny>> {
    static ANSWERS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let answers = PyDict::new(py);
    for (name, array) in arrays {
        answers.set_item(name, array)?;
    }
    ANSWERS.import(py, "raytwin.answers", "Answers")?.call1((answers,))
}
