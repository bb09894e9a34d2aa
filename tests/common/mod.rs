//! Scenes and rays that every tracer must face, and the opening of a device.

#![allow(dead_code, reason = "each test program uses a part of these")]

pub mod place;

use fastrand::Rng;
use raytwin::diff::{Class, Judge, Verdict, judge_all};
use raytwin::glam::{DQuat, DVec3};
use raytwin::gpu::{Choice, Gpu};
use raytwin::{CpuTracer, Cuboid, Cylinder, Hit, Packed, Ray, Scene, Shape, Sphere};

/// Any adapter, a software one too. Without one the test fails, and the message says what to install.
pub fn gpu() -> Gpu {
    Gpu::open(&Choice::Any).unwrap_or_else(|error| panic!("{error}"))
}

/// A direction from everywhere.
pub fn direction(rng: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0;
        if (1e-3..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

/// A sphere, a box or a cylinder in turn, about as large as `size`, up to six sizes from `middle`.
pub fn shape(rng: &mut Rng, turn: usize, size: f64, middle: DVec3) -> Shape {
    let center = middle + 6.0 * size * (DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0);
    match turn % 3 {
        0 => Sphere { center, radius: size * between(rng, 0.3, 1.0) }.into(),
        1 => Cuboid {
            center,
            half_extents: size
                * DVec3::new(
                    between(rng, 0.2, 0.8),
                    between(rng, 0.2, 0.8),
                    between(rng, 0.2, 0.8),
                ),
            rotation: DQuat::from_axis_angle(direction(rng), between(rng, 0.0, 6.0)),
        }
        .into(),
        _ => {
            let half = 0.5 * size * between(rng, 0.5, 2.0) * direction(rng);
            let radius = size * between(rng, 0.2, 0.8);
            Cylinder { start: center - half, end: center + half, radius }.into()
        }
    }
}

/// Shapes of the three kinds in turn.
pub fn random_scene(seed: u64, count: usize, size: f64, middle: DVec3) -> Scene {
    let rng = &mut Rng::with_seed(seed);
    let mut scene = Scene::new();
    for turn in 0..count {
        scene.add(shape(rng, turn, size, middle)).unwrap();
    }
    scene
}

/// The families of rays that `random` makes, by what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Aimed near shapes from so many sizes away, of lengths from 1/20 to 20.
    Aimed(f64),
    /// From inside of shapes.
    Inside,
    /// Along a shape's own axes and in its faces, some a few ulp aside.
    Along,
    /// Aimed, and cut by `t_min` and `t_max` near a crossing.
    Cut,
    /// Aimed, of lengths from 1e-12 to 1e12.
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

/// Rays of one family at the shapes of a scene.
pub fn rays(seed: u64, family: Family, count: usize, scene: &Scene) -> Vec<Ray> {
    let rng = &mut Rng::with_seed(seed);
    (0..count).map(|_| ray(rng, family, scene)).collect()
}

fn ray(rng: &mut Rng, family: Family, scene: &Scene) -> Ray {
    let shape = scene.shapes()[rng.usize(..scene.shapes().len())];
    let (center, radius) = (shape.center(), shape.bounding_radius());
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
            let axis = match shape {
                Shape::Sphere(_) => [DVec3::X, DVec3::Y, DVec3::Z][rng.usize(..3)],
                Shape::Cuboid(own) => {
                    own.rotation.normalize() * [DVec3::X, DVec3::Y, DVec3::Z][rng.usize(..3)]
                }
                Shape::Cylinder(own) => (own.end - own.start).normalize(),
            };
            let axis = if rng.bool() { axis } else { -axis };
            let aside = axis.cross(direction(rng)).normalize() * radius * between(rng, 0.0, 1.1);
            let nudge = 1.0 + f64::from(rng.i32(-2..3)) * 6e-8;
            to_ray(center - 4.0 * radius * axis + aside, axis * nudge)
        }
        Family::Cut => {
            let whole = ray(rng, Family::Aimed(6.0), scene);
            let Some(span) = shape.span(&whole.line()) else {
                return whole;
            };
            let nudged = |rng: &mut Rng, t: f64| (t * (1.0 + between(rng, -2e-7, 2e-7))) as f32;
            let enter = nudged(rng, span.enter.t);
            let exit = nudged(rng, span.exit.t);
            match rng.usize(..4) {
                0 => whole.within(enter, f32::INFINITY),
                1 => whole.within(f32::NEG_INFINITY, enter),
                2 => whole.within(enter.min(exit), exit.max(enter)),
                _ => whole.within(exit, exit),
            }
        }
        Family::AnyLength => {
            let whole = ray(rng, Family::Aimed(12.0), scene);
            let way = whole.line().direction.normalize();
            let length = 10.0_f64.powf(between(rng, -11.99, 11.99));
            to_ray(whole.line().origin, length * way)
        }
    }
}

