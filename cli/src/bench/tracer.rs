//! The tracers that are measured, and what they know about where their time went.

use crate::Failure;
use raytwin::canonical::CanonicalTracer;
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{GpuTracer, HostPhases};
use raytwin::question::Question;
use raytwin::tracer::Tracer;
use std::time::Duration;

/// A tracer that may know how long its kernels took, and its host.
pub enum BenchTracer {
    Cpu(CpuTracer),
    Gpu(GpuTracer),
    Canonical(Box<CanonicalTracer>),
}

impl BenchTracer {
    pub fn as_tracer(&self) -> &dyn Tracer {
        match self {
            Self::Cpu(tracer) => tracer,
            Self::Gpu(tracer) => tracer,
            Self::Canonical(tracer) => tracer.as_ref(),
        }
    }

    /// The tracer of the device that casts or proposes; `None` on the CPU.
    fn on_device(&self) -> Option<&GpuTracer> {
        match self {
            Self::Cpu(_) => None,
            Self::Gpu(tracer) => Some(tracer),
            Self::Canonical(tracer) => Some(tracer.proposer()),
        }
    }

    /// Returns how long it casts before it is measured. In scenes larger than its cache an H100 had
    /// a fifth of its rate until it had cast for some tenths of a second.
    pub fn warm_up(&self) -> Duration {
        self.on_device().map_or(Duration::ZERO, |_| Duration::from_secs(1))
    }

    /// Returns how many rays were in doubt since the last call; `None` if answers are not
    /// canonical.
    pub fn take_in_doubt(&self) -> Option<u64> {
        match self {
            Self::Canonical(tracer) => Some(tracer.take_in_doubt()),
            Self::Cpu(_) | Self::Gpu(_) => None,
        }
    }

    /// Returns the time that kernels took since the last call, by the device's clock.
    pub fn take_kernel_time(&self) -> Option<Duration> {
        self.on_device()?.take_kernel_time()
    }

    /// Returns what the host of a device did for how long since the last call.
    pub fn take_host_phases(&self) -> Option<HostPhases> {
        self.on_device().map(GpuTracer::take_host_phases)
    }

    /// Returns the times that a device takes for so many runs of a question's kernel at full load;
    /// `None` if they cannot be measured.
    pub fn kernel_times(
        &self,
        question: &Question,
        runs: usize,
    ) -> Result<Option<Vec<Duration>>, Failure> {
        Ok(match self {
            Self::Cpu(_) => None,
            Self::Gpu(tracer) => tracer.kernel_times(question, runs)?,
            Self::Canonical(tracer) => tracer.kernel_times(question, runs)?,
        })
    }
}
