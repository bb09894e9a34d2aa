//! The colours of a cloud's points, which show a number of the geometry, or the height.

use crate::image::color;
use raytwin::scene::Scene;
use std::convert::Infallible;
use std::str::FromStr;

/// The number that the colours of points show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColorBy {
    /// The label of the geometry.
    Label,
    /// The geometry's value of this integer column, such as `tree_id`.
    Column(String),
    /// The z of the point, from the lowest to the highest of the cloud.
    Height,
}

impl FromStr for ColorBy {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "label" => Self::Label,
            "height" => Self::Height,
            column => Self::Column(column.to_owned()),
        })
    }
}

impl ColorBy {
    /// Returns the colour of a geometry; `None` if points of one geometry have several.
    pub fn of_geometry(&self, scene: &Scene, geometry_id: u32) -> Option<[u8; 3]> {
        match self {
            Self::Label => Some(color::of_number(scene.label(geometry_id).into())),
            Self::Column(name) => Some(color::of_number(scene.integer(name, geometry_id))),
            Self::Height => None,
        }
    }
}