/// Small integers and powers of two, of which every step of a float32 computation is exact: shapes
/// that touch, that coincide, and that stand alone.
pub fn lattice_scene() -> Scene {
    let mut scene = Scene::new();
    let cuboid = |center: [f64; 3], half: [f64; 3]| {
        Shape::from(Cuboid {
            center: center.into(),
            half_extents: half.into(),
            rotation: DQuat::IDENTITY,
        })
    };
    let cylinder = |start: [f64; 3], end: [f64; 3], radius| {
        Shape::from(Cylinder { start: start.into(), end: end.into(), radius })
    };
    let sphere = |center: [f64; 3], radius| Shape::from(Sphere { center: center.into(), radius });
    for shape in [
        cuboid([8.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
        cuboid([10.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
        sphere([0.0, 16.0, 0.0], 4.0),
        cylinder([-12.0, 0.0, -4.0], [-12.0, 0.0, 4.0], 4.0),
        cylinder([0.0, -20.0, 0.0], [0.0, -12.0, 0.0], 2.0),
        cylinder([16.0, 16.0, 0.0], [24.0, 16.0, 0.0], 4.0),
        // Of a length whose reciprocal rounds.
        cylinder([0.0, -31.0, 16.0], [0.0, 18.0, 16.0], 5.0),
        // The same twice, and a box about a cylinder: ties.
        sphere([0.0, 16.0, 0.0], 4.0),
        cuboid([-12.0, 0.0, 0.0], [4.0, 4.0, 4.0]),
        cuboid([8.0, 0.0, 0.0], [1.0, 2.0, 4.0]),
    ] {
        scene.add(shape).unwrap();
    }
    scene
}

/// Rays along the axes through a lattice of integers, from outside, inside and on surfaces, of three
/// lengths, with either zero; diagonal rays at the boxes; rays cut exactly at crossings.
pub fn lattice_rays() -> Vec<Ray> {
    let places =
        [-20, -16, -14, -12, -10, -8, -4, -2, -1, 0, 1, 2, 4, 7, 8, 9, 10, 11, 12, 16, 18, 20];
    let mut rays = Vec::new();
    for axis in 0..3 {
        for (u, v) in places.iter().flat_map(|&u| places.map(|v| (u, v))) {
            for (start, speed) in [(-32, 1.0), (32, -2.0), (0, 0.5), (-4, -1.0), (16, 1.0)] {
                let zero = if (u + v) % 2 == 0 { 0.0 } else { -0.0 };
                let mut origin = [0.0; 3];
                let mut way = [zero; 3];
                origin[axis] = start as f32;
                origin[(axis + 1) % 3] = u as f32;
                origin[(axis + 2) % 3] = v as f32;
                way[axis] = speed;
                let ray = Ray::new(origin, way);
                rays.push(ray);
                // The interval is closed at both ends.
                rays.push(ray.within(f32::NEG_INFINITY, 0.0));
                rays.push(ray.within(28.0, 28.0));
                rays.push(ray.within(14.0, 40.0));
            }
        }
    }
    // Diagonals meet boxes at whole t: each component is 1, 2 or 4, so no division rounds.
    for (x, y, z) in [(1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1), (1, 2, 4), (2, -1, 1), (-4, 1, 2)]
    {
        let way = [x as f32, y as f32, z as f32];
        for target in [[9, 2, 4], [7, 0, 0], [8, -2, 1], [-8, 4, 4], [-16, 4, -4], [9, 1, 3]] {
            for steps in [4, 8] {
                let origin = [0, 1, 2].map(|i| target[i] as f32 - (steps as f32) * way[i]);
                rays.push(Ray::new(origin, way));
            }
        }
    }
    // Diagonals whose squared length is no power of two, at points of the round shapes that are small
    // integers: through them and on them.
    for (x, y, z) in [(1, 1, 1), (1, 2, 2), (2, 3, 6), (3, 4, 0), (1, 1, 0), (-1, 2, 0), (4, -3, 1)]
    {
        let way = [x as f32, y as f32, z as f32];
        for target in [
            [4, 16, 0],
            [0, 12, 0],
            [0, 16, -4],
            [-8, 0, 2],
            [-16, 0, 0],
            [3, 0, 20],
            [-4, 10, 13],
            [0, -20, 2],
            [20, 16, 4],
        ] {
            for steps in [0, 1, 4] {
                let origin = [0, 1, 2].map(|i| target[i] as f32 - (steps as f32) * way[i]);
                rays.push(Ray::new(origin, way));
            }
        }
    }
    rays
}

/// Verdicts on answers, by the reference that walks the tree of `packed`.
pub fn verdicts(scene: &Scene, packed: &Packed, rays: &[Ray], hits: &[Hit]) -> Vec<Verdict> {
    judge_all(&Judge::new(scene, CpuTracer::new(scene, packed)), rays, hits)
}

/// How many verdicts are of a class.
pub fn count(verdicts: &[Verdict], class: Class) -> usize {
    verdicts.iter().filter(|verdict| verdict.class == class).count()
}
