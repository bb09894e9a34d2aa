//! The files of the browser page. They are read once, so that no request touches the disk. If the
//! page was built before the program, the program contains it as an archive.

use crate::Failure;
use raytwin_files::{FileError, FileStore};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zip::ZipArchive;
use zip::result::ZipError;

#[cfg(has_page)]
const ARCHIVE: Option<&[u8]> = Some(include_bytes!("../../page/page.zip"));
#[cfg(not(has_page))]
const ARCHIVE: Option<&[u8]> = None;

/// The most bytes of a page. A folder with more is not that of a page.
const MOST_BYTES: u64 = 256 << 20;

pub struct PageFile {
    pub media_type: &'static str,
    pub bytes: Arc<[u8]>,
}

/// The files of the page, by their paths in it, such as `examples/robots/arm.urdf`.
pub struct Page(BTreeMap<String, PageFile>);

impl Page {
    /// Reads the page from the given folder, or else the built-in page.
    pub fn read(given: Option<PathBuf>) -> Result<Self, Failure> {
        match given {
            Some(folder) => Self::of_folder(&folder),
            None => Self::unpacked(ARCHIVE.ok_or_else(not_held)?).map_err(|error| {
                Failure::input(format!(
                    "the built-in page is damaged: {error}: install raytwin again"
                ))
            }),
        }
    }

    fn of_folder(folder: &Path) -> Result<Self, Failure> {
        if !folder.join("index.html").is_file() {
            return Err(Failure::input(format!(
                "--page {}: has no index.html, so it is not a page: give the folder that `cargo run --release -p raytwin-web-builder` wrote, which is target/web",
                folder.display()
            )));
        }
        let mut page = Self(BTreeMap::new());
        let mut bytes_left = MOST_BYTES;
        page.add_folder(folder, "", &mut bytes_left)?;
        Ok(page)
    }

    fn unpacked(archive: &[u8]) -> Result<Self, ZipError> {
        let mut archive = ZipArchive::new(Cursor::new(archive))?;
        let mut page = Self(BTreeMap::new());
        for index in 0..archive.len() {
            let mut file = archive.by_index(index)?;
            let name = file.name()?.into_owned();
            let Some(media_type) = media_type(&name) else { continue };
            let mut bytes = Vec::with_capacity(file.size() as usize);
            file.read_to_end(&mut bytes)?;
            page.0.insert(name, PageFile { media_type, bytes: bytes.into() });
        }
        Ok(page)
    }

    pub fn file(&self, path: &str) -> Option<&PageFile> {
        self.0.get(path)
    }

    /// Adds the regular files of a folder that have a type of web pages. Links are not followed.
    fn add_folder(&mut self, folder: &Path, above: &str, left: &mut u64) -> Result<(), Failure> {
        let fail = unreadable(folder);
        for entry in fs::read_dir(folder).map_err(&fail)? {
            let entry = entry.map_err(&fail)?;
            let metadata = entry.metadata().map_err(&fail)?;
            let Some(name) = entry.file_name().to_str().map(|name| format!("{above}{name}")) else {
                continue;
            };
            if metadata.is_dir() {
                self.add_folder(&entry.path(), &format!("{name}/"), left)?;
                continue;
            }
            let Some(media_type) = media_type(&name).filter(|_| metadata.is_file()) else {
                continue;
            };
            *left = left.checked_sub(metadata.len()).ok_or_else(|| {
                Failure::input(format!(
                    "{}: has more than {} MiB, so it is not only a page: give the folder of the page with --page",
                    folder.display(),
                    MOST_BYTES >> 20
                ))
            })?;
            let bytes = FileStore::disk().read(&entry.path())?.into();
            self.0.insert(name, PageFile { media_type, bytes });
        }
        Ok(())
    }
}

/// Converts the errors of reading a path, for `map_err`.
fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError {
    |source| FileError::Read { path: path.to_owned(), source, near: Vec::new() }
}

/// Returns the error for a program without the page. A program from a registry or an archive
/// contains the page. One that was built from a checkout before its page does not.
fn not_held() -> Failure {
    Failure::input(
        "view: this program was built without the page: in raytwin's sources, run `rustup target add wasm32-unknown-unknown`, build the page with `cargo run --release -p raytwin-web-builder`, and build the program again",
    )
}

/// Returns the media type of a file by its name; `None` if it is not a type of web pages.
fn media_type(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        // The scenes of examples are read as bytes.
        "dae" | "gltf" | "pdb" | "urdf" | "x3d" => "application/octet-stream",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn an_archive_holds_the_page_with_the_kinds_of_its_files() {
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in
            [("index.html", "<title>"), ("examples/arm.urdf", "<robot/>"), ("notes.txt", "")]
        {
            archive.start_file(name, SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        let archive = archive.finish().unwrap().into_inner();
        let page = Page::unpacked(&archive).unwrap();
        assert_eq!(page.0.len(), 2);
        assert_eq!(&*page.file("examples/arm.urdf").unwrap().bytes, b"<robot/>");
        assert_eq!(page.file("index.html").unwrap().media_type, "text/html; charset=utf-8");
        assert!(Page::unpacked(&archive[..archive.len() / 2]).is_err());
    }

    #[test]
    fn a_program_without_the_page_says_how_to_build_it() {
        assert!(not_held().message.contains("cargo run --release -p raytwin-web-builder"));
    }
}
