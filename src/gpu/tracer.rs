//! The tracer of a scene on a device.

use super::answers_on_device::{AnswersOnDevice, RaysOnDevice};
use super::device::Gpu;
use super::fault_site::FaultSite;
use super::host_phases::HostPhases;
use super::kernel_times::kernel_times;
use super::rays::LastHits;
use super::recovery::RecoverableScene;
use super::{all, answers_on_device, beams, points, rays, sample};
use crate::arithmetic::Arithmetic;
use crate::camera::View;
use crate::gpu_error::GpuError;
use crate::packed::{PackedScene, Update};
use crate::query::{
    AllHits, Answers, Batch, BatchError, Echo, HitArrays, Hits, PathRule, PointHit, Proposal,
    ProposedQuery, Query, SolidPaths,
};
use crate::question::{Question, QuestionAnswers};
use crate::ray::{Hit, Ray};
use crate::sample::{Sampler, Tally};
use crate::scan::{PosedView, Views};
use crate::scene::Scene;
use crate::tracer::{TraceError, Tracer, sample_on_host};
use std::ops::Range;
use std::time::Duration;

/// A scene on a device, ready to cast rays into.
///
/// If a device that [`Gpu::open`] opened is lost while rays are cast, it is opened again, and the
/// batch continues. The answers are the same, to the bit.
#[derive(Debug)]
pub struct GpuTracer {
    scene: RecoverableScene,
}

