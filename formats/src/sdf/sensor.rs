//! Reads the visual sensors of links: lidars and cameras.

use super::camera::camera;
use super::element::SdfElement;
use super::lidar::lidar;
use super::sensor_names::SensorNames;
use super::sight::Sight;
use glam::DVec3;
use raytwin::camera::Camera;
use raytwin_files::FileError;

/// The kind of a sensor's view.
pub(super) enum SensorKind {
    Lidar,
    /// A camera, whose noise is one of distances if it measures them.
    Camera {
        is_ranging: bool,
    },
    /// It sees in a way that no camera here does.
    Unread,
    /// It does not see.
    Blind,
}

impl SensorKind {
    /// The kind of a sensor by its `type`.
    pub fn of(type_name: &str) -> Self {
        match type_name {
            "ray" | "gpu_ray" | "lidar" | "gpu_lidar" => Self::Lidar,
            "depth" | "depth_camera" | "rgbd" | "rgbd_camera" => Self::Camera { is_ranging: true },
            "camera"
            | "multicamera"
            | "boundingbox"
            | "boundingbox_camera"
            | "segmentation"
            | "segmentation_camera"
            | "thermal"
            | "thermal_camera" => Self::Camera { is_ranging: false },
            "wideanglecamera" | "wide_angle_camera" | "sonar" | "logical_camera" => Self::Unread,
            _ => Self::Blind,
        }
    }

    /// Reads a view of a sensor: its `<ray>` or `<lidar>`, or one of its `<camera>`s.
    ///
    /// # Errors
    /// [`FileError`], if its settings do not make a camera.
    pub fn sight(&self, sensor: &SdfElement, element: &SdfElement) -> Result<Sight, FileError> {
        let mut sight = match self {
            Self::Lidar => lidar(element)?,
            Self::Camera { is_ranging } => camera(element, *is_ranging)?,
            Self::Unread | Self::Blind => return Err(element.refuse("its type is not read")),
        };
        sight.names = SensorNames::of(sensor, element);
        match sensor.numbers_or("update_rate", [0.0]) {
            // SDFormat's default, 0, is no limit.
            Ok([rate]) => sight.update_rate_hz = Some(rate).filter(|rate| *rate > 0.0),
            Err(fault) => sight.doubts.push(fault.to_string()),
        }
        let projection = sight.projection.clone();
        Camera::look_at("", DVec3::ZERO, DVec3::X, DVec3::Z, projection)
            .and_then(|camera| camera.with_sensor(sight.sensor(0)))
            .map_err(|error| element.refuse(error.to_string()))?;
        Ok(sight)
    }
}
