//! Parses a document: the crate gltf takes what meshes are made of. What it would round to float32, or
//! requires where glTF 2.0 does not, is read apart.

use super::shapes::ShapeFile;
use crate::shortened::shortened;
use crate::source_text::unpadded;
use gltf::json;
use gltf::json::validation::{Error as Fault, Validate};
use gltf::{Document, Glb};
use raytwin_files::{FileError, catch_panic, without_mark};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

/// The parts of a document that the crate takes. All others may be as they like, such as animations
/// that an extension describes.
const PARTS_OF_MESHES: [&str; 9] = [
    "accessors",
    "asset",
    "bufferViews",
    "buffers",
    "extensions",
    "extensionsRequired",
    "meshes",
    "nodes",
    "skins",
];

/// The fault of an index.
pub(super) const NOTHING: &str = "is the index of nothing: indices count from 0";

/// A parsed document, whose references between nodes, meshes, accessors and buffers all exist.
pub(super) struct GltfFile {
    pub document: Document,
    /// The binary chunk of a `.glb`.
    pub chunk: Option<Vec<u8>>,
    pub exact: ExactDocument,
}

/// What is read apart: the numbers that place things in the scene, in float64, the scenes, and how
/// surfaces look.
#[derive(Debug, Deserialize)]
pub(super) struct ExactDocument {
    #[serde(default)]
    pub nodes: Vec<ExactNode>,
    /// The cameras, each of which may be odd without harm to the rest.
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

/// The roots of a scene.
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
        let refuse = |reason: String| FileError::meaning(path, "", reason);
        let bytes = without_mark(bytes);
        let explained = |error: gltf::Error| match error {
            gltf::Error::Deserialize(error) => syntax(path, &error),
            error => refuse(format!(
                "{error}: a .glb begins with its header, and a .gltf is JSON; export it again as glTF 2.0"
            )),
        };
        let (text, chunk) = match bytes.starts_with(b"glTF") {
            true => {
                let container = catch_panic(|| Glb::from_slice(bytes)).map_err(refuse)?;
                let Glb { json, bin, .. } = container.map_err(explained)?;
                (json, bin.map(Cow::into_owned))
            }
            false => (Cow::Borrowed(bytes), None),
        };
        let text = unpadded(&text);
        check_version(path, text)?;
        let exact = serde_json::from_slice(text).map_err(|error| syntax(path, &error))?;
        let root = meshes(path, text)?;
        check(path, &root)?;
        Ok(Self { document: Document::from_json_without_validation(root), chunk, exact })
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
        typed(self.document.extensions(), name)
            .map_err(|error| FileError::meaning(path, format!("extensions.{name}"), error))
    }

    /// Tells whether the document requires an extension, so that there is nothing to fall back on.
    pub fn requires(&self, extension: &str) -> bool {
        self.document.extensions_required().any(|required| required == extension)
    }
}

/// An extension of a part of the document; `None` if it has none of that name.
pub(super) fn typed<T: DeserializeOwned>(
    extensions: Option<&Map<String, Value>>,
    name: &str,
) -> Result<Option<T>, serde_json::Error> {
    extensions.and_then(|all| all.get(name)).map(T::deserialize).transpose()
}

/// Parses the parts of a document that the crate takes.
fn meshes(path: &Path, text: &[u8]) -> Result<json::Root, FileError> {
    let mut parts: BTreeMap<String, &RawValue> =
        serde_json::from_slice(text).map_err(|error| syntax(path, &error))?;
    parts.retain(|name, _| PARTS_OF_MESHES.contains(&&**name));
    let text = serde_json::to_string(&parts).map_err(|error| syntax(path, &error))?;
    let parts = &mut serde_json::Deserializer::from_str(&text);
    serde_path_to_error::deserialize(parts).map_err(|error| {
        // The line and column at the end are those in the text of the parts.
        let reason = error.inner().to_string();
        let end = reason.rfind(" at line ").unwrap_or(reason.len());
        FileError::meaning(path, error.path().to_string(), &reason[..end])
    })
}

fn syntax(path: &Path, error: &serde_json::Error) -> FileError {
    FileError::parser(path, [error.line(), error.column()], error)
}

/// The part of a document, of whatever version, that tells which version it needs.
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

/// Refuses a document that only a reader of another version can load (section 3.2). Those of
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
                "is of glTF {}: this reader knows 2; export it again as glTF 2.0",
                shortened(needed)
            ),
        )),
    }
}

/// Refuses references to what is not there, and words that the specification does not know, where
/// they concern geometry. The rest of the crate's validation is left out, because many files of
/// real exporters do not pass it and can be read.
fn check(path: &Path, root: &json::Root) -> Result<(), FileError> {
    // The crate's validation follows the positions of a primitive before it has looked whether they
    // are there.
    for (number, mesh) in root.meshes.iter().enumerate() {
        for (primitive, description) in mesh.primitives.iter().enumerate() {
            let mut accessors = description.attributes.values();
            if accessors.any(|accessor| accessor.value() >= root.accessors.len()) {
                let place = format!("meshes[{number}].primitives[{primitive}].attributes");
                return Err(FileError::meaning(path, place, NOTHING));
            }
        }
    }
    let mut fault: Option<(String, Fault)> = None;
    root.validate(root, json::Path::new, &mut |place, error| {
        if fault.is_some() {
            return;
        }
        let place = place().to_string();
        // The crate sees no cameras and no materials.
        let is_geometry = !place.ends_with(".camera") && !place.ends_with(".material");
        // Attributes may have names of their own, which are none of ours.
        let is_fatal = match error {
            Fault::IndexOutOfBounds | Fault::Oversize => is_geometry,
            Fault::Invalid => is_geometry && !place.contains(".attributes"),
            Fault::Missing | Fault::Unsupported => false,
        };
        if is_fatal {
            fault = Some((place, error));
        }
    });
    match fault {
        None => Ok(()),
        Some((place, Fault::IndexOutOfBounds)) => Err(FileError::meaning(path, place, NOTHING)),
        Some((place, _)) => Err(FileError::meaning(
            path,
            place,
            "is nothing that glTF 2.0 allows: export the file again",
        )),
    }
}
