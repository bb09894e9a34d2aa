//! The directions in which pixels cast rays to lights.
//!
//! Four by four neighbouring pixels use sixteen directions that together cover the light evenly, as
//! in *Interleaved Sampling* by Keller and Heidrich (2001). An average over these pixels has no
//! noise. Every layer of a picture has its own directions. They are computed with `libm`, so on the
//! CPU a picture is the same on every machine.

use glam::Vec3;
use std::f32::consts::TAU;

/// The side of the squares of pixels that share a set of directions.
pub(super) const SIDE: usize = 4;
const DIRECTIONS: usize = SIDE * SIDE;

/// An order of a square's pixels in which successive ones lie far apart: Bayer's matrix.
const ORDER: [usize; DIRECTIONS] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];

/// A direction towards the sky about the normal +z, and its reach, from 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct SkyDirection {
    pub direction: Vec3,
    pub reach: f32,
}

/// The directions of one layer.
pub(super) struct Pattern {
    /// The point of each pixel through which its rays go, from 0 to 1.
    pub offset: [f64; 2],
    sun: [Vec3; DIRECTIONS],
    sky: [SkyDirection; DIRECTIONS],
}

impl Pattern {
    /// Returns the pattern of one of `layers` layers, for a round sun of this radius in this
    /// direction.
    pub fn new(layer: u32, layers: u32, sun: Vec3, sun_radius: f32) -> Self {
        let [right, up] = frame(sun);
        // The rotation of Cranley and Patterson (1976) by a point of the R2 sequence, which no
        // other layer has.
        let turn = |point: [f32; 3]| {
            let number = layer as f32;
            let steps = [0.754_877_7, 0.569_840_3, 0.324_717_96].map(|step: f32| number * step);
            [0, 1, 2].map(|axis| (point[axis] + steps[axis]).fract())
        };
        let points: [[f32; 3]; DIRECTIONS] = std::array::from_fn(|index| {
            let stratum = |index: usize| (index as f32 + 0.5) / DIRECTIONS as f32;
            // 7 and 16 have no common factor, so the third coordinate too takes each stratum once.
            turn([stratum(index), stratum(reversed(index)), stratum(7 * index % DIRECTIONS)])
        });
        let sun_direction = |[u, v, _]: [f32; 3]| {
            let [x, y] = on_disc(u, v);
            (sun + sun_radius * (x * right + y * up)).normalize()
        };
        // A disc lifted to a hemisphere gives directions as dense as their cosine with the normal.
        let sky_direction = |[u, v, w]: [f32; 3]| {
            let [x, y] = on_disc(u, v);
            let direction = Vec3::new(x, y, (1.0 - u).sqrt());
            // Near surfaces hide more of the sky than far ones.
            SkyDirection { direction, reach: w * w }
        };
        let middle = |part: f64| (f64::from(layer) + 0.5) * part;
        Self {
            offset: match layers {
                1 => [0.5, 0.5],
                _ => [middle(1.0 / f64::from(layers)), middle(0.618_033_988_749_895).fract()],
            },
            sun: points.map(sun_direction),
            sky: points.map(sky_direction),
        }
    }

    /// Returns a pixel's direction towards the sun.
    pub fn sun(&self, column: usize, row: usize) -> Vec3 {
        self.sun[index(column, row)]
    }

    /// Returns a pixel's direction towards the sky.
    pub fn sky(&self, column: usize, row: usize) -> SkyDirection {
        self.sky[index(column, row)]
    }
}

/// Returns a pixel's threshold for rounding, from 0 to 1, which is another one for each pixel of a
/// square.
pub(super) fn threshold(column: usize, row: usize) -> f32 {
    (index(column, row) as f32 + 0.5) / DIRECTIONS as f32
}

fn index(column: usize, row: usize) -> usize {
    ORDER[row % SIDE * SIDE + column % SIDE]
}

/// The four bits of an index, in reverse order.
fn reversed(index: usize) -> usize {
    (0..4).fold(0, |all, bit| all << 1 | index >> bit & 1)
}

/// A point of the unit disc, where `u` is the square of the radius and `v` the angle in turns.
fn on_disc(u: f32, v: f32) -> [f32; 2] {
    let radius = u.sqrt();
    [radius * libm::cosf(TAU * v), radius * libm::sinf(TAU * v)]
}

/// Returns two unit vectors at right angles to a unit vector and to each other, by Duff et al.,
/// *Building an Orthonormal Basis, Revisited* (2017).
pub(super) fn frame(normal: Vec3) -> [Vec3; 2] {
    let sign = 1.0_f32.copysign(normal.z);
    let a = -1.0 / (sign + normal.z);
    let b = normal.x * normal.y * a;
    [
        Vec3::new(1.0 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x),
        Vec3::new(b, sign + normal.y * normal.y * a, -normal.y),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_of_pixels_covers_the_sky_evenly_and_above_the_surface() {
        for layer in 0..8 {
            let pattern = Pattern::new(layer, 8, Vec3::Z, 0.05);
            let pixels = || (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row)));
            let sum: Vec3 = pixels().map(|(x, y)| pattern.sky(x + 8, y + 4).direction).sum();
            let mean = sum / DIRECTIONS as f32;
            assert!((mean - Vec3::new(0.0, 0.0, 2.0 / 3.0)).length() < 0.06, "{mean}");
            for (x, y) in pixels() {
                let sky = pattern.sky(x, y);
                assert!((sky.direction.length() - 1.0).abs() < 1e-5 && sky.direction.z >= 0.0);
                assert!((0.0..1.0).contains(&sky.reach));
                assert!(pattern.sun(x, y).dot(Vec3::Z) > 0.99);
            }
        }
    }

    #[test]
    fn a_frame_is_orthonormal() {
        for normal in [Vec3::X, Vec3::Z, -Vec3::Z, Vec3::new(1.0, -2.0, 3.0).normalize()] {
            let [a, b] = frame(normal);
            for (product, expected) in [(a.dot(a), 1.0), (b.dot(b), 1.0), (a.dot(b), 0.0)] {
                assert!((product - expected).abs() < 1e-5);
            }
            assert!((a.cross(b) - normal).length() < 1e-5, "{normal}");
        }
    }
}
