//! The ray files that arguments name: files, folders of Parquet files, and patterns such as
//! `day=*/*.parquet`.

use crate::Failure;
use crate::stages::has_extension;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// A ray file, and the path that names its answers in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RayFile {
    pub path: PathBuf,
    pub mirrored: PathBuf,
}

/// Returns true if the arguments name one file, and not a folder or pattern.
pub(super) fn is_one_file(arguments: &[PathBuf]) -> bool {
    matches!(arguments, [one] if !one.is_dir() && pattern(one).is_none())
}

/// Finds the files of all arguments. Files of a folder keep their path in it. Files of a pattern
/// keep their path below the first folders of the pattern, which have no wildcard. The search
/// leaves out the folder of the answers.
pub(super) fn ray_files(arguments: &[PathBuf], output: &Path) -> Result<Vec<RayFile>, Failure> {
    let mut search = Search { seen_folders: HashSet::new(), found: Vec::new() };
    let folder_of_answers = output.canonicalize().ok();
    search.seen_folders.extend(folder_of_answers.clone());
    for argument in arguments {
        let before = search.found.len();
        if argument.is_dir() {
            search.add_folder(argument, argument)?;
        } else if let Some(pattern) = pattern(argument) {
            search.add_matches(pattern, argument)?;
        } else {
            let mirrored = PathBuf::from(argument.file_name().unwrap_or_default());
            search.found.push(RayFile { path: argument.clone(), mirrored });
        }
        if search.found.len() > before {
            continue;
        }
        if argument.canonicalize().is_ok_and(|folder| Some(folder) == folder_of_answers) {
            return Err(Failure::usage(format!(
                "{}: the answers would go to the folder of the rays: give another folder with -o",
                argument.display()
            )));
        }
        return Err(Failure::input(format!(
            "{}: there is no .parquet file here: give a folder with such files, or a pattern that matches files",
            argument.display()
        )));
    }
    let mut seen = HashSet::new();
    search.found.retain(|file| seen.insert(file.clone()));
    Ok(search.found)
}

const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Returns the argument as a pattern, if it has a wildcard and is not the name of a file.
fn pattern(argument: &Path) -> Option<&str> {
    argument.to_str().filter(|text| text.contains(WILDCARDS) && !argument.exists())
}

struct Search {
    /// The folders searched so far, so that a link to an enclosing folder ends the search.
    seen_folders: HashSet<PathBuf>,
    found: Vec<RayFile>,
}

impl Search {
    /// Adds the Parquet files of a folder and its subfolders, by their path in `base`. It skips
    /// names that begin with a dot or an underscore: they are notes of writers, such as `_SUCCESS`.
    fn add_folder(&mut self, folder: &Path, base: &Path) -> Result<(), Failure> {
        let unreadable =
            |error| Failure::input(format!("{}: cannot be read: {error}", folder.display()));
        if !self.seen_folders.insert(folder.canonicalize().map_err(unreadable)?) {
            return Ok(());
        }
        let mut paths = Vec::new();
        for entry in folder.read_dir().map_err(unreadable)? {
            paths.push(entry.map_err(unreadable)?.path());
        }
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(['.', '_']) {
                continue;
            }
            if path.is_dir() {
                self.add_folder(&path, base)?;
            } else if has_extension(&path, &["parquet"]) {
                self.add(path, base);
            }
        }
        Ok(())
    }

    /// Adds the files that match a pattern, and the files of matching folders.
    fn add_matches(&mut self, pattern: &str, argument: &Path) -> Result<(), Failure> {
        let has_no_wildcard = |part: &std::path::Component<'_>| {
            !part.as_os_str().to_string_lossy().contains(WILDCARDS)
        };
        let base: PathBuf = argument.components().take_while(has_no_wildcard).collect();
        let options =
            glob::MatchOptions { require_literal_leading_dot: true, ..Default::default() };
        let paths = glob::glob_with(pattern, options).map_err(|error| {
            Failure::usage(format!("{pattern}: is not a valid pattern of file names: {error}"))
        })?;
        for path in paths {
            let path = path
                .map_err(|error| Failure::input(format!("{pattern}: cannot be read: {error}")))?;
            match path.is_dir() {
                true => self.add_folder(&path, &base)?,
                false => self.add(path, &base),
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, base: &Path) {
        let mirrored = path.strip_prefix(base).unwrap_or(&path).to_owned();
        self.found.push(RayFile { path, mirrored });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_patterns_keep_the_paths_below_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [
            "day=1/part-0.parquet",
            "day=1/_SUCCESS",
            "day=2/part-0.parquet",
            "day=2/deep/.hidden.parquet",
            "day=2/deep/b.PARQUET",
            "day=2/notes.txt",
            "out/day=1/part-0.parquet",
            "a.npy",
            "brackets[1].npy",
        ] {
            std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            std::fs::write(root.join(name), "").unwrap();
        }
        let mirrored = |arguments: &[&str]| {
            let arguments: Vec<PathBuf> = arguments.iter().map(|name| root.join(name)).collect();
            let files = ray_files(&arguments, &root.join("out"));
            files.map(|files| -> Vec<String> {
                let names = files.iter().map(|file| file.mirrored.to_string_lossy());
                names.map(|name| name.replace('\\', "/")).collect()
            })
        };
        let all = ["day=1/part-0.parquet", "day=2/deep/b.PARQUET", "day=2/part-0.parquet"];
        assert_eq!(mirrored(&[""]).unwrap(), all);
        assert_eq!(mirrored(&["day=*"]).unwrap(), all);
        assert_eq!(mirrored(&["day=2"]).unwrap(), ["deep/b.PARQUET", "part-0.parquet"]);
        let parts = ["day=1/part-0.parquet", "day=2/part-0.parquet"];
        assert_eq!(mirrored(&["day=?/part*.parquet"]).unwrap(), parts);
        assert_eq!(mirrored(&["day=?/*.parquet", "d*/p*"]).unwrap(), parts);
        assert_eq!(mirrored(&["a.npy", "absent.npy"]).unwrap(), ["a.npy", "absent.npy"]);
        assert_eq!(mirrored(&["brackets[1].npy"]).unwrap(), ["brackets[1].npy"]);
        for (nothing, code) in [("absent*.parquet", 3), ("out", 2), ("day=[12.parquet", 2)] {
            assert!(mirrored(&[nothing]).is_err_and(|failure| failure.code == code), "{nothing}");
        }
        assert!(is_one_file(&[root.join("a.npy")]) && is_one_file(&[root.join("absent")]));
        assert!(!is_one_file(&[root.join("day=1")]) && !is_one_file(&[root.join("*.npy")]));
    }
}
