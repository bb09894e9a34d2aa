//! Reads the files of models that worlds include, each once.

use super::element::{SdfElement, minor_version};
use super::resources::Resources;
use crate::reference::path_in;
use crate::xml::Lapses;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The file in which the folder of a model names its other files.
const MANIFEST: &str = "model.config";

/// The files of models that were read, by their paths, or the reasons why they could not be read.
#[derive(Default)]
pub(super) struct ModelFiles {
    read: HashMap<PathBuf, Result<Rc<SdfElement>, String>>,
    /// The lapses of all files, including the world.
    pub lapses: Lapses,
}

impl ModelFiles {
    /// Finds the file at an address and reads its root element. The inner error is the reason why
    /// there is no such file or why it cannot be read.
    ///
    /// # Errors
    /// [`FileError`] for a file that is not of its format.
    pub fn read(
        &mut self,
        resources: &mut Resources<'_>,
        address: &str,
        from: &Path,
    ) -> Result<Result<(PathBuf, Rc<SdfElement>), String>, FileError> {
        let store = resources.store;
        let path = match resources.path(address, from) {
            Ok(path) if store.is_file(&path) => path,
            Ok(folder) => {
                let manifest = folder.join(MANIFEST);
                match store.is_file(&manifest) {
                    true => {
                        let manifest = SdfElement::read_any(store, &manifest, &mut self.lapses)?;
                        path_in(store, &folder, named_by(&manifest))
                    }
                    false => folder.join("model.sdf"),
                }
            }
            Err(reason) => return Ok(Err(reason)),
        };
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf")) {
            return Ok(Err(format!(
                "{}: raytwin does not read a URDF file in a world",
                path.display()
            )));
        }
        if let Some(read) = self.read.get(&path) {
            return Ok(read.clone().map(|root| (path, root)));
        }
        let read = match SdfElement::read(store, &path, &mut self.lapses) {
            Ok(root) => Ok(Rc::new(root)),
            Err(error @ FileError::Syntax { .. }) => return Err(error),
            Err(error) => Err(error.to_string()),
        };
        self.read.insert(path.clone(), read.clone());
        Ok(read.map(|root| (path, root)))
    }
}

/// The file that a manifest names for the newest supported version of SDFormat.
fn named_by(manifest: &SdfElement) -> &str {
    let version = |file: &&SdfElement| file.attribute("version").and_then(minor_version);
    let newest = manifest.children("sdf").max_by_key(version);
    newest.map(SdfElement::text).filter(|name| !name.is_empty()).unwrap_or("model.sdf")
}
