//! Repeated casts of the same rays, and where the time of each went.

use super::measure::{Times, repeated};
use super::tracer::BenchTracer;
use crate::Failure;
use crate::summary::PhaseSummary;
use raytwin::gpu::HostPhases;
use raytwin::query::{Answers, HitArrays};
use raytwin::question::{Question, QuestionAnswers};
use raytwin::tracer::TraceError;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Measured casts of a question.
pub struct CastRuns {
    /// The times from rays in host memory to answers in host memory.
    pub times: Times,
    /// The answers of the last cast.
    pub answers: QuestionAnswers,
    /// The number of rays that were in doubt; `None` if answers are not canonical.
    pub in_doubt: Option<u64>,
    /// The times of the host's phases in each cast.
    host_phases: Vec<HostPhases>,
    /// The times of the kernels, by the device's clock.
    kernel_times: Option<Times>,
}

impl CastRuns {
    /// Casts to warm up, and then `count` times.
    pub fn measure(
        tracer: &BenchTracer,
        question: &Question,
        count: NonZeroUsize,
    ) -> Result<Self, Failure> {
        let mut host_phases = Vec::new();
        let mut kernel_times = Vec::new();
        let mut in_doubt = None;
        let (times, answers) = repeated(count, tracer.warm_up(), || {
            let answers = tracer.as_tracer().answer(question, 0..question.len())?;
            host_phases.extend(tracer.take_host_phases());
            kernel_times.extend(tracer.take_kernel_time());
            in_doubt = tracer.take_in_doubt();
            Ok::<_, Failure>(answers)
        })?;
        // The first casts only warm up. A coarse clock of a device may measure zero.
        host_phases.drain(..host_phases.len().saturating_sub(count.get()));
        kernel_times.drain(..kernel_times.len().saturating_sub(count.get()));
        kernel_times.retain(|time| !time.is_zero());
        Ok(Self { times, answers, in_doubt, host_phases, kernel_times: Times::new(kernel_times) })
    }

    /// Returns where the time went, and the time for computing the normals of closest hits.
    pub fn phases(
        &self,
        tracer: &BenchTracer,
        question: &Question,
    ) -> Result<PhaseSummary, Failure> {
        let phase = |of: fn(&HostPhases) -> Duration| {
            Times::new(self.host_phases.iter().map(of).collect()).map(|times| times.median())
        };
        let total = self.times.median();
        let waiting = phase(|phases| phases.waiting);
        let normals = self.normals(tracer, question)?;
        let count = question.len();
        let of_host = waiting.map(|waiting| {
            let time = total.saturating_sub(waiting) + normals.unwrap_or_default();
            1e9 * time.as_secs_f64() / count.max(1) as f64
        });
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        Ok(PhaseSummary {
            ray_count: count,
            total_s: total.as_secs_f64(),
            writing_s: seconds(phase(|phases| phases.writing)),
            waiting_s: seconds(waiting),
            reading_s: seconds(phase(|phases| phases.reading)),
            kernel_s: seconds(self.kernel_times.as_ref().map(Times::median)),
            normals_s: seconds(normals),
            host_ns_per_ray: of_host,
        })
    }

    fn normals(
        &self,
        tracer: &BenchTracer,
        question: &Question,
    ) -> Result<Option<Duration>, Failure> {
        let Question::Rays(question) = question else { return Ok(None) };
        let QuestionAnswers::Rays(Answers::Closest(hits)) = &self.answers else {
            return Ok(None);
        };
        let batch = question.batch().map_err(TraceError::from)?;
        let scene = tracer.as_tracer().scene();
        let mut hits = hits.clone();
        let compute = || {
            hits.primitive_normals = Vec::new();
            hits.complete(scene, batch, HitArrays::PRIMITIVE_NORMALS);
            Ok::<_, Infallible>(())
        };
        let Ok((times, _)) = repeated(self.times.count(), Duration::ZERO, compute);
        Ok(Some(times.median()))
    }
}
