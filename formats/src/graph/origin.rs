//! Finds an origin near what a graph describes.

use super::frame::Frame;
use super::rows::GraphRows;
use super::shape::GraphShape;
use super::walk::{UsedDefinition, Visitor, Walk};
use glam::DVec3;
use raytwin::fields::{FieldKind, ShapeError};
use raytwin::geometry::Geometry;
use raytwin::math::Bounds;
use raytwin::scene::Scene;
use raytwin::shapes::Shape;
use raytwin::transform::Transform;
use raytwin_files::FileError;

/// Finds a point of round numbers near the middle of the contents: multiples of a power of ten that
/// is at most the size of the scene, but at least 1. No origin helps a scene whose size squared
/// overflows: its origin is zero.
pub(super) fn origin_near(walk: &Walk<'_>, contents: u32) -> Result<DVec3, FileError> {
    let mut middles = Middles(Bounds::EMPTY);
    walk.through(contents, false, &mut middles)?;
    Ok(middles.round_point())
}

/// Finds such a point for an existing scene, near the middle of its bounds, which needs no walk
/// through a large scene.
pub(crate) fn origin_near_scene(scene: &Scene) -> DVec3 {
    let Bounds { min, max } = scene.bounds();
    let origin = scene.origin();
    Middles(Bounds { min: min + origin, max: max + origin }).round_point()
}

/// The box around the middles of geometries.
struct Middles(Bounds);

impl Middles {
    fn add(&mut self, middle: Option<DVec3>, world_from_geometry: &Transform) {
        let middle = middle.map(|middle| world_from_geometry.point(middle));
        if let Some(middle) = middle.filter(|middle| middle.is_finite()) {
            self.0 = self.0.union(Bounds { min: middle, max: middle });
        }
    }

    fn round_point(&self) -> DVec3 {
        let Bounds { min, max } = self.0;
        if !self.0.radius().is_finite() {
            return DVec3::ZERO;
        }
        let mut step = 1.0;
        while 10.0 * step <= self.0.radius() {
            step *= 10.0;
        }
        // Half of each corner, because the sum of both may overflow.
        let middle = 0.5 * min + 0.5 * max;
        (middle / step).round() * step
    }
}

impl Visitor for Middles {
    fn shape(&mut self, frame: &Frame<'_>, _: u32, shape: &GraphShape) -> Result<(), FileError> {
        self.add(middle_of(&shape.geometry), &frame.world_from_shape(shape));
        Ok(())
    }

    fn rows(&mut self, frame: &Frame<'_>, rows: &GraphRows) -> Result<(), FileError> {
        let world_from_rows = frame.world_from(rows.group);
        let geometries = rows.shapes.geometries.iter();
        geometries.for_each(|geometry| self.add(middle_of(geometry), &world_from_rows));
        Ok(())
    }

    fn instance(&mut self, instance: UsedDefinition<'_>) -> Result<(), ShapeError> {
        let middles = instance.definition.middles(&instance.world_from_definition);
        middles.for_each(|middle| self.add(Some(middle), &Transform::IDENTITY));
        Ok(())
    }
}

/// A point in a geometry or near it, before its numbers are checked; `None` for one without extent.
fn middle_of(geometry: &Geometry) -> Option<DVec3> {
    match geometry {
        Geometry::Shape(shape) => mean_point(shape),
        Geometry::Heightfield(field) => Some(field.center),
        Geometry::Mesh(_) | Geometry::Lines(_) => geometry.bounds().map(|bounds| bounds.center()),
        Geometry::Empty => None,
    }
}

/// The mean of the points among a shape's numbers.
fn mean_point(shape: &Shape) -> Option<DVec3> {
    let row = shape.row();
    let (mut sum, mut count, mut start) = (DVec3::ZERO, 0.0, 0);
    for field in shape.shape_type().fields {
        let numbers = row.get(start..start + field.kind.columns())?;
        start += numbers.len();
        if matches!(field.kind, FieldKind::Position | FieldKind::Corners) {
            for point in numbers.chunks_exact(3) {
                sum += DVec3::from_slice(point);
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origin_is_finite_however_far_apart_shapes_are() {
        let origin = |centers: &[f64]| {
            let mut middles = Middles(Bounds::EMPTY);
            for &x in centers {
                middles.add(Some(DVec3::new(x, 0.0, -x)), &Transform::IDENTITY);
            }
            let origin = middles.round_point();
            assert!(origin.is_finite() && origin.x == -origin.z, "{centers:?}: {origin}");
            origin.x
        };
        const DENORMAL: f64 = 5e-324;
        for (centers, expected) in [
            (&[][..], 0.0),
            (&[4_567_890.4], 4_567_890.0),
            (&[1234.5; 3], 1235.0),
            (&[4_567_000.0, 4_567_890.0], 4_567_400.0),
            (&[DENORMAL, -DENORMAL], 0.0),
            (&[1e155], 1e155),
            (&[1e155, -1e155], 0.0),
            (&[1e155, 0.0], 0.0),
            (&[1e308, 1e308], 1e308),
            (&[f64::MAX, f64::MIN], 0.0),
            (&[f64::MAX], f64::MAX),
            (&[f64::NAN, f64::INFINITY], 0.0),
            (&[f64::NAN, 7.0], 7.0),
        ] {
            assert_eq!(origin(centers), expected, "{centers:?}");
        }
        let many: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        assert_eq!(origin(&many), 500_000.0);
    }
}
