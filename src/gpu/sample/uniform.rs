//! The uniform that says to shaders in which way a chunk of rays is made and added up.

use crate::gpu::hit::HitKind;
use crate::math::power_of_two;
use crate::sample::{NormalFrame, RayGenerator, Sampler};
use bytemuck::{Pod, Zeroable};
use glam::DVec3;

/// The uniform `Sampling` of `shaders/sample/generate.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(in crate::gpu) struct SamplingUniform {
    pub seed: [u32; 2],
    pub first: [u32; 2],
    pub count: u32,
    pub generator: u32,
    pub t_min: u32,
    pub t_max: u32,
    pub exponents: [i32; 3],
    pub hit_words: u32,
    pub shifts: [u32; 3],
    pub room: u32,
    pub low: [u32; 3],
    pub geometries: u32,
    pub high: [u32; 3],
    pub unit_exponent: i32,
    pub extents: [u32; 3],
    pub edges: u32,
    pub normal: [i32; 3],
    pub segments: u32,
    pub across: [i32; 3],
    pub solids: u32,
    pub upwards: [i32; 3],
    pub first_index: u32,
}

pub(in crate::gpu) const IN_BOX: u32 = 0;
pub(in crate::gpu) const LINES: u32 = 1;
const PATCH: u32 = 2;

/// The bits of a share of one, and of a vector's component, behind their points.
const SHARE_BITS: i32 = 32;
const COMPONENT_BITS: i32 = 30;

impl SamplingUniform {
    /// Returns what all chunks of a sampler have in common.
    pub fn new(sampler: &Sampler, hit_kind: HitKind, [segments, solids]: [u32; 2]) -> Self {
        let halves = |number: u64| [number as u32, (number >> 32) as u32];
        let [t_min, t_max] = sampler.interval().map(f32::to_bits);
        let common = Self {
            seed: halves(sampler.seed()),
            t_min,
            t_max,
            hit_words: hit_kind.bytes() as u32 / 4,
            geometries: sampler.is_solid().len() as u32,
            unit_exponent: sampler.unit().exponent,
            edges: sampler.edges().len() as u32,
            segments,
            solids,
            ..Self::zeroed()
        };
        match *sampler.generator() {
            RayGenerator::InBox { min, max } => {
                Self { generator: IN_BOX, ..common }.with_origins(min, max - min, SHARE_BITS)
            }
            RayGenerator::Lines { center, radius } => Self { generator: LINES, ..common }
                .with_origins(center, DVec3::splat(radius), COMPONENT_BITS),
            RayGenerator::Patch { center, normal, radius } => {
                let NormalFrame { normal, first, second } = NormalFrame::about(normal);
                let [normal, across, upwards] = [normal, first, second].map(components);
                Self { generator: PATCH, normal, across, upwards, ..common }.with_origins(
                    center,
                    DVec3::splat(radius),
                    COMPONENT_BITS,
                )
            }
            // The kernel of cameras makes their rays.
            RayGenerator::Views(_) => common,
        }
    }

    /// Sets where rays start: at `start`, moved on each axis by `extent` times a number with so
    /// many bits behind its point.
    fn with_origins(mut self, start: DVec3, extent: DVec3, bits: i32) -> Self {
        for axis in 0..3 {
            let Axis { whole, extent, shift, exponent } =
                Axis::new(start[axis], extent[axis], bits);
            self.low[axis] = whole as u32;
            self.high[axis] = (whole >> 32) as u32;
            self.extents[axis] = extent;
            self.shifts[axis] = shift;
            self.exponents[axis] = exponent;
        }
        self
    }

    /// Returns it for a chunk of rays from a number on, which is the `first_index`th of those whose
    /// sums are read at once.
    pub fn of_chunk(self, first: u64, count: u32, first_index: u32, room: u32) -> Self {
        let first = [first as u32, (first >> 32) as u32];
        Self { first, count, first_index, room, ..self }
    }
}

/// A coordinate of origins in fixed point: `whole + (extent * number >> shift)`, times two to the
/// `exponent`.
struct Axis {
    whole: i64,
    extent: u32,
    shift: u32,
    exponent: i32,
}

impl Axis {
    /// The bits of the largest sum, so that it fits 64 bits with its sign.
    const BITS: i32 = 61;

    fn new(start: f64, extent: f64, number_bits: i32) -> Self {
        // The extent is below two to this power.
        let top = |number: f64| binary_exponent(number) + 1;
        let product_exponent = top(extent) - 32 - number_bits;
        let exponent = top(start.abs()).max(top(extent)) - Self::BITS;
        let shift = exponent - product_exponent;
        // A product that is shifted out is far below what float32 holds of the start.
        let extent = match shift {
            0..64 => (extent * power_of_two(32 - top(extent))).round().min(f64::from(u32::MAX)),
            _ => 0.0,
        };
        let whole = (start * power_of_two(-exponent)) as i64;
        Self { whole, extent: extent as u32, shift: shift.clamp(0, 63) as u32, exponent }
    }
}

/// Returns the exponent of the largest power of two that is not above a number, and a low one for
/// zero.
fn binary_exponent(number: f64) -> i32 {
    match number == 0.0 {
        true => -200,
        false => (number.to_bits() >> 52) as i32 - 1023,
    }
}

/// Returns the components of a unit vector in fixed point.
fn components(v: DVec3) -> [i32; 3] {
    v.to_array().map(|component| (component * power_of_two(COMPONENT_BITS)).round() as i32)
}
