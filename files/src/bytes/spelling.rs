//! Suggestions for misspelt names.

use std::path::Path;

/// The largest number of names that a message lists.
const SHOWN: usize = 5;

/// Returns the known word that a misspelt word probably means: the nearest by the
/// Damerau-Levenshtein distance if at most a third of its letters are wrong, otherwise the shortest
/// that begins with it. `None` if no word is near.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let lowercase = word.to_lowercase();
    let length = lowercase.chars().count();
    // The distance needs memory in proportion to the product of both lengths.
    let alike = known.iter().filter(|known| length <= 2 * known.len());
    let distances =
        alike.map(|known| (strsim::damerau_levenshtein(&lowercase, &known.to_lowercase()), *known));
    let (distance, misspelt) = distances.min_by_key(|(distance, _)| *distance)?;
    if distance <= (length / 3).max(1) && distance < length {
        return Some(misspelt);
    }
    let begin_alike = known.iter().filter(|known| length >= 3 && known.starts_with(&lowercase));
    begin_alike.min_by_key(|known| known.len()).copied()
}

/// Returns the names of files in the folder of a missing file that are similar to its name. There
/// are none if the folder cannot be read.
pub(super) fn files_near(path: &Path) -> Vec<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    names_near(path, names)
}

/// Returns up to five of the names of files that are similar to a missing file's name, the nearest
/// first. That name itself is excluded: it is a link whose target is missing.
pub(super) fn names_near(path: &Path, names: impl Iterator<Item = String>) -> Vec<String> {
    let stem_of = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let Some(stem) = stem_of(path) else { return Vec::new() };
    let missing = path.file_name().unwrap_or_default().to_string_lossy();
    let is_near = |name: &String| {
        let is_like = |other: String| nearest(&stem, &[&other]).is_some();
        *name != missing && stem_of(Path::new(name)).is_some_and(is_like)
    };
    let mut near: Vec<String> = names.filter(is_near).collect();
    near.sort_by_key(|other| strsim::damerau_levenshtein(&missing, other));
    near.truncate(SHOWN);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["center", "radius", "type", "fy", "fov_y_degrees", "elevation_table_degrees"];
        for (word, suggested) in [
            ("raduis", Some("radius")),
            ("Radius", Some("radius")),
            ("radius_m", Some("radius")),
            ("centre", Some("center")),
            ("fov_y", Some("fov_y_degrees")),
            ("elevation_table", Some("elevation_table_degrees")),
            ("size", None),
            ("color", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, &known), suggested, "{word}");
        }
        let long = "radius".repeat(1 << 20);
        assert_eq!(nearest(&long, &known), None);
        assert_eq!(nearest("radius", &[]), None);
    }

    #[test]
    fn files_of_like_names_are_near_a_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["robot.urdf", "robot2.json", "rays.npy", "other.json"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let near = |name: &str| files_near(&folder.path().join(name));
        assert_eq!(near("robot.json"), ["robot2.json", "robot.urdf"]);
        assert_eq!(near("ray.npy"), ["rays.npy"]);
        assert!(near("absent/robot.json").is_empty() && near("..").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_named_with_its_target_and_not_suggested() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("rays.npy");
        std::os::unix::fs::symlink("moved.npy", &link).unwrap();
        let error = crate::FileStore::disk().read(&link).unwrap_err().to_string();
        assert!(error.ends_with("it is a link to moved.npy, which is not there"), "{error}");
    }
}
