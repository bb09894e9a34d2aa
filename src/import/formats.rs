//! The formats of scenes, a row for each. The choice of a reader, the options that a file takes and the formats that help
//! and messages name follow from it.

#[cfg(feature = "gltf")]
use super::gltf;
use super::graph_reader::GraphReader;
#[cfg(feature = "x3d")]
use super::x3d;
use super::{
    FormatOption, Imported, Options, bulk, json, mesh, mesh_alone, mjcf, molecule, tables, urdf,
};
use crate::camera::UpAxis;
use crate::io::{FileError, FileStore};
use crate::scene::Scene;
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
    /// The options that it takes, besides those that every format takes.
    pub options: &'static [FormatOption],
    /// The feature of the library that brings the reader, if it is not always there.
    pub feature: Option<&'static str>,
    /// The reader, unless the library was built without it.
    pub(super) reader: Option<Reader>,
}

/// The function that reads files of a format.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reader {
    /// Adds what a file holds to an empty scene, about the origin that the scene has.
    Scene(fn(&FileStore, Scene, &Path, &Options) -> Result<Imported, FileError>),
    /// Adds what a file holds, in which parts may be used several times, to a graph, and returns its index there.
    Graph(fn(&mut GraphReader, &Path, &Options) -> Result<u32, FileError>),
}

const OF_MACROMOLECULES: &[FormatOption] = &[
    FormatOption::Style,
    FormatOption::Model,
    FormatOption::Alternate,
    FormatOption::Hydrogens,
    FormatOption::Water,
];

/// All formats, in the order in which help lists them.
pub const FORMATS: &[Format] = &[
    Format {
        extensions: &["json"],
        content: "native",
        up: UpAxis::Z,
        options: &[FormatOption::Joints],
        feature: None,
        reader: Some(Reader::Graph(|reader, path, options| {
            json::read_contents(reader, path, &options.joints)
        })),
    },
    Format {
        extensions: &["npz"],
        content: "bulk arrays",
        up: UpAxis::Z,
        options: &[],
        feature: None,
        reader: Some(Reader::Scene(|store, scene, path, _| {
            bulk::read(store, scene, path).map(Imported::from)
        })),
    },
    Format {
        extensions: &["csv"],
        content: "a table of shapes",
        up: UpAxis::Z,
        options: &[],
        feature: None,
        reader: Some(Reader::Scene(|store, scene, path, _| tables::read_csv(store, scene, path))),
    },
    Format {
        extensions: &["parquet"],
        content: "a table of shapes",
        up: UpAxis::Z,
        options: &[],
        feature: None,
        reader: Some(Reader::Scene(|store, scene, path, _| {
            tables::read_parquet(store, scene, path)
        })),
    },
    Format {
        extensions: &["urdf"],
        content: "a robot",
        up: UpAxis::Z,
        options: &[FormatOption::Collision, FormatOption::Joints, FormatOption::Packages],
        feature: None,
        reader: Some(Reader::Scene(urdf::read)),
    },
    Format {
        extensions: &["xml"],
        content: "a model of MuJoCo",
        up: UpAxis::Z,
        options: &[
            FormatOption::Joints,
            FormatOption::Key,
            FormatOption::Qpos,
            FormatOption::GeomGroups,
        ],
        feature: None,
        reader: Some(Reader::Scene(mjcf::read)),
    },
    Format {
        extensions: &["x3d", "x3dv", "wrl", "x3dz", "x3dvz", "wrz"],
        content: "a world",
        up: UpAxis::Y,
        options: &[FormatOption::LineRadius, FormatOption::PointRadius],
        feature: Some("x3d"),
        #[cfg(feature = "x3d")]
        reader: Some(Reader::Graph(x3d::read)),
        #[cfg(not(feature = "x3d"))]
        reader: None,
    },
    Format {
        extensions: &["gltf", "glb"],
        content: "a scene of glTF",
        up: UpAxis::Y,
        options: &[FormatOption::Collision, FormatOption::LineRadius, FormatOption::PointRadius],
        feature: Some("gltf"),
        #[cfg(feature = "gltf")]
        reader: Some(Reader::Graph(gltf::read_contents)),
        #[cfg(not(feature = "gltf"))]
        reader: None,
    },
    Format {
        extensions: &["pdb", "ent"],
        content: "a molecule",
        up: UpAxis::Z,
        options: OF_MACROMOLECULES,
        feature: None,
        reader: Some(Reader::Scene(molecule::read_pdb)),
    },
    Format {
        extensions: &["cif", "mmcif"],
        content: "a molecule",
        up: UpAxis::Z,
        options: OF_MACROMOLECULES,
        feature: None,
        reader: Some(Reader::Scene(molecule::read_cif)),
    },
    Format {
        extensions: &["xyz"],
        content: "a molecule",
        up: UpAxis::Z,
        options: &[FormatOption::Style, FormatOption::Model, FormatOption::Hydrogens],
        feature: None,
        reader: Some(Reader::Scene(molecule::read_xyz)),
    },
    Format {
        extensions: &mesh::EXTENSIONS,
        content: "one mesh",
        up: UpAxis::Z,
        options: &[],
        feature: None,
        reader: Some(Reader::Scene(|store, scene, path, _| {
            mesh_alone(store, scene, path).map(Imported::from)
        })),
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

    /// Returns the extensions of the formats that take an option, each with its dot.
    pub fn that_take(option: FormatOption) -> String {
        let take = FORMATS.iter().filter(|format| format.options.contains(&option));
        take.map(Self::dotted_extensions).collect::<Vec<_>>().join(", ")
    }

    /// Returns the first option that is given and that the format does not take.
    pub fn unfit(&self, options: &Options) -> Option<FormatOption> {
        options.given().find(|option| !self.options.contains(option))
    }

    /// Returns the reader of a file.
    ///
    /// # Errors
    /// [`FileError`] for an extension of no format, and for a format whose reader was not built.
    pub(super) fn reader(path: &Path) -> Result<Reader, FileError> {
        let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
        let Some(Self { content, feature, reader, .. }) = Self::of(path) else {
            let known: Vec<String> = FORMATS.iter().map(Self::dotted_extensions).collect();
            return refuse(format!(
                "is not a scene that raytwin reads: give a file with one of the extensions {}",
                known.join(", ")
            ));
        };
        match reader {
            Some(reader) => Ok(*reader),
            None => refuse(format!(
                "holds {content}, which this build cannot read: build raytwin with the feature {}",
                feature.unwrap_or_default()
            )),
        }
    }
}
