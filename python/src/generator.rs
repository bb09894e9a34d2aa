//! The generators of rays: `raytwin/generators.py` defines them as plain data. This module makes the
//! library's generators from that data.

use crate::camera::CameraArgument;
use crate::hiding::refuse_hidden;
use pyo3::prelude::*;
use raytwin::glam::DVec3;
use raytwin::{RayGenerator, Scene as LibraryScene};

/// The attributes of the generators in `raytwin.generators`. The first variant that fits is used. So a
/// variant comes after one that has all of its attributes and more.
#[derive(FromPyObject)]
pub(crate) enum GeneratorArgument {
    Patch { center: [f64; 3], normal: [f64; 3], radius: f64 },
    Lines { center: Option<[f64; 3]>, radius: Option<f64> },
    InBox { min: Option<[f64; 3]>, max: Option<[f64; 3]> },
    Views { cameras: Vec<CameraArgument>, size: Option<(u32, u32)> },
}

impl GeneratorArgument {
    /// Returns the generator for a scene, with coordinates relative to the scene's origin.
    pub fn for_scene(&self, scene: &LibraryScene) -> PyResult<RayGenerator> {
        let near = |point: &[f64; 3]| DVec3::from_array(*point) - scene.origin();
        Ok(match self {
            Self::Patch { center, normal, radius } => RayGenerator::Patch {
                center: near(center),
                normal: DVec3::from_array(*normal),
                radius: *radius,
            },
            Self::Lines { center: Some(center), radius: Some(radius) } => {
                RayGenerator::Lines { center: near(center), radius: *radius }
            }
            Self::Lines { .. } => RayGenerator::lines_through(scene),
            Self::InBox { min: Some(min), max: Some(max) } => {
                RayGenerator::InBox { min: near(min), max: near(max) }
            }
            Self::InBox { .. } => RayGenerator::in_bounds_of(scene),
            Self::Views { cameras, size } => {
                let posed = |camera: &CameraArgument| {
                    let view = camera.view(scene.origin(), *size)?;
                    refuse_hidden(scene, &view, u32::MAX)?;
                    Ok(view.into())
                };
                RayGenerator::Views(cameras.iter().map(posed).collect::<PyResult<_>>()?)
            }
        })
    }
}
