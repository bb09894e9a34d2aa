//! Placing shapes: a transform moves a row of numbers or a list of points into world space, and the
//! result is rounded to float32.

use super::{Shape, ShapeType};
use crate::fields::{
    COARSE, FieldKind, ShapeError, check_field, check_point, rounded, unit_rotation, within_float32,
};
use crate::math::{Bounds, Similarity, U};
use glam::{DQuat, DVec3};

/// The length of the longest row of any shape type.
const MAX_COLUMNS: usize = 13;

/// A shape in world space, its numbers rounded to float32.
pub(crate) struct PlacedShape<S> {
    pub shape: S,
    /// True if it is so far from the origin that rounding moves it by more than [`COARSE`] of its
    /// size.
    pub coarse: bool,
}

/// What rounding to float32 does to the points of one shape.
pub(crate) struct PointRounding {
    bounds: Bounds,
    /// The farthest that it moves one of them.
    drift: f64,
}

impl PointRounding {
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        let none = Self { bounds: Bounds::EMPTY, drift: 0.0 };
        points.into_iter().fold(none, Self::with)
    }

    fn with(self, point: DVec3) -> Self {
        Self {
            bounds: self.bounds.union(Bounds { min: point, max: point }),
            drift: self.drift.max((rounded(point) - point).length()),
        }
    }

    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns true if it moves none of them.
    pub fn is_exact(&self) -> bool {
        self.drift == 0.0
    }

    /// Returns true if they are so far from the origin that they move by more than [`COARSE`] of a
    /// size, and if an origin in their middle would avoid at least nine tenths of that.
    pub fn is_of_far_points(&self, size: f64) -> bool {
        let allowed = COARSE * size;
        self.drift > allowed && about_middle(&self.bounds) <= allowed.max(0.1 * self.drift)
    }
}

/// Returns the most that rounding moves points within bounds about an origin in their middle.
fn about_middle(bounds: &Bounds) -> f64 {
    U * bounds.radius()
}

/// Returns the smallest extent of bounds around points. An extent that rounding loses for any
/// origin is that of a flat shape, and does not count.
pub(crate) fn smallest_extent(bounds: &Bounds) -> f64 {
    let extents = (bounds.max - bounds.min).to_array().into_iter();
    let lost = about_middle(bounds);
    extents.filter(|extent| COARSE * extent > lost).fold(f64::INFINITY, f64::min)
}

impl Shape {
    pub(crate) fn check(&self) -> Result<(), ShapeError> {
        self.form().check()
    }

    /// Checks each field, and the rules that involve more than one.
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
/// A [`ShapeError`] for a number that is not finite or out of range, and for a shape without
/// extent.
pub(crate) fn place(
    shape_type: &ShapeType,
    row: &[f64],
    world_from_shape: &Similarity,
) -> Result<PlacedShape<Shape>, ShapeError> {
    check_length(shape_type, row)?;
    let mut world = [0.0; MAX_COLUMNS];
    let mut columns = 0;
    let mut rounding = PointRounding::of([]);
    for field in shape_type.fields {
        let span = columns..columns + field.kind.columns();
        columns = span.end;
        check_field(field, &row[span.clone()])?;
        let moved = &mut world[span.clone()];
        move_field(field.kind, &row[span.clone()], world_from_shape, moved);
        check_field(field, moved).map_err(|shape_error| ShapeError {
            reason: format!("{} after it is placed in the world", shape_error.reason),
            ..shape_error
        })?;
        // No origin changes how other fields are rounded.
        if matches!(field.kind, FieldKind::Position | FieldKind::Corners) {
            rounding =
                moved.chunks_exact(3).map(DVec3::from_slice).fold(rounding, PointRounding::with);
        }
        moved.iter_mut().for_each(|number| *number = f64::from(*number as f32));
    }
    let shape = (shape_type.from_row)(&world[..columns]);
    shape.check()?;
    let coarse = rounding.is_of_far_points(shape.smallest_size());
    Ok(PlacedShape { shape, coarse })
}

/// Makes the shape that a row describes, in its own space and without rounding, and checks it.
///
/// # Errors
/// A [`ShapeError`] that names the field, also for a number that the shape does not store.
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

/// Moves a list of points into world space and rounds them to float32.
pub(crate) fn place_points(
    points: &[DVec3],
    name: &str,
    world_from_points: &Similarity,
) -> Result<Vec<DVec3>, ShapeError> {
    let mut placed = Vec::with_capacity(points.len());
    for (index, point) in points.iter().enumerate() {
        let name = || format!("{name}[{index}]");
        check_point(*point, name)?;
        let moved = world_from_points.point(*point);
        check_point(moved, name)?;
        placed.push(rounded(moved));
    }
    Ok(placed)
}
