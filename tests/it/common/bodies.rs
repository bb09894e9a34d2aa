//! The bodies that points are tested against: shapes, boxes and lines, with distances by formulas of the tests' own.

use super::distance::{signed_distance, to_segment};
use super::{Form, between, direction};
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::U;
use raytwin::point_in_shape::*;
use raytwin::ray::Line;
use raytwin::{Cuboid, Scene, Shape};

/// A body to test points against, with numbers rounded to float32.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Of(Shape),
    /// The lowest and the highest corner.
    AlignedBox(DVec3, DVec3),
    /// A point and a direction.
    Line(DVec3, DVec3),
    Ray(DVec3, DVec3),
    /// The two ends.
    Segment(DVec3, DVec3),
}

/// The kind of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sort {
    Of(Form),
    AlignedBox,
    Line,
    Ray,
    Segment,
}

pub fn rounded(point: DVec3) -> DVec3 {
    point.as_vec3().as_dvec3()
}

impl Sort {
    pub fn bodies(self, rng: &mut Rng, count: usize, size: f64, middle: DVec3) -> Vec<Body> {
        if let Self::Of(form) = self {
            let mut scene = Scene::new();
            for _ in 0..count {
                scene.add(form.random(rng, size, middle)).unwrap();
            }
            return (0..count as u32)
                .map(|id| Body::Of(*scene.primitive(id, 0).unwrap().shape().unwrap()))
                .collect();
        }
        let any = |rng: &mut Rng| self.thin(rng, size, middle);
        (0..count).map(|_| std::iter::repeat_with(|| any(rng)).flatten().next().unwrap()).collect()
    }

    /// Returns `None` if the body has no extent after rounding.
    fn thin(self, rng: &mut Rng, size: f64, middle: DVec3) -> Option<Body> {
        let start = rounded(middle + 6.0 * size * rng.f64() * direction(rng));
        let mut end = rounded(start + size * between(rng, 0.1, 3.0) * direction(rng));
        // Some bodies lie along a world axis.
        if rng.usize(..4) == 0 {
            let along = end[0];
            end = start;
            end[0] = along;
        }
        let way = rounded((end - start) * 10.0_f64.powf(between(rng, -3.0, 3.0)));
        ((end - start).length() > 2e-9).then_some(match self {
            Self::AlignedBox => Body::AlignedBox(start.min(end), start.max(end)),
            Self::Line => Body::Line(start, way),
            Self::Ray => Body::Ray(start, way),
            _ => Body::Segment(start, end),
        })
    }
}

