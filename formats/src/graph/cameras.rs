//! The cameras of a graph, which are placed where their file is used, or are attached to one of its
//! nodes.

use super::camera::{Aim, CameraPlace, GraphCamera};
use super::contents::{Graph, GraphContents, GraphItem};
use super::frame::{Frame, InheritedTraits};
use super::parent::{PathNode, Paths};
use super::plan::Plan;
use crate::shortened::shortened;
use glam::DVec3;
use raytwin::camera::{Camera, CameraError, Sensor};
use raytwin::scene::{Name, Scene};
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::ops::Range;

struct Stand {
    /// The transform of the camera's space into the world; `None` for the identity.
    world_from_camera: Option<Transform>,
    /// The path of the instance that contains the camera.
    outer: Option<Name>,
    /// The id of the first geometry of the contents with the camera.
    first_geometry: u64,
    /// The ids of the geometries that carry it.
    carrier: Range<u32>,
    origin: DVec3,
}

impl GraphCamera {
    /// Makes the camera of a world of a model, which is a scene of its own.
    pub fn in_world(
        &self,
        contents: &GraphContents,
        origin: DVec3,
    ) -> Result<Option<Camera>, FileError> {
        let carrier = self.carrier.clone();
        let stand =
            Stand { world_from_camera: None, outer: None, first_geometry: 0, carrier, origin };
        self.standing(contents, &stand)
    }

    /// Makes the camera at its place; `None` for a camera that is left out because it cannot exist
    /// there.
    fn standing(
        &self,
        contents: &GraphContents,
        stand: &Stand,
    ) -> Result<Option<Camera>, FileError> {
        let within = |path: &str| match &stand.outer {
            Some(outer) => format!("{outer}/{path}"),
            None => path.to_owned(),
        };
        let hidden =
            self.hidden.clone().map(|id| (stand.first_geometry + u64::from(id)).to_string());
        let hide = self.sensor.hide.iter().map(|path| within(path)).chain(hidden).collect();
        let sensor = Sensor { hide, ..self.sensor.clone() };
        let looked = self.looking(within(&self.name), stand);
        let carrier = stand.carrier.clone();
        match looked.and_then(|camera| camera.with_sensor(sensor)) {
            // A camera that was made for a file on its own would show only that file in a larger
            // scene.
            Ok(camera) => {
                let is_made = matches!(self.place, CameraPlace::Made);
                let is_fitted = is_made && stand.outer.is_none();
                Ok(Some(Camera { carrier, is_fitted, ..camera }))
            }
            Err(error) => self.refuse(contents, &error).map_or(Ok(None), Err),
        }
    }

    fn looking(&self, name: String, stand: &Stand) -> Result<Camera, CameraError> {
        let (eye, up) = (self.eye, self.up);
        let projection = self.projection.clone();
        let [eye, target, up] = match (stand.world_from_camera, self.aim) {
            (None, Aim::Target(target)) => {
                let [eye, target] = [eye, target].map(|point| point - stand.origin);
                return Camera::look_at(name, eye, target, up, projection);
            }
            (None, Aim::Direction(direction)) => {
                let eye = eye - stand.origin;
                return Camera::look_at(name, eye, eye + direction, up, projection);
            }
            (Some(world_from_camera), aim) => {
                let target = match aim {
                    Aim::Target(target) => target,
                    Aim::Direction(direction) => eye + direction,
                };
                // The default upward direction is that of the node's own space.
                let up = up.unwrap_or_else(|| Camera::level_up(eye, target));
                let [eye, target] = [eye, target].map(|point| world_from_camera.point(point));
                [eye, target, world_from_camera.affine().linear * up]
            }
        };
        Camera::look_at(name, eye - stand.origin, target - stand.origin, up, projection)
    }

    /// The error for a camera that cannot exist; `None` for one that is then left out.
    fn refuse(&self, contents: &GraphContents, error: &CameraError) -> Option<FileError> {
        let (field, reason) = match error {
            CameraError::Field { field, value, rule } => {
                (field.as_str(), format!("is {value}: {rule}"))
            }
            error => ("", error.to_string()),
        };
        match &self.place {
            CameraPlace::Key(_) => Some(self.refuse_key(contents, field, reason)),
            CameraPlace::Text(source, offset) => {
                let reason = match field {
                    "" => reason,
                    field => format!("the camera's {field} {reason}"),
                };
                Some(source.refuse(*offset, reason))
            }
            CameraPlace::Made => None,
        }
    }

    fn refuse_key(&self, contents: &GraphContents, key: &str, reason: String) -> FileError {
        let dot = if key.is_empty() { "" } else { "." };
        let place = match &self.place {
            CameraPlace::Key(place) => place.clone(),
            CameraPlace::Text(..) | CameraPlace::Made => format!("camera {}", self.name),
        };
        FileError::meaning(&contents.path, format!("{place}{dot}{key}"), reason)
    }
}

