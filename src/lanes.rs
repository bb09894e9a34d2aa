//! Arithmetic on sixteen float32 numbers at once, one for each ray of a packet. It uses AVX-512 or
//! AVX2 if the processor has it, which is checked at run time, and plain loops otherwise.

use pulp::{Scalar512b, Simd, f32x16};
use std::ops::{Add, Mul, Sub};
#[cfg(target_arch = "x86_64")]
use {
    pulp::x86::{V3_512b, V4},
    std::arch::x86_64::{__m256, __m512},
};

/// How many numbers are computed at once.
pub(crate) const LANES: usize = 16;

/// The instructions for sixteen numbers: those of the library, and those that it lacks.
pub(crate) trait Lanes: Simd<f32s = f32x16> {
    fn bits(self, mask: Self::m32s) -> u32;

    fn divide(self, a: f32x16, b: f32x16) -> f32x16;

    /// Returns `a * b + c`, rounded once or twice.
    fn multiply_add(self, a: f32x16, b: f32x16, c: f32x16) -> f32x16;
}

impl Lanes for Scalar512b {
    #[inline(always)]
    fn bits(self, mask: Self::m32s) -> u32 {
        let lanes: [u32; LANES] = pulp::cast(mask);
        (0..LANES).fold(0, |bits, lane| bits | (lanes[lane] & 1) << lane)
    }

    #[inline(always)]
    fn divide(self, a: f32x16, b: f32x16) -> f32x16 {
        let [a, b]: [[f32; LANES]; 2] = [pulp::cast(a), pulp::cast(b)];
        pulp::cast::<[f32; LANES], _>(std::array::from_fn(|lane| a[lane] / b[lane]))
    }

    #[inline(always)]
    fn multiply_add(self, a: f32x16, b: f32x16, c: f32x16) -> f32x16 {
        self.add_f32s(self.mul_f32s(a, b), c)
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for V3_512b {
    #[inline(always)]
    fn bits(self, mask: Self::m32s) -> u32 {
        let [low, high]: [__m256; 2] = pulp::cast(mask);
        let bits = |half| self.0.avx._mm256_movemask_ps(half) as u32;
        bits(low) | bits(high) << 8
    }

    #[inline(always)]
    fn divide(self, a: f32x16, b: f32x16) -> f32x16 {
        let [a, b]: [[__m256; 2]; 2] = [pulp::cast(a), pulp::cast(b)];
        let half = |half: usize| self.0.avx._mm256_div_ps(a[half], b[half]);
        pulp::cast([half(0), half(1)])
    }

    #[inline(always)]
    fn multiply_add(self, a: f32x16, b: f32x16, c: f32x16) -> f32x16 {
        self.mul_add_f32s(a, b, c)
    }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for V4 {
    #[inline(always)]
    fn bits(self, mask: Self::m32s) -> u32 {
        mask.0.into()
    }

    #[inline(always)]
    fn divide(self, a: f32x16, b: f32x16) -> f32x16 {
        let [a, b]: [__m512; 2] = [pulp::cast(a), pulp::cast(b)];
        pulp::cast(self.avx512f._mm512_div_ps(a, b))
    }

    #[inline(always)]
    fn multiply_add(self, a: f32x16, b: f32x16, c: f32x16) -> f32x16 {
        self.mul_add_f32s(a, b, c)
    }
}

/// Sixteen numbers, with the instructions to compute with them.
#[derive(Clone, Copy)]
pub(crate) struct Floats<L: Lanes> {
    lanes: L,
    values: f32x16,
}

/// A truth value for each of sixteen lanes.
#[derive(Clone, Copy)]
pub(crate) struct Mask<L: Lanes> {
    lanes: L,
    values: L::m32s,
}

impl<L: Lanes> Floats<L> {
    #[inline(always)]
    pub fn new(lanes: L, values: &[f32; LANES]) -> Self {
        Self { lanes, values: pulp::cast(*values) }
    }

    #[inline(always)]
    pub fn splat(lanes: L, value: f32) -> Self {
        Self { lanes, values: lanes.splat_f32s(value) }
    }

    #[inline(always)]
    pub fn to_array(self) -> [f32; LANES] {
        pulp::cast(self.values)
    }

    #[inline(always)]
    fn with(self, values: f32x16) -> Self {
        Self { values, ..self }
    }

    #[inline(always)]
    pub fn multiply_add(self, factor: Self, summand: Self) -> Self {
        self.with(self.lanes.multiply_add(self.values, factor.values, summand.values))
    }

    /// Returns one over each number.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        self.with(self.lanes.divide(self.lanes.splat_f32s(1.0), self.values))
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.with(self.lanes.sqrt_f32s(self.values))
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        // The library's own function is not inlined.
        self.max(self.with(self.lanes.splat_f32s(0.0)) - self)
    }

    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        self.with(self.lanes.min_f32s(self.values, other.values))
    }

    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        self.with(self.lanes.max_f32s(self.values, other.values))
    }

    #[inline(always)]
    pub fn highest(self) -> f32 {
        self.lanes.reduce_max_f32s(self.values)
    }

    #[inline(always)]
    pub fn lowest(self) -> f32 {
        self.lanes.reduce_min_f32s(self.values)
    }

    /// Returns true in each lane whose number is at most the other one's; a comparison with NaN is
    /// false.
    #[inline(always)]
    pub fn at_most(self, other: Self) -> Mask<L> {
        let values = self.lanes.less_than_or_equal_f32s(self.values, other.values);
        Mask { lanes: self.lanes, values }
    }
}

impl<L: Lanes> Mask<L> {
    #[inline(always)]
    pub fn and(self, other: Self) -> Self {
        Self { values: self.lanes.and_m32s(self.values, other.values), ..self }
    }

    #[inline(always)]
    pub fn select(self, if_true: Floats<L>, if_false: Floats<L>) -> Floats<L> {
        if_true.with(self.lanes.select_f32s(self.values, if_true.values, if_false.values))
    }

    /// Returns a bit for each lane.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.lanes.bits(self.values)
    }
}

impl<L: Lanes> Add for Floats<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.lanes.add_f32s(self.values, other.values))
    }
}

impl<L: Lanes> Sub for Floats<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.lanes.sub_f32s(self.values, other.values))
    }
}

impl<L: Lanes> Mul for Floats<L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.lanes.mul_f32s(self.values, other.values))
    }
}
