//! The tracers to measure, and the times that they know.

use crate::Failure;
use raytwin::canonical::CanonicalTracer;
use raytwin::cpu::CpuTracer;
use raytwin::gpu::{GpuTracer, HostPhases};
use raytwin::question::Question;
use raytwin::tracer::Tracer;
use std::time::Duration;

/// A tracer that may know the times of its kernels and its host.
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

    /// Returns how long it casts before the measurement. In scenes larger than its cache, an H100
    /// had a fifth of its rate in the first few tenths of a second.
    pub fn warm_up(&self) -> Duration {
        self.on_device().map_or(Duration::ZERO, |_| Duration::from_secs(1))
    }

    /// Returns the number of rays in doubt since the last call; `None` if answers are not
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

    /// Returns the times of the host's phases since the last call.
    pub fn take_host_phases(&self) -> Option<HostPhases> {
        self.on_device().map(GpuTracer::take_host_phases)
    }

    /// Returns the times of `runs` runs of a question's kernel at full load; `None` if they cannot
    /// be measured.
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
