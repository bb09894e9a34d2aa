//! The unlit colours of geometries.

use super::SceneExtent;
use super::color::{Palette, bytes, linear};
use crate::scene::Scene;
use glam::Vec3;
use std::sync::Arc;

/// The sRGB colour of unbounded geometries without a colour.
const NEUTRAL: [f32; 3] = [0.84, 0.84, 0.83];

/// The sRGB colour of wood without a colour.
const BROWN: [f32; 3] = [0.45, 0.34, 0.25];

/// The colours of a scene's geometries: their own, or that of wood, or pleasing colours that differ
/// from one id to the next.
pub struct Albedo<'a> {
    scene: &'a Scene,
    extent: Arc<SceneExtent>,
    palette: Palette,
    /// Colours in place of the scene's, one for each id.
    painted: Option<Arc<[[f32; 3]]>>,
    neutral: Vec3,
    /// The colour of wood, if the scene marks parts as wood.
    brown: Option<Vec3>,
}

impl<'a> Albedo<'a> {
    /// Returns the colours of a scene with this extent.
    pub fn new(scene: &'a Scene, extent: Arc<SceneExtent>) -> Self {
        let tells_wood = scene.integer_names().contains(Scene::WOOD);
        Self {
            scene,
            extent,
            palette: Palette::new(),
            painted: None,
            neutral: linear(NEUTRAL),
            brown: tells_wood.then(|| linear(BROWN)),
        }
    }

    /// Uses these sRGB colours, one for each id, in place of the scene's.
    pub(super) fn painted(self, colors: Arc<[[f32; 3]]>) -> Self {
        Self { painted: Some(colors), ..self }
    }

    /// Returns the share of the light that a geometry reflects, in red, green and blue.
    pub(super) fn linear(&self, geometry_id: u32) -> Vec3 {
        let painted = self.painted.as_ref().and_then(|colors| colors.get(geometry_id as usize));
        if let Some(&color) = painted {
            return linear(color);
        }
        if let Some(color) = self.scene.appearance(geometry_id).color {
            return linear(color);
        }
        match self.brown {
            Some(brown) if self.scene.integer(Scene::WOOD, geometry_id) == 1 => brown,
            _ if self.extent.is_unbounded(geometry_id) => self.neutral,
            _ => self.palette.color(geometry_id),
        }
    }

    /// Returns the colour of a geometry as sRGB, for a display.
    pub fn srgb(&self, geometry_id: u32) -> [u8; 3] {
        bytes(self.linear(geometry_id), 0.5)
    }
}
