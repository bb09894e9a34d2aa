//! Importers: each reads a scene from a file; the file's extension chooses the importer.

mod aliases;
mod bulk;
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
mod tables;
mod urdf;
#[cfg(feature = "x3d")]
mod x3d;
mod xml;

pub use crate::io::FileStore;
pub use formats::{FORMATS, Format};
pub use joint_value::{JointState, JointValue, looks_like_radians};
pub use options::{FormatOption, MoleculeStyle, Options, Origin};
pub(crate) use tables::{COLOR_COLUMNS, column_names};

use crate::camera::{Elevation, Pose, Projection, UpAxis};
use crate::io::FileError;
use crate::io::memory::TRIANGLE_BYTES;
use crate::scene::Scene;
use glam::DVec3;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Items of a file that were not read, or not exactly, though the scene can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The fault that the items share, as a predicate after their count.
    pub what: String,
    /// The number of items.
    pub count: usize,
    /// The names of the first 20 items only, because names may be many and long.
    pub names: Vec<String>,
    /// True if the items were read all the same, though not exactly or by a guess; false if they are not in the scene.
    pub is_read: bool,
    /// The option of [`load`] that removes the cause; `None` if no option does.
    pub remedy: Option<Remedy>,
}

/// An option of [`load`] that removes the cause of a [`Warning`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// [`Options::joints`].
    Joints,
    /// [`Options::packages`].
    Packages,
    /// [`Options::origin`].
    Origin,
    /// [`Options::point_radius`].
    PointRadius,
}

impl Warning {
    const SHOWN: usize = 20;

    /// Makes a warning about items that are left out.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), count: 0, names: Vec::new(), is_read: false, remedy: None }
    }

    /// Makes a warning about items that are read, though not exactly or by a guess.
    pub(crate) fn about_read(what: impl Into<String>) -> Self {
        Self { is_read: true, ..Self::new(what) }
    }

    /// A warning of geometries that are replaced by [`Geometry::Empty`](crate::Geometry::Empty).
    fn unread(geometries: &str) -> Self {
        Self::new(format!(
            "{geometries} could not be read; they keep their ids, which no ray meets"
        ))
    }

    pub(crate) fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < Self::SHOWN {
            self.names.push(name());
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.count, self.what, self.names.join(", "))?;
        match self.count - self.names.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A scene, and warnings about the items of its file that are not in it.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// The scene, which holds at least one geometry.
    pub scene: Scene,
    /// Warnings; empty if everything was read.
    pub warnings: Vec<Warning>,
    /// The poses of a robot's links in the world, by name, for the values that its joints have.
    pub links: HashMap<String, Pose>,
    /// The joints of a robot or a model that [`Options::joints`] can move by one number each, in the file's order, without
    /// those that follow others. A scene tells no joints of the robots in it.
    pub joints: Vec<JointState>,
    /// The files that the geometries come from.
    pub sources: Vec<Source>,
    /// How many nodes, uses and files lie in each other at the deepest.
    pub depth: u64,
}

/// A file that geometries come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub path: PathBuf,
    /// How many geometries come from it, those of each use counted. The meshes and heights that a scene file names count as
    /// its own.
    pub geometry_count: u64,
}

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
    let path = path.as_ref();
    let store = &store.for_another_scene();
    let origin = match options.origin {
        None => None,
        Some(Origin::At(origin)) => Some(origin),
        Some(Origin::Auto) => {
            let survey = read_into(&store.for_another_scene(), Scene::survey(), path, options)?;
            Some(survey.scene.surveyed_origin())
        }
    };
    let mut empty = if options.movable { Scene::movable() } else { Scene::new() };
    empty.set_origin(origin.unwrap_or_default());
    let read = read_into(store, empty, path, options);
    store.refuse_lack()?;
    let mut imported = read?;
    imported.scene.up = Format::of(path).map_or(UpAxis::Z, |format| format.up);
    let coarse = imported.scene.coarsely_rounded();
    if !coarse.is_empty() {
        let is_origin_best = matches!(options.origin, Some(Origin::Auto));
        let advice = match is_origin_best {
            true => "no origin is near all of them, so give each part a scene of its own",
            false => "take an origin near the scene",
        };
        let mut warning = Warning::about_read(format!(
            "shapes moved by more than a thousandth of their size when their numbers were rounded to float32; {advice}"
        ));
        warning.remedy = (!is_origin_best).then_some(Remedy::Origin);
        coarse.iter().for_each(|&id| warning.add(|| imported.scene.path(id)));
        imported.warnings.push(warning);
    }
    imported.warnings.extend(cameras_in_radians(&imported.scene));
    if imported.sources.is_empty() {
        let geometry_count = imported.scene.geometry_count().into();
        imported.sources.push(Source { path: path.to_owned(), geometry_count });
    }
    if imported.scene.primitive_count() == 0 {
        let skipped: Vec<_> = imported.warnings.iter().map(|w| format!("; {w}")).collect();
        return Err(FileError::meaning(
            path,
            "",
            format!("holds no shape to cast rays at{}", skipped.concat()),
        ));
    }
    Ok(imported)
}

/// A warning that names the cameras whose angles look like radians, though they are read as degrees.
fn cameras_in_radians(scene: &Scene) -> Option<Warning> {
    let mut warning = Warning::about_read(
        "cameras have angles that look like radians, but are read as degrees (multiply radians by 180/pi)",
    );
    for camera in &scene.cameras {
        let angles = match &camera.projection {
            Projection::Perspective { fov_y_degrees } => vec![*fov_y_degrees],
            Projection::Panoramic(panorama) => match &panorama.elevation_degrees {
                Elevation::Range(edges) => [panorama.azimuth_degrees, *edges].concat(),
                Elevation::Table(_) => panorama.azimuth_degrees.to_vec(),
            },
            _ => Vec::new(),
        };
        if let Some(angle) = angles.into_iter().find(|&angle| looks_like_radians(angle)) {
            warning.add(|| format!("{} ({angle})", camera.name));
        }
    }
    (warning.count > 0).then_some(warning)
}

