//! A sensor with its carrier, and its poses in a scene that has a state for each row.

use super::Arguments;
use super::link_frames::{moving_links, without_own};
use super::mounting::Mounting;
use super::posed_link::PosedLink;
use super::states::States;
use crate::command_flags::CommandFlags;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::ReadScene;
use raytwin::camera::{Pose, View};
use raytwin_files::messages::LinkFrame;
use raytwin_formats::Mount;
use std::collections::{HashMap, HashSet};

pub(super) struct MountedSensor {
    pub view: View,
    /// The carrier of the sensor, with the shapes that move.
    pub mounting: Option<Mounting>,
    /// The robot's links, which messages publish.
    pub links: Vec<LinkFrame>,
}

/// Finds the sensor and its pose at each row of a trajectory whose rows are states of the scene.
/// The poses are the given ones, which may be those of a link that carries the sensor, or those of
/// the link or site that the sensor is mounted on, or those of the camera. This makes every state
/// of the scene, so that no row fails after others were cast.
pub(super) fn sensor_poses(
    arguments: &Arguments,
    states: &States,
    given: Option<Vec<Pose>>,
    frame: Option<&str>,
    console: &Console,
) -> Result<(MountedSensor, Vec<Pose>), Failure> {
    let quiet = Console::new("scan", CommandFlags::default(), false, true);
    let in_row =
        |row: usize, failure: Failure| failure.in_file(&format!("row {row} of the trajectory"));
    if states.count() == 0 {
        return Err(Failure::input("the trajectory has no row"));
    }
    let mut warnings = Warnings::default();
    let first = states.at(&arguments.scene, 0).map_err(|failure| in_row(0, failure))?;
    warnings.add(0, &first.warnings, console);
    let mount = arguments.mount(&first)?;
    let view = arguments.view.view_at(&first.scene, mount.as_ref(), console)?;
    // With worlds, the scene places everything.
    let (mounting, posed) = match (&given, states) {
        (Some(_), States::Joints(..)) => {
            let posed = PosedLink::find(arguments, frame, &view, &first, console)?;
            let mounting = Mounting::find(arguments, &view, &first, posed.as_ref(), console)?;
            (mounting, posed)
        }
        (None, States::Joints(..)) => {
            arguments.refuse_fixed()?;
            (None, None)
        }
        (_, States::Worlds(_)) => {
            arguments.refuse_fixed()?;
            arguments.refuse_mount(given.is_some())?;
            (None, None)
        }
    };
    let pose_of_first = view.camera.pose(first.scene.origin());
    let own_pose = |row: usize, state: &ReadScene| -> Result<Pose, Failure> {
        // A camera that sees the whole scene would jump as the robot moves, so it keeps the pose of
        // the first row. The pose is in the world, because each row has its own automatic origin.
        if row == 0 || state.scene.cameras.is_empty() && mount.is_none() {
            return Ok(pose_of_first);
        }
        Ok(match arguments.mount(state)? {
            Some(place) => place.mount.pose,
            None => arguments.view.view(&state.scene, &quiet)?.camera.pose(state.scene.origin()),
        })
    };
    let wants_own_pose = given.is_none() || mounting.is_some() || posed.is_some();
    // The pose of the sensor in a row, and its pose in the scene of the row.
    let poses_in = |row: usize, state: &ReadScene| {
        let own = match &given {
            Some(given) if !wants_own_pose => given[row],
            _ => own_pose(row, state)?,
        };
        let pose = match (&given, &posed) {
            (Some(given), Some(link)) => {
                given[row].then_inner(&link.link_from_sensor(&state.links, &own))
            }
            (Some(given), None) => given[row],
            (None, _) => own,
        };
        Ok::<_, Failure>((pose, own))
    };
    let (pose, own) = poses_in(0, &first)?;
    let (mut poses, mut mounts) = (vec![pose], vec![own]);
    let wants_links = arguments.writes_messages();
    let mut link_rows: Vec<HashMap<String, Mount>> = Vec::new();
    link_rows.extend(wants_links.then(|| first.links.clone()));
    while poses.len() < states.count() {
        let of_row = |row| {
            let state = states.at(&arguments.scene, row).map_err(|failure| in_row(row, failure))?;
            let posed = poses_in(row, &state);
            Ok((state.warnings, posed, wants_links.then_some(state.links)))
        };
        for of_row in states.of_rows_from(poses.len(), &first.scene, of_row) {
            let (of_row, posed, links) = of_row?;
            warnings.add(poses.len(), &of_row, console);
            let (pose, own) = posed?;
            poses.push(pose);
            mounts.push(own);
            link_rows.extend(links);
        }
    }
    warnings.print_later(console);
    let mounting = mounting.map(|mounting| mounting.in_states(mounts));
    let links = match states {
        States::Joints(..) => moving_links(&link_rows, mounting.as_ref(), &poses),
        // A world places its geometries, but not its links.
        States::Worlds(_) => Vec::new(),
    };
    let links = without_own(links, arguments, &view);
    Ok((MountedSensor { view, mounting, links }, poses))
}

/// The warnings of the rows. Those of the first row are printed at once. Of the warnings that later
/// rows add, only the first is printed, because a joint outside its limits mostly is so in many
/// rows, with another value in each.
#[derive(Default)]
struct Warnings {
    printed: HashSet<String>,
    /// The first new warning of a later row, with its row.
    first_later: Option<(usize, String)>,
    later_count: usize,
}

impl Warnings {
    fn add(&mut self, row: usize, warnings: &[String], console: &Console) {
        for warning in warnings {
            if !self.printed.insert(warning.clone()) {
                continue;
            }
            if row == 0 {
                console.warn(warning);
                continue;
            }
            self.later_count += 1;
            self.first_later.get_or_insert_with(|| (row, warning.clone()));
        }
    }

    fn print_later(self, console: &Console) {
        if let Some((row, warning)) = self.first_later {
            let more = match self.later_count - 1 {
                0 => String::new(),
                more => format!(" ({more} more in later rows)"),
            };
            console.warn(&format!("row {row} of the trajectory: {warning}{more}"));
        }
    }
}
