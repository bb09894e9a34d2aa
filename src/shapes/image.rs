//! The image of a shape under an affine map, where that is again one of the shapes.

use super::{
    Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Plane, Shape, Sphere, Torus, Triangle,
};
use crate::transform::{Affine, NEARLY};
use glam::{DMat3, DQuat, DVec3};

/// Returns the image of a valid shape, in float64; `None` if none of the shapes is that image.
pub(crate) fn image(shape: &Shape, map: &Affine) -> Option<Shape> {
    let linear = &map.linear;
    Some(match *shape {
        Shape::Sphere(Sphere { center, radius }) => match uniform_scale(linear) {
            Some(scale) => Sphere { center: map.point(center), radius: scale * radius }.into(),
            None => {
                ellipsoid(map.point(center), *linear * DMat3::from_diagonal(DVec3::splat(radius)))
            }
        },
        Shape::Ellipsoid(Ellipsoid { center, radii, rotation }) => {
            ellipsoid(map.point(center), *linear * axes(rotation, radii))
        }
        Shape::Cuboid(Cuboid { center, half_extents, rotation }) => {
            let (rotation, half_extents) = turned_axes(&(*linear * axes(rotation, half_extents)))?;
            Cuboid { center: map.point(center), half_extents, rotation }.into()
        }
        Shape::Cylinder(Cylinder { start, end, radius, inner_radius }) => {
            let scale = scale_across(linear, end - start)?;
            let [start, end] = [start, end].map(|point| map.point(point));
            Cylinder { start, end, radius: scale * radius, inner_radius: scale * inner_radius }
                .into()
        }
        Shape::Cone(Cone { start, end, start_radius, end_radius }) => {
            let scale = scale_across(linear, end - start)?;
            let [start, end] = [start, end].map(|point| map.point(point));
            let [start_radius, end_radius] =
                [start_radius, end_radius].map(|radius| scale * radius);
            Cone { start, end, start_radius, end_radius }.into()
        }
        Shape::Capsule(Capsule { start, end, radius }) => {
            let scale = uniform_scale(linear)?;
            let [start, end] = [start, end].map(|point| map.point(point));
            Capsule { start, end, radius: scale * radius }.into()
        }
        Shape::Torus(Torus { center, axis, major_radius, minor_radius }) => {
            let scale = uniform_scale(linear)?;
            Torus {
                center: map.point(center),
                axis: *linear * axis,
                major_radius: scale * major_radius,
                minor_radius: scale * minor_radius,
            }
            .into()
        }
        Shape::Plane(Plane { point, normal }) => {
            Plane { point: map.point(point), normal: image_of_normal(linear, normal) }.into()
        }
        Shape::Disc(Disc { center, normal, radius, inner_radius }) => {
            let scale = scale_in_plane(linear, normal)?;
            Disc {
                center: map.point(center),
                normal: image_of_normal(linear, normal),
                radius: scale * radius,
                inner_radius: scale * inner_radius,
            }
            .into()
        }
        Shape::Triangle(Triangle { vertices: [a, b, c] }) => {
            // A mirror turns the order of corners, which tells the normal.
            let vertices = if map.is_mirror() { [a, c, b] } else { [a, b, c] };
            Triangle { vertices: vertices.map(|vertex| map.point(vertex)) }.into()
        }
    })
}

/// Returns the factor by which all lengths grow, if it is one for all directions.
pub(crate) fn uniform_scale(linear: &DMat3) -> Option<f64> {
    let scale = equal_lengths(&[linear.x_axis, linear.y_axis, linear.z_axis])?;
    are_perpendicular(linear).then_some(scale)
}

/// Returns the factor by which lengths in a plane grow, if it is one for all directions in it.
fn scale_in_plane(linear: &DMat3, normal: DVec3) -> Option<f64> {
    let (e, f) = (normal / normal.abs().max_element()).normalize().any_orthonormal_pair();
    let [e, f] = [*linear * e, *linear * f];
    is_perpendicular(e, f).then(|| equal_lengths(&[e, f])).flatten()
}

