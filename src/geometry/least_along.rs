//! How far a geometry reaches along a direction.

use super::Geometry;
use crate::shapes::image;
use crate::transform::Affine;
use glam::{DMat3, DQuat, DVec3};

impl Geometry {
    /// Returns the least dot product of its points with a direction; for a heightfield, that of its
    /// box. It is infinite for a geometry without points, and for one without bounds.
    pub(crate) fn least_along(&self, direction: DVec3) -> f64 {
        let among = |points: &[DVec3], used: &mut dyn Iterator<Item = u32>| {
            used.map(|index| points[index as usize].dot(direction)).fold(f64::INFINITY, f64::min)
        };
        match self {
            // Rotate the direction to the x axis: there the shape's own box gives the product.
            Self::Shape(shape) => {
                let turn = DQuat::from_rotation_arc(direction.normalize_or(DVec3::X), DVec3::X);
                let turned = Affine { linear: DMat3::from_quat(turn), translation: DVec3::ZERO };
                let bounds = image(shape, &turned).and_then(|shape| shape.bounds());
                bounds.map_or(f64::INFINITY, |bounds| direction.length() * bounds.min.x)
            }
            Self::Mesh(mesh) => {
                among(mesh.vertices(), &mut mesh.triangles().iter().flatten().copied())
            }
            Self::Lines(lines) => {
                let least = among(lines.points(), &mut lines.indices().iter().flatten().copied());
                least - lines.radius() * direction.length()
            }
            Self::Heightfield(field) => field.bounds().least_along(direction),
            Self::Empty => f64::INFINITY,
        }
    }
}
