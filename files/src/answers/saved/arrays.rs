//! Opens the arrays of answers that are `.npy` files.

use super::names::{NAMES, RULE};
use crate::bytes::file_identity::FileIdentity;
use crate::bytes::mixture::{self, Mixture};
use crate::bytes::npz::{ArrayToRead, arrays_to_read};
use crate::{FileError, FileStore, has_extension};
use std::path::Path;

/// Arrays of answers, each with its name.
pub(super) type NamedArrays = Vec<(&'static str, ArrayToRead)>;

/// The arrays of answers that were found, and the names of other arrays in the same folder.
pub(super) type ArraysWithOthers = (NamedArrays, Vec<String>);

/// Opens a single array, whose file has the name that it would have in a folder.
pub(super) fn lone_array(path: &Path) -> Result<ArraysWithOthers, FileError> {
    let stem = path.file_stem().unwrap_or_default();
    let Some(name) = NAMES.into_iter().find(|name| stem == *name) else {
        let reason = format!(
            "the name of an .npy file must be that of an array of answers, such as t_hit.npy, distance.npy or geometry_ids.npy, and {} is not: rename it, or write an .npz",
            stem.to_string_lossy()
        );
        return Err(FileError::meaning(path, "", reason));
    };
    let [array] = arrays_to_read(&FileStore::disk(), path, [name], RULE)?;
    Ok((array.map(|array| (name, array)).into_iter().collect(), Vec::new()))
}

/// Opens the arrays of a folder that belong to one run, and returns the names of the others.
pub(super) fn in_folder(folder: &Path) -> Result<ArraysWithOthers, FileError> {
    let named = NAMES.map(|name| (name, format!("{name}.npy")));
    let mixture = Mixture::read(folder)?;
    if let Some((_, file)) = named.iter().find(|(_, file)| mixture.being_replaced.contains(file)) {
        let reason = format!(
            "{file} and others may come from two runs: wait for the end of the run that replaces them, or repeat that run if it ended early"
        );
        return Err(FileError::meaning(folder, "", reason));
    }
    let mut others = Vec::new();
    let mut arrays = Vec::new();
    let mut opened = Vec::new();
    for (name, file) in named {
        let path = folder.join(&file);
        let identity = FileIdentity::of(&path);
        if identity.is_some() && mixture.left_alone.contains(&file) {
            log::warn!(
                "{}: was not written by the run that wrote the other answers in this folder, so it is not read: see {}",
                path.display(),
                mixture::NAME
            );
            others.push(name.to_owned());
        } else if identity.is_some() {
            let [array] = arrays_to_read(&FileStore::disk(), &path, [name], RULE)?;
            arrays.extend(array.map(|array| (name, array)));
            opened.push((path, identity));
        }
    }
    for entry in std::fs::read_dir(folder).map_err(FileError::read(folder))? {
        let file = entry.map_err(FileError::read(folder))?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if has_extension(&file, &["npy"]) && !NAMES.contains(&name.as_str()) {
            others.push(name);
        }
    }
    others.sort_unstable();
    // A run that ended meanwhile replaced some arrays before they were opened, and others after.
    match opened.iter().find(|(path, identity)| FileIdentity::of(path) != *identity) {
        Some((path, _)) => Err(FileError::meaning(
            path,
            "",
            "was replaced while raytwin read it: run the command again",
        )),
        None => Ok((arrays, others)),
    }
}
