//! The geometries of a scene that are a single closed form each.

use raytwin::geometry::Geometry;
use raytwin::scene::Scene;
use raytwin::shapes::{SHAPE_TYPES, Shape, ShapeType};

/// The geometries that are a single closed form each in the world, with their ids.
pub(super) fn closed_forms(scene: &Scene) -> impl Iterator<Item = (u32, Shape)> {
    scene.written_out().filter_map(|(id, geometry, placement)| match (geometry, placement) {
        (Geometry::Shape(shape), None) => Some((id, *shape)),
        (Geometry::Shape(_), Some(_)) => Some((id, flattened(scene, id)?)),
        _ => None,
    })
}

/// The closed form of a placed shape in the world, rounded to float32; `None` if there is none.
pub(super) fn flattened(scene: &Scene, id: u32) -> Option<Shape> {
    let image = scene.geometry(id)?.image(scene.placement(id)?.world_from_object())?;
    match image.rounded().ok()? {
        Geometry::Shape(shape) => Some(shape),
        _ => None,
    }
}

/// The types of shapes that a scene has, in the order of [`SHAPE_TYPES`].
pub(super) fn types_of(scene: &Scene) -> Vec<&'static ShapeType> {
    let has = |kind: &&ShapeType| {
        closed_forms(scene).any(|(_, shape)| shape.shape_type().name == kind.name)
    };
    SHAPE_TYPES.iter().filter(has).collect()
}
