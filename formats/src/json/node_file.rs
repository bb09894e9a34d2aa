//! The nodes of a native scene file, with the options of their files.

use super::shape_file::AnyShapeFile;
use crate::options::format_options;
use crate::{MoleculeColors, MoleculeStyle};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

macro_rules! node_file {
    ($($_option:ident {
        $(#[$_about:meta])* $_field:ident: $_type:ty as $_kind:ident,
        $(#[$beside:meta])* $key:ident: $file:ty,
        $_heading:ident: $_flag:literal $(= $_value:literal)?,
        $_help:literal, $_more:literal,
    })*) => {
        /// A node moves its contents: a point p becomes translation + rotation · (scale · p), or
        /// `matrix` · p. A node has shapes and child nodes, or uses a definition, or uses a file.
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct NodeFile {
            /// The name of the node, which is a part of the path of everything inside it.
            pub(super) name: Option<String>,
            /// The translation, which is applied last. Default: none.
            pub(super) translation: Option<[f64; 3]>,
            /// The rotation, a quaternion x y z w, which raytwin normalises. Default: none.
            pub(super) rotation_xyzw: Option<[f64; 4]>,
            /// The scale along each axis, which is applied first. A negative scale mirrors.
            /// Default: 1.
            pub(super) scale: Option<[f64; 3]>,
            /// Instead of these three: the rows of a 3×4 matrix, whose last column is the
            /// translation.
            pub(super) matrix: Option<[f64; 12]>,
            /// The sRGB colour (red, green and blue) of everything in the node that has no colour
            /// of its own.
            #[schemars(inner(range(min = 0, max = 1)))]
            pub(super) color: Option<[f64; 3]>,
            /// The label of everything in the node that has no label of its own.
            pub(super) label: Option<LabelFile>,
            /// The reflectance of everything in the node that has none of its own.
            #[schemars(range(min = 0, max = 1))]
            pub(super) reflectance: Option<f64>,
            /// Whole numbers by name, such as the tree that a branch belongs to, for everything in
            /// the node that has none of its own.
            #[schemars(with = "Option<BTreeMap<String, i32>>")]
            pub(super) integers: Option<Value>,
            /// Shapes in the node's own space.
            #[serde(default)]
            #[schemars(with = "Vec<AnyShapeFile>")]
            pub(super) shapes: Vec<Value>,
            /// Nodes in the node's own space.
            #[serde(default)]
            #[schemars(with = "Vec<NodeFile>")]
            pub(super) nodes: Vec<Value>,
            /// The name of the definition that the node uses.
            pub(super) r#use: Option<String>,
            /// The file that the node uses, a scene, robot or mesh, as a path relative to the
            /// folder of this file.
            pub(super) file: Option<String>,
            $($(#[$beside])* pub(super) $key: Option<$file>,)*
        }
    };
}

format_options!(node_file);

/// A label: a number from 1 to 65535, 0 for none, or the name of one of the file's `labels`.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum LabelFile {
    Name(String),
    Number(#[schemars(with = "u16")] Value),
}

/// A keyframe of a MuJoCo model: its name, or its number.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a key must be a name or a number")]
pub(super) enum KeyFile {
    /// The number of the keyframe, from 0.
    Number(u64),
    /// The name of the keyframe.
    Name(String),
}

/// The value of a joint: a number, or degrees such as "90deg".
#[derive(Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a joint's value must be a number, or degrees such as \"90deg\"")]
pub(super) enum JointFile {
    /// Radians or metres.
    Number(f64),
    /// A number with its unit.
    Text(String),
}

// A comment of documentation would be its description in the schema.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub(super) struct Presence(pub bool);
