//! The formats of the files for each pose.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use raytwin_files::clouds::{CLOUD_FORMATS, CloudFormat};

/// A format of the files that a folder gets for each pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FormatFlag {
    Cloud(&'static CloudFormat),
    /// The arrays of an image.
    Npz,
}

/// The extension of the arrays of an image.
const NPZ: &str = "npz";

/// The short help for the formats.
pub(super) const EACH_HELP: &str = "Write a file of this format for each pose, such as pcd";

/// Returns the help for the formats, which lists all.
pub(super) fn each_help() -> String {
    let clouds: Vec<&str> = CLOUD_FORMATS.iter().map(|format| format.extension).collect();
    format!(
        "{EACH_HELP}.\n\nThe format is that of a cloud ({}), or of the arrays of the image ({NPZ}). The files go to the folder of -o. May be repeated, or separated by commas.",
        clouds.join(", ")
    )
}

impl FormatFlag {
    pub fn parser() -> impl TypedValueParser<Value = Self> {
        let names = CLOUD_FORMATS.iter().map(|format| format.extension).chain([NPZ]);
        PossibleValuesParser::new(names)
            .map(|name| CloudFormat::named(&name).map_or(Self::Npz, Self::Cloud))
    }

    pub fn extension(self) -> &'static str {
        match self {
            Self::Cloud(format) => format.extension,
            Self::Npz => NPZ,
        }
    }

    /// Returns the format of the cloud, if it is one.
    pub fn cloud(self) -> Option<&'static CloudFormat> {
        match self {
            Self::Cloud(format) => Some(format),
            Self::Npz => None,
        }
    }
}
