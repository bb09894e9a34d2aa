//! The carrier of a scan's sensor: the shapes that move with it along a trajectory.

use super::Arguments;
use super::posed_link::PosedLink;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::ReadScene;
use raytwin::camera::{CameraError, Pose, View};
use raytwin::glam::DVec3;
use raytwin::scan::{Carrier, PosedView};
use raytwin::scene::Scene;
use raytwin_formats::Mount;
use std::ops::Range;

/// The carrier of the sensor, and the poses of the sensor in the scene.
pub(super) struct Mounting {
    geometry_ids: Range<u32>,
    /// False if all its shapes are hidden, so that they need not move.
    is_seen: bool,
    mounts: Vec<Pose>,
}

impl Mounting {
    /// Finds the carrier of a view's sensor in a scene. Prints on stderr what moves, or what could.
    pub fn find(
        arguments: &Arguments,
        view: &View,
        read: &ReadScene,
        posed: Option<&PosedLink>,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let scene = &read.scene;
        let (geometry_ids, mount) = (view.camera.carrier.clone(), view.camera.pose(scene.origin()));
        let is_useless = arguments.link.as_ref().filter(|_| arguments.poses_of.is_none());
        match (geometry_ids.is_empty(), arguments.fixed, is_useless) {
            (_, true, Some(link)) => Err(Failure::usage(format!(
                "--fixed: the trajectory has poses of the sensor, so --link {link} has no effect: leave it out"
            ))),
            (true, true, _) => Err(Failure::usage(
                "--fixed: nothing in the scene carries the sensor: leave it out",
            )),
            (true, false, _) => {
                let first = scene.cameras.first().filter(|it| !it.carrier.is_empty());
                if let (Some(first), None) = (first, &arguments.link) {
                    console.say(&format!(
                        "{} does not move: --camera {} moves it with the sensor",
                        name_of(scene, &first.carrier),
                        first.name
                    ));
                }
                Ok(None)
            }
            (false, true, _) => Ok(None),
            (false, false, _) => {
                let is_seen = geometry_ids.clone().any(|id| scene.mask(id) != 0);
                // A user who names the link of the poses knows that it moves.
                if is_seen && arguments.poses_of.is_none() {
                    let rows = match posed.is_none() && arguments.poses.is_some() {
                        true => "; rows are poses of the sensor (--poses-of for those of a link):",
                        false => ":",
                    };
                    console.say(&format!(
                        "{} moves with the sensor{rows} --fixed does not move it",
                        name_of(scene, &geometry_ids)
                    ));
                }
                Ok(Some(Self { geometry_ids, is_seen, mounts: vec![mount] }))
            }
        }
    }

    /// Returns the carrier with the sensor's poses in all rows, each of which is a state of the
    /// scene.
    pub fn in_states(self, mounts: Vec<Pose>) -> Self {
        Self { mounts, ..self }
    }

    /// Returns true if a link is a part of the carrier.
    pub fn has(&self, link: &Mount) -> bool {
        link.carrier == self.geometry_ids
    }

    /// Returns the pose of the sensor in the scene of a row.
    pub fn mount(&self, row: usize) -> &Pose {
        self.mounts.get(row).unwrap_or(&self.mounts[0])
    }

    pub fn geometry_ids(&self) -> Range<u32> {
        self.geometry_ids.clone()
    }

    /// Makes the carrier move with the sensor in a view from a row of the trajectory.
    pub fn carry(
        &self,
        posed: PosedView,
        row: usize,
        origin: DVec3,
    ) -> Result<PosedView, CameraError> {
        if !self.is_seen {
            return Ok(posed);
        }
        let mount = self.mount(row);
        let projection = &posed.view().camera.projection;
        let carrier = Carrier::new(self.geometry_ids(), mount, projection, origin)?;
        Ok(posed.carried_by(carrier))
    }
}

/// Returns the path that shapes have in common, or their number if they share no path.
fn name_of(scene: &Scene, geometry_ids: &Range<u32>) -> String {
    let first = scene.path(geometry_ids.start);
    let mut common: Vec<&str> = first.split('/').collect();
    for id in geometry_ids.clone() {
        let path = scene.path(id);
        let shared = common.iter().zip(path.split('/')).take_while(|(one, other)| *one == other);
        let count = shared.count();
        common.truncate(count);
    }
    match (common.is_empty(), geometry_ids.len()) {
        (false, _) => common.join("/"),
        (true, 1) => first,
        (true, count) => format!("a model of {count} shapes"),
    }
}
