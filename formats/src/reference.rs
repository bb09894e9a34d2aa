//! Finds the files that other files name. Programs on Windows write `\` between folders, and their
//! files are read elsewhere too, by MuJoCo and others as well.

use raytwin_files::FileStore;
use std::path::{Component, Path, PathBuf};

/// Returns the path of a named file, in this folder.
pub(super) fn path_in(store: &FileStore, folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    match name.to_str() {
        Some(name) => found(name, |name| folder.join(name), |path| store.exists(path)),
        None => folder.join(name),
    }
}

/// Does the same with only the text of the path, as MuJoCo does: `a/x/..` is `a`, even if `a/x` is
/// not a folder, or is a link to another one.
pub(super) fn reduced_path_in(store: &FileStore, folder: &Path, name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    let reduced = |name: &Path| {
        let mut reduced = PathBuf::new();
        for part in folder.join(name).components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if reduced.file_name().is_some() => {
                    reduced.pop();
                }
                part => reduced.push(part),
            }
        }
        reduced
    };
    match name.to_str() {
        Some(name) => found(name, |name| reduced(Path::new(name)), |path| store.exists(path)),
        None => reduced(name),
    }
}

/// Finds a named file, by the name as written or otherwise with `/` instead of each `\`. A file may
/// have a `\` in its name, so the written name comes first.
pub(super) fn found<T>(
    name: &str,
    mut find: impl FnMut(&str) -> T,
    is_there: impl Fn(&T) -> bool,
) -> T {
    let as_written = find(name);
    if !name.contains('\\') || is_there(&as_written) {
        return as_written;
    }
    Some(find(&name.replace('\\', "/"))).filter(is_there).unwrap_or(as_written)
}

/// Decodes percent-encoding (RFC 3986, section 2.1). A `%` without two digits stands for itself.
pub(super) fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
        let (byte, left) = match (first, digit(0), digit(1)) {
            (b'%', Some(high), Some(low)) => ((16 * high + low) as u8, &after[2..]),
            _ => (*first, after),
        };
        decoded.push(byte);
        rest = left;
    }
    decoded
}

/// Returns the last part of a path that a file names.
pub(super) fn file_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}
