//! The reasons for which a geometry node is not read.

use raytwin::fields::ShapeError;
use raytwin_files::FileError;

/// The reason for which a geometry node is not read.
pub(super) enum GeometryFault {
    /// Its text is wrong, so that the file is an error.
    Refused(FileError),
    /// It is left out, for this reason.
    Unread(String),
}

impl From<FileError> for GeometryFault {
    fn from(error: FileError) -> Self {
        Self::Refused(error)
    }
}

impl From<String> for GeometryFault {
    fn from(reason: String) -> Self {
        Self::Unread(reason)
    }
}

impl From<ShapeError> for GeometryFault {
    fn from(shape_error: ShapeError) -> Self {
        Self::Unread(shape_error.to_string())
    }
}
