//! The nearest point of a shape's image under an affine map, if the image is not one of the shapes.
//!
//! The image of a box is bounded by parallelograms. Every other such shape is a surface of
//! revolution, a family of circles, whose images are ellipses with the same axis directions. The
//! nearest point of an ellipse is known up to rounding (see `ellipsoid.rs`), so only a search along
//! the outline remains: the distance is sampled, and each minimum among the samples is narrowed by
//! golden-section search.

use super::ellipsoid::nearest_in_octant;
use super::outline::{Outline, OutlinePiece};
use super::{Cuboid, Plane, Rectangle, Shape, Triangle, image};
use crate::math::rotation_matrix;
use crate::placement::Placement;
use crate::transform::Affine;
use glam::{DMat3, DVec2, DVec3};

/// The number of samples of each piece. The distance to a family of ellipses has few minima.
const SAMPLES: usize = 48;

/// The steps of the golden section, which narrow a minimum to 1e-12 of the interval.
const NARROWINGS: usize = 58;

impl Shape {
    pub(crate) fn closest_point_of_image(&self, placement: &Placement, point: DVec3) -> DVec3 {
        closest_point_of_image(self, placement.world_from_object(), point)
    }
}

fn closest_point_of_image(shape: &Shape, map: &Affine, point: DVec3) -> DVec3 {
    if let Some(image) = image(shape, map) {
        return image.closest_point(point);
    }
    match (shape, shape.form().outline()) {
        (_, Some(outline)) => Rings::new(&outline, map).closest_point(&outline.pieces, point),
        (Shape::Cuboid(cuboid), None) => closest_of_parallelepiped(cuboid, map, point),
        (Shape::Plane(plane), None) => closest_of_parallelogram(plane, map, point),
        // Every other shape has an image among the shapes.
        (_, None) => map.point(shape.center()),
    }
}

fn nearer(point: DVec3) -> impl Fn(DVec3, DVec3) -> DVec3 {
    move |a, b| if b.distance_squared(point) < a.distance_squared(point) { b } else { a }
}

fn closest_of_parallelepiped(cuboid: &Cuboid, map: &Affine, point: DVec3) -> DVec3 {
    let axes =
        map.linear * rotation_matrix(cuboid.rotation) * DMat3::from_diagonal(cuboid.half_extents);
    let center = map.point(cuboid.center);
    let axes = [axes.x_axis, axes.y_axis, axes.z_axis];
    let faces = (0..3).flat_map(|axis| [(axis, -1.0), (axis, 1.0)]);
    let triangles = faces.flat_map(|(axis, side)| {
        let middle = center + side * axes[axis];
        let [u, v] = [axes[(axis + 1) % 3], axes[(axis + 2) % 3]];
        let corner = |a: f64, b: f64| middle + a * u + b * v;
        let [a, b, c, d] =
            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        [[a, b, c], [a, c, d]]
    });
    let closest = triangles.map(|vertices| Shape::from(Triangle { vertices }).closest_point(point));
    closest.reduce(nearer(point)).unwrap_or(center)
}

/// The rectangle may be infinite along one of its axes.
fn closest_of_parallelogram(plane: &Plane, map: &Affine, point: DVec3) -> DVec3 {
    let center = map.point(plane.point);
    let Some(Rectangle { rotation, half_extents: [a, b] }) = plane.rectangle else { return center };
    let axes = map.linear * rotation_matrix(rotation);
    let [u, v] = [axes.x_axis, axes.y_axis];
    let strip = |along: DVec3, across: DVec3, half: f64| {
        // The width of the strip counts across its edges.
        let unit = along.normalize();
        let across = across - across.dot(unit) * unit;
        let share = ((point - center).dot(across) / across.length_squared()).clamp(-half, half);
        center + (point - center).dot(unit) * unit + share * across
    };
    if a == 0.0 {
        return strip(u, v, b);
    }
    if b == 0.0 {
        return strip(v, u, a);
    }
    let corner = |x: f64, y: f64| center + x * a * u + y * b * v;
    let [p, q, r, s] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let [first, second] = [[p, q, r], [p, r, s]]
        .map(|vertices| Shape::from(Triangle { vertices }).closest_point(point));
    nearer(point)(first, second)
}

/// The images of the circles about an axis.
struct Rings {
    /// The image of the axis' point at height 0, and of a step of one along the axis.
    origin: DVec3,
    along: DVec3,
    /// The directions of every ellipse's axes, and the factors by which the longer and the shorter
    /// one grow.
    directions: [DVec3; 2],
    stretches: [f64; 2],
}

impl Rings {
    fn new(outline: &Outline, map: &Affine) -> Self {
        let (right, up) = outline.axis.any_orthonormal_pair();
        let diameters = DMat3::from_cols(map.linear * right, map.linear * up, DVec3::ZERO);
        let axes = Affine::perpendicular_columns(&diameters);
        let mut axes = [axes.x_axis, axes.y_axis];
        if axes[0].length_squared() < axes[1].length_squared() {
            axes.swap(0, 1);
        }
        Self {
            origin: map.point(outline.origin),
            along: map.linear * outline.axis,
            directions: axes.map(DVec3::normalize),
            stretches: axes.map(DVec3::length),
        }
    }

