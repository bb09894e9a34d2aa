//! The pages for readers: the README and what lies in `docs`.

use std::path::Path;

pub const PROJECT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the README and the pages of the documentation, each with its path from the project's folder, in the order of the
/// paths.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    add_pages("docs", &mut pages);
    let readme = std::fs::read_to_string(Path::new(PROJECT).join("README.md")).unwrap();
    pages.push(("README.md".into(), readme));
    pages.sort();
    pages
}

fn add_pages(folder: &str, pages: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(Path::new(PROJECT).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().display());
        if entry.file_type().unwrap().is_dir() {
            add_pages(&path, pages);
        } else if path.ends_with(".md") {
            pages.push((path, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
}
