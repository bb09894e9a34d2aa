//! The objects of a document that define meshes (glTF 2.0, section 5), with their names there, and
//! with `Gltf` before names that have another meaning here. For a field with an underscore, only
//! the type matters.

use super::enumerations::{ComponentType, IndexComponentType, Mode, Stride, Target, Type};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The extensions of an object, by their names.
pub(super) type Extensions = Option<Map<String, Value>>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfDocument {
    #[serde(rename = "asset")]
    _asset: Asset,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffers: Vec<GltfBuffer>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    pub extensions: Extensions,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    #[serde(default)]
    pub meshes: Vec<GltfMesh>,
    #[serde(default)]
    pub nodes: Vec<GltfNode>,
    #[serde(default)]
    pub skins: Vec<GltfSkin>,
}

#[derive(Debug, Deserialize)]
struct Asset {
    #[serde(rename = "copyright")]
    _copyright: Option<String>,
    #[serde(rename = "generator")]
    _generator: Option<String>,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    pub byte_offset: Option<usize>,
    /// The number of elements.
    pub count: usize,
    pub component_type: ComponentType,
    /// True if integers represent numbers from -1 or 0 to 1.
    #[serde(default)]
    pub normalized: bool,
    pub r#type: Type,
    pub sparse: Option<Sparse>,
    #[serde(rename = "name")]
    _name: Option<String>,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

/// The elements of an accessor that differ from those in its buffer view.
#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: Indices,
    pub values: Values,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

/// The indices of the elements that differ.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Indices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: IndexComponentType,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

/// The elements that replace them.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Values {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfBuffer {
    pub uri: Option<String>,
    #[serde(default)]
    pub byte_length: usize,
    #[serde(rename = "name")]
    _name: Option<String>,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    pub byte_offset: Option<usize>,
    pub byte_length: usize,
    pub byte_stride: Option<Stride>,
    pub extensions: Extensions,
    #[serde(rename = "target")]
    _target: Option<Target>,
    #[serde(rename = "name")]
    _name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfMesh {
    pub name: Option<String>,
    pub primitives: Vec<GltfPrimitive>,
    pub weights: Option<Vec<f32>>,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfPrimitive {
    /// The accessors of the attributes, by their names.
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    #[serde(default)]
    pub mode: Mode,
    pub targets: Option<Vec<MorphTarget>>,
    pub extensions: Extensions,
}

/// The accessors with which a morph target moves a primitive.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct MorphTarget {
    pub position: Option<usize>,
    pub normal: Option<usize>,
    pub tangent: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GltfNode {
    pub name: Option<String>,
    pub camera: Option<usize>,
    children: Option<Vec<usize>>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<Vec<f32>>,
    pub extensions: Extensions,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GltfSkin {
    pub inverse_bind_matrices: Option<usize>,
    pub joints: Vec<usize>,
    pub skeleton: Option<usize>,
    #[serde(rename = "name")]
    _name: Option<String>,
    #[serde(rename = "extensions")]
    _extensions: Extensions,
}

impl GltfNode {
    /// The nodes in it.
    pub fn children(&self) -> &[usize] {
        self.children.as_deref().unwrap_or_default()
    }
}
