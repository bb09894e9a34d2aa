//! The image of a shape under an affine map, if the image is again one of the shapes.

use super::CappedSolid;
use super::angles::{box_axes, right_angle, scale_across, scale_in_plane, uniform_scale};
use super::{
    Capsule, Cone, Cuboid, Cylinder, Disc, Ellipsoid, Plane, Rectangle, Shape, Shell, Sphere,
    Torus, Triangle,
};
use crate::math::rotation_matrix;
use crate::transform::Affine;
use glam::{DMat3, DQuat, DVec3};

/// Returns the image of a valid shape, in float64; `None` if the image is not one of the shapes.
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
            let (rotation, half_extents) = box_axes(linear, rotation, half_extents)?;
            Cuboid { center: map.point(center), half_extents, rotation }.into()
        }
        Shape::Cylinder(Cylinder { start, end, radius, inner_radius }) => {
            let scale = scale_across(linear, end - start)?;
            let [start, end] = [start, end].map(|point| map.point(point));
            Cylinder { start, end, radius: scale * radius, inner_radius: scale * inner_radius }
                .into()
        }
        Shape::Shell(Shell { whole, parts }) => {
            let whole: Shape = match whole {
                CappedSolid::Cylinder(cylinder) => cylinder.into(),
                CappedSolid::Cone(cone) => cone.into(),
            };
            let whole = match image(&whole, map)? {
                Shape::Cylinder(cylinder) => CappedSolid::Cylinder(cylinder),
                Shape::Cone(cone) => CappedSolid::Cone(cone),
                _ => return None,
            };
            Shell { whole, parts }.into()
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
        Shape::Plane(Plane { point, normal, rectangle, one_sided }) => {
            let normal = image_of_normal(linear, normal);
            let rectangle = match rectangle {
                Some(rectangle) => Some(image_of_rectangle(linear, &rectangle, normal)?),
                None => None,
            };
            Plane { point: map.point(point), normal, rectangle, one_sided }.into()
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
            // A mirror reverses the order of corners, which determines the normal.
            let vertices = if map.is_mirror() { [a, c, b] } else { [a, b, c] };
            Triangle { vertices: vertices.map(|vertex| map.point(vertex)) }.into()
        }
    })
}

/// Returns the half axes of a box or an ellipsoid, as columns.
fn axes(rotation: DQuat, half_extents: DVec3) -> DMat3 {
    rotation_matrix(rotation) * DMat3::from_diagonal(half_extents)
}

/// Returns the ellipsoid whose half axes are conjugate diameters.
fn ellipsoid(center: DVec3, diameters: DMat3) -> Shape {
    let columns = Affine::perpendicular_columns(&diameters);
    let (rotation, radii) = rotation_and_lengths(&columns);
    Ellipsoid { center, radii, rotation }.into()
}

/// Returns the rotation that takes the world's axes to these, and their lengths. The axes are put
/// in the order and directions that are nearest to the world's axes. So axes along the world's need
/// no rotation, whose float32 numbers would not be exact.
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
        // Three axes that each point along the world's may still be left-handed; a box and an
        // ellipsoid have no front.
        if x.x < y.y { x = -x } else { y = -y }
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize();
    let lengths = DVec3::from_array(order.map(|index| columns[index].length()));
    (rotation, lengths)
}

/// Returns the image of a bounded plane's rectangle, given the image of its normal; `None` if its
/// corners do not stay right angles.
fn image_of_rectangle(linear: &DMat3, rectangle: &Rectangle, normal: DVec3) -> Option<Rectangle> {
    let Rectangle { rotation, half_extents } = rectangle;
    let axes = *linear * rotation_matrix(*rotation);
    let [x, mut y] = right_angle(axes.x_axis, axes.y_axis)?;
    let half_extents = [x.length() * half_extents[0], y.length() * half_extents[1]];
    // A rectangle has no front along its own axes, so for a mirror one of them is reversed.
    if x.cross(y).dot(normal) < 0.0 {
        y = -y;
    }
    let [x, y] = [x.normalize(), y.normalize()];
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize();
    Some(Rectangle { rotation, half_extents })
}

