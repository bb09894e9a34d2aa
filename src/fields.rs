//! The description of a shape's fields. It is the only source for the reading of scene files and
//! bulk arrays, their JSON Schema, the checks, the placing in world space and the rounding to
//! float32. It is a table instead of a serde struct, so that JSON and bulk arrays are read alike.
//!
//! A shape is a *row*: the numbers of its fields one after another, in the order of its bulk array.

use glam::{DQuat, DVec3};
use thiserror::Error;

/// The largest coordinate of a point, in scene units.
pub const MAX_COORDINATE: f64 = crate::ray::MAX_COORDINATE as f64;
/// The smallest radius or extent: 1e-9 rounded to float32. Scenes store float32 numbers, and a
/// written scene must be valid when it is read again.
pub const MIN_SIZE: f64 = 1e-9_f32 as f64;
/// The largest radius or extent.
pub const MAX_SIZE: f64 = 1e9;
/// The length below which a quaternion is not accepted as a rotation.
pub const MIN_QUATERNION: f64 = 1e-6;
/// The fraction of its smallest size by which rounding to float32 may move a shape far from the
/// origin before a warning names it.
pub(crate) const COARSE: f64 = 1e-3;

/// The meaning of a field's numbers, which decides how a transform acts on them and which values
/// are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A point: three coordinates up to 1e9.
    Position,
    /// Three points, as nine numbers.
    Corners,
    /// A direction of any length above 0; the length has no meaning.
    Direction,
    /// A radius: one number from 1e-9 to 1e9.
    Length,
    /// A radius, or 0 for none.
    LengthOrZero,
    /// Three lengths along the shape's own axes.
    Extents,
    /// A quaternion x y z w of any length from 1e-6; the identity if it is missing.
    Rotation,
    /// A direction, or zeros for none.
    OptionalDirection,
    /// Two lengths along the shape's own x and y axes, each of which may be 0 for none.
    OptionalExtents,
    /// A quaternion, or zeros for none.
    OptionalRotation,
    /// True or false, as 1 or 0.
    Flag,
}

impl FieldKind {
    /// Returns the number of columns that the field has in a row.
    pub const fn columns(self) -> usize {
        match self {
            Self::Position | Self::Direction | Self::OptionalDirection | Self::Extents => 3,
            Self::Length | Self::LengthOrZero | Self::Flag => 1,
            Self::OptionalExtents => 2,
            Self::Rotation | Self::OptionalRotation => 4,
            Self::Corners => 9,
        }
    }

    /// Returns true if zeros mean that the field is left out.
    pub const fn is_optional(self) -> bool {
        matches!(self, Self::OptionalDirection | Self::OptionalExtents | Self::OptionalRotation)
    }
}

/// The identity rotation, x y z w.
pub const NO_TURN: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

/// One field of a shape.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its key in a scene file.
    pub name: &'static str,
    /// The meaning of its numbers.
    pub kind: FieldKind,
    /// Its value if a file leaves it out, or `None` for a field that a file must give.
    pub default: Option<&'static [f64]>,
    /// One sentence for the JSON Schema.
    pub about: &'static str,
}

impl Field {
    pub(crate) const ROTATION: Self = Self::new(
        "rotation_xyzw",
        FieldKind::Rotation,
        "The quaternion that rotates its own axes to the world's axes.",
    )
    .or(&NO_TURN);

    pub(crate) const fn new(name: &'static str, kind: FieldKind, about: &'static str) -> Self {
        Self { name, kind, default: None, about }
    }

    /// Returns the field with a default, so that a file may leave it out.
    pub(crate) const fn or(self, default: &'static [f64]) -> Self {
        Self { default: Some(default), ..self }
    }
}

/// The reason why a shape is invalid.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{}{reason}", if field.is_empty() { String::new() } else { format!("{field} ") })]
pub struct ShapeError {
    /// The invalid field; empty if the shape as a whole is invalid.
    pub field: String,
    /// What is wrong, and the rule that it breaks.
    pub reason: String,
}

