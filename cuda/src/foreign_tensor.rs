//! A tensor of another library.

use crate::capsule::OwnedTensor;
use crate::card::Card;
use crate::dlpack::{CUDA, CUDA_MANAGED, Managed, Tensor, Unversioned, VERSION, Versioned};
use crate::driver::LEGACY_STREAM;
use crate::element::Element;
use crate::error::CudaError;
use crate::rows::{Rows, without_gaps};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule};

/// A tensor on the card, of a library such as torch, CuPy or JAX, or of raytwin. The library keeps
/// its memory until this is dropped.
pub struct ForeignTensor {
    shape: Vec<usize>,
    /// In elements.
    strides: Vec<usize>,
    element: Element,
    pointer: u64,
    bytes: u64,
    span: u64,
    is_read_only: bool,
    /// Deletes the tensor.
    _taken: Box<dyn Send + Sync>,
}

impl ForeignTensor {
    /// Imports a tensor with DLPack, and waits until all pending writes to it are done. Returns
    /// `None` for an object that is not a tensor or is not on a CUDA card.
    ///
    /// # Errors
    /// `ValueError` for a tensor on another card, or one whose elements are not one after another
    /// in memory; and any error that its library raises.
    pub fn take(object: &Bound<'_, PyAny>, card: &Card) -> PyResult<Option<Self>> {
        let py = object.py();
        let Some(place) = object.getattr_opt(intern!(py, "__dlpack_device__"))? else {
            return Ok(None);
        };
        let (kind, ordinal): (i32, i32) = place.call0()?.extract()?;
        if ![CUDA, CUDA_MANAGED].contains(&kind) {
            return Ok(None);
        }
        if ordinal != card.ordinal() {
            return Err(PyValueError::new_err(format!(
                "the tensor is on cuda:{ordinal}, but rays are cast on cuda:{0}: pass its .to(\"cuda:{0}\")",
                card.ordinal()
            )));
        }
        let tensor = Self::out_of(&capsule(object)?)?;
        // The library has made the legacy stream wait for its own.
        py.detach(|| card.wait_for_copies())?;
        Ok(Some(tensor))
    }

    fn out_of(capsule: &Bound<'_, PyCapsule>) -> PyResult<Self> {
        if let Some(taken) = OwnedTensor::<Versioned>::out_of(capsule)? {
            let major = taken.managed().version.major;
            // The rest of another version's struct may be another.
            if major != VERSION.major {
                return Err(PyBufferError::new_err(format!(
                    "the tensor uses version {major} of DLPack, but version 1 was requested"
                )));
            }
            return Self::of(taken);
        }
        match OwnedTensor::<Unversioned>::out_of(capsule)? {
            Some(taken) => Self::of(taken),
            None => Err(PyBufferError::new_err(
                "__dlpack__ returned a capsule without a tensor, or whose tensor was already consumed",
            )),
        }
    }

