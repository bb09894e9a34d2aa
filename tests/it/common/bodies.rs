//! What points are tested against: the scene's own shapes, and lines; with distances by formulas of their own.

use super::distance::{signed_distance, to_segment};
use super::{Form, between, direction};
use fastrand::Rng;
use raytwin::glam::{DQuat, DVec3};
use raytwin::math::U;
use raytwin::point_in_shape::*;
use raytwin::ray::Line;
use raytwin::{Cuboid, Scene, Shape};

/// One thing to test points against, its numbers as float32 holds them.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Of(Shape),
    /// Its corners.
    AlignedBox(DVec3, DVec3),
    /// A point and a direction.
    Line(DVec3, DVec3),
    Ray(DVec3, DVec3),
    /// Its ends.
    Segment(DVec3, DVec3),
}

/// Of which kind a body is to be.
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
                .map(|id| Body::Of(*scene.primitive(id, 0).unwrap().shape()))
                .collect();
        }
        let any = |rng: &mut Rng| self.thin(rng, size, middle);
        (0..count).map(|_| std::iter::repeat_with(|| any(rng)).flatten().next().unwrap()).collect()
    }

    /// None where rounding left nothing of it.
    fn thin(self, rng: &mut Rng, size: f64, middle: DVec3) -> Option<Body> {
        let start = rounded(middle + 6.0 * size * rng.f64() * direction(rng));
        let mut end = rounded(start + size * between(rng, 0.1, 3.0) * direction(rng));
        // Some along a world axis.
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
    /// Negative inside of what has an inside.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        match *self {
            // The half-space behind it.
            Self::Of(Shape::Plane(own)) => (point - own.point).dot(own.normal.normalize()),
            // Near the surface, by its gradient.
            Self::Of(Shape::Ellipsoid(own)) => {
                let local = own.rotation.normalize().inverse() * (point - own.center);
                let gauge = (local / own.radii).length();
                let slope = (local / own.radii / own.radii).length() / gauge;
                if gauge == 0.0 { -own.radii.min_element() } else { (gauge - 1.0) / slope }
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

    /// Where D is measured from, and R.
    pub fn place(&self) -> (DVec3, f64) {
        match *self {
            Self::Of(ref shape) => (shape.center(), shape.bounding_radius()),
            Self::AlignedBox(a, b) | Self::Segment(a, b) => (0.5 * (a + b), 0.5 * (b - a).length()),
            Self::Line(through, _) | Self::Ray(through, _) => (through, 0.0),
        }
    }

    /// What float32 may have moved a surface by: 16 u max(D, R).
    pub fn delta(&self, point: DVec3) -> f64 {
        let (center, reach) = self.place();
        16.0 * U * (point - center).length().max(reach)
    }

    /// A point of the surface, up to float64.
    fn on_surface(&self, rng: &mut Rng, size: f64) -> DVec3 {
        match *self {
            Self::Of(ref shape) => {
                let (center, reach) = self.place();
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
                // The ends often.
                start + between(rng, -0.2, 1.2).clamp(0.0, 1.0) * (end - start)
            }
        }
    }

    /// A way off the surface: across what is thin, beside the ends of what has some; any of a solid.
    fn away(&self, rng: &mut Rng) -> DVec3 {
        let any = direction(rng);
        match *self {
            Self::Of(Shape::Plane(own)) => own.normal.normalize() * any.x.signum(),
            Self::Line(_, way) => any.reject_from(way).normalize(),
            Self::Ray(_, way) if rng.bool() => any.reject_from(way).normalize(),
            Self::Segment(start, end) if rng.bool() => any.reject_from(end - start).normalize(),
            _ => any,
        }
    }

    /// A point as a caller may have it: about the body, at a distance from its surface or nearly so, on it, or far.
    pub fn point(&self, rng: &mut Rng, size: f64, distance: f64) -> [f32; 3] {
        let (center, reach) = self.place();
        let reach = reach.max(size);
        let turn = rng.usize(..8);
        let point = match turn {
            0 | 1 => center + 1.3 * reach * rng.f64() * direction(rng),
            // Coordinates end at 1e9.
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

/// A test of a body.
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
    CylinderTest: Body::Of(Shape::Cylinder(own))
        => CylinderTest::tube(own.start, own.end, own.radius, own.inner_radius),
    ConeTest: Body::Of(Shape::Cone(own))
        => ConeTest::new(own.start, own.end, own.start_radius, own.end_radius),
    EllipsoidTest: Body::Of(Shape::Ellipsoid(own))
        => EllipsoidTest::new(own.center, own.radii, own.rotation),
    SphereTest: Body::Of(Shape::Sphere(own)) => SphereTest::new(own.center, own.radius),
    OrientedBoxTest: Body::Of(Shape::Cuboid(own))
        => OrientedBoxTest::new(own.center, own.half_extents, own.rotation),
    PlaneTest: Body::Of(Shape::Plane(own)) => PlaneTest::new(own.point, own.normal),
    AlignedBoxTest: Body::AlignedBox(min, max) => AlignedBoxTest::new(min, max),
    LineTest: Body::Line(through, way) => LineTest::new(through, way),
    RayTest: Body::Ray(origin, way) => RayTest::new(origin, way),
    SegmentTest: Body::Segment(start, end) => SegmentTest::new(start, end),
}
