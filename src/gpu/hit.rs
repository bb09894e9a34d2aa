//! The answer of a kernel to a ray. Before the kernel runs it is a sentinel. A sentinel that
//! remains is an error, not a miss. The list of all crossings needs no sentinel, because crossings
//! are counted twice (`crossings.rs`). Another sentinel means that the driver gave up on the ray,
//! which is then cast again.

use crate::gpu_error::GpuError;
use crate::parallel::ITEMS_A_TASK;
use crate::query::Proposal;
use crate::ray::{Hit, NONE, Ray};
use crate::scene::{PrimitiveRef, Scene};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub(super) const RAY_BYTES: u64 = size_of::<Ray>() as u64;

/// The answer of a kernel to a ray in a scene without instances. Primitives are numbered through
/// all geometries in the order of their ids, so that only one number is copied. In a scene without
/// meshes, lines and heightfields it is the `geometry_id`.
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
    /// The number of the primitive, among those of the instance's definition, or among the scene's
    /// own if there is no instance; [`NONE`](crate::NONE) for a miss.
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

pub(super) trait KernelHit: Pod + Send + Sync {
    /// The sentinel that answers hold before a kernel runs, so that an answer that was never
    /// written cannot pass for a hit.
    const NEVER: Self;

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

    /// Returns the hit of a canonical kernel, which names a primitive by its record.
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

/// The answers to a chunk, in the memory that the device wrote.
pub(super) struct ChunkAnswers<'a, T> {
    answers: &'a [T],
    /// The index of each ray's answer; `None` if answers are in the order of the rays.
    indices: Option<Vec<u32>>,
    /// The first ray without an answer, or `usize::MAX`.
    unanswered: AtomicUsize,
    /// True once a ray was met on which the driver gave up.
    has_abandoned: AtomicBool,
}

impl<'a, T: Pod + Sync> ChunkAnswers<'a, T> {
    /// Takes answers, and the rays that they belong to if these were cast in another order.
    pub fn new(answers: &'a [T], order: Option<Vec<u32>>) -> Self {
        let indices = order.map(|order| {
            let mut indices = vec![0; order.len()];
            (0..).zip(order).for_each(|(index, ray)| indices[ray as usize] = index);
            indices
        });
        let (unanswered, has_abandoned) = (AtomicUsize::new(usize::MAX), AtomicBool::new(false));
        Self { answers, indices, unanswered, has_abandoned }
    }

    /// Returns the answers as they lie.
    pub fn answers(&self) -> &'a [T] {
        self.answers
    }

    /// Returns how many rays the chunk has.
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Returns the answer to a ray of the chunk.
    #[inline(always)]
    fn get(&self, ray: usize) -> T {
        let index = self.indices.as_ref().map_or(ray, |indices| indices[ray] as usize);
        self.answers[index]
    }
}

impl<H: KernelHit> ChunkAnswers<'_, H> {
    /// Returns the hit of a ray, and notes one that is no answer: one on which the driver gave up,
    /// or another whose t is NaN and which is missing.
    #[inline(always)]
    pub fn hit(&self, ray: usize, is_missing: fn(&H) -> bool) -> H {
        let hit = self.get(ray);
        if hit.t().is_nan() {
            if hit.is_abandoned() {
                self.has_abandoned.store(true, Ordering::Relaxed);
            } else if is_missing(&hit) {
                self.unanswered.fetch_min(ray, Ordering::Relaxed);
            }
        }
        hit
    }

    /// Returns the rays on which the driver gave up, counted from `first`, once the hit of each was
    /// taken.
    ///
    /// # Errors
    /// [`GpuError::Unanswered`], if a ray has no answer. The ray is not cast again, because a
    /// second attempt that succeeds by chance would hide the defect.
    pub fn abandoned(&self, first: usize) -> Result<Vec<usize>, GpuError> {
        match self.unanswered.load(Ordering::Relaxed) {
            usize::MAX if !self.has_abandoned.load(Ordering::Relaxed) => Ok(Vec::new()),
            usize::MAX => {
                let rays = 0..self.answers.len();
                let abandoned = rays.filter(|&ray| self.get(ray).is_abandoned());
                Ok(abandoned.map(|ray| first + ray).collect())
            }
            ray => Err(GpuError::Unanswered(first + ray)),
        }
    }
}

/// Returns an error that names the first of the chunk's rays or points without an answer, if there
/// is one.
pub(super) fn refuse_unanswered<T: Sync>(
    chunk: Range<usize>,
    answers: &[T],
    is_missing: impl Fn(&T) -> bool + Sync + Send,
) -> Result<(), GpuError> {
    // A search of single answers on many threads would take longer than a kernel takes for simple
    // rays.
    let missing =
        answers.par_chunks(ITEMS_A_TASK).enumerate().find_map_first(|(piece, answers)| {
            answers.iter().position(&is_missing).map(|ray| piece * ITEMS_A_TASK + ray)
        });
    match missing {
        Some(ray) => Err(GpuError::Unanswered(chunk.start + ray)),
        None => Ok(()),
    }
}