/// Returns the normal of the image of a plane, of any length: the inverse transpose takes normals.
fn image_of_normal(linear: &DMat3, normal: DVec3) -> DVec3 {
    let [a, b, c] = [linear.x_axis, linear.y_axis, linear.z_axis];
    let cofactor = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b));
    let unit = normal / normal.abs().max_element();
    linear.determinant().signum() * (cofactor * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::FieldKind;
    use crate::math::Similarity;
    use crate::placement::Placement;
    use crate::ray::Line;
    use crate::shapes::{SHAPE_TYPES, place};
    use crate::transform::ROUNDED;
    use fastrand::Rng;

    fn vector(rng: &mut Rng) -> DVec3 {
        DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - 1.0
    }

    fn random(type_index: usize, rng: &mut Rng) -> Shape {
        loop {
            let kind = &SHAPE_TYPES[type_index];
            let mut row = Vec::with_capacity(kind.columns());
            for field in kind.fields {
                let columns = 0..field.kind.columns();
                match field.kind {
                    FieldKind::Flag => row.push(f64::from(rng.bool())),
                    _ => row.extend(columns.map(|_| 0.3 + rng.f64())),
                }
            }
            if kind.name == "plane" {
                // Every second one is bounded, and has its normal by its rotation.
                let absent: Vec<f64> = kind.defaults().collect();
                let columns = if rng.bool() { 3..6 } else { 6..12 };
                row[columns.clone()].copy_from_slice(&absent[columns]);
            }
            if let Ok(placed) = place(kind, &row, &Similarity::IDENTITY) {
                return placed.shape;
            }
        }
    }

    fn rotation(rng: &mut Rng) -> DQuat {
        let right = std::f64::consts::FRAC_1_SQRT_2;
        match rng.usize(..3) {
            0 => DQuat::from_xyzw(right, 0.0, 0.0, right),
            1 => DQuat::IDENTITY,
            _ => DQuat::from_xyzw(rng.f64(), rng.f64(), rng.f64(), rng.f64()).normalize(),
        }
    }

    /// The stretch that keeps angles, the one that differs by axis, or a shear; each perhaps with a
    /// mirror.
    fn map(rng: &mut Rng) -> Affine {
        let scale = match rng.usize(..3) {
            0 => DVec3::splat(2.0),
            1 => DVec3::new(1.5, 1.5, 0.5),
            _ => DVec3::new(0.4, 3.0, 1.0),
        };
        let mirror = if rng.bool() { DVec3::new(1.0, -1.0, 1.0) } else { DVec3::ONE };
        let turned = |rng: &mut Rng, scale| {
            Affine::from_scale_rotation_translation(scale, rotation(rng), vector(rng))
        };
        let inner = turned(rng, scale * mirror);
        turned(rng, DVec3::ONE).then_inner(&inner)
    }

    #[test]
    fn the_image_of_a_shape_is_crossed_where_the_shape_is_crossed_in_its_own_space() {
        let rng = &mut Rng::with_seed(15);
        let mut images = vec![0; SHAPE_TYPES.len()];
        let mut placed = vec![0; SHAPE_TYPES.len()];
        let mut hits = 0;
        for turn in 0..40_000 {
            let type_index = turn % SHAPE_TYPES.len();
            let shape = random(type_index, rng);
            let map = map(rng).rounded();
            let Some(image) = image(&shape, &map) else {
                placed[type_index] += 1;
                continue;
            };
            images[type_index] += 1;
            let placement = Placement::new(&map).unwrap();
            let target = map.point(shape.center() + 0.5 * shape.bounding_radius() * vector(rng));
            let origin = target + 9.0 * vector(rng);
            let line = Line { origin, direction: target - origin };
            let line_in_object = placement.line_in_object(&line);
            let [exact, given] = [shape.crossings(&line_in_object), image.crossings(&line)];
            let is_grazed = exact.len() != given.len();
            let span = |c: &crate::crossings::Crossings| c.iter().map(|c| c.t).sum::<f64>();
            if is_grazed {
                // Only a ray that nearly misses may be taken differently.
                let all = if exact.len() > given.len() { &exact } else { &given };
                assert!(all.len() >= 2 && (all[1].t - all[0].t).abs() < 1e-6, "{shape:?} {map:?}");
                continue;
            }
            assert!(
                (span(&exact) - span(&given)).abs() < 1e-7,
                "{shape:?} {map:?} {exact:?} {given:?}"
            );
            for (a, b) in exact.iter().zip(given.iter()) {
                hits += 1;
                let point = line.at(a.t);
                let in_object = shape.normal(a.face, line_in_object.at(a.t));
                let [a, b] = [placement.normal_in_world(in_object), image.normal(b.face, point)];
                assert!(a.distance(b) < 1e-5, "{shape:?} {map:?}: {a} {b}");
            }
        }
        assert!(hits > 20_000 && images.iter().all(|&count| count > 300), "{hits} {images:?}");
        let are_placed = |name: &str| {
            placed[SHAPE_TYPES.iter().position(|kind| kind.name == name).unwrap()] > 300
        };
        assert!(
            ["box", "cylinder", "capsule", "cone", "torus", "disc"].into_iter().all(are_placed)
        );
        assert!(["sphere", "ellipsoid", "triangle"].into_iter().all(|name| !are_placed(name)));
    }

    /// Returns the image of a shape whose type is that of the shape.
    fn of_its_type(shape: &Shape, map: &Affine) -> Option<Shape> {
        image(shape, map).filter(|image| image.shape_type().name == shape.shape_type().name)
    }

    /// A similarity of any size, perhaps with a mirror, about the origin.
    fn similarity(rng: &mut Rng) -> Affine {
        let mirror = if rng.bool() { DVec3::new(1.0, 1.0, -1.0) } else { DVec3::ONE };
        let scale = (4.0 * rng.f64() - 2.0).exp() * mirror;
        Affine::from_scale_rotation_translation(scale, rotation(rng), DVec3::ZERO)
    }

    #[test]
    fn a_similarity_in_float32_keeps_every_type_and_its_sizes() {
        let rng = &mut Rng::with_seed(16);
        for turn in 0..20_000 {
            let shape = random(turn % SHAPE_TYPES.len(), rng);
            let exact = similarity(rng);
            let one = exact.rounded();
            // Two of them, of which each was rounded.
            let two = similarity(rng).rounded().then_inner(&exact.rounded());
            for map in [one, two] {
                let scale = map.linear.determinant().abs().cbrt();
                let image =
                    of_its_type(&shape, &map).unwrap_or_else(|| panic!("{shape:?} {map:?}"));
                let [before, after] = [scale * shape.smallest_size(), image.smallest_size()];
                let is_kept = before == after || (after / before - 1.0).abs() < 1e-6;
                assert!(is_kept, "{shape:?} {image:?}");
                assert!(map.point(shape.center()).distance(image.center()) < 1e-6 * scale * 9.0);
            }
        }
    }

    #[test]
    fn what_is_a_similarity_up_to_its_tolerance_keeps_every_type_and_nothing_else_does() {
        let rng = &mut Rng::with_seed(17);
        for turn in 0..20_000 {
            let map = similarity(rng);
            // The nearest map of one scale is half a stretch away, and that without a shear half a
            // shear.
            let changed = |share: f64, change: DMat3| Affine {
                linear: map.linear * (DMat3::IDENTITY + 2.0 * share * ROUNDED * change),
                ..map
            };
            let shape = random(turn % SHAPE_TYPES.len(), rng);
            let of_stretch = DMat3::from_diagonal(DVec3::Y);
            let mut of_shear = DMat3::ZERO;
            of_shear.y_axis.x = 1.0;
            for change in [of_stretch, of_shear] {
                let inside = of_its_type(&shape, &changed(0.99, change));
                assert!(inside.is_some(), "{shape:?} {map:?} {change}");
            }
            let outside = |change| of_its_type(&shape, &changed(1.01, change)).is_some();
            match shape {
                Shape::Sphere(_) | Shape::Capsule(_) | Shape::Torus(_) => {
                    assert!(!outside(of_stretch) && !outside(of_shear), "{shape:?} {map:?}");
                }
                Shape::Cuboid(Cuboid { rotation, .. }) => {
                    let axes = rotation_matrix(rotation);
                    assert!(outside(axes * of_stretch * axes.transpose()));
                    assert!(!outside(axes * of_shear * axes.transpose()), "{shape:?} {map:?}");
                }
                Shape::Cylinder(Cylinder { start, end, .. })
                | Shape::Cone(Cone { start, end, .. }) => {
                    let along = (end - start).normalize();
                    let across = along.any_orthonormal_vector();
                    let stretch =
                        |axis: DVec3| DMat3::from_cols(axis.x * axis, axis.y * axis, axis.z * axis);
                    assert!(outside(stretch(along)));
                    assert!(!outside(stretch(across)), "{shape:?} {map:?}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_scale_along_the_axes_of_a_shape_in_float32_keeps_its_type() {
        let rng = &mut Rng::with_seed(18);
        for turn in 0..20_000 {
            let shape = random(turn % SHAPE_TYPES.len(), rng);
            let mut scale = DVec3::new(rng.f64(), rng.f64(), rng.f64()) + 0.1;
            let axes = match shape {
                Shape::Cuboid(Cuboid { rotation, .. })
                | Shape::Ellipsoid(Ellipsoid { rotation, .. }) => rotation_matrix(rotation),
                Shape::Plane(Plane { rectangle: Some(Rectangle { rotation, .. }), .. }) => {
                    rotation_matrix(rotation)
                }
                Shape::Cylinder(Cylinder { start, end, .. })
                | Shape::Cone(Cone { start, end, .. }) => {
                    scale.y = scale.x;
                    let along = (end - start).normalize();
                    let (e, f) = along.any_orthonormal_pair();
                    DMat3::from_cols(e, f, along)
                }
                _ => continue,
            };
            let stretched = Affine {
                linear: axes * DMat3::from_diagonal(scale) * axes.transpose(),
                translation: DVec3::ZERO,
            };
            let map = similarity(rng).then_inner(&stretched).rounded();
            let image = of_its_type(&shape, &map).unwrap_or_else(|| panic!("{shape:?} {map:?}"));
            assert!(map.point(shape.center()).distance(image.center()) < 1e-4);
            if let Shape::Cuboid(cuboid) = image {
                let axes = axes * DMat3::from_diagonal(shape_extents(&shape));
                for (axis, extent) in cuboid.half_extents.to_array().into_iter().enumerate() {
                    let exact = (map.linear * axes.col(axis)).length();
                    assert!((extent - exact).abs() < 1e-5 * exact, "{shape:?} {map:?}");
                }
            }
        }
    }

    fn shape_extents(shape: &Shape) -> DVec3 {
        match shape {
            Shape::Cuboid(cuboid) => cuboid.half_extents,
            _ => DVec3::ONE,
        }
    }

    #[test]
    fn axes_along_the_worlds_are_exact_and_keep_their_order() {
        let turned = Affine::from_rows([0., -2., 0., 1., 3., 0., 0., 2., 0., 0., -1., 3.]);
        let cuboid = Cuboid {
            center: DVec3::ONE,
            half_extents: DVec3::new(1.0, 2.0, 3.0),
            rotation: DQuat::IDENTITY,
        };
        let Some(Shape::Cuboid(image)) = image(&cuboid.into(), &turned) else { panic!("a box") };
        let axes = rotation_matrix(image.rotation).to_cols_array();
        assert_eq!(axes, [0., -1., 0., -1., 0., 0., 0., 0., -1.]);
        assert_eq!(image.half_extents, DVec3::new(3.0, 4.0, 3.0));
        assert_eq!(image.center, DVec3::new(-1.0, 5.0, 2.0));
    }
}
