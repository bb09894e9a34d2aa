//! The view of a scene: the camera of the page, and the plane that cuts the scene open.

use raytwin::camera::Projection;
use raytwin::glam::DVec3;
use raytwin::image::Section;
use raytwin::{Camera, View};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// The page's camera, in the coordinates of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageCamera {
    eye: [f64; 3],
    target: [f64; 3],
    up: [f64; 3],
    /// The angle of a perspective camera.
    fov_y_degrees: Option<f64>,
    /// The visible height of an orthographic camera.
    height: Option<f64>,
    section: Option<Cut>,
}

/// The plane of a section.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cut {
    point: [f64; 3],
    /// The direction of the side that is cut away.
    normal: [f64; 3],
}

/// A view of a scene, relative to the scene's origin.
pub struct Look {
    pub view: View,
    pub section: Option<Section>,
}

impl Look {
    /// Reads a view from JSON.
    pub fn read(text: &str, origin: DVec3, width: u32, height: u32) -> Result<Self, JsError> {
        let camera: PageCamera = serde_json::from_str(text)?;
        let projection = match (camera.fov_y_degrees, camera.height) {
            (Some(fov_y_degrees), None) => Projection::Perspective { fov_y_degrees },
            (None, Some(height)) => Projection::Orthographic { height },
            _ => return Err(JsError::new("a camera must have either an angle or a height")),
        };
        let [eye, target] =
            [camera.eye, camera.target].map(|point| DVec3::from_array(point) - origin);
        let up = DVec3::from_array(camera.up);
        let section = camera.section.map(|Cut { point, normal }| {
            Section::new(DVec3::from_array(point) - origin, DVec3::from_array(normal))
        });
        let camera = Camera::look_at("page", eye, target, up, projection)?;
        Ok(Self { view: View::new(camera, width, height)?, section: section.transpose()? })
    }
}
