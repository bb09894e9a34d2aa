//! What a shape's fields are, said once: from this list come the reading of scene files and bulk
//! arrays, their JSON Schema, the checks, the moving into world space and the rounding to float32.
//!
//! A shape is a *row*: its fields' numbers one after another, in the order of its bulk array.

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

/// Checks the numbers of a field.
pub(crate) fn check_field(field: &Field, numbers: &[f64]) -> Result<(), ShapeError> {
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
    check_field(&Field::new(name, kind, ""), numbers)
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
