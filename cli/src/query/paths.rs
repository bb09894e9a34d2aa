//! The flags by which rays have lengths in solids.

use crate::Failure;
use clap::Args;
use raytwin::query::PathRule;

#[derive(Debug, Args)]
pub(super) struct PathArguments {
    /// Also write each ray's length in each solid that it crosses.
    ///
    /// They are path_splits, path_geometry_ids and path_lengths, in the order of entry and in the
    /// scene's units, from t_min on also where a ray starts inside; in a .parquet lists
    /// path_geometry_id and path_length. They go beside any --kind. The CPU finds them in float64,
    /// whatever the --device.
    #[arg(long)]
    paths: bool,
    /// Count a length for the smallest solid alone.
    ///
    /// Where several solids hold a place of a ray, its length counts for the one of least volume
    /// there, of equal ones that of the lowest id, and not for the others: a ray's lengths then add up.
    #[arg(long, requires = "paths")]
    innermost: bool,
}

impl PathArguments {
    /// Returns how lengths are counted, if they are asked for.
    pub fn rule(&self) -> Option<PathRule> {
        let rule = if self.innermost { PathRule::Innermost } else { PathRule::Each };
        self.paths.then_some(rule)
    }

    pub fn refuse_resume(&self, is_resumed: bool) -> Result<(), Failure> {
        match self.paths && is_resumed {
            true => Err(Failure::usage("--resume keeps no --paths: leave one of them out")),
            false => Ok(()),
        }
    }
}
