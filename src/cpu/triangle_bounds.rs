//! Bounds in float32 on where each ray of a packet crosses a mesh's triangle. The float64 test
//! decides which crossing is the first one; the bounds only spare most of its uses.
//!
//! The moment of a line about one end of an edge, times the edge, gives the side on which the line
//! passes the edge (Plücker's coordinates). Let n be an upper bound on the distance from a ray's
//! origin to any corner and e one on the length of any edge, both as sums over the axes; no
//! component of a packet's direction reaches 2. The roundings of that product add up to at most 14
//! u n e, and those of the float64 test's to less than 2⁻⁴⁵ n². The normal is the float64 test's,
//! rounded once, so its products with the direction and with the way to a corner err by at most 8 u
//! and 5 u n times the sum of its components. The float64 test takes a speed towards the plane
//! below 2⁻⁴⁷ e² for none. All margins are at least twice as large, and no smaller than the
//! smallest normal number.

use super::crossing_bounds::CrossingBounds;
use crate::bvh::{OfRays, RayPacket};
use crate::lanes::{Floats, Lanes};
use crate::math::U;
use crate::shapes::PreparedTriangle;

const MARGIN: f32 = 32.0 * U as f32;
const LEAST_MARGIN: f32 = f32::MIN_POSITIVE;

/// One vector for each ray of a packet.
type Vectors<L> = [Floats<L>; 3];

