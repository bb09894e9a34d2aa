//! Casts the rays of a posed view.

use super::{TraceError, Tracer};
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::Batch;
use crate::ray::{Hit, Ray};
use crate::scan::{Carrier, PosedView};
use std::ops::Range;

impl PosedView {
    /// Returns the closest hit of each of these pixels' rays. If all pixels have the same time, the
    /// device generates the rays.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    pub fn render(
        &self,
        tracer: &dyn Tracer,
        pixels: Range<usize>,
    ) -> Result<Vec<Hit>, TraceError> {
        if self.is_still() && self.carrier().is_none() {
            return tracer.render(self.view(), pixels);
        }
        let ray = |index| self.ray(pixels.start + index);
        let rays = mapped(pixels.len(), RAYS_A_TASK, ray);
        let Some(carrier) = self.carrier() else { return tracer.closest(Batch::new(&rays)) };
        let from_mount = |index| {
            let pixel = pixels.start + index;
            carrier.ray_from_mount(&self.extrinsics(pixel), &self.line(pixel))
        };
        let rays_from_mount = mapped(pixels.len(), RAYS_A_TASK, from_mount);
        nearer_hits(tracer, [&rays, &rays_from_mount], 0)
    }
}

/// Returns the nearer of two hits of each ray in a world: of the shapes that do not carry the
/// sensor, and of its carrier, at which the ray is cast from the mount.
pub(crate) fn nearer_hits(
    tracer: &dyn Tracer,
    [rays, rays_from_mount]: [&[Ray]; 2],
    world: u32,
) -> Result<Vec<Hit>, TraceError> {
    let worlds = vec![world; rays.len()];
    let closest = |rays, mask| {
        let masks = vec![mask; worlds.len()];
        tracer.closest(Batch::new(rays).with_masks(&masks)?.in_worlds(&worlds)?)
    };
    let mut hits = closest(rays, !Carrier::MASK)?;
    for (hit, own) in hits.iter_mut().zip(closest(rays_from_mount, Carrier::MASK)?) {
        // An invalid ray, whose t is NaN, has no hits.
        let is_nearer = own.t < hit.t || own.t == hit.t && own.geometry_id < hit.geometry_id;
        if is_nearer || own.t.is_nan() {
            *hit = own;
        }
    }
    Ok(hits)
}
