//! The errors of memory that a Vulkan device and CUDA share.

use pyo3::PyErr;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyValueError};
use thiserror::Error;

/// The reason why a device and CUDA cannot share memory, or why a copy between them failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// Memory can be shared only on Linux.
    #[error(
        "memory can be shared with CUDA only on Linux: pass arrays in host memory, such as NumPy arrays"
    )]
    Platform,
    /// There is no CUDA driver.
    #[error(
        "the CUDA driver cannot be loaded ({reason}): install NVIDIA's driver, or pass arrays in host memory, such as NumPy arrays"
    )]
    NoDriver {
        /// The message of the system's loader.
        reason: String,
    },
    /// The driver is too old.
    #[error(
        "the CUDA driver has no {symbol}: install an NVIDIA driver that supports CUDA 11 or later"
    )]
    OldDriver {
        /// The missing function.
        symbol: &'static str,
    },
    /// A call of the driver failed.
    #[error("CUDA cannot {what}: {call} returned {name} ({code}), {advice}")]
    Call {
        /// What the call was to do.
        what: &'static str,
        /// The function.
        call: &'static str,
        /// What it returned.
        code: i32,
        /// The driver's name of the code.
        name: String,
        /// The advice to the user.
        advice: &'static str,
    },
    /// The device was opened by another backend, without the feature, or on a driver that lacks it.
    #[error(
        "{device} cannot share memory with CUDA: it needs a Vulkan 1.1 driver with VK_KHR_external_memory_fd, such as NVIDIA's, \
         and must be opened with the features of raytwin_cuda::features()"
    )]
    SharesNothing {
        /// The name of the device.
        device: String,
    },
    /// CUDA sees no card with the identity of the Vulkan device.
    #[error(
        "CUDA does not see {device}: its Vulkan identity is {wanted}, and CUDA sees {}: choose one of these, or add \
         the device to CUDA_VISIBLE_DEVICES",
        list(.found)
    )]
    NoCard {
        /// The name of the Vulkan device.
        device: String,
        /// Its identity, as `nvidia-smi -L` writes it.
        wanted: String,
        /// The cards that CUDA sees.
        found: Vec<String>,
    },
    /// The device is another one than the card's.
    #[error("{device} is not {card}, the card that shares the memory: make a Card of this device")]
    OtherDevice {
        /// The name of the Vulkan device.
        device: String,
        /// The card.
        card: String,
    },
    /// A Vulkan call failed.
    #[error("Vulkan cannot {what}: {result}")]
    Vulkan {
        /// What the call was to do.
        what: &'static str,
        /// What it returned.
        result: String,
    },
    /// The device has no room for a buffer.
    #[error("{device} has no room for a shared buffer of {bytes} bytes: ask for fewer at a time")]
    OutOfMemory {
        /// The name of the device.
        device: String,
        /// The requested size.
        bytes: u64,
    },
    /// A shared buffer is larger than a buffer of the device may be.
    #[error(
        "a shared buffer of {bytes} bytes is larger than the {allowed} bytes that {device} allows: ask for fewer at a time"
    )]
    TooLarge {
        /// The name of the device.
        device: String,
        /// The requested size.
        bytes: u64,
        /// The largest size.
        allowed: u64,
    },
    /// A shared buffer cannot have these usages.
    #[error(
        "a shared buffer cannot have the usages {usage}: allowed are STORAGE, UNIFORM, COPY_SRC and COPY_DST"
    )]
    Usage {
        /// The usages that do not fit.
        usage: String,
    },
    /// A part of a buffer ends after the buffer.
    #[error(
        "{bytes} bytes from byte {offset} do not fit a shared buffer of {holds} bytes: make the buffer larger, or use fewer bytes"
    )]
    OutOfBounds {
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        bytes: u64,
        /// The size of the buffer.
        holds: u64,
    },
    /// An array would begin within an element.
    #[error(
        "an array of elements of {size} bytes cannot begin at byte {offset}: begin it at a multiple of their size"
    )]
    Misaligned {
        /// The first byte.
        offset: u64,
        /// The size of an element.
        size: u64,
    },
    /// A tensor's elements are not in rows of equal distance.
    #[error(
        "a tensor of shape {shape:?} with strides {strides:?} is not in rows of equal distance, one after another: pass its .contiguous()"
    )]
    Strides {
        /// The tensor's shape.
        shape: Vec<usize>,
        /// Its strides, in elements.
        strides: Vec<i64>,
    },
    /// A tensor for answers is read-only.
    #[error("a tensor for answers is read-only: pass one that can be written")]
    ReadOnly,
}

/// Writes the cards that CUDA sees.
fn list(found: &[String]) -> String {
    match found {
        [] => "no card".to_owned(),
        found => found.join(", "),
    }
}

impl From<CudaError> for PyErr {
    fn from(error: CudaError) -> Self {
        let text = error.to_string();
        match error {
            CudaError::OutOfBounds { .. } | CudaError::Strides { .. } => {
                PyValueError::new_err(text)
            }
            CudaError::ReadOnly => PyBufferError::new_err(text),
            _ => PyRuntimeError::new_err(text),
        }
    }
}
