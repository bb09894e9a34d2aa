//! The contents of a world, in the order of its file.

use super::element::Place;
use super::sight::Sight;
use crate::Warning;
use raytwin::geometry::Geometry;
use raytwin::math::Similarity;
use raytwin::scene::{Appearance, Name};
use std::ops::Range;

/// The contents of a world, or of the models of a file without one.
pub(super) struct World {
    /// All frames.
    pub world_from_frames: Vec<Similarity>,
    /// The models and links.
    pub groups: Vec<WorldGroup>,
    pub shapes: Vec<WorldShape>,
    /// The paths of the parent and the child of each joint, and whether it is fixed.
    pub joints: Vec<([Name; 2], bool)>,
    pub sensors: Vec<WorldSensor>,
    /// Warnings, the one about shapes that cannot be read first.
    pub warnings: Vec<Warning>,
}

/// A model or a link.
pub(super) struct WorldGroup {
    pub path: Name,
    /// The index of its frame.
    pub frame: usize,
    pub is_link: bool,
    /// The shapes of the model in the world that it belongs to.
    pub carrier: Range<u32>,
}

/// A visual or a collision.
pub(super) struct WorldShape {
    pub path: Name,
    /// The index of its link among the groups.
    pub link: usize,
    pub frame: usize,
    pub geometry: Geometry,
    pub appearance: Appearance,
    /// Its `<laser_retro>`, if it is a whole number and not a share of light.
    pub laser_retro: Option<i32>,
}

pub(super) struct WorldSensor {
    pub path: Name,
    pub frame: usize,
    pub sight: Sight,
    /// The shapes of the model in the world that it belongs to.
    pub carrier: Range<u32>,
    pub place: Place,
}
