//! How far a point is from a surface: an own formula for each shape, by distances.

use raytwin::Shape;
use raytwin::glam::{DVec2, DVec3};

/// Negative inside of a solid; of a surface that bounds nothing never. Of an ellipsoid no more than the distance,
/// and of the same sign.
pub fn signed_distance(shape: &Shape, point: DVec3) -> f64 {
    match shape {
        Shape::Sphere(own) => (point - own.center).length() - own.radius,
        Shape::Cuboid(own) => {
            let local = own.rotation.normalize().inverse() * (point - own.center);
            beyond(local.abs() - own.half_extents)
        }
        Shape::Cylinder(own) => {
            let flat = about_axis(point, own.start, own.end - own.start);
            let length = (own.end - own.start).length();
            // A rectangle on either side of the axis, which meet in the middle of a solid one.
            let low = if own.inner_radius > 0.0 { own.inner_radius } else { -own.radius };
            let middle = DVec2::new(0.5 * (low + own.radius), 0.5 * length);
            let half = DVec2::new(0.5 * (own.radius - low), 0.5 * length);
            let off = (flat - middle).abs() - half;
            beyond(off.extend(f64::NEG_INFINITY))
        }
        Shape::Capsule(own) => to_segment(point, own.start, own.end) - own.radius,
        Shape::Cone(own) => {
            let flat = about_axis(point, own.start, own.end - own.start);
            let length = (own.end - own.start).length();
            let (start, end) = (own.start_radius, own.end_radius);
            let [a, b] = [DVec2::new(start, 0.0), DVec2::new(end, length)];
            let rim = |from: DVec2, to: DVec2| {
                to_segment(flat.extend(0.0), from.extend(0.0), to.extend(0.0))
            };
            let to_rim = rim(DVec2::ZERO, a).min(rim(a, b)).min(rim(b, DVec2::new(0.0, length)));
            let is_inside = (0.0..=length).contains(&flat.y)
                && flat.x <= start + (end - start) * flat.y / length;
            if is_inside { -to_rim } else { to_rim }
        }
        Shape::Ellipsoid(own) => {
            let local = own.rotation.normalize().inverse() * (point - own.center);
            ((local / own.radii).length() - 1.0) * own.radii.min_element()
        }
        Shape::Torus(own) => {
            let flat = about_axis(point, own.center, own.axis);
            (flat - DVec2::new(own.major_radius, 0.0)).length() - own.minor_radius
        }
        Shape::Plane(own) => (point - own.point).dot(own.normal.normalize()).abs(),
        Shape::Disc(own) => {
            let flat = about_axis(point, own.center, own.normal);
            let on_disc = DVec2::new(flat.x.clamp(own.inner_radius, own.radius), 0.0);
            (flat - on_disc).length()
        }
        Shape::Triangle(own) => to_triangle(point, own.vertices),
    }
}

/// From a box, by how far a point is beyond each pair of its faces.
fn beyond(off: DVec3) -> f64 {
    let outside = off.max(DVec3::ZERO).length();
    if outside > 0.0 { outside } else { off.max_element() }
}

/// Distance from the axis, and height along it.
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
