//! The answer of a kernel to a ray.

use super::error::GpuError;
use crate::ray::{Hit, Ray};
use crate::scene::{PrimitiveRef, Scene};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;

pub(super) const RAY_BYTES: u64 = size_of::<Ray>() as u64;
pub(super) const HIT_BYTES: u64 = size_of::<GpuHit>() as u64;

/// The answer of a kernel to a ray. Primitives are numbered through all geometries in the order of their ids, so that
/// only one number crosses the bus. In a scene without meshes, lines and heightfields it is the `geometry_id`;
/// [`Scene::ids_of_primitive`](crate::Scene::ids_of_primitive) returns both ids in any scene.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct GpuHit {
    /// The position of the hit along the ray; +∞ for a miss, NaN for an invalid ray.
    pub t: f32,
    /// The number of the primitive, [`NONE`] for a miss.
    pub primitive: u32,
}

impl GpuHit {
    /// Returns the sentinel that answers hold before a kernel runs, so that an answer that was never written cannot
    /// pass for a hit. Its t is a NaN that no kernel makes.
    pub(super) fn never() -> Self {
        Self { t: f32::from_bits(0x7fc0_dead), primitive: 0xdead_beef }
    }

    pub(super) fn is_never(&self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(&Self::never())
    }

    /// Returns the primitive's `geometry_id` and `primitive_id`.
    pub(super) fn ids(&self, world: &Scene) -> [u32; 2] {
        world.ids_of(PrimitiveRef::own(self.primitive))
    }

    /// Returns the hit as tracers answer it, with both ids.
    pub(super) fn hit(&self, world: &Scene) -> Hit {
        let [geometry_id, primitive_id] = self.ids(world);
        Hit { t: self.t, geometry_id, primitive_id }
    }
}

/// The number of answers that one thread of the host checks at a time.
const PIECE: usize = 1 << 12;

/// Returns an error that names the first ray of a chunk without an answer, if there is one. The ray is not cast again,
/// because an answer that comes by luck is no evidence.
pub(super) fn refuse_unanswered<T: Sync>(
    chunk: Range<usize>,
    answers: &[T],
    is_missing: impl Fn(&T) -> bool + Sync + Send,
) -> Result<(), GpuError> {
    // A search of single answers on many threads would take longer than a kernel takes for simple rays.
    let missing = answers.par_chunks(PIECE).enumerate().find_map_first(|(piece, answers)| {
        answers.iter().position(&is_missing).map(|ray| piece * PIECE + ray)
    });
    match missing {
        Some(ray) => Err(GpuError::Unanswered(chunk.start + ray)),
        None => Ok(()),
    }
}
