//! Reads single arguments, so that all errors have one form: the argument's name, the values that it
//! accepts, and the value that was given.

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use raytwin::image::Background;

/// Reads an argument.
///
/// # Errors
/// ValueError for a number that is out of range, and TypeError for a value of another type.
pub(crate) fn read<'py, T: FromPyObjectOwned<'py>>(
    given: &Bound<'py, PyAny>,
    name: &str,
    takes: &str,
) -> PyResult<T> {
    given.extract().map_err(|error: T::Error| {
        let is = given.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
        let message = format!("{name} must be {takes}, and is {is}");
        match error.into().is_instance_of::<PyOverflowError>(given.py()) {
            true => PyValueError::new_err(message),
            false => PyTypeError::new_err(message),
        }
    })
}

pub(crate) fn seed(given: &Bound<'_, PyAny>) -> PyResult<u64> {
    read(given, "seed", "a whole number from 0 to 2**64 - 1")
}

/// Reads the number of questions of a verification.
pub(crate) fn count(given: &Bound<'_, PyAny>) -> PyResult<usize> {
    read(given, "count", "a whole number from 0")
}

/// Reads a histogram: its begin, its end, and the number of its bins.
pub(crate) fn histogram(given: &Bound<'_, PyAny>) -> PyResult<Option<(f64, f64, u32)>> {
    read(given, "histogram", "(near, far, bins), two numbers and a whole one from 0 to 2**32 - 1")
}

const SAMPLES: &str = "a whole number from 0 to 2**32 - 1, or None";

/// Reads the number of rays for each pixel.
pub(crate) fn samples(given: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    read(given, "samples", SAMPLES)
}

/// Reads the background, which pictures show where nothing was hit.
pub(crate) fn background(given: &Bound<'_, PyAny>) -> PyResult<Background> {
    let takes = "white, black, none or a colour such as #ff8000";
    match read::<Option<String>>(given, "background", takes)? {
        None => Ok(Background::default()),
        Some(text) => text.parse().map_err(|_| {
            PyValueError::new_err(format!("background must be {takes}, and is '{text}'"))
        }),
    }
}

/// Reads the number of rays for each pixel of a saved picture.
pub(crate) fn shading(given: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    read(given, "shading", SAMPLES)
}
