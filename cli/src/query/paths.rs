//! The flags for the lengths of rays in solids.

use crate::Failure;
use clap::Args;
use raytwin::query::PathRule;

#[derive(Debug, Args)]
pub(super) struct PathArguments {
    /// Also write each ray's length in each solid that it crosses.
    ///
    /// The arrays are path_splits, path_geometry_ids and path_lengths, in order of entry. Lengths
    /// are in scene units, from t_min to t_max. A ray that starts inside a solid also has a length
    /// in it. A .parquet has the lists path_geometry_id and path_length. This works with any
    /// --kind. The CPU computes lengths in float64, whatever the --device.
    #[arg(long)]
    paths: bool,
    /// Count each length only for the smallest solid.
    ///
    /// If several solids contain the same part of a ray, its length counts only for the solid with
    /// the least volume, or with the lowest id if volumes are equal. No part of a ray then counts
    /// twice.
    #[arg(long, requires = "paths")]
    innermost: bool,
}

impl PathArguments {
    /// Returns the rule for lengths, if --paths is given.
    pub fn rule(&self) -> Option<PathRule> {
        let rule = if self.innermost { PathRule::Innermost } else { PathRule::Each };
        self.paths.then_some(rule)
    }

    pub fn refuse_resume(&self, is_resumed: bool) -> Result<(), Failure> {
        match self.paths && is_resumed {
            true => {
                Err(Failure::usage("--resume does not work with --paths: leave one of them out"))
            }
            false => Ok(()),
        }
    }
}