    fn of<T: Managed + 'static>(taken: OwnedTensor<T>) -> PyResult<Self> {
        let managed = taken.managed();
        let (tensor, is_read_only) = (managed.tensor(), managed.is_read_only());
        let (shape, strides) = layout(tensor)?;
        let element = tensor.element;
        let too_large =
            || PyValueError::new_err(format!("a tensor of shape {shape:?} is larger than memory"));
        let bytes = bytes(&shape, element).ok_or_else(too_large)?;
        let span = span(&shape, &strides, element).ok_or_else(too_large)?;
        if bytes > 0 && tensor.data.is_null() {
            return Err(PyBufferError::new_err(format!(
                "a tensor of shape {shape:?} has no memory"
            )));
        }
        let pointer = (tensor.data.addr() as u64).checked_add(tensor.byte_offset);
        let pointer = pointer.ok_or_else(too_large)?;
        Ok(Self {
            shape,
            strides,
            element,
            pointer,
            bytes,
            span,
            is_read_only,
            _taken: Box::new(taken),
        })
    }

    /// Returns its shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the distances of its elements along each axis, in elements.
    pub fn strides(&self) -> &[usize] {
        &self.strides
    }

    /// Returns the type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Returns the address of its first element in CUDA, which may be zero if it has none.
    pub fn pointer(&self) -> u64 {
        self.pointer
    }

    /// Returns the size of its elements in bytes, without gaps between them.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns true if its elements have no gaps, in row-major order.
    pub fn is_contiguous(&self) -> bool {
        self.rows().is_ok_and(|rows| rows.count == 1)
    }

    /// Returns true if its library forbids writing to it. Older libraries do not report this.
    pub fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// Returns an error for a tensor that cannot be written row by row.
    ///
    /// # Errors
    /// [`CudaError::ReadOnly`] and [`CudaError::Strides`].
    pub fn check_writable(&self) -> Result<(), CudaError> {
        match self.is_read_only {
            true => Err(CudaError::ReadOnly),
            false => self.rows().map(drop),
        }
    }

    /// Returns the bytes from its first element to the end of its last.
    pub(crate) fn span(&self) -> u64 {
        self.span
    }

    pub(crate) fn rows(&self) -> Result<Rows, CudaError> {
        let rows = Rows::of(&self.shape, &self.strides, self.element.bytes());
        rows.ok_or_else(|| self.refused_strides())
    }

    /// Returns the rows along its last axis, however its memory joins them.
    pub(crate) fn rows_of_last_axis(&self) -> Result<Rows, CudaError> {
        let rows = self.rows()?;
        let width = self.element.bytes() * self.shape.last().copied().unwrap_or(1) as u64;
        match rows {
            Rows { width: 0, .. } => Ok(rows),
            Rows { count: 1, width: all, .. } => {
                Ok(Rows { width, count: all / width, pitch: width })
            }
            _ if rows.width == width => Ok(rows),
            _ => Err(self.refused_strides()),
        }
    }

    fn refused_strides(&self) -> CudaError {
        CudaError::Strides {
            shape: self.shape.clone(),
            strides: self.strides.iter().map(|&stride| stride as i64).collect(),
        }
    }

    /// Returns true if it may share memory with another tensor. Different columns of one table are
    /// known to be separate.
    pub fn may_overlap(&self, other: &Self) -> bool {
        let end = |tensor: &Self| tensor.pointer.saturating_add(tensor.span);
        if self.pointer >= end(other) || other.pointer >= end(self) {
            return false;
        }
        match (self.rows(), other.rows()) {
            (Ok(own), Ok(others)) if own.pitch == others.pitch && own.pitch > 0 => {
                let distance = (self.pointer as i128 - other.pointer as i128)
                    .rem_euclid(own.pitch.into()) as u64;
                distance < others.width || distance + own.width > own.pitch
            }
            _ => true,
        }
    }
}

/// Asks an object for a capsule with its tensor, whose stream the legacy stream then waits for.
fn capsule<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyCapsule>> {
    let py = object.py();
    let name = intern!(py, "__dlpack__");
    let stream = [("stream", LEGACY_STREAM)].into_py_dict(py)?;
    let versioned = stream.copy()?;
    versioned.set_item("max_version", (VERSION.major, VERSION.minor))?;
    let capsule = match object.call_method(name, (), Some(&versioned)) {
        // Libraries before DLPack 1.0 do not know the argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            object.call_method(name, (), Some(&stream))?
        }
        capsule => capsule?,
    };
    Ok(capsule.cast_into()?)
}

/// Reads the shape and the strides of a tensor.
fn layout(tensor: &Tensor) -> PyResult<(Vec<usize>, Vec<usize>)> {
    let axes = usize::try_from(tensor.axes)
        .map_err(|_| PyBufferError::new_err(format!("a tensor has {} axes", tensor.axes)))?;
    let read = |numbers: *const i64| match numbers.is_null() || axes == 0 {
        true => None,
        // SAFETY: what is not null has a number for each axis.
        false => Some(unsafe { std::slice::from_raw_parts(numbers, axes) }.to_vec()),
    };
    let signed = read(tensor.shape).unwrap_or_default();
    let shape: Vec<usize> = signed.iter().filter_map(|&size| usize::try_from(size).ok()).collect();
    if shape.len() != axes {
        return Err(PyBufferError::new_err(format!(
            "a tensor of {axes} axes has shape {signed:?}"
        )));
    }
    let Some(signed) = read(tensor.strides) else {
        let strides = without_gaps(&shape);
        return Ok((shape, strides));
    };
    // The stride of an axis of size 1 or 0 has no meaning.
    let is_empty = shape.contains(&0);
    let strides: Option<Vec<usize>> = std::iter::zip(&shape, &signed)
        .map(|(&size, &stride)| match usize::try_from(stride) {
            _ if is_empty || size == 1 => Some(1),
            Ok(stride) if stride > 0 => Some(stride),
            _ => None,
        })
        .collect();
    match strides {
        Some(strides) => Ok((shape, strides)),
        None => Err(CudaError::Strides { shape, strides: signed }.into()),
    }
}

fn bytes(shape: &[usize], element: Element) -> Option<u64> {
    shape.iter().try_fold(element.bytes(), |bytes, &size| bytes.checked_mul(size as u64))
}

/// Returns the bytes from the first element to the end of the last.
fn span(shape: &[usize], strides: &[usize], element: Element) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    let steps = std::iter::zip(shape, strides).try_fold(0_u64, |steps, (&size, &stride)| {
        steps.checked_add((size as u64 - 1).checked_mul(stride as u64)?)
    });
    steps?.checked_add(1)?.checked_mul(element.bytes())
}
