//! The place that the name of an output leads to.

use super::draft::{DRAFT_PREFIX, locked_file};
use super::file_identity::FileIdentity;
use super::links::{folder_of, followed};
use super::mixture;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A reason why outputs cannot be written together.
#[derive(Debug, Error)]
pub enum OutputClash {
    /// Both lead to the same file.
    #[error("the outputs {} and {} are the same file: rename one of them", .0[0].display(), .0[1].display())]
    OneFile([PathBuf; 2]),
    /// The first would be in a folder that has the name of the second.
    #[error("the output {} needs a folder where the output {} is a file: rename one of them", .0[0].display(), .0[1].display())]
    InFile([PathBuf; 2]),
    /// It has the name of a temporary file of this library, which removes such files.
    #[error("the output {} has a name that raytwin uses for its own temporary files: choose another name", .0.display())]
    Reserved(PathBuf),
}

/// The place of an output, which is the same for all names that lead to it: the deepest of its
/// folders that exists, and the names below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Destination {
    folder: FileIdentity,
    below: PathBuf,
}

impl Destination {
    /// Returns the place with the path of its folder; `None` if no file can be written there.
    fn of(output: &Path) -> Option<(Self, PathBuf)> {
        let target = followed(output).ok()?;
        let mut folder = folder_of(&target);
        let folder_there = loop {
            match FileIdentity::of(folder) {
                Some(identity) => break identity,
                None if folder == Path::new(".") => return None,
                None => folder = folder_of(folder),
            }
        };
        let below = target.strip_prefix(folder).unwrap_or(&target).to_owned();
        Some((Self { folder: folder_there, below }, folder.to_owned()))
    }
}

/// Rejects outputs of one run that would replace each other, in any spelling and through any links,
/// even if they do not exist yet, and outputs with names of the library's own files.
///
/// # Errors
/// [`OutputClash`], for the first that cannot be written with the others.
pub fn refuse_clashes(outputs: &[PathBuf]) -> Result<(), OutputClash> {
    let places: Vec<_> = outputs.iter().map(|output| Destination::of(output)).collect();
    let named = || places.iter().zip(outputs).filter_map(|(place, it)| Some((place.as_ref()?, it)));
    let mut known: HashMap<&Destination, &PathBuf> = HashMap::new();
    // Some file systems do not distinguish upper from lower case.
    let mut folded: HashMap<Destination, (&Destination, &PathBuf)> = HashMap::new();
    for ((place, folder), output) in named() {
        let name = place.below.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(DRAFT_PREFIX) || name == mixture::NAME {
            return Err(OutputClash::Reserved(output.clone()));
        }
        if let Some(before) = known.insert(place, output) {
            return Err(OutputClash::OneFile([before.clone(), output.clone()]));
        }
        let below = PathBuf::from(place.below.to_string_lossy().to_lowercase());
        let alike = folded.insert(Destination { below, ..place.clone() }, (place, output));
        if let Some((_, before)) = alike
            && ignores_case(folder)
        {
            return Err(OutputClash::OneFile([before.clone(), output.clone()]));
        }
    }
    for ((place, _), output) in named() {
        for above in place.below.ancestors().skip(1) {
            let above = Destination { below: above.to_owned(), ..place.clone() };
            if let Some(file) = known.get(&above) {
                return Err(OutputClash::InFile([output.clone(), (*file).clone()]));
            }
        }
    }
    Ok(())
}

/// Returns true if a folder does not distinguish upper and lower case. Makes a file in it to find
/// out. A folder in which no file can be made has no outputs.
fn ignores_case(folder: &Path) -> bool {
    locked_file(folder).is_ok_and(|(_, name)| {
        let upper = name.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        name.with_file_name(upper).exists()
    })
}

/// Returns true if two paths lead to the same existing regular file.
pub fn are_one_file(first: &Path, second: &Path) -> bool {
    let identity = |path: &Path| FileIdentity::of(path).filter(|_| path.is_file());
    identity(first).is_some_and(|first| identity(second) == Some(first))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn clash(root: &Path, first: &str, second: &str) -> Option<OutputClash> {
        refuse_clashes(&[root.join(first), root.join(second)]).err()
    }

    #[test]
    fn outputs_are_one_file_in_any_spelling_and_through_any_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("there")).unwrap();
        for (target, link) in [
            ("there", "link"),
            ("absent", "to absent"),
            ("t.npy", "there/to t.npy"),
            ("to t.npy", "there/twice"),
            ("there/../link/t.npy", "far"),
            ("circle", "circle"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("there/t.npy"), root.join("absolute")).unwrap();
        for other in [
            "there/./t.npy",
            "link/t.npy",
            "absent/../there/t.npy",
            "link/../there/t.npy",
            "there/to t.npy",
            "link/twice",
            "far",
            "absolute",
            "circle/../there/t.npy",
        ] {
            let is_one = matches!(clash(root, "there/t.npy", other), Some(OutputClash::OneFile(_)));
            assert_eq!(is_one, !other.starts_with("circle"), "{other}");
        }
        for other in ["there/u.npy", "absent/t.npy", "t.npy", "there/T.npy", "circle"] {
            assert!(clash(root, "there/t.npy", other).is_none(), "{other}");
        }
        assert!(clash(root, "absent/x/t.npy", "to absent/x/t.npy").is_some());
        assert!(!root.join("absent").exists());
        // A file with two names is replaced under one of them.
        std::fs::write(root.join("there/t.npy"), "").unwrap();
        std::fs::hard_link(root.join("there/t.npy"), root.join("hard")).unwrap();
        assert!(clash(root, "there/t.npy", "hard").is_none());
        assert!(clash(root, "there/t.npy", "far").is_some());
    }

    #[test]
    fn no_output_is_the_folder_of_another_or_has_a_name_of_our_own() {
        let folder = tempfile::tempdir().unwrap();
        for [file, inner] in [["a.parquet", "a.parquet/c.laz"], ["n/a", "n/a/b/c.laz"]] {
            for [first, second] in [[file, inner], [inner, file]] {
                let found = clash(folder.path(), first, second);
                assert!(matches!(found, Some(OutputClash::InFile(_))), "{first}: {found:?}");
            }
        }
        for own in [".raytwin-lock", "f/.raytwin-a.laz", mixture::NAME] {
            let found = clash(folder.path(), "a", own);
            assert!(matches!(found, Some(OutputClash::Reserved(_))), "{own}: {found:?}");
        }
    }
}
