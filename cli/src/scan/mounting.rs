//! What carries the sensor of a scan, and moves with it along a trajectory.

use super::Arguments;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::ReadScene;
use raytwin::camera::{CameraError, Pose, View};
use raytwin::glam::DVec3;
use raytwin::scan::{Carrier, PosedView};
use raytwin::scene::Scene;
use raytwin_formats::Mount;
use std::collections::HashMap;
use std::ops::Range;

/// What carries the sensor, and where the scene has the sensor.
pub(super) struct Mounting {
    geometry_ids: Range<u32>,
    /// One pose, or one for each row.
    mounts: Vec<Pose>,
}

impl Mounting {
    /// Finds what carries the sensor of a view in a scene: what its camera rides on, or the link
    /// that is asked for. Says on standard error what moves, or what could.
    pub fn find(
        arguments: &Arguments,
        view: &View,
        read: &ReadScene,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let scene = &read.scene;
        let (geometry_ids, mount) = match &arguments.link {
            Some(name) => {
                let link = link(&read.links, name)?;
                (link.carrier.clone(), link.pose)
            }
            None => (view.camera.carrier.clone(), view.camera.pose(scene.origin())),
        };
        match (geometry_ids.is_empty(), arguments.fixed, &arguments.link) {
            (_, true, Some(link)) => Err(Failure::usage(format!(
                "--fixed: the trajectory has poses of the sensor, so --link {link} says nothing: leave it out"
            ))),
            (true, true, None) => Err(Failure::usage(
                "--fixed: nothing in the scene is known to carry the sensor: leave it out",
            )),
            (true, false, _) => {
                let first = scene.cameras.first().filter(|it| !it.carrier.is_empty());
                if let (Some(first), None) = (first, &arguments.link) {
                    console.say(&format!(
                        "{} stays where it stands: --camera {} moves it with the sensor",
                        name_of(scene, &first.carrier),
                        first.name
                    ));
                }
                Ok(None)
            }
            (false, true, None) => Ok(None),
            // Hidden shapes need not move.
            (false, false, _) if geometry_ids.clone().all(|id| scene.mask(id) == 0) => Ok(None),
            (false, false, _) => {
                console.say(&format!(
                    "{} moves with the sensor: --fixed leaves it where it stands",
                    name_of(scene, &geometry_ids)
                ));
                Ok(Some(Self { geometry_ids, mounts: vec![mount] }))
            }
        }
    }

    /// Returns what carries the sensor with its poses at all rows, in which the scene has other
    /// states.
    pub fn in_states(self, mounts: Vec<Pose>) -> Self {
        Self { mounts, ..self }
    }

    /// Returns true if a link is a part of what carries the sensor.
    pub fn has(&self, link: &Mount) -> bool {
        link.carrier == self.geometry_ids
    }

    /// Returns the pose at which the scene has the sensor in a row.
    pub fn mount(&self, row: usize) -> &Pose {
        self.mounts.get(row).unwrap_or(&self.mounts[0])
    }

    pub fn geometry_ids(&self) -> Range<u32> {
        self.geometry_ids.clone()
    }

    /// Lets what carries the sensor move with it in a view from a row of the trajectory.
    pub fn carry(
        &self,
        posed: PosedView,
        row: usize,
        origin: DVec3,
    ) -> Result<PosedView, CameraError> {
        let mount = self.mount(row);
        let projection = &posed.view().camera.projection;
        let carrier = Carrier::new(self.geometry_ids(), mount, projection, origin)?;
        Ok(posed.carried_by(carrier))
    }
}

/// Returns the path that shapes have in common, or their number if they have none.
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

/// Finds a link by its name.
pub(super) fn link<'a>(
    links: &'a HashMap<String, Mount>,
    name: &str,
) -> Result<&'a Mount, Failure> {
    links.get(name).ok_or_else(|| {
        if links.is_empty() {
            return Failure::input(format!(
                "--link {name}: the scene has no links: choose one of its cameras with --camera"
            ));
        }
        let mut known: Vec<&str> = links.keys().map(String::as_str).collect();
        known.sort_unstable();
        Failure::input(format!(
            "--link {name}: the robot has no such link; it has {}",
            known.join(", ")
        ))
    })
}
