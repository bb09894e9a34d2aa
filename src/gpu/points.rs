//! The nearest surfaces to points and the solids that contain them. Points go to the device as the
//! origins of rays. A device returns only which surface is nearest, by distances in float32; the
//! host computes the nearest point and its distance in float64.
//!
//! The nearest point of a surface in object space is not that of its image, unless the transform
//! keeps angles, so the device measures only the scene's own geometries. The CPU finds the nearest
//! surface of all instances, and the nearer of both is the answer.

use super::buffer::scoped;
use super::chunk_buffers::ChunkBuffers;
use super::dispatch::one_thread_each;
use super::hit::{ChunkAnswers, GpuHit, GpuPlacedHit, HitKind, KernelHit, refuse_unanswered};
use super::kernel::{EntryPoint, RayHandling};
use super::recast::{containers, in_parts};
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job, run_on};
use super::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::parallel::{ITEMS_A_TASK, RAYS_A_TASK, for_each_part, mapped, part_length};
use crate::query::{Batch, PointHit, RaySource};
use crate::ray::Ray;
use crate::scene::Scene;
use glam::Vec3;
use std::ops::Range;

struct Points<'a, H> {
    points: &'a [[f32; 3]],
    found: Vec<[H; 2]>,
}

impl<H: KernelHit> Job for Points<'_, H> {
    /// The nearest surface, with its distance in place of t, and the lowest solid that contains the
    /// point, with the number of such solids in place of t.
    type Answer = [H; 2];

    async fn record(
        &self,
        on_device: &SceneOnDevice,
        buffers: &mut ChunkBuffers,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let gpu = &on_device.gpu;
        let kernel = on_device.pipeline(EntryPoint::Points, RayHandling::default()).await?;
        let points = &self.points[chunk];
        let rays = mapped(points.len(), ITEMS_A_TASK, |index| Ray::upwards(points[index]));
        let counts = [rays.len() as u64, 2 * rays.len() as u64];
        scoped(gpu, "the points", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            buffers.forget_hits(&mut encoder, 2 * rays.len());
            let rays = buffers.upload(&mut encoder, RaySource::Rays(&rays))?;
            let bound = on_device.bind_query(&on_device.query(&rays, &buffers.hits), counts);
            let timestamps = buffers.timestamps([true, true]);
            let workgroups = one_thread_each(counts[0]);
            on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, timestamps);
            buffers.fetch(&mut encoder, &buffers.hits, counts[1] * size_of::<H>() as u64);
            Ok(encoder)
        })
        .await?
    }

    fn take(
        &mut self,
        chunk: Range<usize>,
        found: &ChunkAnswers<'_, [H; 2]>,
    ) -> Result<(), GpuError> {
        let found = found.answers();
        refuse_unanswered(chunk, found, |[nearest, container]| {
            nearest.is_never() || container.is_never()
        })?;
        self.found.extend(found);
        Ok(())
    }
}

pub(super) async fn point_hits(
    scene: &RecoverableScene,
    points: &[[f32; 3]],
) -> Result<Vec<PointHit>, GpuError> {
    match scene.hit_kind() {
        HitKind::Own => point_hits_as::<GpuHit>(scene, points).await,
        HitKind::Placed => {
            let mut hits = point_hits_as::<GpuPlacedHit>(scene, points).await?;
            let in_instances = scene.instances_on_host()?.point_hits(points);
            for_each_part(&mut hits, part_length(points.len(), RAYS_A_TASK), |first, hits| {
                for (index, hit) in (first..).zip(hits) {
                    take_nearer(scene.scene(), points[index], hit, &in_instances[index]);
                }
            });
            Ok(hits)
        }
    }
}

