//! The rows of a trajectory.

use crate::console::Console;
use crate::failure::Failure;
use crate::stages::has_extension;
use raytwin_files::bags::{Bag, PoseTopic};
use raytwin_files::trajectories::{TrajectoryRows, read_trajectory};
use std::path::Path;

/// Reads the rows of a trajectory. For a bag, reads those of a topic, and prints which one.
pub(super) fn read_rows(
    path: &Path,
    topic: Option<&PoseTopic>,
    console: &Console,
) -> Result<TrajectoryRows, Failure> {
    if !has_extension(path, &["mcap"]) {
        return match topic {
            Some(_) => Err(Failure::usage("--poses-topic is for a bag (.mcap): leave it out")),
            None => Ok(read_trajectory(path)?),
        };
    }
    let shown = path.display();
    let bag = console.phase(&format!("reading {shown}"), || Bag::read(path))?;
    let chosen = bag.chosen(topic).map_err(|reason| {
        Failure::input(format!("{shown}: {reason}")).with_flags(&["--poses-topic TOPIC"])
    })?;
    let rows = bag.rows(&chosen)?;
    console.say(&format!("{} poses of {chosen} in {shown}", rows.times.len()));
    Ok(rows)
}
