//! The cameras of a graph, which stand where the file that holds them is used, or ride on a node of it.

use super::frame::Frame;
use super::parent::Paths;
use super::plan::Plan;
use super::{Graph, GraphContents, GraphItem};
use crate::camera::{Camera, CameraError, Projection, Sensor};
use crate::import::shortened;
use crate::io::FileError;
use crate::scene::{Name, Scene};
use crate::transform::Transform;
use glam::DVec3;

/// A camera as its file gives it.
#[derive(Clone, Debug)]
pub(in crate::import) struct GraphCamera {
    pub name: String,
    pub eye: DVec3,
    pub target: DVec3,
    pub up: Option<DVec3>,
    pub projection: Projection,
    pub sensor: Sensor,
    /// The path of the node, in the contents that hold the camera, in whose space the camera is given.
    pub parent: Option<String>,
    /// Its place in the file.
    pub place: String,
}

impl From<Camera> for GraphCamera {
    fn from(camera: Camera) -> Self {
        Self {
            place: format!("camera {}", camera.name),
            name: camera.name,
            eye: camera.eye,
            target: camera.target,
            up: Some(camera.up),
            projection: camera.projection,
            sensor: camera.sensor,
            parent: None,
        }
    }
}

impl GraphCamera {
    /// Returns the camera in the world about an origin, given the transform from its own space.
    ///
    /// # Errors
    /// A [`CameraError`] for numbers that are out of range, there or as they are given.
    pub fn placed(
        &self,
        name: String,
        world_from_camera: Option<Transform>,
        origin: DVec3,
    ) -> Result<Camera, CameraError> {
        let Self { eye, target, up, projection, sensor, .. } = self;
        let (eye, target, up) = match world_from_camera {
            None => (*eye, *target, *up),
            Some(world_from_camera) => {
                // What is upwards by default is so in the node's own space.
                let up = up.unwrap_or_else(|| Camera::level_up(*eye, *target));
                let [eye, target] = [*eye, *target].map(|point| world_from_camera.point(point));
                (eye, target, Some(world_from_camera.affine().linear * up))
            }
        };
        Camera::look_at(name, eye - origin, target - origin, up, projection.clone())?
            .with_sensor(sensor.clone())
    }
}

/// Adds the cameras of the contents `root` to their scene, and those of all files that they use, for each use.
pub(super) fn add_cameras(
    graph: &Graph,
    plan: &Plan,
    root: u32,
    scene: &mut Scene,
) -> Result<(), FileError> {
    let mut paths = Paths::new(graph);
    let mut open =
        vec![(Frame::new(&graph.0[root as usize], Transform::IDENTITY, None, None, false), root)];
    while let Some((frame, index)) = open.pop() {
        for camera in &frame.contents.cameras {
            let added = placed(frame.contents, camera, &frame, index, &mut paths, scene)?;
            scene.cameras.push(added);
        }
        // The last on the stack is the first to be visited.
        for item in frame.contents.items.iter().rev() {
            let GraphItem::Use(used) = item else { continue };
            if plan.has_cameras(used.contents) {
                let name = frame.name_of_use(used.group);
                let world = frame.world_from(used.group);
                let contents = &graph.0[used.contents as usize];
                open.push((Frame::new(contents, world, name, None, true), used.contents));
            }
        }
    }
    Ok(())
}

fn placed(
    contents: &GraphContents,
    camera: &GraphCamera,
    frame: &Frame<'_>,
    index: u32,
    paths: &mut Paths<'_>,
    scene: &Scene,
) -> Result<Camera, FileError> {
    let refuse = |key: &str, reason: String| {
        let dot = if key.is_empty() { "" } else { "." };
        FileError::meaning(&contents.path, format!("{}{dot}{key}", camera.place), reason)
    };
    let contents_from_parent = match &camera.parent {
        None => None,
        Some(path) => Some(paths.find(index, path).ok_or_else(|| {
            let suggestion = paths.suggestion(index, path);
            let path = shortened(path);
            refuse("parent", format!("\"{path}\" is no path of a node; {suggestion}"))
        })?),
    };
    let world_from_camera = match (frame.is_used, contents_from_parent) {
        (false, parent) => parent,
        (true, None) => Some(frame.world_from(0)),
        (true, Some(parent)) => Some(frame.world_from(0).then_inner(&parent)),
    };
    let outer: Option<&Name> = frame.name(0);
    let within = |path: &str| match outer {
        Some(outer) => format!("{outer}/{path}"),
        None => path.to_owned(),
    };
    let camera = &GraphCamera {
        sensor: Sensor {
            hide: camera.sensor.hide.iter().map(|path| within(path)).collect(),
            ..camera.sensor.clone()
        },
        ..camera.clone()
    };
    // Other formats name shapes that they have.
    let names_nothing = |path: &&String| contents.is_native && scene.select(path).is_empty();
    if let Some(path) = camera.sensor.hide.iter().find(names_nothing) {
        let path = shortened(path);
        return Err(refuse("hide", format!("\"{path}\" is no path of a shape in the scene")));
    }
    camera.placed(within(&camera.name), world_from_camera, scene.origin()).map_err(|error| {
        match error {
            CameraError::Field { field, value, rule } => {
                refuse(&field, format!("is {value}: {rule}"))
            }
            error => refuse("", error.to_string()),
        }
    })
}
