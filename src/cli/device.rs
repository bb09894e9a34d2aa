//! From `--device` to a tracer.

use super::source::Loaded;
use super::{Failure, Report};
use crate::cpu::CpuTracer;
use crate::gpu::{Choice, Fault, Gpu, GpuError, GpuTracer};
use crate::tracer::Tracer;

/// What `--device` asks for.
pub(super) enum Wish {
    /// A hardware GPU if there is one, else the CPU.
    Auto,
    /// A GPU that fits, and why it must.
    Gpu(Choice, &'static str),
    /// The float64 tracer.
    Cpu,
}

impl Wish {
    /// Reads the flag; an adapter named in the environment is as good as one named by the flag.
    pub fn new(flag: &str) -> Self {
        let named = std::env::var("WGPU_ADAPTER_NAME")
            .ok()
            .filter(|name| !name.is_empty())
            .map(|name| Self::Gpu(Choice::Named(name), "named by WGPU_ADAPTER_NAME"));
        match flag {
            "cpu" => Self::Cpu,
            "auto" => named.unwrap_or(Self::Auto),
            "gpu" => named.unwrap_or(Self::Gpu(Choice::Any, "the best adapter, as asked")),
            name => Self::Gpu(Choice::Named(name.to_owned()), "named by --device"),
        }
    }

    /// A proof of the GPU needs one: auto is no wish for the CPU there.
    pub fn or_any_gpu(self) -> Self {
        match self {
            Self::Auto => Self::Gpu(Choice::Any, "the best adapter, for diff proves a GPU"),
            wish => wish,
        }
    }

    /// The GPU that is wished for; `None` where it is the CPU.
    pub fn gpu(&self) -> Result<Option<Gpu>, Failure> {
        match self {
            Self::Cpu => Ok(None),
            Self::Gpu(choice, _) => Ok(Some(Gpu::open(choice)?)),
            Self::Auto => match Gpu::open(&Choice::Hardware) {
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
        let on_gpu = |choice: &Choice| {
            let gpu = Gpu::open(choice)?;
            match fault {
                Some(fault) => GpuTracer::with_fault(&gpu, &loaded.packed, fault),
                None => GpuTracer::new(&gpu, &loaded.packed),
            }
        };
        let (tracer, why): (Box<dyn Tracer>, _) = match self {
            Self::Cpu => (cpu(), "as asked".to_owned()),
            Self::Gpu(choice, why) => (Box::new(on_gpu(choice)?), (*why).to_owned()),
            Self::Auto => match on_gpu(&Choice::Hardware) {
                Ok(tracer) => (Box::new(tracer), "the best hardware GPU".to_owned()),
                Err(GpuError::NoAdapter { found, .. }) => {
                    let there = if found.is_empty() {
                        "no adapter at all".to_owned()
                    } else {
                        format!("only {}", found.join("; "))
                    };
                    let why = format!(
                        "there is no hardware GPU, {there}; --device gpu takes any adapter"
                    );
                    (cpu(), why)
                }
                Err(error @ (GpuError::TooLarge { .. } | GpuError::NoDevice { .. })) => {
                    (cpu(), error.to_string())
                }
                Err(error) => return Err(error.into()),
            },
        };
        report.say(&format!("device: {} ({why})", tracer.device()));
        Ok(tracer)
    }
}
