//! Parses a document in two passes: one for transforms, scenes, cameras and materials, whose errors
//! have a line, and one for the objects of meshes, whose errors name an object.

use super::container;
use super::objects::{Extensions, GltfDocument};
use super::references;
use super::shapes::ShapeFile;
use crate::shortened::shortened;
use crate::source_text::{refuse, unpadded};
use raytwin_files::{FileError, without_mark};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

pub(super) const NOTHING: &str = "is an index that does not exist: indices count from 0";

/// A parsed document, whose references between nodes, meshes, accessors and buffers all exist.
pub(super) struct GltfFile {
    pub document: GltfDocument,
    /// The binary chunk of a `.glb`.
    pub chunk: Option<Vec<u8>>,
    pub exact: ExactDocument,
}

/// The transforms, scenes, cameras, materials and shapes of a document.
#[derive(Debug, Deserialize)]
pub(super) struct ExactDocument {
    #[serde(default)]
    pub nodes: Vec<ExactNode>,
    /// The cameras. A faulty camera does not affect the others.
    #[serde(default)]
    pub cameras: Vec<Value>,
    #[serde(default)]
    pub materials: Vec<MaterialFile>,
    /// The index of the scene that is shown.
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<SceneRoots>,
    /// The shapes of the draft of glTF 2.1.
    #[serde(default)]
    pub shapes: Vec<ShapeFile>,
}

/// The transform of a node. Its parts are boxed, because most nodes of most files lack most of
/// them.
#[derive(Debug, Deserialize)]
pub(super) struct ExactNode {
    pub matrix: Option<Box<[f64; 16]>>,
    pub translation: Option<Box<[f64; 3]>>,
    pub rotation: Option<Box<[f64; 4]>>,
    pub scale: Option<Box<[f64; 3]>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SceneRoots {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MaterialFile {
    #[serde(default)]
    pub pbr_metallic_roughness: SurfaceFile,
}

/// The colour of a surface, which is linear and multiplies that of its texture.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SurfaceFile {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ExactCamera {
    pub name: Option<String>,
    pub perspective: Option<PerspectiveFile>,
    pub orthographic: Option<OrthographicFile>,
}

#[derive(Debug, Deserialize)]
pub(super) struct PerspectiveFile {
    pub yfov: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct OrthographicFile {
    pub ymag: f64,
}

impl GltfFile {
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let bytes = without_mark(bytes);
        let (text, chunk) = match bytes.starts_with(b"glTF") {
            true => container::chunks(bytes).map_err(|reason| {
                let advice = "a .glb begins with its header, and a .gltf is JSON; export it again as glTF 2.0";
                FileError::meaning(path, "", format!("{reason}: {advice}"))
            })?,
            false => (bytes, None),
        };
        let text = unpadded(text);
        check_version(path, text)?;
        let exact = serde_json::from_slice(text).map_err(|error| syntax(path, &error))?;
        let document = document(path, text)?;
        references::check(&document).map_err(|place| FileError::meaning(path, place, NOTHING))?;
        Ok(Self { document, chunk: chunk.map(<[u8]>::to_vec), exact })
    }

    /// Returns an extension of the document; `None` if the document has none of that name.
    ///
    /// # Errors
    /// [`FileError`] for one that is not as its specification says.
    pub fn extension<T: DeserializeOwned>(
        &self,
        path: &Path,
        name: &str,
    ) -> Result<Option<T>, FileError> {
        typed(&self.document.extensions, name)
            .map_err(|error| FileError::meaning(path, format!("extensions.{name}"), error))
    }

    /// Returns true if the document requires an extension, so that there is no fallback.
    pub fn requires(&self, extension: &str) -> bool {
        self.document.extensions_required.iter().any(|required| required == extension)
    }
}

/// An extension of an object; `None` if it has none of that name.
pub(super) fn extension<'a>(extensions: &'a Extensions, name: &str) -> Option<&'a Value> {
    extensions.as_ref()?.get(name)
}

/// An extension of an object, as its specification describes it.
pub(super) fn typed<T: DeserializeOwned>(
    extensions: &Extensions,
    name: &str,
) -> Result<Option<T>, serde_json::Error> {
    extension(extensions, name).map(T::deserialize).transpose()
}

/// Parses the part of the objects.
fn document(path: &Path, text: &[u8]) -> Result<GltfDocument, FileError> {
    // The library checks only the encoding of strings that it returns.
    let text = std::str::from_utf8(text).map_err(|error| {
        let lossy = String::from_utf8_lossy(text);
        refuse(path, &lossy, error.valid_up_to(), "invalid unicode code point")
    })?;
    let text = &mut serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(text).map_err(|error| {
        // The path of the document itself is a dot, and the line and column are at the end.
        let place = error.path().to_string();
        let reason = error.inner().to_string();
        let end = reason.rfind(" at line ").unwrap_or(reason.len());
        FileError::meaning(path, place.trim_matches('.'), &reason[..end])
    })
}

fn syntax(path: &Path, error: &serde_json::Error) -> FileError {
    FileError::parser(path, [error.line(), error.column()], error)
}

/// The part of a document of any version that states which version it needs.
#[derive(Deserialize)]
struct VersionedFile {
    asset: AssetFile,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AssetFile {
    version: String,
    min_version: Option<String>,
}

/// Rejects a document that only a reader of another version can load (section 3.2). Documents of
/// version 1 have another structure.
fn check_version(path: &Path, text: &[u8]) -> Result<(), FileError> {
    let file: VersionedFile = serde_json::from_slice(text).map_err(|error| syntax(path, &error))?;
    let needed = file.asset.min_version.as_ref().unwrap_or(&file.asset.version);
    match needed.split('.').next() {
        Some("2") => Ok(()),
        _ => Err(FileError::meaning(
            path,
            "asset",
            format!(
                "is glTF {}: raytwin reads version 2; export it again as glTF 2.0",
                shortened(needed)
            ),
        )),
    }
}