/// Makes the cameras of the contents `root` and of all files that they use, for each instance, at
/// their places in a scene.
pub(super) fn cameras(
    graph: &Graph,
    plan: &Plan,
    root: u32,
    scene: &Scene,
) -> Result<Vec<Camera>, FileError> {
    let mut cameras = Vec::new();
    let mut paths = Paths::new(graph, plan);
    let whole = Frame::new(
        &graph.0[root as usize],
        Transform::IDENTITY,
        None,
        InheritedTraits::default(),
        false,
    );
    let mut open = vec![(whole, root, 0)];
    while let Some((frame, index, first_geometry)) = open.pop() {
        for camera in &frame.contents.cameras {
            let parent = parent(camera, &frame, index, &mut paths)?;
            let carrier = parent.as_ref().map_or(&camera.carrier, |parent| &parent.carrier);
            let id = |id: u32| (first_geometry + u64::from(id)) as u32;
            let stand = Stand {
                carrier: id(carrier.start)..id(carrier.end),
                world_from_camera: world_from_camera(&frame, parent.as_ref()),
                outer: frame.name(0).cloned(),
                first_geometry,
                origin: scene.origin(),
            };
            let mut standing = camera.standing(frame.contents, &stand)?;
            // Other formats name shapes that they have.
            let hide = standing.iter_mut().flat_map(|standing| &mut standing.sensor.hide);
            for (path, given) in hide.zip(&camera.sensor.hide) {
                if !frame.contents.is_native || !scene.select(path).is_empty() {
                    continue;
                }
                let ids = first_geometry..first_geometry + plan.geometry_count(index);
                *path = id_in_scene(given, ids, scene).ok_or_else(|| {
                    let reason =
                        format!("\"{}\" is not the path of a shape in the scene", shortened(path));
                    camera.refuse_key(frame.contents, "hide", reason)
                })?;
            }
            cameras.extend(standing);
        }
        let mut inner = Vec::new();
        let mut next = first_geometry;
        for item in &frame.contents.items {
            let first = next;
            next += plan.geometries_of(item);
            if let GraphItem::Use(used) = item
                && plan.has_cameras(used.contents)
            {
                let name = frame.name_of_use(used.group);
                let world = frame.world_from(used.group);
                let contents = &graph.0[used.contents as usize];
                let frame = Frame::new(contents, world, name, InheritedTraits::default(), true);
                inner.push((frame, used.contents, first));
            }
        }
        // The last on the stack is the first to be visited.
        open.extend(inner.into_iter().rev());
    }
    Ok(cameras)
}

/// The id in the scene of a shape that a file names with its id there, either only the id or after
/// the type, as in `17` and `sphere[17]`; `None` if the file names no shape so. The ids of its
/// shapes are `ids`.
fn id_in_scene(given: &str, ids: Range<u64>, scene: &Scene) -> Option<String> {
    let (type_name, id) = match given.strip_suffix(']').and_then(|given| given.rsplit_once('[')) {
        Some((type_name, id)) => (Some(type_name), id),
        None => (None, given),
    };
    let id = ids.start.checked_add(id.parse().ok()?).filter(|id| ids.contains(id))?;
    let geometry = scene.geometry(u32::try_from(id).ok()?)?;
    type_name.is_none_or(|type_name| type_name == geometry.type_name()).then(|| id.to_string())
}

/// Finds the node that a camera is attached to, in the contents with the camera; `None` if there is
/// none.
fn parent(
    camera: &GraphCamera,
    frame: &Frame<'_>,
    index: u32,
    paths: &mut Paths<'_>,
) -> Result<Option<PathNode>, FileError> {
    let Some(path) = &camera.parent else { return Ok(None) };
    let node = paths.find(index, path).ok_or_else(|| {
        let suggestion = paths.suggestion(index, path);
        let reason = format!("\"{}\" is not the path of a node; {suggestion}", shortened(path));
        camera.refuse_key(frame.contents, "parent", reason)
    })?;
    Ok(Some(node))
}

/// Returns the transform of a camera's space into the world; `None` if it is given there.
fn world_from_camera(frame: &Frame<'_>, parent: Option<&PathNode>) -> Option<Transform> {
    let contents_from_parent = parent.map(|parent| parent.contents_from_node);
    match (frame.is_used, contents_from_parent) {
        (false, parent) => parent,
        (true, None) => Some(frame.world_from(0)),
        (true, Some(parent)) => Some(frame.world_from(0).then_inner(&parent)),
    }
}
