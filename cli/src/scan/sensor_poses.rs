//! The poses of a sensor in a scene that has a state for each row.

use super::Arguments;
use super::states::{State, States};
use crate::command_flags::CommandFlags;
use crate::console::Console;
use crate::failure::Failure;
use raytwin::camera::{Pose, View};
use std::collections::{HashMap, HashSet};

/// Finds the view, and the pose of the sensor at each row: the given ones, or those of the link or
/// the site that it is mounted on, or those of the camera. The scene takes every state, so that no
/// row fails after others were cast.
pub(super) fn sensor_poses(
    arguments: &Arguments,
    states: &States,
    given: Option<Vec<Pose>>,
    console: &Console,
) -> Result<(View, Vec<Pose>), Failure> {
    let quiet = Console::new("scan", CommandFlags::default(), false, true);
    let in_row =
        |row: usize, failure: Failure| failure.in_file(&format!("row {row} of the trajectory"));
    if states.count() == 0 {
        return Err(Failure::input("the trajectory has no row"));
    }
    let mut warnings = Warnings::default();
    let first = states.at(&arguments.scene, 0).map_err(|failure| in_row(0, failure))?;
    warnings.add(0, &first.warnings, console);
    let mount = arguments.site.mount(&first.sites)?;
    let view = arguments.view.view_at(&first.scene, mount.as_ref(), console)?;
    let pose_of_first = view.camera.pose(first.scene.origin());
    let pose_in = |row: usize, state: &State| -> Result<Pose, Failure> {
        Ok(match (&given, &arguments.link) {
            (Some(given), _) => given[row],
            (None, Some(link)) => pose_of_link(&state.links, link)?,
            // A camera that sees the whole scene would jump about as the robot moves. The pose is
            // the first row's, in the world: with an automatic origin each row has its own.
            (None, None)
                if row == 0 || state.scene.cameras.is_empty() && !arguments.site.is_given() =>
            {
                pose_of_first
            }
            (None, None) => match arguments.site.mount(&state.sites)? {
                Some(mount) => mount.pose,
                None => {
                    arguments.view.view(&state.scene, &quiet)?.camera.pose(state.scene.origin())
                }
            },
        })
    };
    let mut poses = vec![pose_in(0, &first)?];
    while poses.len() < states.count() {
        let of_row = |row| {
            let state = states.at(&arguments.scene, row).map_err(|failure| in_row(row, failure))?;
            let pose = pose_in(row, &state);
            Ok((state.warnings, pose))
        };
        for of_row in states.of_rows_from(poses.len(), &first.scene, of_row) {
            let (of_row, pose) = of_row?;
            warnings.add(poses.len(), &of_row, console);
            poses.push(pose?);
        }
    }
    warnings.tell_later(console);
    Ok((view, poses))
}

fn pose_of_link(links: &HashMap<String, Pose>, link: &str) -> Result<Pose, Failure> {
    links.get(link).copied().ok_or_else(|| {
        if links.is_empty() {
            return Failure::input(format!(
                "--link {link}: the scene has no links: choose one of its cameras with --camera"
            ));
        }
        let mut known: Vec<&str> = links.keys().map(String::as_str).collect();
        known.sort_unstable();
        Failure::input(format!(
            "--link {link}: the robot has no such link; it has {}",
            known.join(", ")
        ))
    })
}

/// The warnings of the rows. Those of the first are told at once; of what later rows add, the first
/// stands for all, because a joint beyond its limits is so in many rows, with another value each.
#[derive(Default)]
struct Warnings {
    told: HashSet<String>,
    /// The first warning of a later row that no row before had, with its row.
    first_later: Option<(usize, String)>,
    later_count: usize,
}

impl Warnings {
    fn add(&mut self, row: usize, warnings: &[String], console: &Console) {
        for warning in warnings {
            if !self.told.insert(warning.clone()) {
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

    fn tell_later(self, console: &Console) {
        if let Some((row, warning)) = self.first_later {
            let more = match self.later_count - 1 {
                0 => String::new(),
                more => format!(" ({more} more in later rows)"),
            };
            console.warn(&format!("row {row} of the trajectory: {warning}{more}"));
        }
    }
}
