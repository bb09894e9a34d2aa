//! From `--device` to a tracer.

use super::source::Loaded;
use super::{Failure, Report};
use crate::cpu::CpuTracer;
use crate::gpu::{Choice, Gpu, GpuError, GpuTracer};
use crate::tracer::Tracer;

/// What `--device` asks for.
pub(super) enum Wish {
    /// A hardware GPU if there is one, else the CPU.
    Auto,
    /// A GPU that fits.
    Gpu(Choice),
    /// The float64 tracer.
    Cpu,
}

impl Wish {
    /// Reads the flag; an adapter named in the environment is as good as one named by the flag.
    pub fn new(flag: &str) -> Self {
        let named = std::env::var("WGPU_ADAPTER_NAME")
            .ok()
            .filter(|name| !name.is_empty())
            .map(Choice::Named);
        match flag {
            "cpu" => Self::Cpu,
            "auto" => named.map_or(Self::Auto, Self::Gpu),
            "gpu" => Self::Gpu(named.unwrap_or(Choice::Any)),
            name => Self::Gpu(Choice::Named(name.to_owned())),
        }
    }

    /// A tracer for the scene, and a line on stderr that says which it is and why.
    pub fn tracer<'a>(
        &self,
        loaded: &'a Loaded,
        report: &Report,
    ) -> Result<Box<dyn Tracer + 'a>, Failure> {
        let cpu = || CpuTracer::new(&loaded.scene, &loaded.packed);
        let (tracer, why): (Box<dyn Tracer>, _) = match self {
            Self::Cpu => (Box::new(cpu()), "as asked".to_owned()),
            Self::Gpu(choice) => {
                let gpu = Gpu::open(choice)?;
                (Box::new(GpuTracer::new(&gpu, &loaded.packed)?), "as asked".to_owned())
            }
            Self::Auto => match Gpu::open(&Choice::Hardware) {
                Ok(gpu) => match GpuTracer::new(&gpu, &loaded.packed) {
                    Ok(tracer) => (Box::new(tracer), "the best hardware GPU".to_owned()),
                    Err(error @ GpuError::TooLarge { .. }) => (Box::new(cpu()), error.to_string()),
                    Err(error) => return Err(error.into()),
                },
                Err(GpuError::NoAdapter { found, .. }) => {
                    let there = if found.is_empty() {
                        "no adapter at all".to_owned()
                    } else {
                        format!("only {}", found.join("; "))
                    };
                    let why = format!(
                        "there is no hardware GPU, {there}; --device gpu takes any adapter"
                    );
                    (Box::new(cpu()), why)
                }
                Err(error) => return Err(error.into()),
            },
        };
        report.say(&format!("device: {} ({why})", tracer.device()));
        Ok(tracer)
    }
}