async fn point_hits_as<H: KernelHit>(
    scene: &RecoverableScene,
    points: &[[f32; 3]],
) -> Result<Vec<PointHit>, GpuError> {
    let mut job = Points::<H> { points, found: Vec::with_capacity(points.len()) };
    run_job(scene, &mut job, 0..points.len()).await?;
    let mut found = job.found;
    let is_abandoned = |point: &usize| found[*point][0].is_abandoned();
    let abandoned: Vec<usize> = (0..points.len()).filter(is_abandoned).collect();
    if !abandoned.is_empty() {
        let some: Vec<[f32; 3]> = abandoned.iter().map(|&point| points[point]).collect();
        let again = found_in_parts::<H>(scene, &some).await;
        let again = again.map_err(|error| error.of_rays(&abandoned))?;
        for (point, again) in abandoned.into_iter().zip(again) {
            found[point] = again;
        }
    }
    let world = scene.all_worlds();
    let point_hit = |[nearest, container]: &[H; 2]| {
        let [nearest_ids, container_ids] =
            [nearest, container].map(|found| world.ids_of(found.primitive_ref()));
        PointHit {
            contains: container.t().to_bits(),
            containing_id: container_ids[0],
            geometry_id: nearest_ids[0],
            primitive_id: nearest_ids[1],
        }
    };
    Ok(mapped(found.len(), ITEMS_A_TASK, |index| point_hit(&found[index])))
}

/// Finds the same part by part of the scene, for points on which the driver gave up.
async fn found_in_parts<H: KernelHit>(
    scene: &RecoverableScene,
    points: &[[f32; 3]],
) -> Result<Vec<[H; 2]>, GpuError> {
    let rays: Vec<Ray> = points.iter().map(|&point| Ray::upwards(point)).collect();
    let batch = Batch::new(&rays);
    let of_parts = async |on_device: &SceneOnDevice| {
        let mut nearest = vec![H::MISS; points.len()];
        let cast =
            async |part: &SceneOnDevice, rays: Batch<'_>| nearest_in_part(scene, part, rays).await;
        // The distance stands in place of t, and is NaN for an invalid point.
        let take = |point: usize, found: H| {
            let [own, other] =
                [nearest[point], found].map(|found| (found.t(), found.primitive_ref().primitive));
            if other.0.is_nan() || other < own {
                nearest[point] = found;
            }
        };
        in_parts(scene, on_device, &batch, cast, take).await.map(|()| nearest)
    };
    let nearest = scene.retry_on_loss(of_parts).await?;
    let containers = containers::<H>(scene, batch).await?;
    let containers = containers.into_iter().map(|it| it.lowest.at(f32::from_bits(it.count)));
    Ok(nearest
        .into_iter()
        .zip(containers)
        .map(|(nearest, container)| [nearest, container])
        .collect())
}

/// Returns the nearest surface of a part to the start of each ray; `None` if the driver gave up.
async fn nearest_in_part<H: KernelHit>(
    scene: &RecoverableScene,
    part: &SceneOnDevice,
    rays: Batch<'_>,
) -> Result<Vec<Option<H>>, GpuError> {
    let points: Vec<[f32; 3]> = rays.rays().iter().map(|ray| ray.origin).collect();
    let mut job = Points::<H> { points: &points, found: Vec::with_capacity(points.len()) };
    run_on(scene, part, &mut job, 0..points.len()).await?;
    let nearest = job.found.into_iter().map(|[nearest, _]| nearest);
    Ok(nearest.map(|found| (!found.is_abandoned()).then_some(found)).collect())
}

/// Takes the surface of another answer if it is nearer, or as near with lower ids.
fn take_nearer(scene: &Scene, point: [f32; 3], hit: &mut PointHit, other: &PointHit) {
    let rank = |hit: &PointHit| {
        let primitive = scene.primitive(hit.geometry_id, hit.primitive_id)?;
        let from = Vec3::from(point).as_dvec3();
        let squared = primitive.closest_point(from).distance_squared(from);
        Some((squared, hit.geometry_id, hit.primitive_id))
    };
    let is_nearer = match (rank(hit), rank(other)) {
        (Some(rank), Some(other)) => other < rank,
        (rank, other) => rank.is_none() && other.is_some(),
    };
    if is_nearer {
        [hit.geometry_id, hit.primitive_id] = [other.geometry_id, other.primitive_id];
    }
}
