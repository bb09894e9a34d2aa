//! Errors of devices: they say what went wrong, where, and what to do.

use super::adapter::backends;
use thiserror::Error;

/// Why a GPU could not answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// No adapter fits.
    #[error(
        "no adapter fits {wanted}{}; {}",
        if narrowed_by.is_empty() { String::new() } else { format!(" with {}", narrowed_by.join(" ")) },
        instead_of_an_adapter(found, narrowed_by),
    )]
    NoAdapter {
        /// What was asked for.
        wanted: String,
        /// The adapters that there are.
        found: Vec<String>,
        /// The variables of the environment that narrow the search, as `NAME=VALUE`.
        narrowed_by: Vec<String>,
    },
    /// The adapter gave no device.
    #[error("the adapter {adapter} gives no device: {reason}; choose another adapter")]
    NoDevice {
        /// Which.
        adapter: String,
        /// What wgpu says.
        reason: String,
    },
    /// A buffer or texture is larger than the device allows.
    #[error(
        "{what} would take {needed} bytes in one piece, and {device} allows {allowed}: split the scene, or cast on another device"
    )]
    TooLarge {
        /// Which buffer.
        what: &'static str,
        /// In bytes.
        needed: u64,
        /// In bytes.
        allowed: u64,
        /// Which device.
        device: String,
    },
    /// The device has no memory left.
    #[error(
        "the device ran out of memory for {0}: close other programs that use it, or cast on another device"
    )]
    OutOfMemory(&'static str),
    /// The host has not so much memory for the answers.
    #[error(
        "{what} take {needed} bytes of the host's memory, which the system does not give: ask fewer rays at a time"
    )]
    HostMemory {
        /// Which answers.
        what: &'static str,
        /// In bytes.
        needed: u64,
    },
    /// The device is gone.
    #[error("the device was lost ({0}): open it again, or cast on another one")]
    Lost(String),
    /// The shader is not one.
    #[error("{file}:{line}:{column}: {message}")]
    Shader {
        /// In `shaders/`.
        file: String,
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What the compiler says.
        message: String,
    },
    /// A fault's text is not in the shader, or more than once.
    #[error(
        "the fault {name} finds its text {count} times in shaders/{file}, not once: mend its row"
    )]
    StaleFault {
        /// The fault's name.
        name: &'static str,
        /// Where it looks.
        file: &'static str,
        /// How often it found it.
        count: usize,
    },
    /// The device returned without an answer.
    #[error(
        "the device left ray or point {0} of a batch without an answer: its driver gave it up, as Mesa's software driver does with what takes more than 65,535 turns of loops; update the driver, or cast on another device"
    )]
    Unanswered(usize),
    /// The device counts another number of a ray's crossings each time.
    #[error(
        "the device counts more crossings each time that it casts ray {0} of a batch, or one soon after it: its driver is at fault; update it, or cast on another device"
    )]
    Unsteady(usize),
    /// wgpu refused a call.
    #[error("the device refused {what}: {reason}; this is a defect of raytwin or of the driver")]
    Refused {
        /// Which call.
        what: &'static str,
        /// What wgpu says.
        reason: String,
    },
}

/// Tells what there is in place of an adapter that fits, and what to do.
fn instead_of_an_adapter(found: &[String], narrowed_by: &[String]) -> String {
    if !found.is_empty() {
        return format!("there are: {}", found.join("; "));
    }
    if !narrowed_by.is_empty() {
        return format!(
            "there is none at all: unset or correct what narrows the search (the backends of this build: {})",
            backends()
        );
    }
    "there is none at all: install a software one, the package mesa-vulkan-drivers (Debian, Ubuntu, Fedora) or vulkan-swrast (Arch)".to_owned()
}
