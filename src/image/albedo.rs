//! The colours of geometries under no light.

use super::SceneExtent;
use super::color::{Palette, bytes, linear};
use crate::scene::Scene;
use glam::Vec3;
use std::sync::Arc;

/// The sRGB colour of unbounded geometries that have none.
const NEUTRAL: [f32; 3] = [0.84, 0.84, 0.83];

/// The colours of a scene's geometries: their own, and else pleasing ones that differ from one id
/// to the next.
pub struct Albedo<'a> {
    scene: &'a Scene,
    extent: Arc<SceneExtent>,
    palette: Palette,
    /// Colours in place of the scene's, by ids.
    painted: Option<Arc<[[f32; 3]]>>,
    neutral: Vec3,
}

impl<'a> Albedo<'a> {
    /// Returns the colours of a scene that takes this room.
    pub fn new(scene: &'a Scene, extent: Arc<SceneExtent>) -> Self {
        Self { scene, extent, palette: Palette::new(), painted: None, neutral: linear(NEUTRAL) }
    }

    /// Takes these sRGB colours in place of the scene's, which are by their ids.
    pub(super) fn painted(self, colors: Arc<[[f32; 3]]>) -> Self {
        Self { painted: Some(colors), ..self }
    }

    /// Returns the share of the light that a geometry reflects, in red, green and blue.
    pub(super) fn linear(&self, geometry_id: u32) -> Vec3 {
        let painted = self.painted.as_ref().and_then(|colors| colors.get(geometry_id as usize));
        if let Some(&color) = painted {
            return linear(color);
        }
        match self.scene.appearance(geometry_id).color {
            Some(color) => linear(color),
            None if self.extent.is_unbounded(geometry_id) => self.neutral,
            None => self.palette.color(geometry_id),
        }
    }

    /// Returns the same as sRGB, for a display.
    pub fn srgb(&self, geometry_id: u32) -> [u8; 3] {
        bytes(self.linear(geometry_id), 0.5)
    }
}
