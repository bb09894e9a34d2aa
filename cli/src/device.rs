//! The tracer that `--device` asks for.

use super::source::Loaded;
use super::{Console, Failure};
use raytwin::canonical::CanonicalTracer;
use raytwin::cpu::CpuTracer;
use raytwin::device::AutoTracer;
use raytwin::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer};
use raytwin::tracer::Tracer;

/// The value of `--device`.
pub(super) enum DeviceFlag {
    /// Cast on a hardware GPU if there is one, otherwise on the CPU.
    Auto,
    /// Cast on this GPU; the text tells the user why it was chosen.
    Gpu(AdapterChoice, &'static str),
    /// Cast with the float64 tracer.
    Cpu,
}

/// A tracer of the device that the flag chooses.
enum OpenTracer {
    Gpu(Box<GpuTracer>),
    Cpu(Box<CpuTracer>),
}

/// Refuses an empty value of `--device`.
pub(super) fn flag(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("give auto, gpu, cpu or part of an adapter's name".to_owned()),
        device => Ok(device.to_owned()),
    }
}

/// The phase in which a device gets a scene.
const PREPARING: &str = "preparing the device";

impl DeviceFlag {
    /// Reads the flag. `WGPU_ADAPTER_NAME` chooses an adapter as the flag does.
    pub fn new(flag: &str) -> Self {
        let named = std::env::var("WGPU_ADAPTER_NAME")
            .ok()
            .filter(|name| !name.trim().is_empty())
            .map(|name| Self::Gpu(AdapterChoice::Named(name), "named by WGPU_ADAPTER_NAME"));
        match flag {
            "cpu" => Self::Cpu,
            "auto" => named.unwrap_or(Self::Auto),
            "gpu" => named.unwrap_or(Self::Gpu(AdapterChoice::Any, "the best adapter, as asked")),
            name => Self::Gpu(AdapterChoice::Named(name.to_owned()), "named by --device"),
        }
    }

    /// Replaces `auto` by any GPU, for commands that check a GPU and must not fall back to the CPU.
    pub fn or_any_gpu(self) -> Self {
        match self {
            Self::Auto => {
                Self::Gpu(AdapterChoice::Any, "the best adapter, because a GPU is to be checked")
            }
            flag => flag,
        }
    }

    /// Opens the GPU; `None` if the device is the CPU.
    pub fn gpu(&self) -> Result<Option<Gpu>, Failure> {
        Ok(self.open()?.0)
    }

    /// Opens the GPU, or nothing if the device is the CPU, and tells the reason for this device.
    pub fn open(&self) -> Result<(Option<Gpu>, String), Failure> {
        Ok(match self {
            Self::Cpu => (None, "as asked".to_owned()),
            Self::Gpu(choice, reason) => (Some(Gpu::open(choice)?), (*reason).to_owned()),
            Self::Auto => match Gpu::open(&AdapterChoice::Hardware) {
                Ok(gpu) => (Some(gpu), "the best hardware GPU".to_owned()),
                Err(error @ (GpuError::NoAdapter { .. } | GpuError::NoDevice { .. })) => {
                    (None, reason_for_cpu(&error))
                }
                Err(error) => return Err(error.into()),
            },
        })
    }

    /// Makes a tracer for the scene and says on stderr which device it uses and why.
    pub fn tracer(&self, loaded: &Loaded, console: &Console) -> Result<Box<dyn Tracer>, Failure> {
        let (tracer, reason) = console.phase(PREPARING, || self.open_tracer(loaded))?;
        let tracer: Box<dyn Tracer> = match tracer {
            OpenTracer::Gpu(tracer) => tracer,
            OpenTracer::Cpu(tracer) => tracer,
        };
        console.say(&format!("device: {} ({reason})", tracer.device()));
        Ok(tracer)
    }

    /// Makes a tracer whose answers have the bits of the float64 tracer, and says on stderr which
    /// device it uses and why.
    pub fn canonical_tracer(
        &self,
        loaded: &Loaded,
        console: &Console,
    ) -> Result<Box<dyn Tracer>, Failure> {
        let (tracer, reason) = console.phase(PREPARING, || self.open_tracer(loaded))?;
        let tracer: Box<dyn Tracer> = match tracer {
            OpenTracer::Gpu(tracer) => Box::new(CanonicalTracer::new(*tracer)),
            OpenTracer::Cpu(tracer) => tracer,
        };
        console.say(&format!("device: {} ({reason})", tracer.device()));
        Ok(tracer)
    }

    /// Makes a tracer for the scene, and tells the reason for its device.
    fn open_tracer(&self, loaded: &Loaded) -> Result<(OpenTracer, String), Failure> {
        let packed = &loaded.packed;
        Ok(match self {
            Self::Cpu => (OpenTracer::Cpu(Box::new(CpuTracer::new(packed))), "as asked".to_owned()),
            Self::Gpu(choice, reason) => {
                let tracer = GpuTracer::new(&Gpu::open(choice)?, packed)?;
                (OpenTracer::Gpu(Box::new(tracer)), (*reason).to_owned())
            }
            Self::Auto => match AutoTracer::new(packed)? {
                AutoTracer::Gpu(tracer) => {
                    (OpenTracer::Gpu(tracer), "the best hardware GPU".to_owned())
                }
                AutoTracer::Cpu(tracer, error) => (OpenTracer::Cpu(tracer), reason_for_cpu(&error)),
            },
        })
    }
}

/// Tells the user why `auto` falls back to the CPU.
fn reason_for_cpu(error: &GpuError) -> String {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => {
            "no hardware GPU; --device gpu takes the software adapter".to_owned()
        }
        error => error.to_string(),
    }
}
