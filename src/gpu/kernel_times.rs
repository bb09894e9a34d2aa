//! Measures a question's kernel at full load, with rays that already lie on the device.

use super::buffer;
use super::dispatch::{one_thread_each, workgroups_of_query};
use super::full_load::FullLoad;
use super::kernel::{EntryPoint, RayHandling};
use super::kernel_variant::KernelVariant;
use super::ray_order::{ray_order, row_length};
use super::recovery::RecoverableScene;
use super::scene_on_device::{QueryBuffers, SceneOnDevice};
use crate::gpu_error::GpuError;
use crate::parallel::{ITEMS_A_TASK, mapped};
use crate::query::{BatchError, Query, RaySource};
use crate::question::Question;
use crate::ray::Ray;
use crate::tracer::TraceError;
use std::time::Duration;
use wgpu::BufferUsages;

/// A kernel, and the rays that it casts.
struct KernelInput {
    entry_point: EntryPoint,
    handling: RayHandling,
    rays: Vec<Ray>,
}

impl KernelInput {
    /// Returns what answers a question by itself; `None` if no single kernel does.
    fn of(question: &Question, is_canonical: bool) -> Result<Option<Self>, BatchError> {
        let (entry_point, batch) = match question {
            Question::Points(points) => {
                let entry_point = EntryPoint::Points;
                let rays = mapped(points.len(), ITEMS_A_TASK, |index| Ray::upwards(points[index]));
                return Ok(Some(Self { entry_point, handling: RayHandling::default(), rays }));
            }
            Question::Rays(question) => match question.query {
                Query::Closest(_) => (EntryPoint::Closest, question.batch()?),
                Query::Any => (EntryPoint::Any, question.batch()?),
                Query::Count => (EntryPoint::All, question.batch()?.surfaces()),
                // Between its two passes the host adds up how many crossings there are.
                Query::All => return Ok(None),
            },
            // Its rays are generated again each time.
            Question::Image(_) => return Ok(None),
        };
        let handling = RayHandling { is_canonical, ..RayHandling::of(&batch) };
        // The filters of rays would have to lie on the device, too.
        let input = Self { entry_point, handling, rays: batch.rays().iter().collect() };
        Ok((!batch.is_filtered()).then_some(input))
    }
}

/// Measures how long the device takes for each of several runs of a question's kernel. It is `None`
/// if no single kernel answers the question, if its rays have filters or do not fit the device's
/// memory all at once, and if there is no clock.
pub(super) async fn kernel_times(
    scene: &RecoverableScene,
    question: &Question,
    is_canonical: bool,
    runs: usize,
) -> Result<Option<Vec<Duration>>, TraceError> {
    let Some(input) = KernelInput::of(question, is_canonical)? else { return Ok(None) };
    if input.rays.is_empty() {
        return Ok(None);
    }
    match times(scene, &input, runs).await {
        Err(GpuError::OutOfMemory(_)) => Ok(None),
        times => Ok(times?),
    }
}

async fn times(
    scene: &RecoverableScene,
    input: &KernelInput,
    runs: usize,
) -> Result<Option<Vec<Duration>>, GpuError> {
    let on_device = scene.current()?;
    let gpu = &on_device.gpu;
    let count = input.rays.len();
    let pipeline = on_device.pipeline(input.entry_point, input.handling).await?;
    let dispatches = async |most: usize| {
        let mut dispatches = Vec::new();
        for rays in input.rays.chunks(most) {
            dispatches.push(Dispatch::new(&on_device, input, rays, scene.record_count()).await?);
        }
        Ok::<_, GpuError>(dispatches)
    };
    let load = |dispatches: Vec<Dispatch>| {
        let parts = dispatches.len();
        let record = {
            let (on_device, pipeline) = (&on_device, &pipeline);
            move |encoder: &mut wgpu::CommandEncoder, part: usize| {
                let Dispatch { bound, workgroups } = &dispatches[part];
                on_device.record_pass(encoder, pipeline, bound, *workgroups, None);
            }
        };
        FullLoad { gpu, parts, record }
    };

    let first = scene.tuner.chunk(count).min(count);
    let Some(share) = load(dispatches(first).await?).share_of_submission().await? else {
        return Ok(None);
    };
    // A device casts the rays of a large dispatch faster, so each has as many as may be submitted.
    let most = ((first as f64 * share) as usize).clamp(1, scene.tuner.most());
    load(dispatches(most).await?).times(runs).await
}

