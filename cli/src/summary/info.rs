//! The summary of `raytwin info`.

use super::{LeftOutSummary, PathText};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The summary of `raytwin info`.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct InfoSummary {
    pub scene: String,
    /// The seconds for reading the scene.
    pub load_s: f64,
    /// The number of geometries of each type; types without geometries are left out.
    pub types: BTreeMap<&'static str, usize>,
    /// The number of geometries that come from each file. Meshes that a scene names count as the
    /// scene's own.
    pub sources: Vec<SourceSummary>,
    pub geometry_count: usize,
    /// The number of shapes, triangles and segments.
    pub primitive_count: usize,
    /// The number of outermost instances of definitions and files, which instance_ids number.
    pub use_count: usize,
    /// The number of geometries or groups that share the memory of a definition, and of
    /// definitions.
    pub instance_count: usize,
    pub definition_count: usize,
    /// The largest depth of nodes, instances and files inside each other.
    pub depth: u64,
    /// The number of worlds, which are variants of the scene with other transforms.
    pub world_count: u32,
    /// The bytes of the scene on a device; null for a scene that is too large for a tree.
    pub device_bytes: Option<u64>,
    /// The items that were not read, and why.
    pub skipped: Vec<LeftOutSummary>,
    /// The items that were read inexactly or by a guess, and why.
    pub inexact: Vec<LeftOutSummary>,
    /// The number of geometries that have an inside.
    pub solid_count: usize,
    /// The number of geometries that rounding to float32 moved by more than a thousandth of their
    /// smallest size.
    pub coarsely_rounded: usize,
    /// The least and the largest coordinates; null for a scene without geometries.
    pub bounds: Option<[[f64; 3]; 2]>,
    /// The point that was subtracted from all coordinates before they were rounded.
    pub origin: [f64; 3],
    pub cameras: Vec<CameraSummary>,
    /// The labels that geometries have.
    pub labels: Vec<LabelSummary>,
    /// The distances of --distance, in the order of the flags.
    pub distances: Vec<DistanceSummary>,
    /// The angles of --angle, in the order of the flags.
    pub angles: Vec<AngleSummary>,
    /// The torsions of --torsion, in the order of the flags.
    pub torsions: Vec<TorsionSummary>,
    /// Every geometry, in the order of ids; null without --geometries.
    pub geometries: Option<Vec<GeometrySummary>>,
}

/// A file that geometries come from.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct SourceSummary {
    pub file: PathText,
    pub geometry_count: u64,
}

/// A camera of the scene.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct CameraSummary {
    pub name: String,
    /// One of perspective, calibrated, orthographic and panoramic.
    pub kind: &'static str,
}

/// A label of the scene.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct LabelSummary {
    pub label_id: u16,
    /// Its name; null for a label without one.
    pub name: Option<String>,
    pub geometry_count: u64,
}

/// The distance between two geometries.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct DistanceSummary {
    pub a: NamedGeometry,
    pub b: NamedGeometry,
    /// The distance between their middles, in the unit of the scene's file.
    pub distance: f64,
    /// The distance between the surfaces of two spheres, negative if they overlap; null for others.
    pub gap: Option<f64>,
}

/// The angle at the second of three geometries.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct AngleSummary {
    pub a: NamedGeometry,
    pub b: NamedGeometry,
    pub c: NamedGeometry,
    /// From 0 to 180.
    pub angle_degrees: f64,
}

/// The torsion of four geometries about the line from the second to the third.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct TorsionSummary {
    pub a: NamedGeometry,
    pub b: NamedGeometry,
    pub c: NamedGeometry,
    pub d: NamedGeometry,
    /// From -180 to 180. Positive if the last geometry is turned clockwise from the first, seen
    /// from the second to the third.
    pub torsion_degrees: f64,
}

/// A geometry, or an atom that the style does not draw.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct NamedGeometry {
    /// Its id; null for an atom that is not drawn as a shape of its own.
    pub geometry_id: Option<u32>,
    pub path: String,
}

/// A geometry of the scene.
#[derive(Serialize, JsonSchema)]
pub(in super::super) struct GeometrySummary {
    pub id: u32,
    pub r#type: &'static str,
    pub primitive_count: usize,
    pub path: String,
    /// The number of the outermost instance that it comes from; null for a geometry outside of any.
    pub instance_id: Option<u32>,
    /// Its label, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label_id: Option<u16>,
    /// The name of its label, if the label has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}
