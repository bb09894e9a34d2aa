//! Lines through a box that fill it evenly: for each direction, a square lattice across it, shifted
//! according to a seed. The directions lie on a spiral over half the sphere (González, Measurement
//! of Areas on a Sphere Using Fibonacci and Latitude–Longitude Lattices, 2010).

use crate::math::Bounds;
use crate::philox::philox;
use crate::ray::Line;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// The turn from one direction of the spiral to the next.
const GOLDEN_ANGLE: f64 = PI * (3.0 - 2.236_067_977_499_79);

/// Lines through a box.
#[derive(Clone, Copy)]
pub(super) struct Lattice {
    center: DVec3,
    half: DVec3,
    directions: u32,
    /// The number of lines along each of the two axes across a direction.
    side: u32,
    /// The turn of the spiral and the shifts of the lattices, from 0 to 1.
    shifts: [f64; 3],
}

impl Lattice {
    /// Returns about `count` lines through a box, for a seed and the two numbers of a pair.
    pub fn new(bounds: &Bounds, count: u32, seed: u64, [a, b]: [u32; 2]) -> Self {
        // As many directions as lines of each.
        let directions = f64::from(count.max(1)).sqrt().ceil() as u32;
        let side = (f64::from(count.max(1)) / f64::from(directions)).sqrt().ceil() as u32;
        let random = philox([a, b, 0, 0], [seed as u32, (seed >> 32) as u32]);
        let share = |number: u32| f64::from(number) / 4_294_967_296.0;
        Self {
            center: bounds.center(),
            half: 0.5 * (bounds.max - bounds.min),
            directions,
            side,
            shifts: [share(random[0]), share(random[1]), share(random[2])],
        }
    }

    /// Returns the largest distance between neighbouring lines of a direction.
    pub fn spacing(&self) -> f64 {
        2.0 * self.half.length() / f64::from(self.side)
    }

    /// Iterates over the lines, each with a unit direction and its origin in the middle.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        let Self { center, half, side, shifts: [_, right_shift, up_shift], .. } = *self;
        self.spiral().flat_map(move |direction| {
            let (right, up) = direction.any_orthonormal_pair();
            // The extent of the box to either side of its middle.
            let [right, up] = [right, up].map(|axis| half.dot(axis.abs()) * axis);
            let share = move |index: u32, shift: f64| {
                2.0 * (f64::from(index) + shift) / f64::from(side) - 1.0
            };
            (0..side * side).map(move |index| {
                let [x, y] = [share(index % side, right_shift), share(index / side, up_shift)];
                Line { origin: center + x * right + y * up, direction }
            })
        })
    }

    /// Iterates over the lines of all directions through a point.
    pub fn through(&self, point: DVec3) -> impl Iterator<Item = Line> {
        self.spiral().map(move |direction| Line { origin: point, direction })
    }

    fn spiral(&self) -> impl Iterator<Item = DVec3> {
        let Self { directions, shifts: [turn, ..], .. } = *self;
        (0..directions).map(move |number| {
            let z = (f64::from(number) + 0.5) / f64::from(directions);
            let angle = GOLDEN_ANGLE * f64::from(number) + TAU * turn;
            let across = (1.0 - z * z).sqrt();
            DVec3::new(across * libm::cos(angle), across * libm::sin(angle), z)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lattice is square, and shifted by less than a step.
    #[test]
    fn every_point_of_a_box_has_a_line_of_each_direction_near_it() {
        let bounds = Bounds { min: DVec3::new(-3.0, 1.0, 5.0), max: DVec3::new(1.0, 2.0, 5.5) };
        let lattice = Lattice::new(&bounds, 256, 7, [3, 4]);
        let lines: Vec<Line> = lattice.lines().collect();
        assert_eq!(lines.len(), 256);
        let per_direction = lines.len() / 16;
        for step in 0..200_u32 {
            let share = |factor: f64| (f64::from(step) * factor).fract();
            let at = DVec3::new(share(0.618), share(0.414), share(0.732));
            let point = bounds.center() + (at - 0.5) * (bounds.max - bounds.min);
            for same in lines.chunks(per_direction) {
                let distance = |line: &Line| (point - line.origin).cross(line.direction).length();
                let nearest = same.iter().map(distance).fold(f64::INFINITY, f64::min);
                assert!(nearest <= 2.0_f64.sqrt() * lattice.spacing(), "{nearest}");
            }
        }
        let sums: DVec3 = lines.iter().map(|line| line.direction * line.direction).sum();
        let mean = sums / lines.len() as f64;
        assert!((mean - 1.0 / 3.0).abs().max_element() < 0.05, "{mean}");
    }
}
