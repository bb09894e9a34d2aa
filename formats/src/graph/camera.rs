//! A camera of a graph.

use crate::source_text::SourceText;
use glam::DVec3;
use raytwin::camera::{Camera, CameraError, Projection, Sensor};
use std::ops::Range;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(crate) struct GraphCamera {
    pub name: String,
    pub eye: DVec3,
    pub aim: Aim,
    pub up: Option<DVec3>,
    pub projection: Projection,
    pub sensor: Sensor,
    /// The geometries of the contents that its rays ignore, in addition to those that its sensor
    /// names.
    pub hidden: Range<u32>,
    /// The geometries of the contents that carry it.
    pub carrier: Range<u32>,
    /// The path of the node, in the contents with the camera, whose space the camera is given in.
    pub parent: Option<String>,
    pub place: CameraPlace,
}

impl GraphCamera {
    /// The camera of a scene graph, which looks from its eye at a point, and along −z of its own
    /// space with +y upwards.
    ///
    /// # Errors
    /// A [`CameraError`] for a camera without a view.
    pub fn of_scene_graph(
        name: String,
        [eye, target]: [DVec3; 2],
        up: DVec3,
        projection: Projection,
        place: String,
    ) -> Result<Self, CameraError> {
        Camera::look_at("", eye, target, up, projection.clone())?;
        Ok(Self::looking_at(name, [eye, target], up, projection, CameraPlace::Key(place)))
    }

    /// A camera that looks from its eye at a point, is attached to nothing and is not a sensor.
    pub fn looking_at(
        name: String,
        [eye, target]: [DVec3; 2],
        up: DVec3,
        projection: Projection,
        place: CameraPlace,
    ) -> Self {
        Self {
            name,
            eye,
            aim: Aim::Target(target),
            up: Some(up),
            projection,
            sensor: Sensor::default(),
            hidden: 0..0,
            carrier: 0..0,
            parent: None,
            place,
        }
    }
}

/// What a camera looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Aim {
    /// A point.
    Target(DVec3),
    /// A direction from the eye.
    Direction(DVec3),
}

/// The place of a camera in its file, for messages.
#[derive(Clone, Debug)]
pub(crate) enum CameraPlace {
    /// A key, such as `cameras[2]`.
    Key(String),
    /// An offset in bytes in the text of a file.
    Text(Arc<SourceText>, usize),
    /// None: the camera is made for the scene, and is left out if it cannot exist.
    Made,
}
