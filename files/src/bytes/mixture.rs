//! The note in a folder whose files do not all come from one run.

use super::draft::{locked_file, sync_folder};
use crate::{FileError, FileStore};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

pub(crate) const NAME: &str = "raytwin-mixture.json";

/// The text with which the note explains itself.
const ABOUT: &str = "The files of this folder come from several runs of raytwin. While the list being_replaced exists, its files may come from two runs: wait for the end of the run that replaces them, or repeat that run if it ended early. The last run did not write the files in the list left_alone.";

/// The names of the files of a folder that do not come from its last run.
#[derive(Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mixture {
    about: String,
    /// The files that a run began to replace and has not replaced completely.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub being_replaced: BTreeSet<String>,
    /// The files that the last run could have written but did not write.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_alone: BTreeSet<String>,
}

impl Mixture {
    /// Reads the note of a folder. Without a note, the files come from one run.
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let path = folder.join(NAME);
        match FileStore::disk().read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| {
                let reason = format!("is not a note of raytwin ({error}): remove it");
                FileError::meaning(&path, "", reason)
            }),
            Err(FileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the note of a folder, or removes it if the files come from one run, and writes that
    /// through to the disk.
    pub fn write(&mut self, folder: &Path) -> Result<(), FileError> {
        let path = folder.join(NAME);
        self.about = ABOUT.to_owned();
        let written = match self.being_replaced.is_empty() && self.left_alone.is_empty() {
            true => match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            false => locked_file(folder).and_then(|(mut file, name)| {
                writeln!(file, "{}", serde_json::to_string_pretty(self)?)?;
                file.sync_all()?;
                name.persist(&path).map_err(|error| error.error)
            }),
        };
        written.and_then(|()| sync_folder(folder)).map_err(FileError::write(&path))
    }
}
