//! Measures the arithmetic of a device. WGSL leaves much of it to drivers: quotients and roots may
//! be wrong by some units in the last place, products may be fused with sums, differently in each
//! copy of the code, and subnormal numbers may become zero. Answers stay within the bound in any
//! case. They are compared to the bit only if a device rounds correctly: see
//! `docs/reference/numbers.md`.

use super::device::Gpu;
use super::elementwise;
use super::kernel::{EntryPoint, KernelKey, ModuleContents, ModuleKey};
use super::pipelines::pipeline;
use crate::arithmetic::{Arithmetic, Fusion, Rounding};
use crate::gpu_error::GpuError;
use crate::math::U;
use bytemuck::{Pod, Zeroable};

/// The number of threads that compute with random operands.
const SAMPLES: u32 = 1 << 16;

/// The struct of the same name in `shaders/arithmetic.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(super) struct Results {
    pub quotient: f32,
    pub root: f32,
    pub sum: f32,
    pub product: f32,
    pub difference: f32,
    pub fma: f32,
    pub barred_difference: f32,
    pub reversed_difference: f32,
}

impl Gpu {
    /// Measures the precision of the device's quotients, roots, sums and products, and whether it
    /// fuses operations or flushes subnormals. It needs a fraction of a second.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    ///
    /// ```
    /// use raytwin::gpu::{AdapterChoice, Gpu};
    ///
    /// let gpu = Gpu::open(&AdapterChoice::Any)?;
    /// let arithmetic = gpu.measure_arithmetic()?;
    /// assert!(arithmetic.keeps_promises());
    /// println!("the worst quotient is off by {} u", arithmetic.quotients.worst_u);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn measure_arithmetic(&self) -> Result<Arithmetic, GpuError> {
        pollster::block_on(self.measure_arithmetic_async())
    }

    /// Does the same as [`Self::measure_arithmetic`] without blocking.
    ///
    /// # Errors
    /// As [`Self::measure_arithmetic`].
    pub async fn measure_arithmetic_async(&self) -> Result<Arithmetic, GpuError> {
        let module = ModuleKey { contents: ModuleContents::Arithmetic, fault: None };
        let key = KernelKey { module, entry_point: EntryPoint::Arithmetic };
        let kernel = pipeline(self, &key).await?;
        let mut operands: Vec<[f32; 4]> = (0..SAMPLES).map(operands).collect();
        let subnormal = operands.len();
        // Their product is subnormal.
        operands.push([1e-30, 1e-12, 0.0, 0.0]);
        let zeros = [0_u32];
        let arrays = [bytemuck::cast_slice(&operands), bytemuck::cast_slice(&zeros)];
        let results = elementwise::map::<Results>(self, &kernel, arrays, operands.len()).await?;
        Ok(judge(&operands[..subnormal], &results[..subnormal], results[subnormal].product))
    }
}

/// Returns the operands of a thread: a and b have random digits and exponents, and the
/// product of c and d is the same.
fn operands(thread: u32) -> [f32; 4] {
    let number = |salt: u32| {
        let bits = hash(2 * thread + salt);
        // The exponent lies between −8 and 7.
        f32::from_bits((bits & 0x007f_ffff) | ((127 - 8 + (bits >> 28)) << 23))
    };
    let [a, b] = [number(0), number(1)];
    [a, b, 4.0 * b, 0.25 * a]
}

/// Mixes the bits of a number (Wellons, the integer hash lowbias32, public domain).
fn hash(number: u32) -> u32 {
    let mut bits = number;
    bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
    bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
    bits ^ (bits >> 16)
}

