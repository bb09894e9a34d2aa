//! What a shape's fields are, said once: from this list come the reading of scene files and bulk
//! arrays, their JSON Schema, the checks, the moving into world space and the rounding to float32.
//!
//! A shape is a *row*: its fields' numbers one after another, in the order of its bulk array.

use crate::math::Similarity;
use crate::shapes::{Shape, ShapeType};
use glam::{DQuat, DVec3};
use thiserror::Error;

/// The largest coordinate of a point, in scene units.
pub const MAX_COORDINATE: f64 = crate::ray::MAX_COORDINATE as f64;
/// The smallest radius or extent.
pub const MIN_SIZE: f64 = 1e-9;
/// The largest radius or extent.
pub const MAX_SIZE: f64 = 1e9;
/// A quaternion shorter than this points nowhere.
pub const MIN_QUATERNION: f64 = 1e-6;
/// Where rounding to float32 moves a shape by more than this part of its smallest size, it is named.
pub const COARSE: f64 = 1e-3;
/// The longest row of any kind.
const MAX_COLUMNS: usize = 10;

/// What the numbers of a field mean, hence how they move and what they may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A point: three coordinates up to 1e9.
    Position,
    /// Three points, as nine numbers.
    Corners,
    /// A way across or along something, of any length above 0; only where it points matters.
    Direction,
    /// A radius: one number from 1e-9 to 1e9.
    Length,
    /// A radius, or 0 for none.
    LengthOrZero,
    /// Three lengths along the shape's own axes.
    Extents,
    /// A quaternion x y z w, of any length from 1e-6; the identity where it is absent.
    Rotation,
}

impl FieldKind {
    /// How many columns of a row the field takes.
    pub const fn columns(self) -> usize {
        match self {
            Self::Position | Self::Direction | Self::Extents => 3,
            Self::Length | Self::LengthOrZero => 1,
            Self::Rotation => 4,
            Self::Corners => 9,
        }
    }
}

/// The quaternion that turns nothing.
pub(crate) const NO_TURN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// One field of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key in a scene file.
    pub name: &'static str,
    /// What its numbers mean.
    pub kind: FieldKind,
    /// What it holds where a file leaves it out; `None` where it must be there.
    pub default: Option<&'static [f64]>,
    /// One sentence for the JSON Schema.
    pub about: &'static str,
}

impl Field {
    pub(crate) const fn new(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, default: None, about }
    }

    /// The same field, which a file may leave out.
    pub(crate) const fn or(self, default: &'static [f64]) -> Self {
        Self { default: Some(default), ..self }
    }
}

/// Why a shape cannot be cast at.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}{reason}", if field.is_empty() { String::new() } else { format!("{field} ") })]
pub struct ShapeError {
    /// The field at fault, empty where it is the shape as a whole.
    pub field: String,
    /// What is wrong with it and what it should be.
    pub reason: String,
}

/// A shape in world space, its numbers rounded to float32.
pub(crate) struct Placed<S> {
    pub shape: S,
    /// Whether rounding moved it by more than [`COARSE`] of its smallest size.
    pub coarse: bool,
}

/// Moves a row into world space, rounds it once to float32, and checks it before and after.
///
/// # Errors
/// A [`ShapeError`] for a number that is not finite or out of range, and for a shape of no extent.
pub(crate) fn place(
    kind: &ShapeType,
    row: &[f64],
    world_from_shape: &Similarity,
) -> Result<Placed<Shape>, ShapeError> {
    if row.len() != kind.columns() {
        return Err(ShapeError {
            field: String::new(),
            reason: format!("has {} numbers: a {} has {}", row.len(), kind.name, kind.columns()),
        });
    }
    let mut world = [0.0; MAX_COLUMNS];
    let mut columns = 0;
    let mut drift: f64 = 0.0;
    let mut turn = 0.0;
    for field in kind.fields {
        let span = columns..columns + field.kind.columns();
        columns = span.end;
        check(field, &row[span.clone()])?;
        let moved = &mut world[span.clone()];
        move_field(field.kind, &row[span.clone()], world_from_shape, moved);
        check(field, moved).map_err(|shape_error| ShapeError {
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
            // A unit quaternion that is off by so much turns by twice as much.
            FieldKind::Rotation => turn = 2.0 * moved_by,
            FieldKind::Direction => {
                turn = moved_by / DVec3::from_slice(&world[span]).length();
            }
            _ => drift = drift.max(moved_by),
        }
    }
    let shape = (kind.from_row)(&world[..columns]);
    shape.check()?;
    let coarse = drift.max(turn * shape.bounding_radius()) > COARSE * shape.smallest_size();
    Ok(Placed { shape, coarse })
}

fn move_field(kind: FieldKind, from: &[f64], world_from_shape: &Similarity, to: &mut [f64]) {
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
        FieldKind::Direction => {
            let direction = world_from_shape.rotation * within_float32(DVec3::from_slice(from));
            to.copy_from_slice(&direction.to_array());
        }
        FieldKind::Length | FieldKind::LengthOrZero | FieldKind::Extents => {
            for (to, from) in to.iter_mut().zip(from) {
                *to = world_from_shape.scale * from;
            }
        }
        FieldKind::Rotation => {
            // That it has a length was checked.
            let unit = unit_rotation(from).unwrap_or(DQuat::IDENTITY);
            to.copy_from_slice(&(world_from_shape.rotation * unit).to_array());
        }
    }
}

