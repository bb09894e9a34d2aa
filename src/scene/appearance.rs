//! The colour, label and reflectance of a geometry.

/// The colour, label and reflectance of a geometry. They do not affect hits. A field that is `None`
/// has the value of the node or instance that contains the geometry.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Appearance {
    /// The colour for the shaded picture: red, green and blue from 0 to 1 in sRGB (not linear), as
    /// people write colours in URDF, JSON and tables.
    pub color: Option<[f32; 3]>,
    /// The label: a semantic class from 1 on; 0 for none.
    pub label: Option<u16>,
    /// The share of light that the geometry reflects at a lidar's wavelength, from 0 to 1.
    pub reflectance: Option<f32>,
}

impl Appearance {
    /// No field is set.
    pub const NONE: Self = Self { color: None, label: None, reflectance: None };

    /// The default reflectance.
    pub const REFLECTANCE: f32 = 0.5;

    /// Returns these fields, and for each that is `None` the outer one.
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
