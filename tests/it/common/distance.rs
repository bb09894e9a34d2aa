//! The distance of a point from a surface, by a formula of the tests' own for each shape.

use raytwin::Shape;
use raytwin::glam::{DVec2, DVec3};

/// The distance is negative inside a solid, and never negative for a surface that bounds nothing. For an ellipsoid it
/// is a lower bound with the right sign.
pub fn signed_distance(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Sphere(sphere) => (point - sphere.center).length() - sphere.radius,
        Shape::Cuboid(cuboid) => {
            let local = cuboid.rotation.normalize().inverse() * (point - cuboid.center);
            beyond(local.abs() - cuboid.half_extents)
        }
        Shape::Cylinder(cylinder) => {
            let flat = about_axis(point, cylinder.start, cylinder.end - cylinder.start);
            let length = (cylinder.end - cylinder.start).length();
            // The profile is one rectangle, which for a solid cylinder spans both sides of the axis.
            let low =
                if cylinder.inner_radius > 0.0 { cylinder.inner_radius } else { -cylinder.radius };
            let middle = DVec2::new(0.5 * (low + cylinder.radius), 0.5 * length);
            let half = DVec2::new(0.5 * (cylinder.radius - low), 0.5 * length);
            let off = (flat - middle).abs() - half;
            beyond(off.extend(f64::NEG_INFINITY))
        }
        Shape::Capsule(capsule) => to_segment(point, capsule.start, capsule.end) - capsule.radius,
        Shape::Cone(cone) => {
            let flat = about_axis(point, cone.start, cone.end - cone.start);
            let length = (cone.end - cone.start).length();
            let (start, end) = (cone.start_radius, cone.end_radius);
            let [a, b] = [DVec2::new(start, 0.0), DVec2::new(end, length)];
            let rim = |from: DVec2, to: DVec2| {
                to_segment(flat.extend(0.0), from.extend(0.0), to.extend(0.0))
            };
            let to_rim = rim(DVec2::ZERO, a).min(rim(a, b)).min(rim(b, DVec2::new(0.0, length)));
            let is_inside = (0.0..=length).contains(&flat.y)
                && flat.x <= start + (end - start) * flat.y / length;
            if is_inside { -to_rim } else { to_rim }
        }
        Shape::Ellipsoid(ellipsoid) => {
            let local = ellipsoid.rotation.normalize().inverse() * (point - ellipsoid.center);
            ((local / ellipsoid.radii).length() - 1.0) * ellipsoid.radii.min_element()
        }
        Shape::Torus(torus) => {
            let flat = about_axis(point, torus.center, torus.axis);
            (flat - DVec2::new(torus.major_radius, 0.0)).length() - torus.minor_radius
        }
        Shape::Plane(plane) => (point - plane.point).dot(plane.normal.normalize()).abs(),
        Shape::Disc(disc) => {
            let flat = about_axis(point, disc.center, disc.normal);
            let on_disc = DVec2::new(flat.x.clamp(disc.inner_radius, disc.radius), 0.0);
            (flat - on_disc).length()
        }
        Shape::Triangle(triangle) => to_triangle(point, triangle.vertices),
        other => panic!("no distance to {other:?} is known here"),
    }
}

/// Takes the distances of a point beyond each pair of a box's faces, and returns its distance from the box.
fn beyond(off: DVec3) -> f64 {
    let outside = off.max(DVec3::ZERO).length();
    if outside > 0.0 { outside } else { off.max_element() }
}

/// Returns the distance from the axis and the height along it.
fn about_axis(point: DVec3, start: DVec3, along: DVec3) -> DVec2 {
    let axis = along.normalize();
    let height = (point - start).dot(axis);
    DVec2::new((point - start - height * axis).length(), height)
}

pub fn to_segment(point: DVec3, start: DVec3, end: DVec3) -> f64 {
    let along = end - start;
    let share = match along.length_squared() {
        0.0 => 0.0,
        squared => ((point - start).dot(along) / squared).clamp(0.0, 1.0),
    };
    (point - start - share * along).length()
}

fn to_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let is_over = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|[from, to]| (*to - *from).cross(point - *from).dot(normal) >= 0.0);
    if is_over {
        return (point - a).dot(normal).abs();
    }
    to_segment(point, a, b).min(to_segment(point, b, c)).min(to_segment(point, c, a))
}