/// Scales a direction so that its largest component fits float32. The scale is a power of two, so
/// nothing is rounded.
pub(crate) fn within_float32(direction: DVec3) -> DVec3 {
    const LARGE: f64 = 1e6;
    let largest = direction.abs().max_element();
    if (1.0 / LARGE..LARGE).contains(&largest) {
        return direction;
    }
    let (_, exponent) = libm::frexp(largest);
    direction.map(|component| libm::scalbn(component, -exponent))
}

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
                Some("a coordinate must be between -1e9 and 1e9")
            }
            FieldKind::LengthOrZero | FieldKind::OptionalExtents
                if number != 0.0 && !(MIN_SIZE..=MAX_SIZE).contains(&number) =>
            {
                Some("it must be 0, or between 1e-9 and 1e9")
            }
            FieldKind::Length | FieldKind::Extents if !(MIN_SIZE..=MAX_SIZE).contains(&number) => {
                Some("it must be between 1e-9 and 1e9")
            }
            FieldKind::Flag if number != 0.0 && number != 1.0 => {
                Some("it must be 1 for true or 0 for false")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(refuse(Some(index), format!("is {number:?}: {fault}")));
        }
    }
    if field.kind.is_optional() && numbers.iter().all(|&number| number == 0.0) {
        return Ok(());
    }
    let is_rotation = matches!(field.kind, FieldKind::Rotation | FieldKind::OptionalRotation);
    if is_rotation && unit_rotation(numbers).is_none() {
        return Err(refuse(None, NO_ROTATION.to_owned()));
    }
    if field.kind == FieldKind::Direction && numbers.iter().all(|&number| number == 0.0) {
        return Err(refuse(
            None,
            "has no length: give a direction of any length above 0".to_owned(),
        ));
    }
    Ok(())
}

/// Checks a point. `name` returns the field's name for the error.
///
/// # Errors
/// [`ShapeError`], if a coordinate is NaN or its magnitude is above [`MAX_COORDINATE`].
pub fn check_point(point: DVec3, name: impl Fn() -> String) -> Result<(), ShapeError> {
    // No range contains NaN.
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

/// Checks a length that belongs to no shape type.
pub(crate) fn check_length(length: f64, name: &'static str) -> Result<(), ShapeError> {
    check_alone(FieldKind::Length, &[length], name)
}

/// Checks the numbers of a field that belongs to no shape type.
pub(crate) fn check_alone(
    kind: FieldKind,
    numbers: &[f64],
    name: &'static str,
) -> Result<(), ShapeError> {
    check_field(&Field::new(name, kind, ""), numbers)
}

pub(crate) fn rounded(point: DVec3) -> DVec3 {
    point.as_vec3().as_dvec3()
}

/// Checks a rotation that belongs to no shape type, and normalises it.
pub(crate) fn check_rotation(rotation: DQuat) -> Result<DQuat, ShapeError> {
    let xyzw = rotation.to_array();
    check_alone(FieldKind::Rotation, &xyzw, "rotation")?;
    // The length was checked above.
    Ok(unit_rotation(&xyzw).unwrap_or(DQuat::IDENTITY).normalize())
}

/// The message for a quaternion that [`unit_rotation`] rejects.
pub const NO_ROTATION: &str =
    "is a quaternion with a length below 1e-6: use [0, 0, 0, 1] for no rotation";

/// Returns the rotation of a quaternion x y z w, or `None` if it is shorter than
/// [`MIN_QUATERNION`]. A quaternion whose length is 1 to float32 precision is not changed, so that
/// it is not rounded twice.
pub fn unit_rotation(xyzw: &[f64]) -> Option<DQuat> {
    let quaternion = DQuat::from_slice(xyzw);
    if (quaternion.length_squared() - 1.0).abs() < 1e-6 {
        return Some(quaternion);
    }
    // The division by the largest component keeps squares of 1e300 from overflowing.
    let largest = xyzw.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    (quaternion.length() >= MIN_QUATERNION).then(|| (quaternion / largest).normalize())
}
