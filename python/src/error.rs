//! Python's exceptions for the library's errors, with the library's words.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use raytwin::camera::CameraError;
use raytwin::gpu::GpuError;
use raytwin::{FileError as LibraryFileError, OpenError, PackError, ShapeError, TraceError};

create_exception!(
    raytwin,
    Error,
    PyException,
    "The class of every exception that raytwin raises of its own."
);
create_exception!(
    raytwin,
    FileError,
    Error,
    "A file cannot be read or written; the message names the place in it."
);
create_exception!(
    raytwin,
    SceneError,
    Error,
    "A shape, a transform, a camera or a filter does not fit; the message names it."
);
create_exception!(
    raytwin,
    NoAdapterError,
    Error,
    "There is no GPU of that name, or it gives no device; the message lists the adapters."
);
create_exception!(
    raytwin,
    DeviceError,
    Error,
    "A device failed: it was lost, or it has no room for the scene or the answers."
);

/// Returns the exception for an error of the library. A trait of our own, because neither type is.
pub(crate) trait IntoException {
    /// Returns the exception.
    fn into_exception(self) -> PyErr;
}

impl IntoException for LibraryFileError {
    fn into_exception(self) -> PyErr {
        FileError::new_err(self.to_string())
    }
}

impl IntoException for ShapeError {
    fn into_exception(self) -> PyErr {
        SceneError::new_err(self.to_string())
    }
}

impl IntoException for CameraError {
    fn into_exception(self) -> PyErr {
        SceneError::new_err(self.to_string())
    }
}

impl IntoException for PackError {
    fn into_exception(self) -> PyErr {
        SceneError::new_err(self.to_string())
    }
}

impl IntoException for GpuError {
    fn into_exception(self) -> PyErr {
        match self {
            Self::NoAdapter { .. } | Self::NoDevice { .. } => {
                NoAdapterError::new_err(self.to_string())
            }
            _ => DeviceError::new_err(self.to_string()),
        }
    }
}

impl IntoException for OpenError {
    fn into_exception(self) -> PyErr {
        match self {
            Self::Gpu(error) => error.into_exception(),
            error => SceneError::new_err(error.to_string()),
        }
    }
}

impl IntoException for TraceError {
    fn into_exception(self) -> PyErr {
        match self {
            Self::Gpu(error) => error.into_exception(),
            error => SceneError::new_err(error.to_string()),
        }
    }
}