/// Returns the same for the plane across an axis, if the axis stays perpendicular to it.
fn scale_across(linear: &DMat3, along: DVec3) -> Option<f64> {
    let (e, f) = (along / along.length()).any_orthonormal_pair();
    let along = *linear * along;
    let stays = [e, f].iter().all(|across| is_perpendicular(along, *linear * *across));
    stays.then(|| scale_in_plane(linear, e.cross(f))).flatten()
}

fn equal_lengths(vectors: &[DVec3]) -> Option<f64> {
    let length = vectors[0].length();
    let is_equal = |vector: &DVec3| (vector.length() - length).abs() <= NEARLY * length;
    vectors.iter().all(is_equal).then_some(length)
}

fn is_perpendicular(a: DVec3, b: DVec3) -> bool {
    a.dot(b).abs() <= NEARLY * a.length() * b.length()
}

fn are_perpendicular(columns: &DMat3) -> bool {
    let [x, y, z] = [columns.x_axis, columns.y_axis, columns.z_axis];
    is_perpendicular(x, y) && is_perpendicular(x, z) && is_perpendicular(y, z)
}

/// Returns the half axes of a box or an ellipsoid, as columns.
fn axes(rotation: DQuat, half_extents: DVec3) -> DMat3 {
    DMat3::from_quat(rotation.normalize()) * DMat3::from_diagonal(half_extents)
}

/// Returns the ellipsoid whose half axes are conjugate diameters.
fn ellipsoid(center: DVec3, diameters: DMat3) -> Shape {
    let columns = Affine::perpendicular_columns(&diameters);
    let (rotation, radii) = rotation_and_lengths(&columns);
    Ellipsoid { center, radii, rotation }.into()
}

/// Returns the rotation and the lengths of half axes that are perpendicular to each other; `None` if they are not.
fn turned_axes(columns: &DMat3) -> Option<(DQuat, DVec3)> {
    are_perpendicular(columns).then(|| rotation_and_lengths(columns))
}

/// Returns the rotation that takes the world's axes to these columns in their order, and their lengths; `None` if they are
/// not perpendicular to each other and right-handed.
pub(crate) fn right_handed_axes(columns: &DMat3) -> Option<(DQuat, DVec3)> {
    let [x, y, z] = [columns.x_axis, columns.y_axis, columns.z_axis];
    if !are_perpendicular(columns) || x.cross(y).dot(z) <= 0.0 {
        return None;
    }
    let units = DMat3::from_cols(x.normalize(), y.normalize(), z.normalize());
    Some((DQuat::from_mat3(&units).normalize(), DVec3::new(x.length(), y.length(), z.length())))
}

/// Returns the rotation that takes the world's axes to these, and their lengths. The axes are taken in that order and those
/// directions in which they lie nearest to the world's, so that axes which are along the world's need no rotation, whose
/// float32 numbers would not be exact.
fn rotation_and_lengths(columns: &DMat3) -> (DQuat, DVec3) {
    let columns = [columns.x_axis, columns.y_axis, columns.z_axis];
    let units = columns.map(DVec3::normalize);
    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let alignment =
        |order: &[usize; 3]| -> f64 { (0..3).map(|axis| units[order[axis]][axis].abs()).sum() };
    let mut order = ORDERS[0];
    for other in ORDERS {
        // Rounding must not decide between orders that are equally near.
        if alignment(&other) > alignment(&order) + 1e-9 {
            order = other;
        }
    }
    let [mut x, mut y, z] = std::array::from_fn(|axis| {
        let unit = units[order[axis]];
        if unit[axis] < 0.0 { -unit } else { unit }
    });
    if x.cross(y).dot(z) < 0.0 {
        // Three axes that each point along the world's may still be left-handed; a box and an ellipsoid have no front.
        if x.x < y.y { x = -x } else { y = -y }
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    let lengths = DVec3::from_array(order.map(|index| columns[index].length()));
    (rotation, lengths)
}

/// Returns the normal of the image of a plane, of any length: the inverse transpose takes normals.
fn image_of_normal(linear: &DMat3, normal: DVec3) -> DVec3 {
    let [a, b, c] = [linear.x_axis, linear.y_axis, linear.z_axis];
    let cofactor = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b));
    let unit = normal / normal.abs().max_element();
    linear.determinant().signum() * (cofactor * unit)
}
