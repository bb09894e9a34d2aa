//! The parts of the surface of a cylinder or a cone.

use super::caps::START_CAP;
use crate::fields::{Field, FieldKind};

/// The parts of the surface of a cylinder or a cone that are present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// True if the side is present.
    pub side: bool,
    /// True if the cap at the start is present.
    pub start_cap: bool,
    /// True if the cap at the end is present.
    pub end_cap: bool,
}

impl Parts {
    pub(super) const ALL: Self = Self { side: true, start_cap: true, end_cap: true };
    pub(super) const NONE: Self = Self { side: false, start_cap: false, end_cap: false };

    /// The fields that name the parts.
    pub(super) const FIELDS: [Field; 3] = [
        Field::new("side", FieldKind::Flag, "False if the side is missing.").or(&[1.0]),
        Field::new("start_cap", FieldKind::Flag, "False if the cap at the start is missing.")
            .or(&[1.0]),
        Field::new("end_cap", FieldKind::Flag, "False if the cap at the end is missing.")
            .or(&[1.0]),
    ];

    /// The numbers of the fields for a shape with all parts.
    pub(super) const ALL_FLAGS: [f64; 3] = [1.0; 3];

    /// Returns 1 for each part that is present and 0 for each that is missing.
    pub(super) fn flags(self) -> [f64; 3] {
        [self.side, self.start_cap, self.end_cap].map(|is_present| f64::from(u8::from(is_present)))
    }

    pub(super) fn has_cap(self, face: u32) -> bool {
        if face == START_CAP { self.start_cap } else { self.end_cap }
    }

    /// Makes the parts from flags. A part is present if its number is not 0.
    pub(super) fn of_flags(flags: &[f64]) -> Self {
        Self { side: flags[0] != 0.0, start_cap: flags[1] != 0.0, end_cap: flags[2] != 0.0 }
    }
}