impl GpuTracer {
    /// Uploads a packed scene.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] if the scene does not fit the device's bindings, before any of it is
    /// uploaded; [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, packed: &PackedScene) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, packed, None))
    }

    /// Does the same as [`Self::new`], with one deliberate fault, to test that a check fails.
    ///
    /// # Errors
    /// As [`Self::new`], and [`GpuError::StaleFault`].
    pub fn with_fault(gpu: &Gpu, packed: &PackedScene, fault: FaultSite) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, packed, Some(fault)))
    }

    /// Does the same as [`Self::new`] without blocking, with a fault if one is given.
    ///
    /// # Errors
    /// As [`Self::with_fault`].
    pub async fn new_async(
        gpu: &Gpu,
        packed: &PackedScene,
        fault: Option<FaultSite>,
    ) -> Result<Self, GpuError> {
        Ok(Self { scene: RecoverableScene::new(gpu, packed, fault).await? })
    }

    /// Casts batches in chunks of at most this many rays. Answers do not depend on it.
    pub fn with_chunk(mut self, rays: usize) -> Self {
        self.scene.tuner.limit(rays);
        self
    }

    /// Returns the device on which it runs. After a device was lost, this is the one that was
    /// opened in its place.
    pub fn gpu(&self) -> Gpu {
        self.scene.on_device().gpu.clone()
    }

    /// Returns the time of the kernels since the last call, by the device's own clock; `None` if
    /// the device has no such clock. Kernels of [`Self::closest_on_device`] and
    /// [`Self::kernel_times`] are not included.
    pub fn take_kernel_time(&self) -> Option<Duration> {
        let time = self.scene.tuner.take_kernel_time();
        self.scene.on_device().gpu.has_clock().then_some(time)
    }

    /// Returns the time of each phase on the host since the last call, while it cast batches.
    pub fn take_host_phases(&self) -> HostPhases {
        self.scene.phases.take()
    }

    /// Measures how long the device takes for each of several runs of a question's kernel, with
    /// rays on the device.
    ///
    /// It measures at full load: with submissions of at most about 100 ms, several at a time, and
    /// after the device has worked for half a second, in which an idle card raises its clock. A run
    /// of less than 100 ms is the mean of several.
    ///
    /// Returns `None` if the device has no clock, if the rays have filters, if there are no rays or
    /// more than fit the device's memory at once, and if no single kernel answers the question.
    /// That is the case for images, and for all crossings, because the host adds up between their
    /// two passes.
    ///
    /// # Errors
    /// [`TraceError::Batch`], if an array has another length than the rays; [`TraceError::Gpu`], if
    /// the device fails. The device is not opened again.
    pub fn kernel_times(
        &self,
        question: &Question,
        runs: usize,
    ) -> Result<Option<Vec<Duration>>, TraceError> {
        pollster::block_on(kernel_times(&self.scene, question, false, runs))
    }

    /// Does the same as [`Self::kernel_times`] for the kernel by which answers are proposed.
    pub(crate) fn proposal_times(
        &self,
        question: &Question,
        runs: usize,
    ) -> Result<Option<Vec<Duration>>, TraceError> {
        pollster::block_on(kernel_times(&self.scene, question, true, runs))
    }

    /// Does the same as [`Tracer::closest`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::closest`].
    pub async fn closest_async(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        Ok(rays::closest(&self.scene, self.checked(batch)?, Vec::with_capacity(batch.len()))
            .await?)
    }

    /// Does the same as [`Tracer::append_hits`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::append_hits`].
    pub async fn append_hits_async(
        &self,
        batch: Batch<'_>,
        arrays: HitArrays,
        hits: &mut Hits,
    ) -> Result<(), TraceError> {
        let (batch, first) = (self.checked(batch)?, hits.len());
        let last = LastHits { hits: &mut *hits, first };
        let found = rays::closest(&self.scene, batch, last).await.map(|_| ());
        match found {
            Ok(()) => hits.complete(self.scene.scene(), batch, arrays),
            Err(_) => hits.truncate(first),
        }
        Ok(found?)
    }

    /// Does the same as [`Tracer::any`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::any`].
    pub async fn any_async(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        Ok(rays::any(&self.scene, self.checked(batch)?).await?)
    }

    /// Does the same as [`Tracer::count`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::count`].
    pub async fn count_async(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        Ok(rays::counted(&self.scene, self.checked(batch)?).await?.answers)
    }

    /// Does the same as [`Tracer::all`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::all`]; [`GpuError::TooLarge`] if the crossings of one ray do not fit the
    /// device, [`GpuError::HostMemory`] if the crossings of all rays do not fit the host.
    pub async fn all_async(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        Ok(all::all(&self.scene, self.checked(batch)?).await?)
    }

    /// Lets the device propose what each ray of a checked batch hits, as a surface; `complete`
    /// makes answers of that.
    pub(crate) async fn propose<T>(
        &self,
        query: ProposedQuery,
        batch: Batch<'_>,
        complete: impl Fn(Batch<'_>, &[Proposal]) -> Vec<T>,
    ) -> Result<Vec<T>, GpuError> {
        rays::propose(&self.scene, query, batch, complete).await
    }

    pub(crate) fn packed(&self) -> &PackedScene {
        self.scene.packed()
    }

    fn checked<'a>(&self, batch: Batch<'a>) -> Result<Batch<'a>, BatchError> {
        batch.check(self.scene.scene())?;
        Ok(batch)
    }

    /// Returns the ids of the nearest surface to each point and of the solids that contain it. The
    /// CPU finds the nearest surface of instances, because their transforms may change which of two
    /// surfaces is nearer.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub async fn points_async(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, GpuError> {
        points::point_hits(&self.scene, points).await
    }

    /// Does the same as [`Tracer::camera_rays`] without blocking.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub async fn camera_rays_async(
        &self,
        view: &View,
        pixels: Range<usize>,
    ) -> Result<Vec<Ray>, GpuError> {
        rays::camera_rays(&self.scene, &view.into(), pixels).await
    }

    /// Does the same as [`Tracer::ask`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::ask`].
    pub async fn ask_async(&self, query: Query, batch: Batch<'_>) -> Result<Answers, TraceError> {
        Ok(match query {
            Query::Closest(_) => {
                let mut hits = Hits::default();
                self.append_hits_async(batch, HitArrays::HIT, &mut hits).await?;
                Answers::Closest(hits)
            }
            Query::Any => Answers::Any(self.any_async(batch).await?),
            Query::Count => Answers::Count(self.count_async(batch).await?),
            Query::All => Answers::All(self.all_async(batch).await?),
        })
    }

    /// Does the same as [`Tracer::answer`] without blocking.
    ///
    /// # Errors
    /// As [`Tracer::answer`].
    pub async fn answer_async(
        &self,
        question: &Question,
        piece: Range<usize>,
    ) -> Result<QuestionAnswers, TraceError> {
        Ok(match question {
            Question::Image(views) => {
                views.check(self.scene.scene(), &piece)?;
                let hits = Hits::of(&rays::render(&self.scene, views, piece.clone()).await?);
                let rays = rays::camera_rays(&self.scene, views, piece).await?;
                QuestionAnswers::Image { rays, hits }
            }
            Question::Rays(question) => {
                let batch = question.batch()?.slice(piece);
                QuestionAnswers::Rays(self.ask_async(question.query, batch).await?)
            }
            Question::Points(points) => {
                QuestionAnswers::Points(self.points_async(&points[piece]).await?)
            }
        })
    }

    /// Returns the closest hit of each ray of `pixels` of a view. The rays are generated on the
    /// device.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub async fn render_async(
        &self,
        view: &View,
        pixels: Range<usize>,
    ) -> Result<Vec<Hit>, GpuError> {
        rays::render(&self.scene, &view.into(), pixels).await
    }

    /// Does the same as [`Tracer::sample`] without blocking, with two exceptions: for a sweep whose
    /// columns have different times, and for a scene of more than 2^20 geometries, the host adds up
    /// the answers, which blocks.
    ///
    /// # Errors
    /// The same errors as [`Tracer::sample`].
    pub async fn sample_async(
        &self,
        sampler: &Sampler,
        numbers: Range<u64>,
    ) -> Result<Tally, TraceError> {
        sampler.check(self.scene.scene(), &numbers)?;
        match sample::is_for_devices(sampler) {
            true => Ok(sample::sample(&self.scene, sampler, numbers).await?),
            false => sample_on_host(self, sampler, numbers),
        }
    }

    /// Casts rays that are on the device, and leaves the answers there. The distance of an invalid
    /// ray is NaN. The device checks the length of each direction in float32, so directions up to a
    /// thousandth outside the limits 1e-12 and 1e12 are still cast.
    ///
    /// # Errors
    /// [`TraceError::Batch`] for filters that do not fit the scene; [`GpuError::Refused`] for
    /// arrays that do not fit their buffers; [`GpuError::Unanswered`], also if a driver gives up on
    /// a ray; [`GpuError::Lost`], because the buffers belong to one device.
    pub fn closest_to_device(
        &self,
        rays: RaysOnDevice<'_>,
        answers: AnswersOnDevice<'_>,
    ) -> Result<(), TraceError> {
        rays.check(self.scene.scene())?;
        Ok(pollster::block_on(answers_on_device::closest(&self.scene, rays, answers))?)
    }

    /// Renders images, and leaves the answers of [`Tracer::render_views`] on the device. The sensor
    /// must have no noise and no beams.
    ///
    /// # Errors
    /// [`GpuError::Refused`] for a sensor with noise or beams, which the host computes; otherwise
    /// as [`Self::closest_to_device`].
    pub fn render_to_device(
        &self,
        views: &Views,
        answers: AnswersOnDevice<'_>,
    ) -> Result<(), TraceError> {
        views.check(self.scene.scene(), &(0..views.pixels()))?;
        let sensor = &views.view().camera.sensor;
        if sensor.noise.is_some() || sensor.makes_returns() {
            return Err(GpuError::Refused {
                what: "an image on the device",
                reason: "the host computes noise and the returns of beams: render to arrays in host memory"
                    .to_owned(),
            }
            .into());
        }
        Ok(pollster::block_on(answers_on_device::render(&self.scene, views, answers))?)
    }

    /// Records the cast of `count` rays that are already on the device. Submit `encoder` at any
    /// time.
    ///
    /// `rays` contains a [`Ray`] for each ray (32 bytes), and `found` receives a
    /// [`GpuHit`](super::GpuHit) for each ray (8 bytes), or in a scene with instances a
    /// [`GpuPlacedHit`](super::GpuPlacedHit) (12 bytes). Both are storage buffers, read and written
    /// from their beginning. The device checks the length of each direction in float32, so
    /// directions up to a thousandth outside the limits 1e-12 and 1e12 are still cast. The first
    /// call compiles the kernel, and blocks meanwhile. If a thread must not block, call
    /// [`Self::closest_async`] with a batch first, which compiles the same kernel. If a driver
    /// gives up on a ray, as Mesa's software driver may, the answer is that of an invalid ray. The
    /// other methods cast such rays again.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`], if the buffers are too small for `count` rays, or larger than a
    /// binding or a dispatch may be.
    pub fn closest_on_device(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        rays: &wgpu::Buffer,
        found: &wgpu::Buffer,
        count: u32,
    ) -> Result<(), GpuError> {
        rays::record_on_device(&self.scene, encoder, [rays, found], count)
    }
}

