//! An array on the card, for Python.

use crate::capsule::lend;
use crate::dlpack::{CUDA, Place, Unversioned, VERSION, Versioned};
use crate::element::Element;
use crate::error::CudaError;
use crate::rows::without_gaps;
use crate::shared_buffer::SharedBuffer;
use pyo3::exceptions::{PyAttributeError, PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyCapsule, PyDict, PyTuple};

/// An array on the card, which torch, CuPy and JAX can use without a copy, for example with
/// torch.from_dlpack(). Its memory is kept until the last user is gone.
#[pyclass(frozen, name = "DeviceArray", module = "raytwin")]
pub struct DeviceArray {
    buffer: SharedBuffer,
    offset: u64,
    shape: Vec<usize>,
    element: Element,
    bytes: u64,
}

impl DeviceArray {
    /// Makes an array of the bytes of a buffer from `offset` on. Its elements have no gaps.
    ///
    /// # Errors
    /// [`CudaError::OutOfBounds`] and [`CudaError::Misaligned`].
    pub fn new(
        buffer: SharedBuffer,
        offset: u64,
        shape: Vec<usize>,
        element: Element,
    ) -> Result<Self, CudaError> {
        let size = element.bytes();
        let elements = shape.iter().try_fold(size, |bytes, &size| bytes.checked_mul(size as u64));
        // A size that overflows does not fit any buffer.
        let bytes = elements.unwrap_or(u64::MAX);
        let holds = buffer.bytes();
        if offset.checked_add(bytes).is_none_or(|end| end > holds) {
            return Err(CudaError::OutOfBounds { offset, bytes, holds });
        }
        match offset.is_multiple_of(size) {
            true => Ok(Self { buffer, offset, shape, element, bytes }),
            false => Err(CudaError::Misaligned { offset, size }),
        }
    }

    /// Returns the buffer that it is a part of.
    pub fn buffer(&self) -> &SharedBuffer {
        &self.buffer
    }

    /// Returns the byte of the buffer at which it begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the type of its elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Returns its address in CUDA, which is zero for an array without elements.
    fn pointer(&self) -> u64 {
        match self.bytes {
            0 => 0,
            _ => self.buffer.pointer() + self.offset,
        }
    }

    fn ordinal(&self) -> i32 {
        self.buffer.card().ordinal()
    }
}

#[pymethods]
impl DeviceArray {
    /// The size of each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The name of the type of its elements, such as "float32".
    #[getter]
    fn dtype(&self) -> String {
        self.element.to_string()
    }

    /// The size of its elements in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.bytes
    }

    /// The card on which it is, such as "cuda:0".
    #[getter]
    fn device(&self) -> String {
        format!("cuda:{}", self.ordinal())
    }

    /// Copies it to the host, as a NumPy array.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numpy = py.import("numpy")?;
        let bytes = PyByteArray::new_with(py, self.bytes as usize, |bytes| {
            Ok(py.detach(|| self.buffer.read(self.offset, bytes))?)
        })?;
        let flat = numpy.call_method1("frombuffer", (bytes, self.dtype()))?;
        flat.call_method1("reshape", (self.shape(py)?,))
    }

    /// Raises TypeError: `numpy` copies it to the host.
    #[pyo3(signature = (*_arguments, **_options))]
    fn __array__(
        &self,
        _arguments: &Bound<'_, PyTuple>,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(PyTypeError::new_err(format!(
            "the array is on {}, where NumPy cannot read it: its .numpy() returns a copy on the host",
            self.device()
        )))
    }

    /// Shares it with another library, which need not wait for anything.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // All writes are done, so no stream has to wait. DLPack has no stream 0, because it would
        // be ambiguous.
        if stream.is_some_and(|stream| stream == 0 || stream < -1) {
            return Err(PyValueError::new_err(
                "stream must be None, -1, 1 for the legacy stream, 2 for the per-thread stream, or the address of a stream",
            ));
        }
        if dl_device.is_some_and(|place| place != self.__dlpack_device__()) {
            return Err(PyBufferError::new_err(format!(
                "the array is on {} and can be shared only there: its .numpy() returns a copy on the host",
                self.device()
            )));
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err(
                "the array is shared only without a copy: copy the tensor with the other library",
            ));
        }
        let strides = without_gaps(&self.shape);
        let layout = (&self.shape[..], &strides[..]);
        let place = Place { kind: CUDA, ordinal: self.ordinal() };
        let lend = match max_version {
            Some((major, _)) if major >= VERSION.major => lend::<Versioned>,
            _ => lend::<Unversioned>,
        };
        lend(py, &self.buffer, self.pointer(), layout, (place, self.element))
    }

    /// The kind of its memory and the number of its card, as in DLPack.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.ordinal())
    }

    /// Describes it to libraries without DLPack, such as Numba.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Some(type_string) = self.element.type_string() else {
            return Err(PyAttributeError::new_err(format!(
                "__cuda_array_interface__ has no name for {}: use DLPack",
                self.element
            )));
        };
        let description = PyDict::new(py);
        description.set_item("shape", self.shape(py)?)?;
        description.set_item("typestr", type_string)?;
        description.set_item("data", (self.pointer(), false))?;
        description.set_item("strides", py.None())?;
        description.set_item("stream", py.None())?;
        description.set_item("version", 3)?;
        Ok(description)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.shape.first().copied().ok_or_else(|| PyTypeError::new_err("the array has no axes"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (shape, dtype, device) = (self.shape(py)?, self.dtype(), self.device());
        Ok(format!("DeviceArray(shape={shape}, dtype={dtype}, device='{device}')"))
    }
}
