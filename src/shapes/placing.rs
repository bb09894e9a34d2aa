//! Placing shapes: a transform moves a row of numbers or a list of points into world space, and the
//! result is rounded to float32.

use super::{Shape, ShapeType};
use crate::fields::{
    COARSE, FieldKind, ShapeError, check_field, check_point, rounded, unit_rotation, within_float32,
};
use crate::math::Similarity;
use glam::{DQuat, DVec3};

/// The length of the longest row of any shape type.
const MAX_COLUMNS: usize = 13;

/// A shape in world space, its numbers rounded to float32.
pub(crate) struct Placed<S> {
    pub shape: S,
    /// True where rounding moved it by more than [`COARSE`] of its smallest size.
    pub coarse: bool,
}

impl Shape {
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        self.form().check()
    }

    /// Checks each field, and what involves more than one.
    pub(crate) fn check_fields(&self) -> Result<(), ShapeError> {
        let row = self.row();
        let mut columns = 0;
        for field in self.shape_type().fields {
            let span = columns..columns + field.kind.columns();
            columns = span.end;
            check_field(field, &row[span])?;
        }
        self.check()
    }
}

/// Moves a row into world space, rounds it once to float32, and checks it before and after.
///
/// # Errors
/// A [`ShapeError`] for a number that is not finite or out of range, and for a shape of no extent.
pub(crate) fn place(
    shape_type: &ShapeType,
    row: &[f64],
    world_from_shape: &Similarity,
) -> Result<Placed<Shape>, ShapeError> {
    check_length(shape_type, row)?;
    let mut world = [0.0; MAX_COLUMNS];
    let mut columns = 0;
    let mut drift: f64 = 0.0;
    let mut turn = 0.0;
    for field in shape_type.fields {
        let span = columns..columns + field.kind.columns();
        columns = span.end;
        check_field(field, &row[span.clone()])?;
        let moved = &mut world[span.clone()];
        move_field(field.kind, &row[span.clone()], world_from_shape, moved);
        check_field(field, moved).map_err(|shape_error| ShapeError {
            reason: format!("{} once placed in the world", shape_error.reason),
            ..shape_error
        })?;
        let mut moved_by = 0.0;
        for number in moved {
            let rounded = f64::from(*number as f32);
            moved_by += (rounded - *number) * (rounded - *number);
            *number = rounded;
        }
        let moved_by = moved_by.sqrt();
        match field.kind {
            // An error of ε in a unit quaternion is an angle of 2 ε.
            FieldKind::Rotation | FieldKind::OptionalRotation => turn = 2.0 * moved_by,
            FieldKind::Direction => {
                turn = moved_by / DVec3::from_slice(&world[span]).length();
            }
            // An infinite plane has no size, and the normal of a bounded one only repeats its
            // rotation.
            FieldKind::OptionalDirection => {}
            _ => drift = drift.max(moved_by),
        }
    }
    let shape = (shape_type.from_row)(&world[..columns]);
    shape.check()?;
    let coarse = drift.max(turn * shape.bounding_radius()) > COARSE * shape.smallest_size();
    Ok(Placed { shape, coarse })
}

/// Makes the shape that a row describes, in its own space and without rounding, and checks it.
///
/// # Errors
/// A [`ShapeError`] that names the field, also for numbers that the shape does not keep.
pub fn unplaced(shape_type: &ShapeType, row: &[f64]) -> Result<Shape, ShapeError> {
    check_length(shape_type, row)?;
    let mut rest = row;
    for field in shape_type.fields {
        let (numbers, after) = rest.split_at(field.kind.columns());
        check_field(field, numbers)?;
        rest = after;
    }
    let shape = (shape_type.from_row)(row);
    shape.check()?;
    Ok(shape)
}

fn check_length(shape_type: &ShapeType, row: &[f64]) -> Result<(), ShapeError> {
    if row.len() == shape_type.columns() {
        return Ok(());
    }
    let [found, needed] = [row.len(), shape_type.columns()];
    let reason = format!("has {found} numbers: a {} has {needed}", shape_type.name);
    Err(ShapeError { field: String::new(), reason })
}

fn move_field(kind: FieldKind, from: &[f64], world_from_shape: &Similarity, to: &mut [f64]) {
    if kind.is_optional() && from.iter().all(|&number| number == 0.0) {
        return to.fill(0.0);
    }
    match kind {
        FieldKind::Position => {
            let point = world_from_shape.point(DVec3::from_slice(from));
            to.copy_from_slice(&point.to_array());
        }
        FieldKind::Corners => {
            for (from, to) in from.chunks_exact(3).zip(to.chunks_exact_mut(3)) {
                move_field(FieldKind::Position, from, world_from_shape, to);
            }
        }
        FieldKind::Direction | FieldKind::OptionalDirection => {
            let direction = world_from_shape.rotation * within_float32(DVec3::from_slice(from));
            to.copy_from_slice(&direction.to_array());
        }
        FieldKind::Length
        | FieldKind::LengthOrZero
        | FieldKind::Extents
        | FieldKind::OptionalExtents => {
            for (to, from) in to.iter_mut().zip(from) {
                *to = world_from_shape.scale * from;
            }
        }
        FieldKind::Flag => to.copy_from_slice(from),
        FieldKind::Rotation | FieldKind::OptionalRotation => {
            // Its length was checked.
            let unit = unit_rotation(from).unwrap_or(DQuat::IDENTITY);
            to.copy_from_slice(&(world_from_shape.rotation * unit).to_array());
        }
    }
}

/// Moves a list of points into world space and rounds them to float32. Returns them and the
/// farthest that rounding moved any of them.
pub(crate) fn place_points(
    points: &[DVec3],
    name: &str,
    world_from_points: &Similarity,
) -> Result<(Vec<DVec3>, f64), ShapeError> {
    let mut drift: f64 = 0.0;
    let mut placed = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        let name = || format!("{name}[{index}]");
        check_point(*point, name)?;
        let moved = world_from_points.point(*point);
        check_point(moved, name)?;
        let point = rounded(moved);
        drift = drift.max((point - moved).length());
        placed.push(point);
    }
    Ok((placed, drift))
}
