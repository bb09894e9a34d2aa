//! Tests of two triangles of meshes at once, in float32. Most triangles whose boxes a ray meets are
//! missed by its line, and these tests spare them the float64 test, which decides.
//!
//! As in `triangle_bounds.rs`, the moment of a line about one end of an edge, times the edge, gives
//! the side on which the line passes the edge. A line that passes two edges on different sides
//! misses the triangle. Let n be the distance from the ray's origin to that end and e the edge's
//! length, both as sums over the axes; no component of the direction reaches 2. The roundings of the
//! product add up to at most 14 u n e. Those of the float64 test, which projects the corners along
//! the line, are less than 2⁻⁴⁵ n (n + e). The margins are at least twice as large.

use super::line_in_float32::LineInFloat32;
use crate::bvh::Portable;
#[cfg(target_arch = "x86_64")]
use crate::math::U;
use crate::shapes::PreparedTriangle;
#[cfg(target_arch = "x86_64")]
use {
    pulp::x86::V3,
    std::arch::x86_64::{__m128, __m256, _CMP_GT_OQ, _CMP_LT_OQ},
};

/// The instructions by which triangles are tested.
pub(super) trait TriangleSieve: Copy {
    /// Returns for each of two triangles false only if a line certainly misses it.
    fn may_be_crossed(self, pair: [&PreparedTriangle; 2], line: &LineInFloat32) -> [bool; 2];
}

/// The float64 test alone decides.
impl TriangleSieve for Portable {
    #[inline(always)]
    fn may_be_crossed(self, _: [&PreparedTriangle; 2], _: &LineInFloat32) -> [bool; 2] {
        [true; 2]
    }
}

/// Each half of a vector holds the three edges of one triangle, and an edge without length.
#[cfg(target_arch = "x86_64")]
impl TriangleSieve for V3 {
    #[inline(always)]
    fn may_be_crossed(self, pair: [&PreparedTriangle; 2], line: &LineInFloat32) -> [bool; 2] {
        const MARGIN: f32 = 32.0 * U as f32;
        let Self { avx, fma, .. } = self;
        let splat = |number: f32| avx._mm256_set1_ps(number);
        let size = |x: __m256| avx._mm256_andnot_ps(splat(-0.0), x);
        let sum = |[x, y, z]: [__m256; 3]| avx._mm256_add_ps(avx._mm256_add_ps(x, y), z);
        let difference_of_products =
            |a, b, c, d| fma._mm256_fmsub_ps(a, b, avx._mm256_mul_ps(c, d));

        let [low, high] = pair.map(PreparedTriangle::corner_rows);
        let from: [__m256; 3] = std::array::from_fn(|axis| {
            let [low, high]: [__m128; 2] = bytemuck::cast([low[axis], high[axis]]);
            avx._mm256_set_m128(high, low)
        });
        // The corners are a, b, c and a; the ends of the edges from them are b, c, a and a.
        let edge =
            from.map(|from| avx._mm256_sub_ps(avx._mm256_permute_ps::<0b00_00_10_01>(from), from));
        let way: [__m256; 3] =
            std::array::from_fn(|axis| avx._mm256_sub_ps(from[axis], splat(line.origin[axis])));
        let [dx, dy, dz] = line.direction.map(splat);
        let moment = [
            difference_of_products(dy, way[2], dz, way[1]),
            difference_of_products(dz, way[0], dx, way[2]),
            difference_of_products(dx, way[1], dy, way[0]),
        ];
        let side = avx._mm256_mul_ps(moment[0], edge[0]);
        let side = fma._mm256_fmadd_ps(moment[1], edge[1], side);
        let side = fma._mm256_fmadd_ps(moment[2], edge[2], side);

        let least = splat(f32::MIN_POSITIVE);
        let distance = sum(way.map(size));
        let length = fma._mm256_fmadd_ps(distance, splat(U as f32), sum(edge.map(size)));
        let scaled = fma._mm256_fmadd_ps(distance, splat(MARGIN), least);
        let margin = fma._mm256_fmadd_ps(scaled, length, least);
        let beyond = |side| avx._mm256_movemask_ps(side) as u32;
        let left = beyond(avx._mm256_cmp_ps::<_CMP_GT_OQ>(side, margin));
        let margin = avx._mm256_xor_ps(margin, splat(-0.0));
        let right = beyond(avx._mm256_cmp_ps::<_CMP_LT_OQ>(side, margin));
        [0x0f, 0xf0].map(|half| (left & half == 0) | (right & half == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray::Ray;
    use crate::shapes::{ClosedForm, Triangle};
    use fastrand::Rng;
    use glam::DVec3;

    fn vector(rng: &mut Rng, size: f64) -> DVec3 {
        let mut number = || size * (rng.f64() - 0.5);
        DVec3::new(number(), number(), number()).as_vec3().as_dvec3()
    }

    /// Returns how many of the triangles that a sieve rejects, and of those that it keeps, the
    /// float64 test rejects. Triangles and slivers have sizes from 1e-12 to 1e6, and rays pass near
    /// corners, edges and planes.
    fn rejected_and_kept(sieve: impl TriangleSieve) -> [usize; 2] {
        let rng = &mut Rng::with_seed(9);
        let mut counts = [0; 2];
        for _ in 0..300_000 {
            let size = libm::exp10(18.0 * rng.f64() - 12.0);
            let away = size * libm::exp10(10.0 * rng.f64() - 1.0);
            let place = vector(rng, 1e3 * size);
            let [first, second] = [0, 1].map(|_| {
                let [ab, aside] = [vector(rng, size), vector(rng, size)];
                [place, place + ab, place + 0.5 * ab + vector(rng, 1.0).x.powi(9) * aside]
            });
            let origin = place + vector(rng, away.min(1e8));
            let pair = [first, second].map(|corners| Triangle {
                vertices: corners.map(|corner| corner.as_vec3().as_dvec3()),
            });
            let [a, b, c] = pair[0].vertices;
            let shares = [0, 1].map(|_| (8.0 * rng.f64() - 3.0).round() * 0.25 + 1e-8 * rng.f64());
            let target = a + shares[0] * (b - a) + shares[1] * (c - a);
            let origin = if rng.bool() { origin } else { target };
            let towards = if origin == target { vector(rng, 1.0) } else { target - origin };
            let ray = Ray::new(origin.as_vec3(), towards.as_vec3());
            if !ray.is_valid() {
                continue;
            }
            let prepared = pair.map(PreparedTriangle::from);
            let [first, second] = &prepared;
            let may_be_crossed = sieve.may_be_crossed([first, second], &LineInFloat32::of(&ray));
            for ((triangle, prepared), is_kept) in pair.iter().zip(&prepared).zip(may_be_crossed) {
                let is_crossed = !triangle.own_crossings(&ray.line()).is_empty()
                    || prepared.first_crossing(&ray.line(), 0.0).is_some();
                assert!(is_kept || !is_crossed, "{triangle:?} {ray:?}");
                counts[usize::from(is_kept)] += usize::from(!is_crossed);
            }
        }
        counts
    }

    #[test]
    fn no_triangle_that_is_crossed_is_rejected() {
        let [rejected, kept] = rejected_and_kept(Portable);
        assert!(rejected == 0 && kept > 100_000, "{rejected} and {kept}");
        #[cfg(target_arch = "x86_64")]
        if let Some(v3) = V3::try_new() {
            let [rejected, kept] = rejected_and_kept(v3);
            assert!(rejected > kept, "{rejected} and {kept}");
        }
    }
}
