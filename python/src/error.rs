//! Python exceptions for the library's errors, with the library's messages.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use rayon::ThreadPoolBuilder;
use raytwin::camera::CameraError;
use raytwin::gpu::GpuError;
use raytwin::scene::StateError;
use raytwin::{BatchError, OpenError, PackError, SampleError, ShapeError, TallyError, TraceError};
use raytwin_files::FileError as LibraryFileError;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

macro_rules! exceptions {
    ($($name:ident($base:ident): $about:literal,)+) => {
        $(create_exception!(raytwin, $name, $base, $about);)+
    };
}

exceptions! {
    Error(PyException): "The base class of raytwin's own exceptions.",
    FileError(Error): "A file cannot be read or written. The message names the file and the place in it.",
    SceneError(Error): "A shape, a transform, a camera, a filter or a generator of rays is not valid. The message names it.",
    NoAdapterError(Error): "There is no GPU with that name, or it cannot be opened. The message lists the adapters.",
    DeviceError(Error): "A device failed: it was lost, or it has no memory for the scene or the answers.",
    MismatchError(Error): "A device's answers are outside the bound on their error. The message counts them.",
}

/// Makes a Python exception from an error of the library. It is a trait, because neither type belongs
/// to this crate.
pub(crate) trait IntoException {
    fn into_exception(self) -> PyErr;
}

/// Makes a Python exception from the error of a result.
pub(crate) trait OrException<T> {
    fn or_exception(self) -> PyResult<T>;
}

impl<T, E: IntoException> OrException<T> for Result<T, E> {
    fn or_exception(self) -> PyResult<T> {
        self.map_err(IntoException::into_exception)
    }
}

/// The errors that name a part that does not fit a scene.
macro_rules! scene_errors {
    ($($error:ty),+) => {$(
        impl IntoException for $error {
            fn into_exception(self) -> PyErr {
                SceneError::new_err(self.to_string())
            }
        }
    )+};
}

scene_errors!(StateError, ShapeError, CameraError, PackError, SampleError, BatchError);

impl IntoException for LibraryFileError {
    fn into_exception(self) -> PyErr {
        FileError::new_err(self.to_string())
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

/// The errors of a device, and the errors that name a part that does not fit a scene.
macro_rules! errors_of_devices {
    ($($error:ty),+) => {$(
        impl IntoException for $error {
            fn into_exception(self) -> PyErr {
                match self {
                    Self::Gpu(error) => error.into_exception(),
                    error => SceneError::new_err(error.to_string()),
                }
            }
        }
    )+};
}

errors_of_devices!(OpenError, TraceError);

impl IntoException for TallyError {
    fn into_exception(self) -> PyErr {
        PyValueError::new_err(self.to_string())
    }
}

/// Does some work of the library while the interpreter runs other threads.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    refuse_in_fork()?;
    py.detach(|| caught(work))
}

/// Does some work. A panic, which is a bug of the library, becomes a `raytwin.Error`, because programs
/// do not catch PyO3's own exception for it.
pub(crate) fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(fault(&*panic)))
}

/// Does some work of the library. A forked process can do it too, because the work needs no thread of
/// the parent process.
pub(crate) fn detached_in_any_process<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> PyResult<T> + Send,
) -> PyResult<T> {
    if !is_forked() {
        return detached(py, work);
    }
    let of_its_own = || {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let pool = pool.map_err(|error| Error::new_err(error.to_string()))?;
        pool.install(|| caught(work))
    };
    py.detach(of_its_own)
}

/// Rejects work in a process that was forked after raytwin was used. The threads of the library and of
/// a device's driver are not in the copy, so the work would wait for them forever.
pub(crate) fn refuse_in_fork() -> PyResult<()> {
    match is_forked() {
        false => Ok(()),
        true => Err(Error::new_err(
            "this process was forked from one that has used raytwin, whose threads are not in the copy: start processes with \
             multiprocessing's 'spawn' or 'forkserver'",
        )),
    }
}

/// Returns true if this process was forked after raytwin was used.
fn is_forked() -> bool {
    static WORKING_PROCESS: OnceLock<u32> = OnceLock::new();
    let process = std::process::id();
    *WORKING_PROCESS.get_or_init(|| process) != process
}

fn fault(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new_err(format!(
        "this is a bug in raytwin, please report it: {}",
        text.unwrap_or("a panic without a message")
    ))
}