    /// The circle is given by its radius and its height along the axis.
    fn closest_on(&self, DVec2 { x: radius, y: height }: DVec2, point: DVec3) -> DVec3 {
        let center = self.origin + height * self.along;
        let radii = self.stretches.map(|stretch| radius * stretch);
        if radii[1] <= 0.0 {
            return center;
        }
        let local = self.directions.map(|direction| (point - center).dot(direction));
        let nearest = nearest_in_octant(radii, local.map(f64::abs));
        let [a, b] = [0, 1].map(|axis| nearest[axis].copysign(local[axis]) * self.directions[axis]);
        center + a + b
    }

    fn closest_point(&self, pieces: &[OutlinePiece], point: DVec3) -> DVec3 {
        let closest = pieces.iter().map(|piece| self.closest_of_piece(piece, point));
        closest.reduce(nearer(point)).unwrap_or(self.origin)
    }

    fn closest_of_piece(&self, piece: &OutlinePiece, point: DVec3) -> DVec3 {
        let closest = |share: f64| self.closest_on(piece.at(share), point);
        let distance = |share: f64| closest(share).distance_squared(point);
        let share = |sample: usize| sample as f64 / SAMPLES as f64;
        let samples: Vec<f64> = (0..=SAMPLES).map(|sample| distance(share(sample))).collect();
        let mut best = closest(0.0);
        for sample in 0..=SAMPLES {
            let [before, after] = [sample.saturating_sub(1), (sample + 1).min(SAMPLES)];
            if samples[sample] <= samples[before] && samples[sample] <= samples[after] {
                let found = closest(golden_section(&distance, [share(before), share(after)]));
                best = nearer(point)(nearer(point)(best, closest(share(sample))), found);
            }
        }
        best
    }
}

/// Narrows an interval around a minimum (Kiefer, Sequential Minimax Search for a Maximum, 1953).
fn golden_section(function: &impl Fn(f64) -> f64, [mut low, mut high]: [f64; 2]) -> f64 {
    const RATIO: f64 = 0.618_033_988_749_894_9;
    let mut inner = [high - RATIO * (high - low), low + RATIO * (high - low)];
    let mut values = inner.map(function);
    for _ in 0..NARROWINGS {
        if values[0] < values[1] {
            high = inner[1];
            inner = [high - RATIO * (high - low), inner[0]];
            values = [function(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + RATIO * (high - low)];
            values = [values[1], function(inner[1])];
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Capsule, Cone, Cylinder, Disc, Torus};
    use fastrand::Rng;
    use glam::{DQuat, DVec3};

    /// Points all over a shape's surface, by the directions from points on it.
    fn samples(shape: &Shape, rng: &mut Rng) -> Vec<DVec3> {
        let mut samples = Vec::new();
        while samples.len() < 60_000 {
            let around = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
            samples
                .push(shape.closest_point(shape.center() + 3.0 * shape.bounding_radius() * around));
        }
        samples
    }

    #[test]
    fn no_point_of_an_image_is_nearer_than_the_one_found() {
        let rng = &mut Rng::with_seed(7);
        let [start, end] = [DVec3::new(-1.0, 0.2, 0.0), DVec3::new(0.8, 0.5, 1.0)];
        let axis = DVec3::new(0.3, 0.2, 1.0);
        let shapes: [Shape; 7] = [
            Cylinder::solid(start, end, 0.6).into(),
            Cylinder { start, end, radius: 0.9, inner_radius: 0.5 }.into(),
            Capsule { start, end, radius: 0.6 }.into(),
            Cone { start, end, start_radius: 0.9, end_radius: 0.1 }.into(),
            Torus { center: start, axis, major_radius: 1.0, minor_radius: 0.3 }.into(),
            Disc { center: end, normal: axis, radius: 1.0, inner_radius: 0.4 }.into(),
            Cuboid {
                center: end,
                half_extents: DVec3::new(1.0, 0.5, 0.2),
                rotation: DQuat::from_xyzw(0.1, 0.5, 0.2, 0.8).normalize(),
            }
            .into(),
        ];
        let maps = [
            Affine::from_rows([2.0, 0.7, 0.0, 1.0, 0.0, 1.0, 0.3, 2.0, 0.1, 0.0, 0.5, -3.0]),
            Affine::from_rows([9.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
        ];
        for shape in &shapes {
            let samples = samples(shape, rng);
            for map in &maps {
                let [_, most] = map.stretches();
                let size = most * shape.bounding_radius();
                for _ in 0..60 {
                    let around = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
                    let point = map.point(shape.center()) + 2.0 * size * rng.f64() * around;
                    let found = closest_point_of_image(shape, map, point);
                    let nearest = samples
                        .iter()
                        .map(|&sample| map.point(sample).distance(point))
                        .fold(f64::INFINITY, f64::min);
                    let distance = found.distance(point);
                    assert!(
                        distance <= nearest + 1e-6 * size,
                        "{shape:?} {point} {distance} {nearest}"
                    );
                    // The point lies on the image, and the samples are dense.
                    let inverse = map.linear.inverse();
                    let in_object = inverse * (found - map.translation);
                    let off = shape.closest_point(in_object).distance(in_object);
                    assert!(off <= 1e-9 * (1.0 + size), "{shape:?} {found} {off}");
                    assert!(nearest <= distance + 0.05 * size, "{shape:?} {point}");
                }
            }
        }
    }
}
