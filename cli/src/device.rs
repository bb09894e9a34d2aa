//! From `--device` to a tracer.

use super::source::Loaded;
use super::{Failure, Report};
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{AdapterChoice, Fault, Gpu, GpuError, GpuTracer};
use raytwin::tracer::Tracer;

/// What `--device` asks for.
pub(super) enum DeviceChoice {
    /// A hardware GPU if there is one, else the CPU.
    Auto,
    /// A GPU that fits, and why it must.
    Gpu(AdapterChoice, &'static str),
    /// The float64 tracer.
    Cpu,
}

/// A value of `--device`, which says something.
pub(super) fn flag(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("give auto, gpu, cpu or a part of an adapter's name".to_owned()),
        device => Ok(device.to_owned()),
    }
}

/// Why the CPU casts where a hardware GPU cannot; an error that is none of these is the end.
fn why_the_cpu(error: GpuError) -> Result<String, GpuError> {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => Ok(format!(
            "there is no hardware GPU, only {}; --device gpu takes any adapter",
            found.join("; ")
        )),
        GpuError::NoAdapter { .. }
        | GpuError::NoDevice { .. }
        | GpuError::TooLarge { .. }
        | GpuError::OutOfMemory(_) => Ok(error.to_string()),
        _ => Err(error),
    }
}

impl DeviceChoice {
    /// Reads the flag; an adapter named in the environment is as good as one named by the flag.
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

    /// A proof of the GPU needs one: auto is no choice for the CPU there.
    pub fn or_any_gpu(self) -> Self {
        match self {
            Self::Auto => Self::Gpu(AdapterChoice::Any, "the best adapter, for diff proves a GPU"),
            choice => choice,
        }
    }

    /// The GPU that is wished for; `None` where it is the CPU.
    pub fn gpu(&self) -> Result<Option<Gpu>, Failure> {
        match self {
            Self::Cpu => Ok(None),
            Self::Gpu(choice, _) => Ok(Some(Gpu::open(choice)?)),
            Self::Auto => match Gpu::open(&AdapterChoice::Hardware) {
                Ok(gpu) => Ok(Some(gpu)),
                Err(GpuError::NoAdapter { .. } | GpuError::NoDevice { .. }) => Ok(None),
                Err(error) => Err(error.into()),
            },
        }
    }

    /// A tracer for the scene, with a fault in its shader if one is given, and a line on stderr that says
    /// which it is and why.
    pub fn tracer<'a>(
        &self,
        loaded: &'a Loaded,
        fault: Option<&Fault>,
        report: &Report,
    ) -> Result<Box<dyn Tracer + 'a>, Failure> {
        let cpu = || Box::new(CpuTracer::new(&loaded.scene, &loaded.packed));
        let on_gpu = |choice: &AdapterChoice| {
            let gpu = Gpu::open(choice)?;
            match fault {
                Some(fault) => GpuTracer::with_fault(&gpu, &loaded.packed, fault),
                None => GpuTracer::new(&gpu, &loaded.packed),
            }
        };
        let (tracer, why): (Box<dyn Tracer>, _) = match self {
            Self::Cpu => (cpu(), "as asked".to_owned()),
            Self::Gpu(choice, why) => (Box::new(on_gpu(choice)?), (*why).to_owned()),
            Self::Auto => match on_gpu(&AdapterChoice::Hardware) {
                Ok(tracer) => (Box::new(tracer), "the best hardware GPU".to_owned()),
                Err(error) => (cpu(), why_the_cpu(error)?),
            },
        };
        report.say(&format!("device: {} ({why})", tracer.device()));
        Ok(tracer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_casts_where_a_gpu_has_no_room_and_not_where_it_fails() {
        let device = "a GPU".to_owned();
        let too_large =
            GpuError::TooLarge { what: "the shapes", needed: 7_000, allowed: 4_000, device };
        let why = why_the_cpu(too_large).unwrap();
        assert!(why.contains("7000") && why.contains("4000"), "{why}");
        assert!(why_the_cpu(GpuError::OutOfMemory("the shapes")).is_ok());
        assert!(why_the_cpu(GpuError::Lost("driver reset".to_owned())).is_err());
    }
}
