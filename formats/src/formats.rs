//! The formats of scenes, one per row. The choice of a reader, the options of a file and the
//! formats that help and messages name follow from this table.

use super::gltf;
use super::graph_reader::{FileFormats, FileReader, GraphReader};
use super::options::{self, FormatOption, Options};
use super::{bulk, json, mesh, mjcf, molecule, sdf, tables, urdf, x3d};
use raytwin::camera::UpAxis;
use raytwin_files::FileError;
use std::path::Path;

/// A format that scenes are read from.
#[derive(Debug)]
pub struct Format {
    /// The extensions of its files, in lower case and without a dot.
    pub extensions: &'static [&'static str],
    /// The contents of a file in a few words, such as `a robot`.
    pub content: &'static str,
    /// The axis that points upwards in its scenes.
    pub up: UpAxis,
    /// Its options, in addition to those of every format.
    pub options: &'static [FormatOption],
    reader: FileReader,
}

/// The contents of files whose scenes have no floor.
pub(super) const MOLECULE: &str = "a molecule";

/// All formats, in the order of the help.
pub const FORMATS: &[Format] = &[
    Format {
        extensions: &["json"],
        content: "native",
        up: UpAxis::Z,
        options: options::OF_NATIVE_SCENES,
        reader: json::read_contents,
    },
    Format {
        extensions: &["npz"],
        content: "bulk arrays",
        up: UpAxis::Z,
        options: &[],
        reader: bulk::read,
    },
    Format {
        extensions: &["csv"],
        content: "a table of shapes",
        up: UpAxis::Z,
        options: &[],
        reader: tables::read_csv,
    },
    Format {
        extensions: &["parquet"],
        content: "a table of shapes",
        up: UpAxis::Z,
        options: &[],
        reader: tables::read_parquet,
    },
    Format {
        extensions: &["urdf"],
        content: "a robot",
        up: UpAxis::Z,
        options: options::OF_ROBOTS,
        reader: urdf::read,
    },
    Format {
        extensions: &["xml"],
        content: "a MuJoCo model",
        up: UpAxis::Z,
        options: options::OF_MUJOCO,
        reader: mjcf::read,
    },
    Format {
        extensions: &["sdf", "world"],
        content: "a Gazebo world",
        up: UpAxis::Z,
        options: options::OF_GAZEBO,
        reader: sdf::read,
    },
    Format {
        extensions: &["x3d", "x3dv", "wrl", "x3dz", "x3dvz", "wrz"],
        content: "an X3D or VRML world",
        up: UpAxis::Y,
        options: options::OF_WORLDS,
        reader: x3d::read,
    },
    Format {
        extensions: &["gltf", "glb"],
        content: "a glTF scene",
        up: UpAxis::Y,
        options: options::OF_GLTF,
        reader: gltf::read_contents,
    },
    Format {
        extensions: &["pdb", "ent"],
        content: MOLECULE,
        up: UpAxis::Z,
        options: options::OF_MACROMOLECULES,
        reader: molecule::PDB,
    },
    Format {
        extensions: &["cif", "mmcif"],
        content: MOLECULE,
        up: UpAxis::Z,
        options: options::OF_MACROMOLECULES,
        reader: molecule::CIF,
    },
    Format {
        extensions: &["xyz"],
        content: MOLECULE,
        up: UpAxis::Z,
        options: options::OF_ATOMS,
        reader: molecule::XYZ,
    },
    Format {
        extensions: &mesh::EXTENSIONS,
        content: "one mesh",
        up: UpAxis::Z,
        options: &[],
        reader: mesh::read_alone,
    },
];

impl Format {
    /// Returns the format of a file, by its extension.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let extension = path.extension()?.to_string_lossy().to_lowercase();
        FORMATS.iter().find(|format| format.extensions.contains(&extension.as_str()))
    }

    /// Returns the extensions of its files, each with its dot, such as `.obj, .stl, .ply`.
    pub fn dotted_extensions(&self) -> String {
        format!(".{}", self.extensions.join(", ."))
    }

    /// Returns the extensions of the formats that have an option, each with its dot.
    pub fn that_take(option: FormatOption) -> String {
        let take = FORMATS.iter().filter(|format| format.options.contains(&option));
        take.map(Self::dotted_extensions).collect::<Vec<_>>().join(", ")
    }

    /// Returns the first given option that the format does not have.
    pub fn unfit(&self, options: &Options) -> Option<FormatOption> {
        options.given().find(|option| !self.options.contains(option))
    }

    /// Finds the format of a file.
    ///
    /// # Errors
    /// [`FileError`] for an unknown extension.
    pub(super) fn readable(path: &Path) -> Result<&'static Self, FileError> {
        Self::of(path).ok_or_else(|| {
            let known: Vec<String> = FORMATS.iter().map(Self::dotted_extensions).collect();
            let reason = format!(
                "is not a scene that raytwin reads: give a file with one of the extensions {}",
                known.join(", ")
            );
            FileError::meaning(path, "", reason)
        })
    }
}

/// All formats, for readers of files that use other files.
#[derive(Debug)]
pub(super) struct AllFormats;

impl FileFormats for AllFormats {
    fn read(
        &self,
        reader: &mut GraphReader,
        path: &Path,
        options: &Options,
    ) -> Result<u32, FileError> {
        (Format::readable(path)?.reader)(reader, path, options)
    }

    fn options_of(&self, path: &Path) -> Option<&'static [FormatOption]> {
        Some(Format::of(path)?.options)
    }

    fn that_take(&self, option: FormatOption) -> String {
        Format::that_take(option)
    }
}
