//! Importers: each reads a scene from a file; the file's extension chooses the importer.

mod aliases;
mod bulk;
mod checks;
mod formats;
#[cfg(feature = "gltf")]
mod gltf;
pub(crate) mod graph;
mod graph_reader;
mod heights;
mod hull;
mod joint_value;
pub mod json;
mod mesh;
mod mjcf;
mod molecule;
mod options;
mod scene_graph;
mod shortened;
mod source_text;
mod tables;
mod urdf;
mod warning;
#[cfg(feature = "x3d")]
mod x3d;
mod xml;

pub use crate::io::FileStore;
pub use formats::{FORMATS, Format};
pub use joint_value::{JointState, JointValue, looks_like_radians};
pub use options::{FormatOption, MoleculeStyle, Options, Origin};
pub use scene_graph::{Imported, SceneGraph, Source};
pub(crate) use tables::{COLOR_COLUMNS, column_names};
pub use warning::{Remedy, Warning};

use crate::camera::UpAxis;
use crate::io::FileError;
use formats::AllFormats;
use graph_reader::GraphReader;
use std::path::Path;

/// Reads a scene from a file of the disk, whose extension tells its format: see [`FORMATS`].
///
/// # Errors
/// Returns a [`FileError`] with the place in the file; also if the file holds no shape.
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<Imported, FileError> {
    load_from(&FileStore::disk(), path, options)
}

/// Reads a scene as [`load`] does, from a store that also holds the files that it names.
///
/// # Errors
/// Returns a [`FileError`] with the place in the file; also if the file holds no shape.
pub fn load_from(
    store: &FileStore,
    path: impl AsRef<Path>,
    options: &Options,
) -> Result<Imported, FileError> {
    read(store, path, options)?.flatten(options)
}

/// Reads what a file of a store describes, with the files that it names.
///
/// ```
/// use raytwin::import::{FileStore, Options, Origin, read};
///
/// let scene = br#"{ "raytwin": 1, "shapes":
///     [ { "type": "sphere", "name": "ball", "center": [1e6, 0, 0], "radius": 1 } ] }"#;
/// let files = FileStore::in_memory([("scene.json", &scene[..])]);
/// let graph = read(&files, "scene.json", &Options::default())?;
/// let near = Options { origin: Some(Origin::Auto), ..Options::default() };
/// let scene = graph.clone().flatten(&near)?.scene;
/// assert_eq!([scene.origin().x, graph.flatten(&Options::default())?.scene.origin().x], [1e6, 0.0]);
/// # Ok::<(), raytwin::FileError>(())
/// ```
///
/// # Errors
/// Returns a [`FileError`] with the place in the file.
pub fn read(
    store: &FileStore,
    path: impl AsRef<Path>,
    options: &Options,
) -> Result<SceneGraph, FileError> {
    let path = path.as_ref();
    let format = Format::readable(path)?;
    let mut reader = GraphReader::new(store.for_another_scene(), &AllFormats);
    let root = reader.read(path, options);
    reader.store.refuse_lack()?;
    Ok(SceneGraph::new(reader, root?, path, format.up))
}

/// Reads a native scene from its text; errors name `path`, in whose folder the files lie that it
/// names.
///
/// # Errors
/// Returns [`FileError::Syntax`] if the text is not JSON, and [`FileError::Meaning`] if it is not a
/// scene.
pub fn parse(text: &str, path: &Path) -> Result<crate::scene::Scene, FileError> {
    let mut reader = GraphReader::new(FileStore::disk(), &AllFormats);
    reader.begin(path);
    let root = json::parse_contents(&mut reader, text, path, &[])?;
    let graph = SceneGraph::new(reader, root, path, UpAxis::Z);
    graph.flatten_any(&Options::default()).map(|imported| imported.scene)
}