/// Reads a native scene with all files that it holds into a graph, and returns it with the index of the scene's own contents.
pub(crate) fn load_graph(
    store: &FileStore,
    path: &Path,
    options: &Options,
) -> Result<(graph::Graph, u32), FileError> {
    let store = store.for_another_scene();
    let mut reader = graph_reader::GraphReader::new(store, read_contents);
    let root = reader.read(path, options)?;
    Ok((reader.graph, root))
}

/// Adds what a file holds to an empty scene, about the origin that the scene has.
fn read_into(
    store: &FileStore,
    empty: Scene,
    path: &Path,
    options: &Options,
) -> Result<Imported, FileError> {
    match Format::reader(path)? {
        formats::Reader::Scene(read) => read(store, empty, path, options),
        formats::Reader::Graph(_) => {
            let mut reader = graph_reader::GraphReader::new(store.clone(), read_contents);
            let root = reader.read(path, options)?;
            write_out(empty, reader, root, options.origin.is_none())
        }
    }
}

/// Reads a file that may be held by another into a graph.
fn read_contents(
    reader: &mut graph_reader::GraphReader,
    path: &Path,
    options: &Options,
) -> Result<u32, FileError> {
    let read = match Format::reader(path)? {
        formats::Reader::Graph(read) => return read(reader, path, options),
        formats::Reader::Scene(read) => read,
    };
    let Imported { scene, warnings, .. } = read(&reader.store, Scene::unrounded(), path, options)?;
    reader.warnings.extend(warnings);
    let index = reader.reserve();
    let called = graph_reader::called(path);
    reader.fill(index, graph::GraphContents::of_scene(called, path.to_owned(), scene));
    Ok(index)
}

/// Returns the first option that the format of a file does not take, and the reason for refusing it.
fn misfit(file: &str, options: &Options) -> Option<(FormatOption, String)> {
    let option = Format::of(Path::new(file))?.unfit(options)?;
    let (file, take) = (shortened(file), Format::that_take(option));
    Some((option, format!("is for files {take}, and {file} is none: leave it out")))
}

/// Tells whether the format of a file takes an option.
fn takes(file: &str, option: FormatOption) -> bool {
    Format::of(Path::new(file)).is_some_and(|format| format.options.contains(&option))
}

/// Makes a scene of what a file holds, from an empty one. The scene takes the file's origin if it should.
fn write_out(
    mut empty: Scene,
    files: graph_reader::GraphReader,
    root: u32,
    takes_origin: bool,
) -> Result<Imported, FileError> {
    if takes_origin {
        empty.set_origin(files.graph.0[root as usize].origin);
    }
    let (scene, plan) = graph::write_out(&files.store, &files.graph, root, empty)?;
    let sources = plan.sources(&files.graph, root);
    let sources = sources.map(|(path, geometry_count)| Source { path, geometry_count }).collect();
    let depth = plan.depth(root);
    Ok(Imported { scene, warnings: files.warnings, sources, depth, ..Imported::default() })
}

/// The reason for refusing numbers if one is not finite. Parsers read the text of too large a number as infinity.
fn not_finite(numbers: &[f64]) -> Option<&'static str> {
    let number = numbers.iter().find(|number| !number.is_finite())?;
    Some(if number.is_nan() { "a number is NaN: it must be finite" } else { TOO_LARGE })
}

const TOO_LARGE: &str = "a number is too large: float64 ends at 1.8e308";

/// The colour that sRGB numbers from 0 to 1 describe, or the rule that they break.
fn checked_color(numbers: [f64; 3]) -> Result<[f32; 3], &'static str> {
    let is_in_range = numbers.iter().all(|number| (0.0..=1.0).contains(number));
    is_in_range
        .then(|| numbers.map(|number| number as f32))
        .ok_or("red, green and blue must lie between 0 and 1")
}

/// A text of the file, shortened to 40 characters for a message.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    let start: String = text.chars().take(37).collect();
    format!("{start}...")
}

/// The vertices of a mesh, and three vertex indices for each triangle.
type VerticesAndTriangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// Reads the vertices and triangles of a mesh file.
fn read_mesh(store: &FileStore, path: &Path) -> Result<VerticesAndTriangles, FileError> {
    let mesh::Triangles { vertices, triangles } = mesh::read(store, path)?;
    Ok((vertices, triangles))
}

/// Reads a mesh file as a scene of one mesh, which is named after the file.
fn mesh_alone(store: &FileStore, mut scene: Scene, path: &Path) -> Result<Scene, FileError> {
    let (vertices, triangles) = read_mesh(store, path)?;
    let count = triangles.len();
    let needs = || format!("its {count} triangles need");
    store.take_memory(path, count as u64 * TRIANGLE_BYTES, needs)?;
    let added = crate::geometry::Mesh::new(vertices, triangles).and_then(|mesh| scene.add(mesh));
    let id = added
        .map_err(|shape_error| FileError::meaning(path, shape_error.field, shape_error.reason))?;
    if let Some(stem) = path.file_stem() {
        scene.set_name(id, stem.to_string_lossy());
    }
    Ok(scene)
}

impl From<Scene> for Imported {
    fn from(scene: Scene) -> Self {
        Self { scene, ..Self::default() }
    }
}