#[inline(always)]
fn cross<L: Lanes>([ax, ay, az]: Vectors<L>, [bx, by, bz]: Vectors<L>) -> Vectors<L> {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

#[inline(always)]
fn difference([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ax - bx, ay - by, az - bz]
}

#[inline(always)]
fn sum_of_sizes([x, y, z]: [f32; 3]) -> f32 {
    x.abs() + y.abs() + z.abs()
}

#[inline(always)]
pub(super) fn triangle_bounds<L: Lanes>(
    triangle: &PreparedTriangle,
    lanes: L,
    packet: &RayPacket,
    reach: &OfRays,
) -> CrossingBounds {
    let splat = |number: f32| Floats::splat(lanes, number);
    let load = |numbers: &OfRays| Floats::new(lanes, numbers);
    let dot =
        |[x, y, z]: Vectors<L>, v: [f32; 3]| x * splat(v[0]) + y * splat(v[1]) + z * splat(v[2]);
    let ([a, b, c], normal) = (triangle.corners(), triangle.normal());
    let [ab, bc, ca] = [difference(b, a), difference(c, b), difference(a, c)];
    let edge = sum_of_sizes(ab) + sum_of_sizes(ca);
    let distance = packet.farthest(a) + edge;

    let [x, y, z] = &packet.direction;
    let direction = [load(x), load(y), load(z)];
    let [x, y, z] = &packet.origin;
    let origin = [load(x), load(y), load(z)];
    let to_a = [splat(a[0]) - origin[0], splat(a[1]) - origin[1], splat(a[2]) - origin[2]];
    let to_b = [splat(b[0]) - origin[0], splat(b[1]) - origin[1], splat(b[2]) - origin[2]];

    let about_a = cross(direction, to_a);
    let sides = [dot(about_a, ab), dot(cross(direction, to_b), bc), dot(about_a, ca)];
    // It is positive for a line that passes all edges on one side, whichever that is.
    let lowest = sides[0].min(sides[1]).min(sides[2]);
    let highest = sides[0].max(sides[1]).max(sides[2]);
    let inside = lowest.max(splat(0.0) - highest);
    let margin = MARGIN * distance * (edge + U as f32 * distance) + LEAST_MARGIN;

    let size = sum_of_sizes(normal);
    let speed_margin = MARGIN * size + 1.0 / (1_u64 << 46) as f32 * edge * edge + LEAST_MARGIN;
    let (speed, height) = (dot(direction, normal), dot(to_a, normal));
    // No t is known of a line that runs along the plane up to the margin.
    let is_steep = splat(2.0 * speed_margin).at_most(speed.abs());
    let inverse = speed.inverse();
    let t = height * inverse;
    let height_margin = MARGIN * size * distance + LEAST_MARGIN;
    let [height_error, speed_error] = [2.0 * height_margin, 2.0 * speed_margin];
    let error = (t.abs() * splat(speed_error) + splat(height_error)) * inverse.abs();
    let low = is_steep.select(t - error, splat(f32::NEG_INFINITY));
    let high = is_steep.select(t + error, splat(f32::INFINITY));

    let [t_min, above_t_min] = &packet.t_min;
    let is_met = splat(-margin).at_most(inside);
    let is_met = is_met.and(low.at_most(load(reach))).and(load(t_min).at_most(high));
    let is_certain = is_met.and(is_steep).and(splat(margin).at_most(inside));
    let is_certain = is_certain.and(load(above_t_min).at_most(low));
    CrossingBounds {
        met: is_met.bits(),
        certain: is_certain.bits(),
        low: is_certain.select(low, splat(f32::NAN)).to_array(),
        high: is_certain.select(high, splat(f32::INFINITY)).to_array(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{PACKET, RayLanes};
    use crate::ray::Ray;
    use crate::shapes::Triangle;
    use fastrand::Rng;
    use glam::DVec3;
    use pulp::Scalar512b;

    /// Triangles and slivers of sizes from 1e-12 to 1e6, near and far, and rays at their corners,
    /// edges and planes.
    #[test]
    fn the_float64_test_finds_every_crossing_within_its_bounds() {
        let rng = &mut Rng::with_seed(8);
        let [mut met, mut certain] = [0, 0];
        for _ in 0..100_000 {
            let size = libm::exp10(18.0 * rng.f64() - 12.0);
            let away = size * libm::exp10(10.0 * rng.f64() - 1.0);
            let width = if rng.bool() { 1.0 } else { libm::exp10(-9.0 * rng.f64()) };
            let mut vector = |size: f64| {
                let mut number = || size * (rng.f64() - 0.5);
                DVec3::new(number(), number(), number())
            };
            let rounded = |v: DVec3| v.as_vec3().as_dvec3();
            let a = rounded(vector(1e3 * size));
            let [ab, aside] = [vector(size), vector(size)];
            let c = a + 0.5 * ab + width * aside;
            let triangle = Triangle { vertices: [a, rounded(a + ab), rounded(c)] };
            let eye = triangle.vertices[0] + vector(away.min(1e8));
            let rays: [Ray; PACKET] = std::array::from_fn(|_| {
                let shares = [rng.f64(), rng.f64()];
                let is_at_edge = rng.bool();
                let shares = shares.map(|share| match is_at_edge {
                    true => (4.0 * share).round() / 2.0 - 0.5,
                    false => 0.5 * share,
                });
                let [a, b, c] = triangle.vertices;
                let target = a + shares[0] * (b - a) + shares[1] * (c - a);
                let origin = if rng.bool() { eye } else { eye + 0.1 * (target - eye) };
                let direction = (target - eye).as_vec3().normalize();
                let t_min =
                    if rng.u8(..8) == 0 { (0.9 * (target - origin).length()) as f32 } else { 0.0 };
                Ray::new(origin.as_vec3(), direction).within(t_min, f32::INFINITY)
            });
            if !rays.iter().all(Ray::is_valid) {
                continue;
            }
            let (packet, _) = RayPacket::new(Scalar512b, &RayLanes::new(&rays));
            let prepared = PreparedTriangle::from(triangle);
            let reach = [f32::INFINITY; PACKET];
            let bounds = triangle_bounds(&prepared, Scalar512b, &packet, &reach);
            for (lane, ray) in rays.iter().enumerate() {
                let found = prepared.first_crossing(&ray.line(), ray.t_min.into());
                let (is_met, is_certain) =
                    (bounds.met >> lane & 1 == 1, bounds.certain >> lane & 1 == 1);
                assert!(is_met || found.is_none(), "{triangle:?} {ray:?} {found:?}");
                assert!(found.is_some() || !is_certain, "{triangle:?} {ray:?}");
                if let Some(crossing) = found.filter(|_| is_certain) {
                    let t = crossing.t * f64::from(ray.near_unit_direction().1);
                    let [low, high] = [bounds.low[lane], bounds.high[lane]].map(f64::from);
                    assert!(low <= t && t <= high, "{triangle:?} {ray:?} {low} {t} {high}");
                }
                met += usize::from(is_met);
                certain += usize::from(is_certain);
            }
        }
        assert!(certain > 100_000 && certain < met, "{certain} of {met}");
    }
}
