//! A tracer whose answers are the same on every device.
//!
//! Its kernels compute two bounds on a t instead of the t itself: see
//! `shaders/closest/canonical.wgsl`. A wrong bound can only show as a wrong primitive, so
//! `tests/it/canonical.rs` compares bits.

use crate::arithmetic::Arithmetic;
use crate::cpu::CpuTracer;
use crate::gpu::{GpuTracer, HostPhases};
use crate::packed::Update;
use crate::query::{
    AllHits, Batch, Containment, PathRule, PointHit, Proposal, ProposedQuery, Query, SolidPaths,
};
use crate::question::{Question, RayQuestion};
use crate::ray::{Hit, Ray};
use crate::scan::Views;
use crate::scene::Scene;
use crate::tracer::{TraceError, Tracer};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Casts rays on a device and returns the answers of [`CpuTracer`], bit by bit.
///
/// The answers depend neither on the device and its driver nor on the tree and the chunks.
///
/// The device proposes a primitive for each ray, and reports the rays for which another primitive,
/// or a miss, is possible within its rounding errors. The host intersects the proposed primitive in
/// float64, and casts the few rays that are in doubt. This applies to [`closest`](Tracer::closest),
/// [`any`](Tracer::any) and [`render`](Tracer::render). The host answers all other queries in
/// float64.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
/// use raytwin::{CanonicalTracer, Batch, CpuTracer, PackedScene, Ray, Scene, Sphere, Tracer};
///
/// let mut scene = Scene::new();
/// scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
/// let packed = PackedScene::new(scene)?;
/// let gpu = GpuTracer::new(&Gpu::open(&AdapterChoice::Any)?, &packed)?;
/// let rays = [Ray::new([0.3, 0.2, 0.0], [0.1, 0.0, 1.0]), Ray::new([0.0; 3], [1.0, 0.0, 0.0])];
/// let hits = CanonicalTracer::new(gpu).closest(Batch::new(&rays))?;
/// assert_eq!(hits, CpuTracer::new(&packed).closest(Batch::new(&rays))?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct CanonicalTracer {
    device: GpuTracer,
    host: CpuTracer,
    /// The number of rays that were in doubt.
    in_doubt: AtomicU64,
}

impl CanonicalTracer {
    /// Makes a tracer with canonical answers that shares the scene and the tree of a GPU tracer.
    pub fn new(device: GpuTracer) -> Self {
        Self { host: CpuTracer::new(device.packed()), device, in_doubt: AtomicU64::new(0) }
    }

    /// Returns how many rays were in doubt since the last call. The host cast these rays.
    pub fn take_in_doubt(&self) -> u64 {
        self.in_doubt.swap(0, Ordering::Relaxed)
    }

    /// Returns the time of the kernels, as [`GpuTracer::take_kernel_time`] does.
    pub fn take_kernel_time(&self) -> Option<Duration> {
        self.device.take_kernel_time()
    }

    /// Returns the time of each phase on the host, as [`GpuTracer::take_host_phases`] does.
    pub fn take_host_phases(&self) -> HostPhases {
        self.device.take_host_phases()
    }

    /// Measures how long the device takes to propose answers, as [`GpuTracer::kernel_times`] does.
    /// Returns `None` also for queries that the host answers.
    ///
    /// # Errors
    /// As [`GpuTracer::kernel_times`].
    pub fn kernel_times(
        &self,
        question: &Question,
        runs: usize,
    ) -> Result<Option<Vec<Duration>>, TraceError> {
        match question {
            Question::Rays(RayQuestion { query: Query::Closest { .. } | Query::Any, .. }) => {
                self.device.proposal_times(question, runs)
            }
            _ => Ok(None),
        }
    }

    /// Returns the GPU tracer that proposes primitives. Its own answers are those of the device.
    pub fn proposer(&self) -> &GpuTracer {
        &self.device
    }

    /// Does the same as [`Tracer::closest`] without blocking on the device.
    ///
    /// # Errors
    /// As [`Tracer::closest`].
    pub async fn closest_async(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        self.complete(ProposedQuery::Closest, batch, CpuTracer::complete_closest).await
    }

    /// Does the same as [`Tracer::any`] without blocking on the device.
    ///
    /// # Errors
    /// As [`Tracer::any`].
    pub async fn any_async(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        self.complete(ProposedQuery::Any, batch, CpuTracer::complete_any).await
    }

    /// Lets the device propose answers to a batch, and completes them on the host.
    async fn complete<T>(
        &self,
        query: ProposedQuery,
        batch: Batch<'_>,
        complete: impl Fn(&CpuTracer, Batch<'_>, &[Proposal]) -> Vec<T>,
    ) -> Result<Vec<T>, TraceError> {
        batch.check(self.scene())?;
        let complete = |batch: Batch<'_>, proposals: &[Proposal]| {
            let is_in_doubt = |&&proposal: &&Proposal| proposal == Proposal::InDoubt;
            let in_doubt = proposals.iter().filter(is_in_doubt).count();
            self.in_doubt.fetch_add(in_doubt as u64, Ordering::Relaxed);
            complete(&self.host, batch, proposals)
        };
        Ok(self.device.propose(query, batch, complete).await?)
    }
}

impl Tracer for CanonicalTracer {
    fn scene(&self) -> &Scene {
        self.host.scene()
    }

    fn update(&mut self, scene: &Scene) -> Result<Update, TraceError> {
        self.host.update(scene)?;
        self.device.update(scene)
    }

    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        pollster::block_on(self.closest_async(batch))
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        pollster::block_on(self.any_async(batch))
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        self.host.count(batch)
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        self.host.all(batch)
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError> {
        self.host.points(points)
    }

    fn containment(&self, points: &[[f32; 3]]) -> Result<Vec<Containment>, TraceError> {
        self.host.containment(points)
    }

    fn innermost(&self, points: &[[f32; 3]]) -> Result<Vec<u32>, TraceError> {
        self.host.innermost(points)
    }

    fn paths(&self, batch: Batch<'_>, rule: PathRule) -> Result<SolidPaths, TraceError> {
        self.host.paths(batch, rule)
    }

    fn rays_of_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        self.host.rays_of_views(views, pixels)
    }

    fn render_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        let rays = self.rays_of_views(views, pixels.clone())?;
        self.closest(views.as_query(pixels, rays).batch()?)
    }

    fn device(&self) -> String {
        format!("{}, canonical answers", self.device.device())
    }

    fn measure_arithmetic(&self) -> Result<Option<Arithmetic>, TraceError> {
        self.device.measure_arithmetic()
    }
}
