//! Points of several kinds, by where they lie.

use super::forms::{between, direction};
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::ray::Line;
use raytwin::{Scene, Shape};

/// Where points lie, seen from a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// As many sizes away.
    Away(f64),
    /// In its bounding ball.
    Within,
    /// On its surface, up to the rounding of their coordinates, or a hair from it.
    AtSurface,
    /// Where several points of the surface are as near, or formulas divide by nothing.
    Special,
}

pub const SPOTS: [Spot; 6] = [
    Spot::Away(2.0),
    Spot::Away(1e3),
    Spot::Away(1e5),
    Spot::Within,
    Spot::AtSurface,
    Spot::Special,
];

/// Points of one kind about the geometries of a scene, which are about as large as `size`.
pub fn points(seed: u64, spot: Spot, count: usize, scene: &Scene, size: f64) -> Vec<[f32; 3]> {
    let rng = &mut Rng::with_seed(seed);
    let point = |_| {
        let geometry = &scene.geometries()[rng.usize(..scene.geometries().len())];
        let shape = geometry.shape(rng.u32(..geometry.primitive_count() as u32)).unwrap();
        // None beyond what can be asked about.
        about(rng, spot, &shape, size).as_vec3().to_array().map(|c| c.clamp(-1e9, 1e9))
    };
    (0..count).map(point).collect()
}

/// A point about a shape; a plane has no size of its own.
pub fn about(rng: &mut Rng, spot: Spot, shape: &Shape, size: f64) -> DVec3 {
    let radius = if shape.bounding_radius() > 0.0 { shape.bounding_radius() } else { size };
    let center = shape.center();
    match spot {
        Spot::Away(sizes) => center + sizes * radius * between(rng, 0.6, 1.6) * direction(rng),
        Spot::Within => center + radius * between(rng, 0.0, 1.1) * direction(rng),
        Spot::AtSurface => {
            let origin = center + 0.3 * radius * direction(rng);
            let line = Line { origin, direction: direction(rng) };
            let crossings = shape.crossings(&line);
            let hair = if rng.bool() { 0.0 } else { 1e-3 * radius * rng.f64() };
            let on = crossings.first().map_or(center, |crossing| line.at(crossing.t));
            on + hair * direction(rng)
        }
        Spot::Special => {
            let places = special_places(shape);
            let [from, to] = places[rng.usize(..places.len())];
            match rng.usize(..4) {
                0 => from,
                1 => to,
                2 => from + between(rng, -1.0, 2.0) * (to - from),
                _ => from + between(rng, -1e3, 1e3) * (to - from),
            }
        }
    }
}

/// Lines through places like axes, edges and planes of symmetry, by two points of each.
fn special_places(shape: &Shape) -> Vec<[DVec3; 2]> {
    let center = shape.center();
    let from_center = |ways: [DVec3; 3]| ways.map(|way| [center, center + way]).to_vec();
    let about_axis = |start: DVec3, end: DVec3, radius: f64| {
        let aside = radius * (end - start).normalize().any_orthonormal_vector();
        vec![[start, end], [start, start + aside], [end, end + aside], [start + aside, end + aside]]
    };
    match shape {
        Shape::Sphere(own) => from_center(DVec3::AXES.map(|axis| own.radius * axis)),
        Shape::Cuboid(own) => {
            let turn = |way: DVec3| own.rotation.normalize() * (own.half_extents * way);
            let mut lines = from_center(DVec3::AXES.map(turn));
            lines.push([center, center + turn(DVec3::ONE)]);
            lines.push([center + turn(DVec3::ONE), center + turn(DVec3::new(1.0, 1.0, -1.0))]);
            lines
        }
        Shape::Ellipsoid(own) => {
            let turn = |way: DVec3| own.rotation.normalize() * (own.radii * way);
            let mut lines = from_center(DVec3::AXES.map(turn));
            // In planes of symmetry, near the middle, where the nearest point leaves the plane.
            let [x, y, z] = DVec3::AXES;
            let diagonals = [x + y, y - z, z + x].map(|way| [center, center + 0.1 * turn(way)]);
            lines.extend(diagonals);
            lines
        }
        Shape::Cylinder(own) => {
            let mut lines = about_axis(own.start, own.end, own.radius);
            lines.extend(about_axis(own.start, own.end, own.inner_radius.max(1e-3 * own.radius)));
            lines
        }
        Shape::Capsule(own) => about_axis(own.start, own.end, own.radius),
        Shape::Cone(own) => about_axis(own.start, own.end, own.start_radius.max(own.end_radius)),
        Shape::Torus(own) => {
            let axis = own.axis.normalize();
            let mut lines = about_axis(center, center + own.minor_radius * axis, own.major_radius);
            lines.push([center, center + axis.any_orthonormal_vector()]);
            lines
        }
        Shape::Plane(own) => {
            let aside = own.normal.any_orthogonal_vector();
            vec![[own.point, own.point + own.normal], [own.point, own.point + aside]]
        }
        Shape::Disc(own) => {
            let axis = own.normal.normalize();
            about_axis(center, center + own.radius * axis, own.inner_radius.max(0.5 * own.radius))
        }
        Shape::Triangle(own) => {
            let [a, b, c] = own.vertices;
            vec![[a, b], [b, c], [c, a], [a, center], [center, a.midpoint(b)]]
        }
    }
}
