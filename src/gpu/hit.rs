//! The answer of a kernel to a ray. It is a sentinel before the kernel runs, and one that is left
//! is an error and no miss. The list of all crossings needs none, because they are counted twice
//! (`crossings.rs`). Another sentinel says that the driver gave up on the ray, which is cast again.

use crate::gpu_error::GpuError;
use crate::query::Proposal;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::{PrimitiveRef, Scene};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;

pub(super) const RAY_BYTES: u64 = size_of::<Ray>() as u64;

/// The answer of a kernel to a ray in a scene without instances. Primitives are numbered through
/// all geometries in the order of their ids, so that only one number crosses the bus. In a scene
/// without meshes, lines and heightfields it is the `geometry_id`;
/// [`Scene::ids_of_primitive`](crate::Scene::ids_of_primitive) returns both ids.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct GpuHit {
    /// The position of the hit along the ray; +∞ for a miss, NaN for an invalid ray.
    pub t: f32,
    /// The number of the primitive, [`NONE`](crate::NONE) for a miss.
    pub primitive: u32,
}

/// The answer of a kernel to a ray in a scene with instances. [`Self::ids`] returns the ids of what
/// was hit.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct GpuPlacedHit {
    /// The position of the hit along the ray; +∞ for a miss, NaN for an invalid ray.
    pub t: f32,
    /// The number of the primitive among those of the instance's definition, or else among the
    /// scene's own; [`NONE`](crate::NONE) for a miss.
    pub primitive: u32,
    /// The number of the instance; [`NONE`](crate::NONE) for a primitive of the scene's own.
    pub instance: u32,
}

impl GpuPlacedHit {
    /// Returns the `geometry_id` and the `primitive_id` of what was hit; [`NONE`](crate::NONE) for
    /// a miss.
    pub fn ids(&self, scene: &Scene) -> [u32; 2] {
        scene.ids_of(self.primitive_ref())
    }
}

/// The bits that the t of a hit holds before a kernel runs: a NaN that no kernel makes.
const NEVER_T: f32 = f32::from_bits(0x7fc0_dead);

/// The number that its ids hold before a kernel runs.
const NEVER_NUMBER: u32 = 0xdead_beef;

/// The bits that stand in place of t where a driver gave up, as `shaders/threads.wgsl` writes them.
pub(super) const ABANDONED_BITS: u32 = 0x7fc0_abad;

/// The hits of kernels.
pub(super) trait KernelHit: Pod + Send + Sync {
    /// The sentinel that answers hold before a kernel runs, so that an answer that was never
    /// written cannot pass for a hit.
    const NEVER: Self;

    /// A miss.
    const MISS: Self;

    fn t(&self) -> f32;

    fn primitive_ref(&self) -> PrimitiveRef;

    /// Returns the same hit at another t.
    fn at(self, t: f32) -> Self;

    /// Returns true if the driver gave up on the ray, so that this is no answer.
    fn is_abandoned(&self) -> bool {
        self.t().to_bits() == ABANDONED_BITS
    }

    fn is_never(&self) -> bool {
        bytemuck::bytes_of(self) == bytemuck::bytes_of(&Self::NEVER)
    }

    /// Returns the hit of a canonical kernel, which tells a primitive by its record.
    fn proposal(&self) -> Proposal {
        match self.primitive_ref() {
            _ if self.is_abandoned() => Proposal::InDoubt,
            PrimitiveRef { instance, primitive: record } if record != NONE => {
                Proposal::Primitive { instance, record }
            }
            _ if self.t().is_nan() => Proposal::Invalid,
            _ if self.t().is_infinite() => Proposal::Miss,
            _ => Proposal::InDoubt,
        }
    }

    /// Returns the hit as tracers answer it, with both ids.
    fn hit(&self, world: &Scene) -> Hit {
        let [geometry_id, primitive_id] = world.ids_of(self.primitive_ref());
        Hit { t: self.t(), geometry_id, primitive_id }
    }
}

impl KernelHit for GpuHit {
    const NEVER: Self = Self { t: NEVER_T, primitive: NEVER_NUMBER };

    const MISS: Self = Self { t: f32::INFINITY, primitive: NONE };

    fn at(self, t: f32) -> Self {
        Self { t, ..self }
    }

    fn t(&self) -> f32 {
        self.t
    }

    fn primitive_ref(&self) -> PrimitiveRef {
        PrimitiveRef::own(self.primitive)
    }
}

impl KernelHit for GpuPlacedHit {
    const NEVER: Self = Self { t: NEVER_T, primitive: NEVER_NUMBER, instance: NEVER_NUMBER };

    const MISS: Self = Self { t: f32::INFINITY, primitive: NONE, instance: NONE };

    fn at(self, t: f32) -> Self {
        Self { t, ..self }
    }

    fn t(&self) -> f32 {
        self.t
    }

    fn primitive_ref(&self) -> PrimitiveRef {
        PrimitiveRef { instance: self.instance, primitive: self.primitive }
    }
}

/// The kind of hits that the kernels of a scene write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HitKind {
    /// [`GpuHit`].
    Own,
    /// [`GpuPlacedHit`].
    Placed,
}

impl HitKind {
    pub fn of(scene: &Scene) -> Self {
        if scene.instances().is_empty() { Self::Own } else { Self::Placed }
    }

    pub fn bytes(self) -> u64 {
        match self {
            Self::Own => size_of::<GpuHit>() as u64,
            Self::Placed => size_of::<GpuPlacedHit>() as u64,
        }
    }

    pub fn sentinels(self, count: usize) -> Vec<u8> {
        match self {
            Self::Own => bytemuck::cast_slice(&vec![GpuHit::NEVER; count]).to_vec(),
            Self::Placed => bytemuck::cast_slice(&vec![GpuPlacedHit::NEVER; count]).to_vec(),
        }
    }
}

/// The number of answers that one thread of the host checks at a time.
const PIECE: usize = 1 << 12;

/// Returns the indices of the rays on which the driver gave up, of those from `first` on.
pub(super) fn abandoned<H: KernelHit>(first: usize, answers: &[H]) -> Vec<usize> {
    let rays = answers.par_iter().with_min_len(PIECE).enumerate();
    rays.filter(|(_, answer)| answer.is_abandoned()).map(|(ray, _)| first + ray).collect()
}

/// Returns an error that names the first ray of a chunk without an answer, if there is one. The ray
/// is not cast again, because an answer that comes by luck is no evidence.
pub(super) fn refuse_unanswered<T: Sync>(
    chunk: Range<usize>,
    answers: &[T],
    is_missing: impl Fn(&T) -> bool + Sync + Send,
) -> Result<(), GpuError> {
    // A search of single answers on many threads would take longer than a kernel takes for simple
    // rays.
    let missing = answers.par_chunks(PIECE).enumerate().find_map_first(|(piece, answers)| {
        answers.iter().position(&is_missing).map(|ray| piece * PIECE + ray)
    });
    match missing {
        Some(ray) => Err(GpuError::Unanswered(chunk.start + ray)),
        None => Ok(()),
    }
}
