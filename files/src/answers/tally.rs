//! Files of tallies.

use crate::{FileError, FileStore, Outputs};
use raytwin::Tally;
use std::io::Write;
use std::path::Path;

/// Reads the tally in a JSON file.
///
/// # Errors
/// [`FileError`], if the file is unreadable or not a tally.
pub fn read_tally(path: impl AsRef<Path>) -> Result<Tally, FileError> {
    let path = path.as_ref();
    Tally::from_json(&FileStore::disk().read_text(path)?)
        .map_err(|error| FileError::meaning(path, "", error))
}

/// Writes a tally to a JSON file, which appears whole or not at all.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_tally(path: impl AsRef<Path>, tally: &Tally) -> Result<(), FileError> {
    let path = path.as_ref();
    let text = tally.to_json().map_err(|error| FileError::meaning(path, "", error))?;
    let mut outputs = Outputs::default();
    outputs.add(path, |file| writeln!(file, "{text}"))?;
    outputs.publish()
}
