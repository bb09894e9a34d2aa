//! From a file to a scene, by the file's extension.

mod bulk;
#[cfg(feature = "images")]
mod heights;
pub mod json;
mod mesh;
mod urdf;

use crate::io::FileError;
use crate::scene::Scene;
use glam::DVec3;
use std::path::{Path, PathBuf};

/// What a reader may be told beyond the file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Of a robot, its collision geometry instead of its visual geometry.
    pub collision: bool,
    /// Of a robot, joints that do not stand at zero: name, and angle in radians or way in metres.
    pub joints: Vec<(String, f64)>,
    /// Of a robot, where the packages lie that its meshes are in: name and folder.
    pub packages: Vec<(String, PathBuf)>,
}

/// What could not be read as it stands, though the scene can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What happened to each of them.
    pub what: String,
    /// How many things it happened to.
    pub count: usize,
    /// Which things: the first 20, for names may be many and long.
    pub names: Vec<String>,
    /// What mends it, where the options of [`load`] do.
    pub remedy: Option<Remedy>,
}

/// The option of [`load`] that mends what a [`Warning`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// [`Options::joints`].
    Joints,
    /// [`Options::packages`].
    Packages,
}

impl Warning {
    const SHOWN: usize = 20;

    fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), count: 0, names: Vec::new(), remedy: None }
    }

    fn add(&mut self, name: impl FnOnce() -> String) {
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

/// A scene, and what its file held that is not in it.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// What can be cast at.
    pub scene: Scene,
    /// Empty where all was read.
    pub warnings: Vec<Warning>,
}

/// Reads a scene: `.json` (native), `.npz` (bulk arrays), `.urdf` (a robot), or one mesh: `.obj`, `.stl`,
/// `.ply`.
///
/// # Errors
/// [`FileError`] with the place in the file; also for a file that holds no shape.
pub fn load(path: impl AsRef<Path>, options: &Options) -> Result<Imported, FileError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let mut imported = match extension.as_deref() {
        Some("json") => Imported::from(json::read(path)?),
        Some("npz") => Imported::from(bulk::read(path)?),
        Some("urdf") => urdf::read(path, options)?,
        Some(extension) if mesh::EXTENSIONS.contains(&extension) => {
            Imported::from(mesh_alone(path)?)
        }
        _ => {
            return Err(FileError::meaning(
                path,
                "",
                "is not a scene that raytwin reads: give a .json, .npz, .urdf, .obj, .stl or .ply file",
            ));
        }
    };
    let coarse = imported.scene.coarsely_rounded();
    if !coarse.is_empty() {
        let mut warning = Warning::new(
            "shapes moved by more than a thousandth of their size when their numbers were rounded to float32; move the scene nearer to its origin",
        );
        coarse.iter().for_each(|&id| warning.add(|| imported.scene.path(id)));
        imported.warnings.push(warning);
    }
    if imported.scene.geometries().is_empty() {
        let skipped: Vec<_> = imported.warnings.iter().map(|w| format!("; {w}")).collect();
        return Err(FileError::meaning(
            path,
            "",
            format!("holds no shape to cast rays at{}", skipped.concat()),
        ));
    }
    Ok(imported)
}

/// What is wrong with numbers of which one is not finite: a text of too large a number is read as an infinite one.
fn unfit(numbers: &[f64]) -> Option<&'static str> {
    let number = numbers.iter().find(|number| !number.is_finite())?;
    Some(if number.is_nan() { "a number is NaN: it must be finite" } else { TOO_LARGE })
}

const TOO_LARGE: &str = "a number is too large: float64 ends at 1.8e308";

/// A text of the file, cut to what fits a message.
fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 {
        return text.to_owned();
    }
    let start: String = text.chars().take(37).collect();
    format!("{start}...")
}

/// Vertices, and three places in them for each triangle.
type VerticesAndTriangles = (Vec<DVec3>, Vec<[u32; 3]>);

/// What a mesh's file holds.
fn read_mesh(path: &Path) -> Result<VerticesAndTriangles, FileError> {
    let mesh::Triangles { vertices, triangles } = mesh::read(path)?;
    Ok((vertices, triangles))
}

/// A scene of one mesh, which has the file's name.
fn mesh_alone(path: &Path) -> Result<Scene, FileError> {
    let (vertices, triangles) = read_mesh(path)?;
    let mut scene = Scene::new();
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
        Self { scene, warnings: Vec::new() }
    }
}
