//! Families of random rays.

use super::forms::{between, direction};
use fastrand::Rng;
use raytwin::glam::DVec3;
use raytwin::{CappedSolid, Geometry, Ray, Scene, Shape};

/// A family of rays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Rays aimed near shapes from this many sizes away, with directions of lengths from 1/20 to 20.
    Aimed(f64),
    /// Rays that start inside shapes.
    Inside,
    /// Rays along a shape's axes and in its faces, some of them displaced by a few ulp.
    Along,
    /// Rays aimed at shapes and cut by `t_min` and `t_max` near a crossing.
    Cut,
    /// Rays aimed at shapes, with directions of lengths from 1e-12 to 1e12.
    AnyLength,
}

pub const FAMILIES: [Family; 7] = [
    Family::Aimed(12.0),
    Family::Aimed(1e3),
    Family::Aimed(1e5),
    Family::Inside,
    Family::Along,
    Family::Cut,
    Family::AnyLength,
];

/// Makes rays of one family at the geometries of a scene, which are about as large as `size`.
pub fn rays(seed: u64, family: Family, count: usize, scene: &Scene, size: f64) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    (0..count).map(|_| ray(rng, family, scene, size)).collect()
}

/// The directions in which an implementation easily errs: along the shape's axis, its edges and its faces.
fn own_ways(shape: &Shape) -> Vec<DVec3> {
    match shape {
        Shape::Sphere(_) => DVec3::AXES.to_vec(),
        Shape::Cuboid(cuboid) => {
            DVec3::AXES.map(|axis| cuboid.rotation.normalize() * axis).to_vec()
        }
        Shape::Ellipsoid(ellipsoid) => {
            DVec3::AXES.map(|axis| ellipsoid.rotation.normalize() * axis).to_vec()
        }
        Shape::Cylinder(cylinder) => vec![cylinder.end - cylinder.start],
        Shape::Capsule(capsule) => vec![capsule.end - capsule.start],
        Shape::Cone(cone) => {
            // The directions of the axis and of a line on the side.
            let along = cone.end - cone.start;
            let aside = along.any_orthonormal_vector();
            vec![along, along + (cone.end_radius - cone.start_radius) * aside]
        }
        Shape::Shell(shell) => match shell.whole {
            CappedSolid::Cylinder(cylinder) => own_ways(&cylinder.into()),
            CappedSolid::Cone(cone) => own_ways(&cone.into()),
        },
        Shape::Torus(torus) => vec![torus.axis, torus.axis.any_orthogonal_vector()],
        Shape::Plane(plane) => match &plane.rectangle {
            Some(rectangle) => {
                DVec3::AXES.map(|axis| rectangle.rotation.normalize() * axis).to_vec()
            }
            None => vec![plane.normal, plane.normal.any_orthogonal_vector()],
        },
        Shape::Disc(disc) => vec![disc.normal, disc.normal.any_orthogonal_vector()],
        Shape::Triangle(triangle) => {
            let [a, b, c] = triangle.vertices;
            vec![b - a, c - b, (b - a).cross(c - a)]
        }
        other => panic!("no directions along {other:?} are known here"),
    }
}

/// Returns the closed form of a primitive that has one.
pub fn some_shape(rng: &mut Rng, geometry: &Geometry) -> Shape {
    let count = match geometry {
        Geometry::Heightfield(field) => field.triangle_count(),
        _ => geometry.primitive_count(),
    };
    geometry.shape(rng.u32(..count as u32)).unwrap()
}

fn ray(rng: &mut Rng, family: Family, scene: &Scene, size: f64) -> Ray {
    let geometry_id = rng.u32(..scene.geometries().len() as u32);
    let geometry = &scene.geometries()[geometry_id as usize];
    let shape = some_shape(rng, geometry);
    // A plane has no size, so it takes `size`.
    let radius = match shape.bounding_radius() {
        0.0 => size,
        radius => radius,
    };
    let center = shape.center();
    let near = |rng: &mut Rng, reach: f64| center + reach * radius * rng.f64() * direction(rng);
    let to_ray = |origin: DVec3, way: DVec3| Ray::new(origin.as_vec3(), way.as_vec3());
    match family {
        Family::Aimed(distance) => {
            let origin = center + distance * radius * between(rng, 0.6, 1.6) * direction(rng);
            let origin = origin.as_vec3().as_dvec3();
            let length = between(rng, -3.0, 3.0).exp();
            to_ray(origin, length * (near(rng, 1.3) - origin).normalize())
        }
        Family::Inside => {
            let origin = near(rng, 0.5);
            to_ray(origin, between(rng, 0.4, 2.5) * direction(rng))
        }
        Family::Along => {
            let ways = own_ways(&shape);
            let axis = ways[rng.usize(..ways.len())].normalize();
            let axis = if rng.bool() { axis } else { -axis };
            let aside = axis.cross(direction(rng)).normalize() * radius * between(rng, 0.0, 1.1);
            let nudge = 1.0 + f64::from(rng.i32(-2..3)) * 6e-8;
            to_ray(center - 4.0 * radius * axis + aside, axis * nudge)
        }
        Family::Cut => {
            let whole = ray(rng, Family::Aimed(6.0), scene, size);
            let crossings = shape.crossings(&whole.line());
            let mut nudged = |index: usize| {
                let t = crossings.get(index).map_or(1.0, |crossing| crossing.t);
                (t * (1.0 + between(rng, -2e-7, 2e-7))) as f32
            };
            let (first, second, third) = (nudged(0), nudged(1), nudged(2));
            match rng.usize(..5) {
                0 => whole.within(first, f32::INFINITY),
                1 => whole.within(f32::NEG_INFINITY, first),
                2 => whole.within(first.min(second), second.max(first)),
                3 => whole.within(second, second),
                _ => whole.within(second.min(third), third.max(second)),
            }
        }
        Family::AnyLength => {
            let whole = ray(rng, Family::Aimed(12.0), scene, size);
            let way = whole.line().direction.normalize();
            let length = 10.0_f64.powf(between(rng, -11.99, 11.99));
            to_ray(whole.line().origin, length * way)
        }
    }
}
