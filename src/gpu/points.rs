//! What is around points: they go to the device as rays, each of which begins in one.

use super::pipeline::{Kernel, Question};
use super::resident::Resident;
use super::ring::{Job, carry_out};
use super::slot::Slot;
use super::stream::{Found, HIT_BYTES, record, refuse_unanswered};
use super::{GpuError, GpuTracer, buffer::scoped};
use crate::answers::Neighbour;
use crate::geometry::Parts;
use crate::ray::Ray;
use rayon::prelude::*;
use std::ops::Range;

struct Points<'a> {
    points: &'a [[f32; 3]],
    parts: &'a Parts,
    neighbours: Vec<Neighbour>,
}

impl Job for Points<'_> {
    /// The nearest surface with its distance, and the lowest solid that holds the point with their number.
    type Answer = [Found; 2];

    async fn record(
        &self,
        resident: &Resident,
        slot: &mut Slot,
        chunk: Range<usize>,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let gpu = &resident.gpu;
        let kernel = resident.pipelines.kernel(gpu, Kernel::plain(Question::Points)).await?;
        let rays: Vec<Ray> =
            self.points[chunk].par_iter().map(|&point| Ray::upwards(point)).collect();
        let counts = [rays.len() as u64, 2 * rays.len() as u64];
        scoped(gpu, "the points", || {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            slot.forget_hits(&mut encoder, 2 * rays.len());
            slot.upload(&mut encoder, &rays)?;
            let others = [&resident.nothing, &resident.nothing, &resident.nowhere];
            let buffers = [&slot.rays, &slot.hits];
            let bound = resident.pipelines.bind_query(&gpu.device, buffers, others, counts);
            let timestamps = slot.timestamps([true, true]);
            record(resident, &mut encoder, &kernel, &bound, counts[0], timestamps);
            slot.fetch(&mut encoder, &slot.hits, counts[1] * HIT_BYTES);
            Ok(encoder)
        })
        .await?
    }

    fn take(&mut self, chunk: Range<usize>, found: &[[Found; 2]]) -> Result<(), GpuError> {
        refuse_unanswered(chunk, found, |[nearest, holder]| {
            nearest.is_never() || holder.is_never()
        })?;
        let neighbour = |[nearest, holder]: &[Found; 2]| {
            let [nearest_ids, holder_ids] = [nearest, holder].map(|found| found.ids(self.parts));
            Neighbour {
                contains: holder.t.to_bits(),
                containing_id: holder_ids[0],
                geometry_id: nearest_ids[0],
                primitive_id: nearest_ids[1],
            }
        };
        self.neighbours.par_extend(found.par_iter().map(neighbour));
        Ok(())
    }
}

pub(super) async fn neighbours(
    tracer: &GpuTracer,
    points: &[[f32; 3]],
) -> Result<Vec<Neighbour>, GpuError> {
    let neighbours = Vec::with_capacity(points.len());
    let mut job = Points { points, parts: &tracer.packed.parts, neighbours };
    carry_out(tracer, &mut job, 0..points.len()).await?;
    Ok(job.neighbours)
}