impl Body {
    /// The distance to the surface, which is negative inside a solid or half-space.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        match *self {
            // The plane bounds the half-space behind it.
            Self::Of(Shape::Plane(plane)) => (point - plane.point).dot(plane.normal.normalize()),
            // This is accurate near the surface: the value of the implicit function divided by its gradient.
            Self::Of(Shape::Ellipsoid(ellipsoid)) => {
                let local = ellipsoid.rotation.normalize().inverse() * (point - ellipsoid.center);
                let gauge = (local / ellipsoid.radii).length();
                let slope = (local / ellipsoid.radii / ellipsoid.radii).length() / gauge;
                if gauge == 0.0 { -ellipsoid.radii.min_element() } else { (gauge - 1.0) / slope }
            }
            Self::Of(ref shape) => signed_distance(shape, point),
            Self::AlignedBox(min, max) => {
                let cuboid = Cuboid {
                    center: 0.5 * (min + max),
                    half_extents: 0.5 * (max - min),
                    rotation: DQuat::IDENTITY,
                };
                signed_distance(&cuboid.into(), point)
            }
            Self::Line(through, way) => {
                let way = way.normalize();
                (point - through - (point - through).dot(way) * way).length()
            }
            Self::Ray(origin, way) => {
                let way = way.normalize();
                let t = (point - origin).dot(way).max(0.0);
                (point - origin - t * way).length()
            }
            Self::Segment(start, end) => to_segment(point, start, end),
        }
    }

    /// The point from which D is measured, and the radius R.
    pub fn center_and_radius(&self) -> (DVec3, f64) {
        match *self {
            Self::Of(ref shape) => (shape.center(), shape.bounding_radius()),
            Self::AlignedBox(a, b) | Self::Segment(a, b) => (0.5 * (a + b), 0.5 * (b - a).length()),
            Self::Line(through, _) | Self::Ray(through, _) => (through, 0.0),
        }
    }

    /// The distance by which float32 rounding may move a surface, 16 u max(D, R).
    pub fn delta(&self, point: DVec3) -> f64 {
        let (center, reach) = self.center_and_radius();
        16.0 * U * (point - center).length().max(reach)
    }

    /// Returns a point of the surface, in float64.
    fn on_surface(&self, rng: &mut Rng, size: f64) -> DVec3 {
        match *self {
            Self::Of(ref shape) => {
                let (center, reach) = self.center_and_radius();
                let reach = reach.max(size);
                let from = center + 0.7 * reach * rng.f64() * direction(rng);
                let line = Line { origin: from, direction: direction(rng) };
                let crossings = shape.crossings(&line);
                let crossing = crossings.get(rng.usize(..crossings.len().max(1)));
                crossing.map_or(from, |crossing| line.at(crossing.t))
            }
            Self::AlignedBox(min, max) => {
                let mut point = min + (max - min) * DVec3::from([0; 3].map(|_| rng.f64()));
                let axis = rng.usize(..3);
                point[axis] = if rng.bool() { min[axis] } else { max[axis] };
                point
            }
            Self::Line(start, way) | Self::Ray(start, way) => {
                start + 3.0 * size * rng.f64() * way.normalize()
            }
            Self::Segment(start, end) => {
                // Clamping makes many of the points ends.
                start + between(rng, -0.2, 1.2).clamp(0.0, 1.0) * (end - start)
            }
        }
    }

    /// Returns a direction away from the surface. It is perpendicular to a thin body, but if that has ends, half of the
    /// directions are arbitrary, which leads past them. A solid has arbitrary directions.
    fn away(&self, rng: &mut Rng) -> DVec3 {
        let any = direction(rng);
        match *self {
            Self::Of(Shape::Plane(plane)) => plane.normal.normalize() * any.x.signum(),
            Self::Line(_, way) => any.reject_from(way).normalize(),
            Self::Ray(_, way) if rng.bool() => any.reject_from(way).normalize(),
            Self::Segment(start, end) if rng.bool() => any.reject_from(end - start).normalize(),
            _ => any,
        }
    }

    /// Returns a point as callers may have it: around the body, at about `distance` from its surface, on it, or far
    /// away.
    pub fn point(&self, rng: &mut Rng, size: f64, distance: f64) -> [f32; 3] {
        let (center, reach) = self.center_and_radius();
        let reach = reach.max(size);
        let turn = rng.usize(..8);
        let point = match turn {
            0 | 1 => center + 1.3 * reach * rng.f64() * direction(rng),
            // Coordinates beyond 1e9 are invalid.
            2 => center + (1e3 * size).min(4e8) * rng.f64() * direction(rng),
            3 => center + (1e5 * size).min(4e8) * rng.f64() * direction(rng),
            4 => self.on_surface(rng, size),
            _ => {
                let off = size * 10.0_f64.powf(between(rng, -8.0, -2.0));
                let surface = self.on_surface(rng, size);
                surface + (distance + off) * self.away(rng)
            }
        };
        let is_somewhere = point.abs().max_element() < 1e9;
        if is_somewhere { point } else { center }.as_vec3().to_array()
    }
}

/// Makes the test of a body.
pub trait Of: Sized {
    fn of(body: &Body) -> Self;
}

macro_rules! of {
    ($($test:ty: $pattern:pat => $made:expr,)+) => {
        $(impl Of for $test {
            fn of(body: &Body) -> Self {
                match *body {
                    $pattern => $made.unwrap(),
                    _ => panic!("{body:?}"),
                }
            }
        })+
    };
}

of! {
    CylinderTest: Body::Of(Shape::Cylinder(cylinder))
        => CylinderTest::tube(cylinder.start, cylinder.end, cylinder.radius, cylinder.inner_radius),
    ConeTest: Body::Of(Shape::Cone(cone))
        => ConeTest::new(cone.start, cone.end, cone.start_radius, cone.end_radius),
    EllipsoidTest: Body::Of(Shape::Ellipsoid(ellipsoid))
        => EllipsoidTest::new(ellipsoid.center, ellipsoid.radii, ellipsoid.rotation),
    SphereTest: Body::Of(Shape::Sphere(sphere)) => SphereTest::new(sphere.center, sphere.radius),
    OrientedBoxTest: Body::Of(Shape::Cuboid(cuboid))
        => OrientedBoxTest::new(cuboid.center, cuboid.half_extents, cuboid.rotation),
    PlaneTest: Body::Of(Shape::Plane(plane)) => PlaneTest::new(plane.point, plane.normal),
    AlignedBoxTest: Body::AlignedBox(min, max) => AlignedBoxTest::new(min, max),
    LineTest: Body::Line(through, way) => LineTest::new(through, way),
    RayTest: Body::Ray(origin, way) => RayTest::new(origin, way),
    SegmentTest: Body::Segment(start, end) => SegmentTest::new(start, end),
}
