//! The files of the browser page, which are read once, so that no request touches the disk.

use crate::Failure;
use raytwin_files::FileError;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the page, as the builder and the release archives name it.
const FOLDER: &str = "web";

/// The files of a page take no more bytes than this; a folder that holds more is another one.
const MOST_BYTES: u64 = 256 << 20;

/// A file of the page.
pub struct PageFile {
    pub media_type: &'static str,
    pub bytes: Arc<[u8]>,
}

/// The files of the page, by their paths in it, such as `examples/robots/arm.urdf`.
pub struct Page(BTreeMap<String, PageFile>);

impl Page {
    /// Reads the page from a folder that is given, or from the one that lies where the program
    /// does.
    pub fn read(given: Option<PathBuf>) -> Result<Self, Failure> {
        let folder = match given {
            Some(folder) if is_page(&folder) => folder,
            Some(folder) => {
                return Err(Failure::input(format!(
                    "--page {}: holds no index.html, so it is no page: give the folder that `cargo run --release -p raytwin-web-builder` wrote, which is target/web",
                    folder.display()
                )));
            }
            None => beside_program().ok_or_else(nowhere)?,
        };
        let mut page = Self(BTreeMap::new());
        let mut bytes_left = MOST_BYTES;
        page.add_folder(&folder, "", &mut bytes_left)?;
        Ok(page)
    }

    pub fn file(&self, path: &str) -> Option<&PageFile> {
        self.0.get(path)
    }

    /// Adds the regular files of a folder that are of a kind that pages consist of. Links are not
    /// followed.
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
                    "{}: holds more than {} MiB, so it is no page alone: give the folder of the page with --page",
                    folder.display(),
                    MOST_BYTES >> 20
                ))
            })?;
            let path = entry.path();
            let bytes = fs::read(&path).map_err(unreadable(&path))?.into();
            self.0.insert(name, PageFile { media_type, bytes });
        }
        Ok(())
    }
}

/// Converts the errors of reading a path, for `map_err`.
fn unreadable(path: &Path) -> impl Fn(io::Error) -> FileError {
    |source| FileError::Read { path: path.to_owned(), source, near: Vec::new() }
}

fn is_page(folder: &Path) -> bool {
    folder.join("index.html").is_file()
}

/// Returns the folder of the page in the folder of the program, where release archives have it, or
/// in the one above, where the builder makes it. The program may be known by a link.
fn beside_program() -> Option<PathBuf> {
    let program = std::env::current_exe().and_then(fs::canonicalize).ok()?;
    let mut folders = program.ancestors().skip(1).take(2).map(|folder| folder.join(FOLDER));
    folders.find(|folder| is_page(folder))
}

fn nowhere() -> Failure {
    Failure::input(
        "view: the page lies neither in the folder web beside the program nor in the one above: build it in raytwin's sources by `rustup target add wasm32-unknown-unknown` and `cargo run --release -p raytwin-web-builder`, or name its folder with --page",
    )
}

/// Returns the media type of a file by its name; `None` for one that no page consists of.
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
