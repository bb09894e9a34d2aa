//! The facts about a scene that the page shows: its size, its cameras and joints, and its parts.

use crate::answers::{
    CameraDescription, Extent, GeometryDescription, JointDescription, SceneDescription,
};
use crate::session::Session;
use raytwin::Camera;
use raytwin::glam::DVec3;
use raytwin_formats::{Format, FormatOption, MoleculeColors, MoleculeStyle};
use wasm_bindgen::prelude::*;

/// The largest number of geometries that the page lists.
const LISTED: u32 = 200_000;

#[wasm_bindgen]
impl Session {
    /// Describes the scene, as JSON. `width` and `height` are the size of the picture for cameras that
    /// are fitted to it.
    pub fn describe(&self, width: u32, height: u32) -> Result<String, JsError> {
        let scene = &self.scene;
        let origin = scene.origin();
        let bounds = scene.bounds();
        let of_file = scene.cameras.iter().map(|camera| scene.fitted(camera, width, height));
        let all = of_file.chain([scene.fit_camera(width, height)]);
        let all: Result<Vec<Camera>, _> = all.collect();
        let all = all.map_err(|error| {
            JsError::new(&format!(
                "the scene is too large for a camera that sees all of it: {error}"
            ))
        })?;
        let cameras = all.iter().filter_map(|camera| CameraDescription::of(camera, origin));
        let cameras: Vec<CameraDescription> = cameras.collect();
        let source = self.read.source.as_ref();
        let format = source.and_then(|source| Format::of(&source.path));
        let options = format.map_or(&[][..], |format| format.options);
        Ok(serde_json::to_string(&SceneDescription {
            geometry_count: scene.geometry_count(),
            primitive_count: scene.primitive_count(),
            census: scene.type_counts(),
            warnings: self.read.warnings.clone(),
            joints: self.read.joints.iter().cloned().map(JointDescription::from).collect(),
            styles: match options.contains(&FormatOption::Style) {
                true => MoleculeStyle::NAMES.iter().map(|(name, _)| *name).collect(),
                false => Vec::new(),
            },
            colors: match options.contains(&FormatOption::Colors) {
                true => MoleculeColors::NAMES.iter().map(|(name, _)| *name).collect(),
                false => Vec::new(),
            },
            has_collision: options.contains(&FormatOption::Collision),
            // Only a scene of molecules has no floor.
            is_molecular: scene.floats,
            classes: scene.label_names.clone(),
            cameras,
            up: DVec3::AXES[scene.up.index()].to_array(),
            center: (bounds.center() + origin).to_array(),
            radius: bounds.radius(),
        })?)
    }

    /// Lists the first geometries by their ids, as JSON.
    pub fn geometries(&self) -> Result<String, JsError> {
        let scene = &self.scene;
        let geometry = |id: u32| GeometryDescription {
            path: scene.path(id),
            kind: scene.geometry(id).map_or("", |geometry| geometry.type_name()),
            label: scene.label(id),
        };
        let listed: Vec<_> = (0..scene.geometry_count().min(LISTED)).map(geometry).collect();
        Ok(serde_json::to_string(&listed)?)
    }

    /// Returns the middle and the radius of the geometries that texts choose, as JSON. Returns null if
    /// they choose nothing.
    pub fn extent_of(&self, texts: Vec<String>) -> Result<String, JsError> {
        let scene = &self.scene;
        let ids: Vec<u32> = texts.iter().flat_map(|text| scene.select(text)).collect();
        let bounds = scene.bounds_of(&ids);
        let extent = (!ids.is_empty()).then(|| Extent {
            center: (bounds.center() + scene.origin()).to_array(),
            radius: bounds.radius(),
        });
        Ok(serde_json::to_string(&extent)?)
    }
}
