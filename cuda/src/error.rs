//! What can go wrong between a Vulkan device and CUDA.

use pyo3::PyErr;
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyValueError};
use thiserror::Error;

/// Why a device and CUDA share no memory, or a copy between them failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// Memory is shared on Linux alone.
    #[error(
        "memory is shared with CUDA on Linux alone: pass arrays of the host here, as NumPy's are"
    )]
    Platform,
    /// There is no driver of CUDA.
    #[error(
        "CUDA's driver cannot be loaded ({reason}): install NVIDIA's driver, or pass arrays of the host, as NumPy's are"
    )]
    NoDriver {
        /// What the system's loader says.
        reason: String,
    },
    /// The driver is too old.
    #[error(
        "CUDA's driver has no {symbol}: install a driver of NVIDIA that knows CUDA 11 or later"
    )]
    OldDriver {
        /// The function that it lacks.
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
        /// The driver's name of that.
        name: String,
        /// What helps.
        advice: &'static str,
    },
    /// The device was opened by another backend, without the feature, or on a driver that lacks it.
    #[error(
        "{device} shares no memory with CUDA: it needs a driver of Vulkan 1.1 that has VK_KHR_external_memory_fd, as NVIDIA's \
         has, and to be opened with the features that raytwin_cuda::features() names"
    )]
    SharesNothing {
        /// The name of the device.
        device: String,
    },
    /// CUDA sees no card with the identity of the Vulkan device.
    #[error(
        "{device} is no card that CUDA sees: Vulkan calls it {wanted}, and CUDA sees {}: choose one of these, or let \
         CUDA_VISIBLE_DEVICES name the other",
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
    /// The device is not that of the card.
    #[error("{device} is not {card}, which was to share its memory: make a Card of this device")]
    OtherDevice {
        /// The name of the Vulkan device.
        device: String,
        /// The card.
        card: String,
    },
    /// A call of Vulkan failed.
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
        /// The size that was asked for.
        bytes: u64,
    },
    /// A shared buffer is larger than a buffer of the device may be.
    #[error(
        "a shared buffer of {bytes} bytes is larger than the {allowed} bytes that {device} allows: ask for fewer at a time"
    )]
    TooLarge {
        /// The name of the device.
        device: String,
        /// The size that was asked for.
        bytes: u64,
        /// The largest size.
        allowed: u64,
    },
    /// A shared buffer was to be used for what none can be.
    #[error(
        "a shared buffer cannot be used for {usage}: it can be STORAGE, UNIFORM, COPY_SRC and COPY_DST"
    )]
    Usage {
        /// The usages that do not fit.
        usage: String,
    },
    /// A part of a buffer ends after the buffer.
    #[error(
        "{bytes} bytes from byte {offset} do not fit a shared buffer of {holds} bytes: make it larger, or take fewer"
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
        "an array of elements of {size} bytes cannot begin at byte {offset}: begin at a multiple of their size"
    )]
    Misaligned {
        /// The first byte.
        offset: u64,
        /// The size of an element.
        size: u64,
    },
    /// A tensor's elements lie in no rows of equal distance.
    #[error(
        "a tensor of shape {shape:?} with strides {strides:?} does not lie in rows of equal distance, one after another: pass its .contiguous()"
    )]
    Strides {
        /// The tensor's shape.
        shape: Vec<usize>,
        /// Its strides, in elements.
        strides: Vec<i64>,
    },
    /// Answers were to be written into a tensor that must not be changed.
    #[error("a tensor that was passed to be written is read-only: pass one that can be written")]
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