impl Tracer for GpuTracer {
    fn scene(&self) -> &Scene {
        self.scene.scene()
    }

    fn update(&mut self, scene: &Scene) -> Result<Update, TraceError> {
        pollster::block_on(self.scene.update(scene))
    }

    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        pollster::block_on(self.closest_async(batch))
    }

    fn append_hits(
        &self,
        batch: Batch<'_>,
        arrays: HitArrays,
        hits: &mut Hits,
    ) -> Result<(), TraceError> {
        pollster::block_on(self.append_hits_async(batch, arrays, hits))
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        pollster::block_on(self.any_async(batch))
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        pollster::block_on(self.count_async(batch))
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        pollster::block_on(self.all_async(batch))
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError> {
        Ok(pollster::block_on(self.points_async(points))?)
    }

    fn innermost(&self, points: &[[f32; 3]]) -> Result<Vec<u32>, TraceError> {
        self.scene.on_host().innermost(points)
    }

    fn paths(&self, batch: Batch<'_>, rule: PathRule) -> Result<SolidPaths, TraceError> {
        self.scene.on_host().paths(batch, rule)
    }

    fn rays_of_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        views.check(self.scene.scene(), &pixels)?;
        Ok(pollster::block_on(rays::camera_rays(&self.scene, views, pixels))?)
    }

    fn render_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        views.check(self.scene.scene(), &pixels)?;
        Ok(pollster::block_on(rays::render(&self.scene, views, pixels))?)
    }

    fn beam_echoes(
        &self,
        posed: &PosedView,
        pixels: Range<usize>,
    ) -> Result<Option<Vec<Vec<Echo>>>, TraceError> {
        Ok(pollster::block_on(beams::echoes(&self.scene, posed, pixels))?)
    }

    fn sample(&self, sampler: &Sampler, numbers: Range<u64>) -> Result<Tally, TraceError> {
        pollster::block_on(self.sample_async(sampler, numbers))
    }

    fn generate_rays(
        &self,
        sampler: &Sampler,
        numbers: Range<u64>,
    ) -> Result<Vec<Ray>, TraceError> {
        sampler.check(self.scene.scene(), &numbers)?;
        if !sample::is_for_devices(sampler) {
            return Ok(sampler.rays(numbers));
        }
        let mut rays = Vec::new();
        for numbers in sampler.by_view(numbers, u64::MAX) {
            rays.extend(pollster::block_on(sample::generate_rays(&self.scene, sampler, numbers))?);
        }
        Ok(rays)
    }

    fn device(&self) -> String {
        self.scene.on_device().gpu.name().to_owned()
    }

    fn measure_arithmetic(&self) -> Result<Option<Arithmetic>, TraceError> {
        Ok(Some(self.scene.on_device().gpu.measure_arithmetic()?))
    }
}
