//! Random points of several kinds, by their position relative to a shape.

use super::forms::{between, direction};
use super::rays::some_shape;
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::ray::Line;
use raytwin::{CappedSolid, Scene, Shape};

/// The position of a point relative to a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spot {
    /// This many sizes away.
    Away(f64),
    /// In its bounding sphere.
    Within,
    /// On its surface up to the rounding of coordinates, or within a tiny distance of it.
    AtSurface,
    /// At special positions where several points of the surface are equally near, or where formulas divide by zero.
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

/// Makes points of one kind around the geometries of a scene, which are about as large as `size`.
pub fn points(seed: u64, spot: Spot, count: usize, scene: &Scene, size: f64) -> Vec<[f32; 3]> {
    let rng = &mut Rng::with_seed(seed);
    let point = |_| {
        let geometry = &scene.geometries()[rng.usize(..scene.geometries().len())];
        let shape = some_shape(rng, geometry);
        // Coordinates beyond 1e9 are invalid.
        about(rng, spot, &shape, size).as_vec3().to_array().map(|c| c.clamp(-1e9, 1e9))
    };
    (0..count).map(point).collect()
}

/// Makes a point near a shape. A plane has no size, so it takes `size`.
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
            let lines = special_lines(shape);
            let [from, to] = lines[rng.usize(..lines.len())];
            match rng.usize(..4) {
                0 => from,
                1 => to,
                2 => from + between(rng, -1.0, 2.0) * (to - from),
                _ => from + between(rng, -1e3, 1e3) * (to - from),
            }
        }
    }
}

/// Lines through special positions such as axes, edges and planes of symmetry, as two points of each line.
fn special_lines(shape: &Shape) -> Vec<[DVec3; 2]> {
    let center = shape.center();
    let from_center = |ways: [DVec3; 3]| ways.map(|way| [center, center + way]).to_vec();
    let about_axis = |start: DVec3, end: DVec3, radius: f64| {
        let aside = radius * (end - start).normalize().any_orthonormal_vector();
        vec![[start, end], [start, start + aside], [end, end + aside], [start + aside, end + aside]]
    };
    match shape {
        Shape::Sphere(sphere) => from_center(DVec3::AXES.map(|axis| sphere.radius * axis)),
        Shape::Cuboid(cuboid) => {
            let turn = |way: DVec3| cuboid.rotation.normalize() * (cuboid.half_extents * way);
            let mut lines = from_center(DVec3::AXES.map(turn));
            lines.push([center, center + turn(DVec3::ONE)]);
            lines.push([center + turn(DVec3::ONE), center + turn(DVec3::new(1.0, 1.0, -1.0))]);
            lines
        }
        Shape::Ellipsoid(ellipsoid) => {
            let turn = |way: DVec3| ellipsoid.rotation.normalize() * (ellipsoid.radii * way);
            let mut lines = from_center(DVec3::AXES.map(turn));
            // The lines lie in planes of symmetry near the middle, from where the nearest point leaves the plane.
            let [x, y, z] = DVec3::AXES;
            let diagonals = [x + y, y - z, z + x].map(|way| [center, center + 0.1 * turn(way)]);
            lines.extend(diagonals);
            lines
        }
        Shape::Cylinder(cylinder) => {
            let mut lines = about_axis(cylinder.start, cylinder.end, cylinder.radius);
            lines.extend(about_axis(
                cylinder.start,
                cylinder.end,
                cylinder.inner_radius.max(1e-3 * cylinder.radius),
            ));
            lines
        }
        Shape::Capsule(capsule) => about_axis(capsule.start, capsule.end, capsule.radius),
        Shape::Cone(cone) => {
            about_axis(cone.start, cone.end, cone.start_radius.max(cone.end_radius))
        }
        Shape::Shell(shell) => match shell.whole {
            CappedSolid::Cylinder(cylinder) => special_lines(&cylinder.into()),
            CappedSolid::Cone(cone) => special_lines(&cone.into()),
        },
        Shape::Torus(torus) => {
            let axis = torus.axis.normalize();
            let mut lines =
                about_axis(center, center + torus.minor_radius * axis, torus.major_radius);
            lines.push([center, center + axis.any_orthonormal_vector()]);
            lines
        }
        Shape::Plane(plane) => {
            let aside = plane.normal.any_orthogonal_vector();
            vec![[plane.point, plane.point + plane.normal], [plane.point, plane.point + aside]]
        }
        Shape::Disc(disc) => {
            let axis = disc.normal.normalize();
            about_axis(
                center,
                center + disc.radius * axis,
                disc.inner_radius.max(0.5 * disc.radius),
            )
        }
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.vertices;
            vec![[a, b], [b, c], [c, a], [a, center], [center, a.midpoint(b)]]
        }
        other => panic!("no lines through {other:?} are known here"),
    }
}
