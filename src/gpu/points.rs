//! The nearest surfaces to points and the solids that contain them. Points go to the device as the
//! origins of rays. A device tells only which surface is nearest, by distances in float32; the host
//! computes the nearest point and its distance in float64.
//!
//! The nearest point of a surface in object space is not that of its image, unless the transform
//! keeps angles, so the device measures only the scene's own geometries. The CPU finds the nearest
//! surface of all instances, and the nearer of both is the answer.

use super::buffer::scoped;
use super::chunk_buffers::ChunkBuffers;
use super::dispatch::one_thread_each;
use super::hit::{GpuHit, GpuPlacedHit, HitKind, KernelHit, refuse_unanswered};
use super::kernel::{EntryPoint, RayHandling};
use super::recovery::RecoverableScene;
use super::ring::{Job, run_job};
use super::scene_on_device::SceneOnDevice;
use crate::gpu_error::GpuError;
use crate::parallel::{ITEMS_A_TASK, RAYS_A_TASK, for_each_part, mapped, part_length};
use crate::query::PointHit;
use crate::ray::Ray;
use crate::scene::Scene;
use glam::Vec3;
use std::marker::PhantomData;
use std::ops::Range;

struct Points<'a, H> {
    points: &'a [[f32; 3]],
    world: &'a Scene,
    point_hits: Vec<PointHit>,
    /// The hits that the kernel writes.
    kind: PhantomData<H>,
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
            let rays = buffers.upload(&mut encoder, &rays)?;
            let others = [&on_device.nothing, &on_device.nothing, &on_device.nowhere];
            let rays_and_hits = [&rays, &buffers.hits];
            let bound = on_device.bind_query(rays_and_hits, others, counts);
            let timestamps = buffers.timestamps([true, true]);
            let workgroups = one_thread_each(counts[0]);
            on_device.record_pass(&mut encoder, &kernel, &bound, workgroups, timestamps);
            buffers.fetch(&mut encoder, &buffers.hits, counts[1] * size_of::<H>() as u64);
            Ok(encoder)
        })
        .await?
    }

    fn take(&mut self, chunk: Range<usize>, found: &[[H; 2]]) -> Result<(), GpuError> {
        refuse_unanswered(chunk, found, |[nearest, container]| {
            nearest.is_never() || container.is_never()
        })?;
        let point_hit = |[nearest, container]: &[H; 2]| {
            let [nearest_ids, container_ids] =
                [nearest, container].map(|found| self.world.ids_of(found.primitive_ref()));
            PointHit {
                contains: container.t().to_bits(),
                containing_id: container_ids[0],
                geometry_id: nearest_ids[0],
                primitive_id: nearest_ids[1],
            }
        };
        self.point_hits.extend(mapped(found.len(), ITEMS_A_TASK, |index| point_hit(&found[index])));
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
    let point_hits = Vec::with_capacity(points.len());
    let mut job = Points::<H> { points, world: scene.all_worlds(), point_hits, kind: PhantomData };
    run_job(scene, &mut job, 0..points.len()).await?;
    Ok(job.point_hits)
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
