//! The flag of the formats of files for each pose.

use clap::ValueEnum;

/// A format of the files that a folder gets for each pose.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(super) enum FormatFlag {
    Ply,
    Pcd,
    Las,
    Laz,
    Npy,
    Parquet,
    Npz,
}

impl FormatFlag {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ply => "ply",
            Self::Pcd => "pcd",
            Self::Las => "las",
            Self::Laz => "laz",
            Self::Npy => "npy",
            Self::Parquet => "parquet",
            Self::Npz => "npz",
        }
    }

    pub fn is_cloud(self) -> bool {
        self != Self::Npz
    }
}
