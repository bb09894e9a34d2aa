//! Reads `<pose>`: the place of an element, and the name of the frame that it is relative to.

use super::element::{Place, SdfElement, is_true};
use glam::{DQuat, DVec3};
use raytwin::math::{Similarity, radians, rotation_about};
use raytwin_files::FileError;

#[derive(Clone, Debug)]
pub(super) struct GivenPose {
    pub pose: Similarity,
    /// The name of the frame that it is relative to; `None` for the default parent of the kind of
    /// element.
    pub relative_to: Option<String>,
    /// The place of the pose in the file, or of the element without one.
    pub place: Place,
}

impl GivenPose {
    /// Reads the pose of an element. An element without one is at its frame's origin.
    pub fn of(element: &SdfElement) -> Result<Self, FileError> {
        let Some(pose) = element.child("pose") else { return Ok(Self::identity(element)) };
        // Up to SDFormat 1.6, the attribute had another name.
        let relative_to = pose.attribute("relative_to").or_else(|| pose.attribute("frame"));
        let relative_to = relative_to.map(str::to_owned);
        Ok(Self { pose: read(pose)?, relative_to, place: pose.place().clone() })
    }

    /// The pose of an element at the origin of its frame.
    pub fn identity(element: &SdfElement) -> Self {
        let place = element.place().clone();
        Self { pose: Similarity::IDENTITY, relative_to: None, place }
    }
}

fn read(pose: &SdfElement) -> Result<Similarity, FileError> {
    let in_degrees = pose.attribute("degrees").is_some_and(is_true);
    let (translation, rotation) = match pose.attribute("rotation_format").unwrap_or("euler_rpy") {
        _ if pose.text().is_empty() => return Ok(Similarity::IDENTITY),
        "euler_rpy" => {
            let [x, y, z, angles @ ..] = pose.exactly::<6>()?;
            let [roll, pitch, yaw] =
                angles.map(|angle| if in_degrees { radians(angle) } else { angle });
            // They turn about the fixed axes x, y and z.
            let rotation = rotation_about(DVec3::Z, yaw)
                * rotation_about(DVec3::Y, pitch)
                * rotation_about(DVec3::X, roll);
            (DVec3::new(x, y, z), rotation)
        }
        "quat_xyzw" if in_degrees => {
            return Err(pose.refuse("degrees=\"true\" is not allowed with a quaternion: remove it"));
        }
        "quat_xyzw" => {
            let [x, y, z, rotation @ ..] = pose.exactly::<7>()?;
            let rotation = DQuat::from_array(rotation);
            let length = rotation.length();
            if !(length > 1e-9 && length.is_finite()) {
                return Err(pose.refuse("its quaternion has a length near zero"));
            }
            (DVec3::new(x, y, z), rotation.normalize())
        }
        _ => return Err(pose.refuse("rotation_format must be euler_rpy or quat_xyzw")),
    };
    Ok(Similarity { translation, rotation, scale: 1.0 })
}

/// The inverse transform of a pose.
pub(super) fn inverse(pose: &Similarity) -> Similarity {
    let rotation = pose.rotation.conjugate();
    Similarity { translation: rotation * -pose.translation, rotation, scale: 1.0 }
}