/// A direction whose largest component float32 can hold; by a power of two, which rounds nothing.
pub(crate) fn within_float32(direction: DVec3) -> DVec3 {
    const LARGE: f64 = 1e6;
    let largest = direction.abs().max_element();
    if (1.0 / LARGE..LARGE).contains(&largest) {
        return direction;
    }
    let (_, exponent) = libm::frexp(largest);
    direction.map(|component| libm::scalbn(component, -exponent))
}

fn check(field: &Field, numbers: &[f64]) -> Result<(), ShapeError> {
    let refuse = |index: Option<usize>, reason: String| ShapeError {
        field: match index {
            Some(index) if numbers.len() > 4 => {
                format!("{}[{}][{}]", field.name, index / 3, index % 3)
            }
            Some(index) if numbers.len() > 1 => format!("{}[{index}]", field.name),
            _ => field.name.to_owned(),
        },
        reason,
    };
    for (index, &number) in numbers.iter().enumerate() {
        if !number.is_finite() {
            return Err(refuse(Some(index), format!("is {number}: it must be a finite number")));
        }
        let fault = match field.kind {
            FieldKind::Position | FieldKind::Corners if number.abs() > MAX_COORDINATE => {
                Some("a coordinate must lie between -1e9 and 1e9")
            }
            FieldKind::LengthOrZero
                if number != 0.0 && !(MIN_SIZE..=MAX_SIZE).contains(&number) =>
            {
                Some("it must be 0, or lie between 1e-9 and 1e9")
            }
            FieldKind::Length | FieldKind::Extents if !(MIN_SIZE..=MAX_SIZE).contains(&number) => {
                Some("it must lie between 1e-9 and 1e9")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(refuse(Some(index), format!("is {number:?}: {fault}")));
        }
    }
    if field.kind == FieldKind::Rotation && unit_rotation(numbers).is_none() {
        return Err(refuse(None, NO_ROTATION.to_owned()));
    }
    if field.kind == FieldKind::Direction && numbers.iter().all(|&number| number == 0.0) {
        return Err(refuse(None, "has no length: it must point somewhere".to_owned()));
    }
    Ok(())
}

/// Checks a point of a list of them; `name` says where it stands.
pub(crate) fn check_point(point: DVec3, name: impl Fn() -> String) -> Result<(), ShapeError> {
    // NaN is in no range.
    let reach = -MAX_COORDINATE..=MAX_COORDINATE;
    if point.to_array().iter().all(|number| reach.contains(number)) {
        return Ok(());
    }
    Err(ShapeError {
        field: name(),
        reason: format!(
            "is {:?}: a coordinate must be a number between -1e9 and 1e9",
            point.to_array()
        ),
    })
}

/// Moves a list of points into world space and rounds them; also how far rounding moved any of them.
pub(crate) fn place_points(
    points: &[DVec3],
    name: &str,
    world_from_points: &Similarity,
) -> Result<(Vec<DVec3>, f64), ShapeError> {
    let mut drift: f64 = 0.0;
    let mut placed = Vec::with_capacity(points.len());
    for (place, point) in points.iter().enumerate() {
        let name = || format!("{name}[{place}]");
        check_point(*point, name)?;
        let moved = world_from_points.point(*point);
        check_point(moved, name)?;
        let point = rounded(moved);
        drift = drift.max((point - moved).length());
        placed.push(point);
    }
    Ok((placed, drift))
}

/// Checks a length that stands alone.
pub(crate) fn check_length(length: f64, name: &'static str) -> Result<(), ShapeError> {
    check_alone(FieldKind::Length, &[length], name)
}

/// Checks the numbers of a field that stands alone.
pub(crate) fn check_alone(
    kind: FieldKind,
    numbers: &[f64],
    name: &'static str,
) -> Result<(), ShapeError> {
    check(&Field::new(name, kind, ""), numbers)
}

/// A point as float32 holds it.
pub(crate) fn rounded(point: DVec3) -> DVec3 {
    point.as_vec3().as_dvec3()
}

/// Checks a rotation that stands alone, and gives it unit length.
pub(crate) fn check_rotation(rotation: DQuat) -> Result<DQuat, ShapeError> {
    let xyzw = rotation.to_array();
    check_alone(FieldKind::Rotation, &xyzw, "rotation")?;
    // That it has a length was checked.
    Ok(unit_rotation(&xyzw).unwrap_or(DQuat::IDENTITY).normalize())
}

/// What is wrong with a quaternion that [`unit_rotation`] makes nothing of.
pub(crate) const NO_ROTATION: &str =
    "is a quaternion of (nearly) no length: use [0, 0, 0, 1] for no rotation";

/// The rotation of a quaternion x y z w; `None` where it is shorter than [`MIN_QUATERNION`]. One of unit
/// length to float32 is kept to the bit, not rounded twice.
pub(crate) fn unit_rotation(xyzw: &[f64]) -> Option<DQuat> {
    let own = DQuat::from_slice(xyzw);
    if (own.length_squared() - 1.0).abs() < 1e-6 {
        return Some(own);
    }
    // By the largest component first, or squares of 1e300 overflow.
    let largest = xyzw.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    (own.length() >= MIN_QUATERNION).then(|| (own / largest).normalize())
}
