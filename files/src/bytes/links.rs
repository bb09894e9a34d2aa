//! Paths without links.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the path that a path leads to through links, including links whose target does not
/// exist. No part of it is a link, `.` or, except at its beginning, `..`. A file that is written to
/// one of the paths is also written to the other.
///
/// # Errors
/// [`io::Error`], if links form a circle.
pub(crate) fn followed(path: &Path) -> io::Result<PathBuf> {
    /// Linux follows the same number of links.
    const MAX_LINKS: usize = 40;
    let parts = |path: &Path| -> Vec<OsString> {
        path.components().rev().map(|part| part.as_os_str().to_owned()).collect()
    };
    let mut left = parts(path);
    let mut reached = PathBuf::new();
    // The number of last parts that do not exist, which cannot be links.
    let mut absent = 0_usize;
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == "." {
            continue;
        }
        if part == ".." {
            absent = absent.saturating_sub(1);
            if reached.file_name().is_some() {
                reached.pop();
            } else if !reached.has_root() {
                reached.push(part);
            }
            continue;
        }
        reached.push(part);
        if absent > 0 {
            absent += 1;
            continue;
        }
        match reached.read_link() {
            Ok(next) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::other("it is a link in a circle of links"));
                }
                reached.pop();
                left.extend(parts(&next));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => absent = 1,
            Err(_) => {}
        }
    }
    Ok(reached)
}

pub(crate) fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_the_system_follows_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        symlink("a/b", root.join("link")).unwrap();
        for (path, reached) in [
            ("link/../file", "a/file"),
            ("link/./new/../x", "a/b/x"),
            ("new/x/../../link/y", "a/b/y"),
            ("a/file", "a/file"),
        ] {
            assert_eq!(followed(&root.join(path)).unwrap(), root.join(reached), "{path}");
        }
        assert_eq!(followed(Path::new("../../x")).unwrap(), Path::new("../../x"));
        assert_eq!(followed(Path::new("/../x")).unwrap(), Path::new("/x"));
    }
}
