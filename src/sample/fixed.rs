//! Positions along rays as whole multiples of a unit, so that their sums are exact whatever their
//! order.

/// The positions from this multiple of the unit on count as this one, so that 2^25 of them add up
/// to less than 2^64.
pub(crate) const END: u64 = 1 << 38;

/// The bits of the largest position at which a scene's bounds end, as a multiple of the unit.
const REACH_BITS: i32 = 30;

/// The unit of positions: a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The unit is two to this power.
    pub exponent: i32,
}

impl Unit {
    /// Returns the unit of which positions up to `reach` are at most 2^30 multiples.
    pub fn for_reach(reach: f64) -> Self {
        // A reach of zero is that of a scene with no extent; lengths in a scene are at least 1e-9.
        let exponent = (reach.max(1e-9).to_bits() >> 52) as i32 - 1023;
        Self { exponent: exponent + 1 - REACH_BITS }
    }

    /// The length is in units of the scene.
    pub fn length(self) -> f64 {
        // The exponent is far from the limits of float64.
        f64::from_bits(((self.exponent + 1023) as u64) << 52)
    }

    /// Returns the multiple that is nearest to a position, the higher one of two, at most [`END`].
    /// The position is not negative; +∞ is [`END`].
    pub fn of(self, t: f32) -> u64 {
        let bits = t.to_bits() & 0x7fff_ffff;
        let biased = (bits >> 23) as i32;
        // Subnormal numbers are far below any unit.
        if biased == 0 {
            return 0;
        }
        let mantissa = u64::from((bits & 0x007f_ffff) | 0x0080_0000);
        match biased - 150 - self.exponent {
            shift if shift > 14 => END,
            shift @ 0.. => mantissa << shift,
            shift @ -24..0 => (mantissa + (1 << (-shift - 1))) >> -shift,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_the_nearest_multiple_of_the_unit() {
        for reach in [1e-9, 0.3, 1.0, 7.9e5, 2e9] {
            let unit = Unit::for_reach(reach);
            let largest = reach / unit.length();
            assert!(largest < f64::from(1 << 30) && largest >= f64::from(1 << 29), "{reach}");
            let mut random = fastrand::Rng::with_seed(1);
            for _ in 0..1000 {
                let t = (reach * random.f64().powi(6) * 300.0) as f32;
                let exact = (f64::from(t) / unit.length() + 0.5).floor();
                assert_eq!(unit.of(t) as f64, exact.min(END as f64), "{t} of {reach}");
            }
            assert_eq!([unit.of(0.0), unit.of(-0.0), unit.of(1e-40)], [0; 3]);
            assert_eq!([unit.of(f32::INFINITY), unit.of(3e38)], [END; 2]);
        }
    }
}
