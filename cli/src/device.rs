//! The tracer that `--device` chooses.

use super::source::LoadedScene;
use super::{Console, Failure};
use raytwin::canonical::CanonicalTracer;
use raytwin::cpu::CpuTracer;
use raytwin::device::AutoTracer;
use raytwin::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer, OpeningGpu};
use raytwin::tracer::Tracer;
use raytwin::{DeviceChoice, DeviceChoiceError};
use std::path::Path;

/// The value of `--device`.
pub(super) enum DeviceFlag {
    /// Cast on a hardware GPU if there is one, otherwise on the CPU.
    Auto,
    /// Cast on this GPU. The text is the reason for the choice, for the user.
    Gpu(AdapterChoice, &'static str),
    /// Cast with the float64 tracer.
    Cpu,
}

/// The device of a run. A GPU is opened on its own thread, and the run reads files meanwhile.
pub(super) struct OpeningDevice {
    /// `None` if the flag chooses the CPU.
    choice: Option<AdapterChoice>,
    /// `None` if the run reads no file meanwhile, and for the CPU.
    gpu: Option<OpeningGpu>,
    /// The reason for this device.
    reason: &'static str,
    /// True if the CPU casts when there is no such GPU.
    falls_back: bool,
    is_canonical: bool,
}

/// A tracer of the device that the flag chooses.
enum OpenTracer {
    Gpu(Box<GpuTracer>),
    Cpu(Box<CpuTracer>),
}

/// Returns an error for a value of `--device` that chooses no device.
pub(super) fn flag(text: &str) -> Result<String, DeviceChoiceError> {
    text.parse::<DeviceChoice>().map(|_| text.trim().to_owned())
}

/// The name of the phase in which a device gets a scene.
const PREPARING: &str = "preparing the device";

impl DeviceFlag {
    /// Reads the flag. The variable `WGPU_ADAPTER_NAME` also chooses an adapter.
    pub fn new(flag: &str) -> Self {
        let named = std::env::var("WGPU_ADAPTER_NAME")
            .ok()
            .filter(|name| !name.trim().is_empty())
            .map(|name| Self::Gpu(AdapterChoice::Named(name), "named by WGPU_ADAPTER_NAME"));
        // A value that chooses no device is an error when the flags are read.
        match (flag.parse().unwrap_or_default(), named) {
            (DeviceChoice::Cpu, _) => Self::Cpu,
            (DeviceChoice::Gpu(choice @ AdapterChoice::Named(_)), _) => {
                Self::Gpu(choice, "named by --device")
            }
            (_, Some(named)) => named,
            (DeviceChoice::Gpu(choice), None) => Self::Gpu(choice, "the best adapter"),
            (_, None) => Self::Auto,
        }
    }

    /// Replaces `auto` by any GPU, for commands that check a GPU and must not fall back to the CPU.
    pub fn or_any_gpu(self) -> Self {
        match self {
            Self::Auto => {
                Self::Gpu(AdapterChoice::Any, "the best adapter, because the command checks a GPU")
            }
            flag => flag,
        }
    }

    /// Starts to open the GPU, if the device is one, while the run reads a file. If the file is
    /// missing, the GPU is not opened yet, so that no driver prints anything before the error.
    pub fn opening(&self, file: Option<&Path>) -> OpeningDevice {
        let (choice, reason) = match self {
            Self::Cpu => (None, "chosen by --device"),
            Self::Gpu(choice, reason) => (Some(choice.clone()), *reason),
            Self::Auto => (Some(AdapterChoice::Hardware), "the best hardware GPU"),
        };
        let begun = choice.as_ref().filter(|_| file.is_some_and(Path::exists));
        let gpu = begun.map(Gpu::opening);
        let falls_back = matches!(self, Self::Auto);
        OpeningDevice { choice, gpu, reason, falls_back, is_canonical: false }
    }
}

impl OpeningDevice {
    /// Waits for the GPU; `None` if the device is the CPU.
    fn opened(&mut self) -> Option<Result<Gpu, GpuError>> {
        let choice = self.choice.as_ref()?;
        Some(self.gpu.take().map_or_else(|| Gpu::open(choice), OpeningGpu::wait))
    }

    /// Waits for the GPU, which is `None` if the device is the CPU, and returns the reason for this
    /// device.
    pub fn wait(mut self) -> Result<(Option<Gpu>, String), Failure> {
        let reason = self.reason.to_owned();
        match self.opened() {
            None => Ok((None, reason)),
            Some(Ok(gpu)) => Ok((Some(gpu), reason)),
            Some(Err(error @ (GpuError::NoAdapter { .. } | GpuError::NoDevice { .. })))
                if self.falls_back =>
            {
                Ok((None, reason_for_cpu(&error)))
            }
            Some(Err(error)) => Err(error.into()),
        }
    }

    /// Chooses whether the answers have the bits of the float64 tracer.
    pub fn canonical(self, is_canonical: bool) -> Self {
        Self { is_canonical, ..self }
    }

    /// Makes a tracer for the scene, and prints the device and the reason for it on stderr.
    pub fn tracer(
        self,
        loaded: &LoadedScene,
        console: &Console,
    ) -> Result<Box<dyn Tracer>, Failure> {
        let is_canonical = self.is_canonical;
        let (tracer, reason) = console.phase(PREPARING, || self.open_tracer(loaded))?;
        let tracer: Box<dyn Tracer> = match tracer {
            OpenTracer::Gpu(tracer) if is_canonical => Box::new(CanonicalTracer::new(*tracer)),
            OpenTracer::Gpu(tracer) => tracer,
            OpenTracer::Cpu(tracer) => tracer,
        };
        console.say(&format!("device: {} ({reason})", tracer.device()));
        Ok(tracer)
    }

    /// Makes a tracer for the scene, and returns the reason for its device.
    fn open_tracer(mut self, loaded: &LoadedScene) -> Result<(OpenTracer, String), Failure> {
        let (packed, reason) = (&loaded.packed, self.reason.to_owned());
        let Some(opened) = self.opened() else {
            return Ok((OpenTracer::Cpu(Box::new(CpuTracer::new(packed))), reason));
        };
        if !self.falls_back {
            let tracer = GpuTracer::new(&opened?, packed)?;
            return Ok((OpenTracer::Gpu(Box::new(tracer)), reason));
        }
        Ok(match AutoTracer::new(opened, packed)? {
            AutoTracer::Gpu(tracer) => (OpenTracer::Gpu(tracer), reason),
            AutoTracer::Cpu(tracer, error) => (OpenTracer::Cpu(tracer), reason_for_cpu(&error)),
        })
    }
}

/// Returns the reason why `auto` falls back to the CPU.
fn reason_for_cpu(error: &GpuError) -> String {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => {
            "no hardware GPU; --device gpu uses the software adapter".to_owned()
        }
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_opens_a_gpu_while_a_file_is_read_and_none_is_started_otherwise() {
        let (here, gone) = (Some(Path::new("Cargo.toml")), Some(Path::new("gone.json")));
        for (file, begins) in [(here, true), (gone, false), (None, false)] {
            let opens = |flag: &str| DeviceFlag::new(flag).opening(file).gpu.is_some();
            assert_eq!(["gpu", "auto", "llvmpipe"].map(opens), [begins; 3], "{file:?}");
            assert!(!opens("cpu"));
        }
    }
}
