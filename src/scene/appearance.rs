//! What eyes and sensors make of a geometry, apart from where it is.

/// What eyes and sensors make of a geometry: none of it decides what a ray meets. What is `None` is
/// that of what the geometry is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Appearance {
    /// The colour for the shaded picture: red, green and blue from 0 to 1, as sRGB displays take
    /// them (not linear), which is how people write colours in URDF, JSON and tables.
    pub color: Option<[f32; 3]>,
    /// The semantic class, from 1 on; 0 for none.
    pub label: Option<u16>,
    /// The share of light that a lidar's wavelength sees reflected, from 0 to 1.
    pub reflectance: Option<f32>,
}

impl Appearance {
    /// Nothing is said.
    pub const NONE: Self = Self { color: None, label: None, reflectance: None };

    /// The reflectance where none is said.
    pub const REFLECTANCE: f32 = 0.5;

    /// Returns what is said here, and else what is said of what it is in.
    pub fn or(self, outer: Self) -> Self {
        Self {
            color: self.color.or(outer.color),
            label: self.label.or(outer.label),
            reflectance: self.reflectance.or(outer.reflectance),
        }
    }
}

impl From<Option<[f32; 3]>> for Appearance {
    fn from(color: Option<[f32; 3]>) -> Self {
        Self { color, ..Self::NONE }
    }
}

impl From<[f32; 3]> for Appearance {
    fn from(color: [f32; 3]) -> Self {
        Some(color).into()
    }
}
