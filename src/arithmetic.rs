//! The precision of a device's float32 arithmetic.

/// The largest relative error of a quotient, in u, at which the bound on t was tested: 2.5 units in
/// the last place, and one rounding.
const MOST_OF_QUOTIENTS: f64 = 6.0;
/// The same for roots: 3.5 units in the last place, and one rounding.
const MOST_OF_ROOTS: f64 = 8.0;

/// The precision of a device's float32 arithmetic, measured with random operands.
/// [`Gpu::measure_arithmetic`](crate::gpu::Gpu::measure_arithmetic) returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Arithmetic {
    /// The rounding of quotients.
    pub quotients: Rounding,
    /// The rounding of square roots.
    pub roots: Rounding,
    /// The rounding of sums.
    pub sums: Rounding,
    /// The rounding of products.
    pub products: Rounding,
    /// Whether the driver fuses `a * b - c * d` into a product and one more operation with one
    /// rounding.
    pub products_with_sums: Fusion,
    /// Whether WGSL's `fma(a, b, -(c * d))` is one operation with one rounding.
    pub fma: Fusion,
    /// True if a product that is subnormal is not flushed to zero.
    pub keeps_subnormals: bool,
    /// True if the driver does not fuse products that the shaders keep apart. Meshes and
    /// heightfields are watertight only then.
    pub keeps_barriers: bool,
}

/// The errors of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rounding {
    /// The largest relative error, in u = 2⁻²⁴.
    pub worst_u: f64,
    /// True if every result is the number nearest to the exact one.
    pub is_correct: bool,
}

/// Whether a product and a sum are fused into one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// Each is rounded on its own.
    Never,
    /// The two are always rounded once.
    Always,
    /// Some pairs are rounded once.
    Sometimes,
}

impl Arithmetic {
    /// Returns true if the bounds on the precision of answers hold on the device.
    ///
    /// They hold if sums and products are rounded correctly, barriers are kept, and quotients and
    /// roots are no worse than those with which the bounds were tested (2.5 and 3.5 units in the
    /// last place).
    pub fn keeps_promises(&self) -> bool {
        self.sums.is_correct
            && self.products.is_correct
            && self.keeps_barriers
            && self.quotients.worst_u <= MOST_OF_QUOTIENTS
            && self.roots.worst_u <= MOST_OF_ROOTS
    }

    /// Returns true if every operation is rounded correctly. On such a device, answers for rays and
    /// shapes with small whole numbers are exact.
    pub fn is_correctly_rounded(&self) -> bool {
        [self.quotients, self.roots, self.sums, self.products].iter().all(|of| of.is_correct)
    }
}
