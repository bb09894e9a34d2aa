//! The cameras of a scene as numbers.

use crate::camera::{Camera, Elevation, Panorama, Projection, RangeNoise, Sensor};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The state that [`Camera`] holds.
#[derive(Serialize, Deserialize)]
pub(super) struct CameraState {
    name: String,
    /// The eye, the target, and the axes to the right, up and forward.
    frame: [[f64; 3]; 5],
    requested_up: Option<[f64; 3]>,
    projection: ProjectionState,
    range: [f64; 2],
    /// The standard deviation, the seed and the number of the image.
    noise: Option<(f64, u64, u32)>,
    hide: Vec<String>,
}

#[derive(Serialize, Deserialize)]
enum ProjectionState {
    Perspective(f64),
    Pinhole {
        focal: [f64; 2],
        center: [f64; 2],
        size: [u32; 2],
    },
    Orthographic(f64),
    Panoramic {
        azimuth_degrees: [f64; 2],
        elevations: ElevationState,
        columns: Option<u32>,
        sweep_s: f64,
    },
}

#[derive(Serialize, Deserialize)]
enum ElevationState {
    Range([f64; 2]),
    Table(Vec<f64>),
}

impl From<&Camera> for CameraState {
    fn from(camera: &Camera) -> Self {
        let Camera { name, eye, target, right, up, forward, .. } = camera;
        let Sensor { range_min, range_max, noise, hide } = &camera.sensor;
        let noise = noise.map(|noise| (noise.stddev, noise.seed, noise.image_number));
        Self {
            name: name.clone(),
            frame: [eye, target, right, up, forward].map(DVec3::to_array),
            requested_up: camera.requested_up.map(|up| up.to_array()),
            projection: ProjectionState::from(&camera.projection),
            range: [*range_min, *range_max],
            noise,
            hide: hide.clone(),
        }
    }
}

impl From<&Projection> for ProjectionState {
    fn from(projection: &Projection) -> Self {
        match projection {
            Projection::Perspective { fov_y_degrees } => Self::Perspective(*fov_y_degrees),
            Projection::Pinhole { focal, center, size } => {
                Self::Pinhole { focal: *focal, center: *center, size: *size }
            }
            Projection::Orthographic { height } => Self::Orthographic(*height),
            Projection::Panoramic(panorama) => Self::Panoramic {
                azimuth_degrees: panorama.azimuth_degrees,
                elevations: match &panorama.elevation_degrees {
                    Elevation::Range(edges) => ElevationState::Range(*edges),
                    Elevation::Table(rows) => ElevationState::Table(rows.clone()),
                },
                columns: panorama.columns,
                sweep_s: panorama.sweep_s,
            },
        }
    }
}

impl CameraState {
    pub fn camera(self) -> Camera {
        let [eye, target, right, up, forward] = self.frame.map(DVec3::from_array);
        let [range_min, range_max] = self.range;
        let noise = self.noise;
        let noise =
            noise.map(|(stddev, seed, image_number)| RangeNoise { stddev, seed, image_number });
        Camera {
            name: self.name,
            eye,
            target,
            right,
            up,
            forward,
            projection: self.projection.into(),
            requested_up: self.requested_up.map(DVec3::from_array),
            sensor: Sensor { range_min, range_max, noise, hide: self.hide },
        }
    }
}

impl From<ProjectionState> for Projection {
    fn from(state: ProjectionState) -> Self {
        match state {
            ProjectionState::Perspective(fov_y_degrees) => Self::Perspective { fov_y_degrees },
            ProjectionState::Pinhole { focal, center, size } => {
                Self::Pinhole { focal, center, size }
            }
            ProjectionState::Orthographic(height) => Self::Orthographic { height },
            ProjectionState::Panoramic { azimuth_degrees, elevations, columns, sweep_s } => {
                let elevation_degrees = match elevations {
                    ElevationState::Range(edges) => Elevation::Range(edges),
                    ElevationState::Table(rows) => Elevation::Table(rows),
                };
                Self::Panoramic(Panorama { azimuth_degrees, elevation_degrees, columns, sweep_s })
            }
        }
    }
}
