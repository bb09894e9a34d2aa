//! Readers and writers of the scenes of [`raytwin`]: native JSON, URDF, MJCF, SDFormat, glTF, X3D, meshes,
//! molecules, tables and bulk arrays. A file's extension decides its format.
//!
//! ```
//! use raytwin::{DeviceChoice, Ray, Tracer};
//! use raytwin_formats::{Options, load};
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/robots/arm.urdf");
//! let imported = load(path, &Options::default())?;
//! let links = imported.links.len();
//! let tracer = DeviceChoice::Auto.tracer(imported.scene)?;
//! let down = Ray::new([0.0, 0.0, 9.0], [0.0, 0.0, -1.0]);
//! let hits = tracer.cast(&[down])?;
//! assert!(links > 1 && hits.t_hit[0] < 9.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A reader adds the contents of a file to a [`SceneGraph`], in which nothing is rounded or placed.
//! [`SceneGraph::flatten`] makes a scene from it, with an origin and optionally with everything
//! movable, and [`SceneGraph::posed`] moves its joints without reading a file again. [`save`]
//! writes scenes.

mod aliases;
mod bulk;
mod checks;
mod closed_form;
mod export;
mod formats;
mod gltf;
mod graph;
mod graph_reader;
mod heights;
mod hull;
mod joint_value;
pub mod json;
mod label_table;
mod mesh;
mod mesh_warnings;
mod mjcf;
mod molecule;
mod mount;
mod named_atom;
mod options;
mod reference;
mod scene_graph;
mod sdf;
mod shortened;
mod source_text;
mod tables;
mod urdf;
mod warning;
mod x3d;
mod xml;

pub use export::{left_out, save, save_graph};
pub use formats::{FORMATS, Format};
pub use joint_value::{JointState, JointValue, looks_like_radians};
pub use mount::Mount;
pub use named_atom::{NamedAtom, atoms};
pub use options::{
    Choice, FormatOption, MoleculeColors, MoleculeStyle, OptionDescription, OptionField, Options,
    Origin,
};
pub use raytwin_files::{FileError, FileStore};
pub use scene_graph::{ImportedScene, SceneGraph, Source};
pub use warning::{Remedy, Warning};

use formats::{AllFormats, MOLECULE};
use graph_reader::GraphReader;
use label_table::LabelTable;
use raytwin::Scene;
use raytwin::camera::UpAxis;
use std::path::Path;

/// The programs of the readme and of the page for Rust programs compile and run as tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../../docs/guide/rust.md")]
    struct ForRustPrograms;
}

/// Reads a scene from a file on the disk. The extension decides the format: see [`FORMATS`].
///
/// # Errors
/// Returns a [`FileError`] with the place in the file; also if the file has no shapes.
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<ImportedScene, FileError> {
    load_from(&FileStore::disk(), path, options)
}

/// Reads a scene as [`load`] does, from a store that also has the files that it names.
///
/// # Errors
/// Returns a [`FileError`] with the place in the file; also if the file has no shapes.
pub fn load_from(
    store: &FileStore,
    path: impl AsRef<Path>,
    options: &Options,
) -> Result<ImportedScene, FileError> {
    read(store, path, options)?.flatten(options)
}

/// Reads a file of a store, with the files that it names, into a graph.
///
/// ```
/// use raytwin_files::FileStore;
/// use raytwin_formats::{Options, Origin, read};
///
/// let scene = br#"{ "raytwin": 1, "shapes":
///     [ { "type": "sphere", "name": "ball", "center": [1e6, 0, 0], "radius": 1 } ] }"#;
/// let files = FileStore::in_memory([("scene.json", &scene[..])]);
/// let graph = read(&files, "scene.json", &Options::default())?;
/// let near = Options { origin: Some(Origin::Auto), ..Options::default() };
/// let scene = graph.clone().flatten(&near)?.scene;
/// assert_eq!([scene.origin().x, graph.flatten(&Options::default())?.scene.origin().x], [1e6, 0.0]);
/// # Ok::<(), raytwin_files::FileError>(())
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
    let labels = options.labels.as_deref();
    let labels = labels.map(|labels| LabelTable::read(&reader.store, labels)).transpose()?;
    let graph = SceneGraph::new(reader, root?, path, format.up);
    Ok(graph.floating(format.content == MOLECULE).with_labels(labels))
}

/// Reads a native scene from its text. Errors name `path`, and the files that it names are in the
/// folder of `path`.
///
/// # Errors
/// Returns [`FileError::Syntax`] if the text is not JSON, and [`FileError::Meaning`] if it is not a
/// scene.
pub fn parse(text: &str, path: &Path) -> Result<Scene, FileError> {
    let mut reader = GraphReader::new(FileStore::disk(), &AllFormats);
    reader.begin(path);
    let root = json::parse_contents(&mut reader, text, path, &[])?;
    let graph = SceneGraph::new(reader, root, path, UpAxis::Z);
    graph.flatten_any(&Options::default()).map(|imported| imported.scene)
}