/// Compares results with the exact ones. In float64 products and sums of these operands are exact,
/// and quotients and roots are precise enough to be rounded to float32 correctly.
fn judge(operands: &[[f32; 4]], results: &[Results], subnormal: f32) -> Arithmetic {
    let rounding = |result: fn(&Results) -> f32, exact: fn(f64, f64) -> f64| {
        let mut rounding = Rounding { worst_u: 0.0, is_correct: true };
        for (&[a, b, ..], results) in operands.iter().zip(results) {
            let (exact, result) = (exact(f64::from(a), f64::from(b)), result(results));
            let error = ((f64::from(result) - exact) / exact).abs() / U;
            // A NaN counts as the worst error: it replaces any other, and no other replaces it.
            let worst = rounding.worst_u;
            rounding.worst_u = if worst.is_nan() || error <= worst { worst } else { error };
            rounding.is_correct &= result == exact as f32;
        }
        rounding
    };
    // Two equal products cancel if both are rounded. If one is fused with the difference, its
    // rounding error is left.
    let fusion = |result: fn(&Results) -> f32| {
        let inexact = operands
            .iter()
            .zip(results)
            .filter(|([a, b, ..], _)| f64::from(*a) * f64::from(*b) != f64::from(a * b));
        let fused = inexact.clone().filter(|(_, results)| result(results) != 0.0).count();
        match fused {
            0 => Fusion::Never,
            _ if fused == inexact.count() => Fusion::Always,
            _ => Fusion::Sometimes,
        }
    };
    let keeps_barriers = results
        .iter()
        .all(|results| results.barred_difference == 0.0 && results.reversed_difference == 0.0);
    Arithmetic {
        quotients: rounding(|results| results.quotient, |a, b| a / b),
        roots: rounding(|results| results.root, |a, _| a.sqrt()),
        sums: rounding(|results| results.sum, |a, b| a + b),
        products: rounding(|results| results.product, |a, b| a * b),
        products_with_sums: fusion(|results| results.difference),
        fma: fusion(|results| results.fma),
        keeps_subnormals: subnormal != 0.0,
        keeps_barriers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    /// Returns what a device with correct rounding computes, which fuses nothing.
    fn exact([a, b, c, d]: [f32; 4]) -> Results {
        Results {
            quotient: a / b,
            root: a.sqrt(),
            sum: a + b,
            product: a * b,
            difference: a * b - c * d,
            fma: a * b - c * d,
            barred_difference: a * b - c * d,
            reversed_difference: c * d - a * b,
        }
    }

    /// Judges a device whose results are changed so.
    fn judged(change: impl Fn(u32, [f32; 4], &mut Results)) -> Arithmetic {
        let operands: Vec<_> = (0..1000).map(operands).collect();
        let changed = (0..).zip(&operands).map(|(index, &operands)| {
            let mut results = exact(operands);
            change(index, operands, &mut results);
            results
        });
        judge(&operands, &changed.collect::<Vec<_>>(), f32::MIN_POSITIVE / 2.0)
    }

    #[test]
    fn each_departure_from_correct_rounding_is_found() {
        let correct = judged(|_, _, _| {});
        assert!(correct.keeps_promises() && correct.is_correctly_rounded());
        assert!(correct.keeps_subnormals);
        assert!(correct.quotients.worst_u > 0.9 && correct.quotients.worst_u <= 1.0);
        assert_eq!([correct.products_with_sums, correct.fma], [Fusion::Never; 2]);

        let by_reciprocal = judged(|_, [a, b, ..], results| results.quotient = a * (1.0 / b));
        assert!(by_reciprocal.keeps_promises() && !by_reciprocal.is_correctly_rounded());
        assert!(by_reciprocal.quotients.worst_u > 1.1 && by_reciprocal.quotients.worst_u < 3.0);

        let fused = |[a, b, c, d]: [f32; 4]| a.mul_add(b, -(c * d));
        let always = judged(|_, operands, results| results.difference = fused(operands));
        assert_eq!([always.products_with_sums, always.fma], [Fusion::Always, Fusion::Never]);
        assert!(always.keeps_promises());
        let sometimes = judged(|index, operands, results| {
            results.fma = if index % 2 == 0 { fused(operands) } else { results.fma };
        });
        assert_eq!(
            [sometimes.products_with_sums, sometimes.fma],
            [Fusion::Never, Fusion::Sometimes]
        );
    }

    #[test]
    fn each_broken_promise_is_found() {
        let off = |number: f32, units: u32| f32::from_bits(number.to_bits() + units);
        for broken in [
            judged(|_, _, results| results.quotient = off(results.quotient, 7)),
            judged(|_, _, results| results.root = off(results.root, 9)),
            judged(|index, _, results| results.sum = off(results.sum, u32::from(index == 500))),
            judged(|index, _, results| {
                results.product = off(results.product, u32::from(index == 500))
            }),
            judged(|_, [a, b, c, d], results| results.barred_difference = a.mul_add(b, -(c * d))),
            judged(|_, [a, b, c, d], results| results.reversed_difference = c.mul_add(d, -(a * b))),
            judged(|index, _, results| {
                results.root = if index == 7 { f32::NAN } else { results.root };
            }),
        ] {
            assert!(!broken.keeps_promises(), "{broken:?}");
        }
    }

    #[test]
    fn the_device_of_the_tests_keeps_the_promises() {
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let arithmetic = gpu.measure_arithmetic().unwrap();
        assert!(arithmetic.keeps_promises(), "{arithmetic:?}");
        assert!(arithmetic.quotients.worst_u > 0.9, "{arithmetic:?}");
    }
}
