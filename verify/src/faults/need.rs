//! What a scene must have, or what a question needs, to show a fault.

use raytwin::packed::PackedScene;
use raytwin::question::Circumstance;
use raytwin::shapes::PrimitiveKind;
use std::fmt;

/// What a scene must have, or what a question needs, to show a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// A primitive of this kind, or of one that runs the same code.
    Primitive(PrimitiveKind),
    /// A closed mesh.
    ClosedMesh,
    /// More primitives than this, and no instances.
    PrimitivesBeyond(u32),
    /// A tree of several nodes below its root.
    Nodes,
    /// A question under this circumstance.
    Circumstance(Circumstance),
    /// Faces that are exactly in the planes of the tree's boxes.
    FacesInPlanes,
}

impl Need {
    /// Returns true if a scene has it, or if it depends only on the question. `None` if only
    /// casting rays shows it.
    pub fn is_met_by(self, packed: &PackedScene) -> Option<bool> {
        let scene = packed.scene();
        Some(match self {
            Self::Primitive(kind) => {
                packed.primitive_kinds().iter().any(|in_scene| in_scene.reading() == kind)
            }
            Self::ClosedMesh => packed.closed_meshes() > 0,
            Self::PrimitivesBeyond(count) => {
                scene.instances().is_empty() && scene.primitive_count() > u64::from(count)
            }
            Self::Nodes => packed.tree().node_count() > 2,
            Self::Circumstance(_) => true,
            Self::FacesInPlanes => return None,
        })
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(PrimitiveKind::Cylinder) => {
                f.write_str("a cylinder without an inner_radius")
            }
            Self::Primitive(PrimitiveKind::Tube) => f.write_str("a cylinder with an inner_radius"),
            Self::Primitive(PrimitiveKind::Triangle) => f.write_str("a triangle or a mesh"),
            Self::Primitive(PrimitiveKind::Capsule) => f.write_str("a capsule or lines"),
            Self::Primitive(PrimitiveKind::Ellipsoid) => f.write_str("an ellipsoid"),
            Self::Primitive(PrimitiveKind::Instance) => {
                f.write_str("an instance of a definition, or a stretched shape")
            }
            Self::Primitive(kind) => write!(f, "a {}", kind.name()),
            Self::ClosedMesh => f.write_str("a closed mesh"),
            Self::PrimitivesBeyond(count) => {
                write!(f, "more than {count} primitives, and no instances")
            }
            Self::Nodes => f.write_str("enough shapes for several nodes of the tree"),
            Self::Circumstance(Circumstance::Solids) => {
                f.write_str("rays that hit the solids they start in")
            }
            Self::Circumstance(Circumstance::Masks) => f.write_str("rays with masks"),
            Self::Circumstance(Circumstance::Worlds) => f.write_str("rays in several worlds"),
            Self::Circumstance(Circumstance::Update) => f.write_str("an update"),
            Self::FacesInPlanes => f.write_str("faces exactly in the planes of the tree's boxes"),
        }
    }
}
