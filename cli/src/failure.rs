//! Failures of a command: an exit code, and the library's error with the flag that helps against
//! it.

use raytwin::SampleError;
use raytwin::camera::CameraError;
use raytwin::gpu::GpuError;
use raytwin::packed::PackError;
use raytwin::tracer::TraceError;
use raytwin_files::FileError;
use raytwin_formats::{Remedy, Warning};

/// The reason why a command ends early, and its exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub code: u8,
    pub message: String,
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self { code: 3, message: message.into() }
    }

    /// Puts the name of a file or workload before the message.
    pub fn in_file(self, name: &str) -> Self {
        Self { message: format!("{name}: {}", self.message), ..self }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let hint = match error {
            FileError::Write { .. } => " with -o or --cloud",
            FileError::Memory { .. } => " (--max-memory SIZE)",
            _ => "",
        };
        Self::input(format!("{error}{hint}"))
    }
}

impl From<CameraError> for Failure {
    fn from(error: CameraError) -> Self {
        let hint = match error {
            CameraError::NoPixels(..)
            | CameraError::TooManyPixels { .. }
            | CameraError::OtherRows { .. } => " (--size)",
            _ => "",
        };
        Self::usage(format!("{error}{hint}"))
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        let code = match error {
            GpuError::UnknownKernels(_) | GpuError::InstancesInBinaryTree => 2,
            GpuError::NoAdapter { .. } | GpuError::NoDevice { .. } => 4,
            _ => 5,
        };
        let hint = match error {
            GpuError::NoDevice { .. } => " (--device NAME, --device cpu)",
            GpuError::InstancesInBinaryTree => " (--device cpu)",
            GpuError::NoAdapter { .. } => " (or --device cpu)",
            GpuError::TooLarge { .. }
            | GpuError::OutOfMemory(_)
            | GpuError::Lost(_)
            | GpuError::Unanswered(_)
            | GpuError::Unsteady(_) => " (--device cpu)",
            _ => "",
        };
        Self { code, message: format!("{error}{hint}") }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Batch(error) => Self::input(error.to_string()),
            TraceError::Sample(error) => error.into(),
            TraceError::Gpu(error) => error.into(),
            error => Self { code: 5, message: error.to_string() },
        }
    }
}

impl From<SampleError> for Failure {
    fn from(error: SampleError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<PackError> for Failure {
    fn from(error: PackError) -> Self {
        Self::input(error.to_string())
    }
}

/// The text of a warning, with the flag that removes its cause.
pub(super) fn warning_text(warning: &Warning) -> String {
    let hint = match warning.remedy {
        Some(Remedy::Joints) => "; set them with --joint NAME=VALUE",
        Some(Remedy::Packages) => "; give a package's folder with --package NAME=DIR",
        Some(Remedy::Origin) => "; --origin auto takes one",
        Some(Remedy::PointRadius) => "; give one with --point-radius RADIUS",
        _ => "",
    };
    format!("{warning}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_a_flag_helps_against_names_it() {
        let lost = GpuError::Lost("driver reset".to_owned());
        let written = FileError::Write {
            path: "h.npz".into(),
            source: std::io::ErrorKind::PermissionDenied.into(),
        };
        let large = FileError::Memory {
            path: "h.png".into(),
            needs: "its 4 heights need 68 GB of memory".to_owned(),
            allowed: "1 GB".to_owned(),
        };
        for (failure, code, flag) in [
            (Failure::from(large), 3, "or allow more (--max-memory SIZE)"),
            (Failure::from(lost), 5, "cast on another one (--device cpu)"),
            (Failure::from(CameraError::NoPixels(0, 1)), 2, "at least 1x1 (--size)"),
            (Failure::from(written), 3, "choose another place with -o or --cloud"),
        ] {
            assert!(failure.code == code && failure.message.ends_with(flag), "{failure:?}");
        }
    }
}
