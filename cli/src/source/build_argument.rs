//! The flag that chooses the effort for building the tree.

use clap::{Args, ValueEnum};
use raytwin::bvh::Quality;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum QualityFlag {
    Fast,
    Medium,
    Best,
}

/// The flag that chooses the effort for building the tree.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct BuildArgument {
    /// Choose the effort for building the BVH.
    ///
    /// The BVH (bounding volume hierarchy) is the tree that rays search. More effort makes casting
    /// faster.
    #[arg(long, value_enum, default_value = "medium", value_name = "QUALITY")]
    #[arg(help_heading = "Device", hide_short_help = true)]
    build: QualityFlag,
}

impl BuildArgument {
    pub fn quality(self) -> Quality {
        match self.build {
            QualityFlag::Fast => Quality::Fast,
            QualityFlag::Medium => Quality::Medium,
            QualityFlag::Best => Quality::Best,
        }
    }

    /// Returns the flag as a word, if it differs from the default.
    pub fn typed(self) -> Option<String> {
        match self.build {
            QualityFlag::Fast => Some("--build=fast".to_owned()),
            QualityFlag::Medium => None,
            QualityFlag::Best => Some("--build=best".to_owned()),
        }
    }
}