/// A dispatch of a kernel, with rays that lie on the device.
struct Dispatch {
    bound: wgpu::BindGroup,
    workgroups: u64,
}

impl Dispatch {
    async fn new(
        on_device: &SceneOnDevice,
        input: &KernelInput,
        rays: &[Ray],
        records: usize,
    ) -> Result<Self, GpuError> {
        let gpu = &on_device.gpu;
        let is_of_points = input.entry_point == EntryPoint::Points;
        let row_length = if is_of_points { 0 } else { row_length(RaySource::Rays(rays)) };
        let are_coherent = row_length > 0;
        let order = match gpu.kernel_variant {
            KernelVariant::Software if !is_of_points && !are_coherent => {
                ray_order(RaySource::Rays(rays), records)
            }
            _ => None,
        };
        let ordered: Option<Vec<Ray>> =
            order.map(|order| order.iter().map(|&ray| rays[ray as usize]).collect());
        let rays = ordered.as_deref().unwrap_or(rays);
        let count = rays.len() as u64;
        let (hits, workgroups) = match is_of_points {
            true => (2 * count, one_thread_each(count)),
            false => (count, workgroups_of_query(gpu, count, are_coherent)),
        };
        let rays = buffer::upload(gpu, "the rays", bytemuck::cast_slice(rays)).await?;
        let hit_bytes = hits * on_device.hit_kind.bytes();
        let found = buffer::create(gpu, "the hits", hit_bytes, BufferUsages::STORAGE).await?;
        let row_length = on_device.row_length(row_length).await?;
        let query = QueryBuffers { row_length: &row_length, ..on_device.query(&rays, &found) };
        let bound = on_device.bind_query(&query, [count, hits]);
        Ok(Self { bound, workgroups })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::CanonicalTracer;
    use crate::gpu::{AdapterChoice, Gpu, GpuTracer};
    use crate::query::Rays;
    use crate::question::RayQuestion;
    use crate::shapes::Sphere;
    use crate::{PackedScene, Scene};
    use glam::DVec3;
    use std::sync::Arc;

    fn tracer() -> GpuTracer {
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        GpuTracer::new(&gpu, &PackedScene::new(scene).unwrap()).unwrap()
    }

    fn question(query: Query, rays: Rays) -> Question {
        Question::Rays(RayQuestion { name: "some", query, is_solid: false, rays: Arc::new(rays) })
    }

    fn some_rays() -> Rays {
        let ray = |index: usize| Ray::new([0.01 * index as f32, 0.0, -9.0], [0.0, 0.0, 1.0]);
        Rays { rays: (0..1000).map(ray).collect(), ..Rays::default() }
    }

    #[test]
    fn every_kind_that_one_kernel_answers_has_times() {
        let tracer = tracer();
        for query in [Query::CLOSEST, Query::Any, Query::Count] {
            let times = tracer.kernel_times(&question(query, some_rays()), 2).unwrap();
            let times = times.unwrap_or_default();
            assert!(times.len() == 2 && times.iter().all(|time| !time.is_zero()), "{times:?}");
        }
        let points = Question::Points(vec![[0.0; 3]; 100]);
        assert_eq!(tracer.kernel_times(&points, 1).unwrap().unwrap().len(), 1);
        assert_eq!(tracer.kernel_times(&question(Query::All, some_rays()), 1).unwrap(), None);
        assert_eq!(tracer.kernel_times(&question(Query::Any, Rays::default()), 1).unwrap(), None);
        let masked = Rays { masks: Some(vec![1; 1000]), ..some_rays() };
        assert_eq!(tracer.kernel_times(&question(Query::Any, masked), 1).unwrap(), None);
        assert!(tracer.take_kernel_time().is_none_or(|time| time.is_zero()));
    }

    #[test]
    fn canonical_answers_have_the_times_of_the_kernels_that_propose_them() {
        let tracer = CanonicalTracer::new(tracer());
        let closest = question(Query::CLOSEST, some_rays());
        assert_eq!(tracer.kernel_times(&closest, 1).unwrap().unwrap().len(), 1);
        // The host answers these.
        assert_eq!(tracer.kernel_times(&question(Query::Count, some_rays()), 1).unwrap(), None);
        assert_eq!(tracer.kernel_times(&Question::Points(vec![[0.0; 3]]), 1).unwrap(), None);
    }
}
