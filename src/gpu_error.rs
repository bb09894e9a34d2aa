//! The errors of devices. Every tracer can return them.

use thiserror::Error;

/// The reason why a GPU could not answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter matches the request.
    #[error(
        "no adapter matches {wanted}{}; {}",
        if narrowed_by.is_empty() { String::new() } else { format!(" with {}", narrowed_by.join(" ")) },
        instead_of_an_adapter(found, narrowed_by, backends),
    )]
    NoAdapter {
        /// The adapter that was asked for.
        wanted: String,
        /// The adapters of this machine.
        found: Vec<String>,
        /// The environment variables that narrow the search, as `NAME=VALUE`.
        narrowed_by: Vec<String>,
        /// The values of `WGPU_BACKEND` that this build supports.
        backends: String,
    },
    /// The adapter could not open a device.
    #[error("the adapter {adapter} could not open a device: {reason}; choose another adapter")]
    NoDevice {
        /// The adapter.
        adapter: String,
        /// The reason that wgpu gives.
        reason: String,
    },
    /// The environment variable `RAYTWIN_KERNELS` has an unknown value.
    #[error(
        "RAYTWIN_KERNELS={0} is not a valid value: set it to hardware or to software, or unset it"
    )]
    UnknownKernels(String),
    /// A buffer or texture is larger than the device allows.
    #[error(
        "{what} would need {needed} bytes in one buffer, but {device} allows {allowed}: split the scene, or cast on another device"
    )]
    TooLarge {
        /// The buffer or texture.
        what: &'static str,
        /// Its size in bytes.
        needed: u64,
        /// The largest size that the device allows, in bytes.
        allowed: u64,
        /// The device.
        device: String,
    },
    /// The device has no memory left.
    #[error(
        "the device ran out of memory for {0}: close other programs that use it, or cast on another device"
    )]
    OutOfMemory(&'static str),
    /// The host has too little memory for the answers.
    #[error(
        "{what} need {needed} bytes of the host's memory, which the system could not allocate: cast fewer rays at a time"
    )]
    HostMemory {
        /// The answers.
        what: &'static str,
        /// Their size in bytes.
        needed: u64,
    },
    /// The device is gone.
    #[error("the device was lost ({0}): open it again, or cast on another one")]
    Lost(String),
    /// The shader does not compile.
    #[error("{file}:{line}:{column}: {message}")]
    Shader {
        /// The path of the file, from `shaders/` on.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// The compiler's message.
        message: String,
    },
    /// The text that a fault replaces does not occur exactly once in the shader.
    #[error(
        "the text that a fault replaces must occur once in shaders/{file}, but it occurs {count} times: {text}"
    )]
    StaleFault {
        /// The text.
        text: &'static str,
        /// The file in `shaders/`.
        file: &'static str,
        /// How often the text occurs there.
        count: usize,
    },
    /// The device finished without writing an answer.
    #[error(
        "the device returned no answer for ray or point {0} of a batch, which is a defect of its driver: update the driver, or cast on another device"
    )]
    Unanswered(usize),
    /// The device counts more crossings of a ray each time it casts the ray.
    #[error(
        "the device counts more crossings each time it casts ray {0} of a batch or one of the next rays, which is a defect of its driver: update the driver, or cast on another device"
    )]
    Unsteady(usize),
    /// wgpu refused a call.
    #[error("the device refused {what}: {reason}; this is a defect of raytwin or of the driver")]
    Refused {
        /// The call.
        what: &'static str,
        /// The reason that wgpu gives.
        reason: String,
    },
}

#[cfg(feature = "gpu")]
impl GpuError {
    /// Returns the same error about a batch from which these rays were selected.
    pub(crate) fn of_rays(self, rays: &[usize]) -> Self {
        let number = |index: usize| rays.get(index).copied().unwrap_or(index);
        match self {
            Self::Unanswered(index) => Self::Unanswered(number(index)),
            Self::Unsteady(index) => Self::Unsteady(number(index)),
            other => other,
        }
    }
}

/// Returns the end of the message for [`GpuError::NoAdapter`]: the adapters of this machine, or
/// what to do.
fn instead_of_an_adapter(found: &[String], narrowed_by: &[String], backends: &str) -> String {
    if !found.is_empty() {
        return format!("this machine has: {}", found.join("; "));
    }
    if !narrowed_by.is_empty() {
        return format!(
            "there is no adapter at all: unset or correct these variables (the backends of this build: {backends})"
        );
    }
    "there is no adapter at all: install a software adapter, the package mesa-vulkan-drivers (Debian, Ubuntu, Fedora) or vulkan-swrast (Arch)".to_owned()
}
