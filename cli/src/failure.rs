//! Failures of a command: an exit code, and the library's error with the flags that avoid it.

use raytwin::SampleError;
use raytwin::camera::CameraError;
use raytwin::gpu::GpuError;
use raytwin::packed::PackError;
use raytwin::tracer::TraceError;
use raytwin_files::FileError;

/// The reason why a command ends early, and its exit code.
#[derive(Debug)]
pub(super) struct Failure {
    pub code: u8,
    pub message: String,
    /// The flags that avoid it. Each command accepts some of them.
    pub flags: &'static [&'static str],
}

impl Failure {
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into(), flags: &[] }
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self { code: 3, message: message.into(), flags: &[] }
    }

    /// Adds flags that avoid it, if the command accepts them.
    pub fn with_flags(self, flags: &'static [&'static str]) -> Self {
        Self { flags, ..self }
    }

    /// Puts the name of a file or workload before the message.
    pub fn in_file(self, name: &str) -> Self {
        Self { message: format!("{name}: {}", self.message), ..self }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        Self::input(error.to_string()).with_flags(match error {
            FileError::Write { .. } => &["-o", "--cloud"],
            FileError::Memory { .. } => &["--max-memory SIZE"],
            _ => &[],
        })
    }
}

impl From<CameraError> for Failure {
    fn from(error: CameraError) -> Self {
        Self::usage(error.to_string()).with_flags(match error {
            CameraError::NoPixels(..)
            | CameraError::TooManyPixels { .. }
            | CameraError::OtherRows { .. } => &["--size"],
            _ => &[],
        })
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        let code = match error {
            GpuError::UnknownKernels(_) => 2,
            GpuError::NoAdapter { .. } | GpuError::NoDevice { .. } => 4,
            _ => 5,
        };
        let flags: &[&str] = match error {
            GpuError::NoDevice { .. } => &["--device NAME", "--device cpu"],
            GpuError::NoAdapter { .. }
            | GpuError::TooLarge { .. }
            | GpuError::OutOfMemory(_)
            | GpuError::Lost(_)
            | GpuError::Unanswered(_)
            | GpuError::Unsteady(_) => &["--device cpu"],
            _ => &[],
        };
        Self { code, message: error.to_string(), flags }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        match error {
            TraceError::Batch(error) => Self::input(error.to_string()),
            TraceError::Sample(error) => error.into(),
            TraceError::Gpu(error) => error.into(),
            error => Self { code: 5, message: error.to_string(), flags: &[] },
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
            (Failure::from(large), 3, "--max-memory SIZE"),
            (Failure::from(lost), 5, "--device cpu"),
            (Failure::from(CameraError::NoPixels(0, 1)), 2, "--size"),
            (Failure::from(written), 3, "-o"),
        ] {
            assert!(failure.code == code && failure.flags[0] == flag, "{failure:?}");
        }
    }
}
