//! Arrays as arguments. NumPy arrays of the right type are read without a copy. All other arrays, and
//! tables, come through `raytwin.arrays`.

use numpy::{
    PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raytwin::RaySource;
use raytwin::glam::DVec3;

/// Rows of float32 numbers in C order: a NumPy array, whose last axis is the row.
pub(crate) struct Rows<'py> {
    array: PyReadonlyArrayDyn<'py, f32>,
}

impl<'py> Rows<'py> {
    /// Returns an array that needs no change: its last axis has one of the widths, its numbers are
    /// float32 in C order, and the scene has no origin.
    pub fn as_they_lie(given: &Bound<'py, PyAny>, widths: &[usize], origin: DVec3) -> Option<Self> {
        // A subclass, such as a masked array, may carry more than its numbers.
        if origin != DVec3::ZERO || !given.is_exact_instance_of::<PyUntypedArray>() {
            return None;
        }
        let array = given.cast::<PyArrayDyn<f32>>().ok()?;
        let is_of_width = array.shape().last().is_some_and(|width| widths.contains(width));
        let array = (array.is_c_contiguous() && is_of_width).then(|| array.readonly())?;
        // An array at an unaligned address has no slice.
        array.as_slice().is_ok().then_some(Self { array })
    }

    /// Returns the rows of an array that `raytwin.arrays` made.
    pub fn made(array: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Self { array: array.extract()? })
    }

    pub fn numbers(&self) -> PyResult<&[f32]> {
        Ok(self.array.as_slice()?)
    }

    /// Returns the sizes of the axes before the last.
    pub fn leading_shape(&self) -> &[usize] {
        let shape = self.array.shape();
        &shape[..shape.len().saturating_sub(1)]
    }

    /// Returns how many numbers a row has.
    pub fn width(&self) -> usize {
        self.array.shape().last().copied().unwrap_or(0)
    }

    /// Returns the number of rows, which is 0 if the array is empty.
    pub fn count(&self) -> usize {
        self.leading_shape().iter().product()
    }
}

/// Returns the origin for `raytwin.arrays`, which subtracts it in float64 from the first three numbers
/// of each row before it rounds them. Returns `None` if there is nothing to subtract.
pub(crate) fn subtracted(origin: DVec3) -> Option<[f64; 3]> {
    (origin != DVec3::ZERO).then(|| origin.to_array())
}

/// Returns rays from rows of six or eight numbers, without a copy.
pub(crate) fn rays_of(numbers: &[f32], width: usize) -> RaySource<'_> {
    match width {
        8 => RaySource::Rays(bytemuck::cast_slice(numbers)),
        _ => RaySource::Lines(numbers.as_chunks().0),
    }
}

pub(crate) fn numbers_for_rays(
    given: Option<&Bound<'_, PyAny>>,
    name: &str,
    leading_shape: &[usize],
) -> PyResult<Option<Vec<u32>>> {
    static AS_UINT32: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let Some(given) = given else { return Ok(None) };
    let py = given.py();
    let as_uint32 = AS_UINT32.import(py, "raytwin.arrays", "as_uint32")?;
    let shape = pyo3::types::PyTuple::new(py, leading_shape)?;
    let array: PyReadonlyArrayDyn<'_, u32> = as_uint32.call1((given, name, shape))?.extract()?;
    Ok(Some(array.as_slice()?.to_vec()))
}
