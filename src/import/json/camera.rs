//! Cameras of a native scene: three kinds, told apart by their fields.

use super::Reader;
use super::format::CameraFile;
use crate::camera::{Camera, CameraError, Projection};
use crate::files::FileError;
use glam::DVec3;
use serde_json::Value;

impl Reader<'_> {
    pub(super) fn read_camera(&self, camera: Value, index: usize) -> Result<Camera, FileError> {
        let place = format!("cameras[{index}]");
        let file: CameraFile = self.typed(camera, &place)?;
        let pinhole = [file.fx, file.fy, file.cx, file.cy];
        let projection = match (file.fov_y_degrees, pinhole, file.width, file.height) {
            (Some(fov_y_degrees), [None, None, None, None], None, None) => {
                Projection::Perspective { fov_y_degrees }
            }
            (None, [Some(fx), Some(fy), Some(cx), Some(cy)], Some(width), Some(height)) => {
                if height.fract() != 0.0 || !(1.0..=f64::from(u32::MAX)).contains(&height) {
                    let reason =
                        format!("is {height}: an image's height is a whole number of pixels");
                    return Err(self.refuse(&format!("{place}.height"), reason));
                }
                Projection::Pinhole {
                    focal: [fx, fy],
                    center: [cx, cy],
                    size: [width, height as u32],
                }
            }
            (None, [None, None, None, None], None, Some(height)) => {
                Projection::Orthographic { height }
            }
            _ => {
                return Err(self.refuse(
                    &place,
                    "must have fov_y_degrees (perspective), or fx, fy, cx, cy, width and height \
                     (calibrated), or height alone (orthographic)",
                ));
            }
        };
        Camera::look_at(
            file.name.unwrap_or_else(|| place.clone()),
            DVec3::from_array(file.eye),
            DVec3::from_array(file.target),
            DVec3::from_array(file.up),
            projection,
        )
        .map_err(|error| match error {
            CameraError::Field { field, value, rule } => {
                self.refuse(&format!("{place}.{field}"), format!("is {value}: {rule}"))
            }
            error => self.refuse(&place, error),
        })
    }
}
