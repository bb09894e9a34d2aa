//! Finds the files at the addresses in a world: next to the file, in a package, or in a folder of
//! models.

use crate::Remedy;
use crate::reference::found;
use crate::shortened::shortened;
use raytwin_files::FileStore;
use std::path::{Path, PathBuf};

/// The environment variables in which Gazebo's users list the folders of their models.
const SEARCH_PATHS: [&str; 4] =
    ["GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH"];

/// Finds files by their addresses.
pub(super) struct Resources<'a> {
    pub store: &'a FileStore,
    /// The folders of packages and models, by their names.
    packages: &'a [(String, PathBuf)],
    /// True if a file is in a package or in a model whose folder is not known.
    lacks_package: bool,
}

/// The reason why there is no file at an address.
struct NotFound {
    reason: String,
    /// True if it is in a package or in a model whose folder is not known.
    lacks_package: bool,
}

impl NotFound {
    fn because(reason: String) -> Self {
        Self { reason, lacks_package: false }
    }

    fn of_package(address: &str, path: &str) -> Self {
        let package = shortened(path.split('/').next().unwrap_or(path));
        let reason = format!("{}: the folder of '{package}' is not known", shortened(address));
        Self { reason, lacks_package: true }
    }
}

impl<'a> Resources<'a> {
    pub fn new(store: &'a FileStore, packages: &'a [(String, PathBuf)]) -> Self {
        Self { store, packages, lacks_package: false }
    }

    /// The remedy for everything that could not be found since the last call.
    pub fn take_remedy(&mut self) -> Option<Remedy> {
        std::mem::take(&mut self.lacks_package).then_some(Remedy::Packages)
    }

    /// The path of a file or a folder that a file names, or the reason why there is none. A path is
    /// relative to the folder of the file that names it. If nothing is there, the path is looked up
    /// as in a package, as in libsdformat, so `arm` may be `model://arm`.
    pub fn path(&mut self, address: &str, from: &Path) -> Result<PathBuf, String> {
        let store = self.store;
        let is_there =
            |path: &Result<PathBuf, NotFound>| path.as_ref().is_ok_and(|path| store.exists(path));
        let path = found(address, |address| self.path_as_written(address, from), is_there);
        path.map_err(|fault| {
            self.lacks_package |= fault.lacks_package;
            fault.reason
        })
    }

    fn path_as_written(&self, address: &str, from: &Path) -> Result<PathBuf, NotFound> {
        let (scheme, rest) = address.split_once("://").unwrap_or(("file", address));
        match scheme {
            "file" => {
                let beside = from.parent().unwrap_or(Path::new("")).join(rest);
                if self.store.exists(&beside) {
                    return Ok(beside);
                }
                match self.in_package(rest, from) {
                    Some(found) => Ok(found),
                    None if is_package(rest) => Err(NotFound::of_package(address, rest)),
                    None => Ok(beside),
                }
            }
            "model" | "package" => {
                let rest = rest.trim_start_matches('/');
                self.in_package(rest, from).ok_or_else(|| NotFound::of_package(address, rest))
            }
            "http" | "https" => Err(NotFound::because(format!(
                "{}: raytwin fetches nothing from the web",
                described(address)
            ))),
            _ => Err(NotFound::because(format!("{}: its scheme is not known", shortened(address)))),
        }
    }

    /// The path of an address in a package: in the folder that is given for the package, or
    /// otherwise in a folder with the package's name next to the file that names it, further up, or
    /// in one of Gazebo's folders.
    fn in_package(&self, address: &str, from: &Path) -> Option<PathBuf> {
        let (package, inner) = address.split_once('/').unwrap_or((address, ""));
        let inner = inner.trim_start_matches('/');
        if let Some((_, folder)) = self.packages.iter().find(|(name, _)| name == package) {
            return Some(folder.join(inner));
        }
        if ["", ".", ".."].contains(&package) {
            return None;
        }
        let from = self.store.identity(from).unwrap_or_else(|_| from.to_owned());
        let around = from.ancestors().skip(1).map(Path::to_owned);
        let folders: Vec<PathBuf> =
            around.chain(search_path()).map(|folder| folder.join(package)).collect();
        let paths = || folders.iter().map(|folder| folder.join(inner));
        let found = paths().find(|path| self.store.exists(path));
        // If the package is known, its file is missing.
        let is_there = |folder: &PathBuf| self.store.exists(folder);
        found.or_else(|| folders.iter().position(is_there).and_then(|index| paths().nth(index)))
    }
}

/// Returns the folders that the environment lists for Gazebo.
fn search_path() -> Vec<PathBuf> {
    let lists = SEARCH_PATHS.into_iter().filter_map(std::env::var_os);
    let folders = lists.flat_map(|list| std::env::split_paths(&list).collect::<Vec<_>>());
    folders.filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// Returns true if a path is a single name, as in a package.
fn is_package(path: &str) -> bool {
    let name = path.trim_end_matches('/');
    !name.is_empty() && !name.contains(['/', '.'])
}

/// An address on the web, which is shown in full unless it is very long.
fn described(address: &str) -> String {
    address.chars().take(200).collect()
}
