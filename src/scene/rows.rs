//! Adds many shapes of one kind at once, from rows of numbers.

use super::Scene;
use super::instance::placement_of;
use super::scene_size::SceneSize;
use crate::fields::ShapeError;
use crate::geometry::Geometry;
use crate::math::Similarity;
use crate::ray::NONE;
use crate::shapes::{PlacedShape, ShapeType, place as placed, unplaced};
use crate::transform::{Affine, Transform};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// The number of shapes that are placed before their attributes are collected.
const ROWS_AT_A_TIME: usize = 1 << 16;

/// The number of rows that one task checks: with fewer, threads cost more than they save.
const ROWS_A_TASK: usize = 1024;

/// A row of numbers that is not a valid shape.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("row {row}: {error}")]
pub struct RowError {
    /// The index of the row, counted from 0.
    pub row: usize,
    /// The reason.
    #[source]
    pub error: ShapeError,
}

/// A shape that is ready to be stored.
enum CheckedShape {
    /// A shape of the scene's own.
    Own(PlacedShape<Geometry>),
    /// A shape in an instance of its own, because its image is not one of the shapes, or because
    /// everything in the scene moves.
    Apart(Arc<Scene>, SceneSize),
}

impl Scene {
    /// Adds the shapes that rows of numbers describe, moved into the world, and returns their ids.
    ///
    /// Each row has the numbers of the fields of its kind, in order. Either all shapes are added or
    /// none.
    ///
    /// ```
    /// use raytwin::shapes::ShapeType;
    /// use raytwin::{Scene, Transform};
    ///
    /// let sphere = ShapeType::named("sphere").expect("it is a type of shape");
    /// let rows = [0.0, 0.0, 0.0, 1.0, 5.0, 0.0, 0.0, 2.0];
    /// let mut scene = Scene::new();
    /// assert_eq!(scene.add_rows(sphere, &rows, &Transform::IDENTITY)?, 0..2);
    /// # Ok::<(), raytwin::scene::RowError>(())
    /// ```
    ///
    /// # Errors
    /// A [`RowError`] with the first row that is not a valid shape for [`Self::add_transformed`],
    /// or whose length is not [`ShapeType::columns`].
    pub fn add_rows(
        &mut self,
        kind: &ShapeType,
        rows: &[f64],
        world_from_shapes: &Transform,
    ) -> Result<Range<u32>, RowError> {
        let count = rows.len().div_ceil(kind.columns());
        let first = self.geometry_count();
        self.refuse_too_many(count)?;
        if let Transform::Affine(affine) = world_from_shapes {
            affine.check().map_err(|error| RowError { row: 0, error })?;
        }
        let check = |(row, numbers)| {
            self.checked(kind, numbers, world_from_shapes).map_err(|error| RowError { row, error })
        };
        let tasks =
            || rows.par_chunks(kind.columns()).enumerate().with_min_len(ROWS_A_TASK).map(check);
        let checked: Result<Vec<CheckedShape>, RowError> = tasks().collect();
        // The error names the first invalid row, whatever thread found one first.
        let checked =
            checked.map_err(|found| tasks().find_map_first(Result::err).unwrap_or(found))?;
        for (row, shape) in checked.into_iter().enumerate() {
            let added = match shape {
                CheckedShape::Own(shape) => self.add_placed(shape),
                CheckedShape::Apart(alone, size) => self.add_alone(&alone, size, world_from_shapes),
            };
            added.map_err(|error| RowError { row, error })?;
        }
        Ok(first..self.geometry_count())
    }

    /// Adds closed forms that share one space, as [`Self::add_transformed`] does for one, and
    /// returns their ids. They are placed in their own memory, without a copy.
    ///
    /// # Errors
    /// [`RowError`], if a shape is invalid, or if there are too many geometries. Shapes before it
    /// may have been added.
    pub fn add_all(
        &mut self,
        mut shapes: Vec<Geometry>,
        world_from_shapes: &Transform,
    ) -> Result<Range<u32>, RowError> {
        let first = self.geometry_count();
        self.refuse_too_many(shapes.len())?;
        let similarity = match world_from_shapes {
            Transform::Similarity(similarity) => self.relative(similarity),
            Transform::Affine(_) => {
                for (row, shape) in shapes.iter().enumerate() {
                    self.add_transformed(shape, world_from_shapes)
                        .map_err(|error| RowError { row, error })?;
                }
                return Ok(first..self.geometry_count());
            }
        };
        // Most shapes are neither invalid nor moved far by rounding, and add nothing to the
        // results.
        let place = |(row, shape): (usize, &mut Geometry)| match shape.placed(&similarity) {
            Ok(placed) => {
                *shape = placed.shape;
                placed.coarse.then_some(Ok(row))
            }
            Err(error) => Some(Err(RowError { row, error })),
        };
        let mut coarse = Vec::new();
        for (start, piece) in (0..).step_by(ROWS_AT_A_TIME).zip(shapes.chunks_mut(ROWS_AT_A_TIME)) {
            let placed = piece.par_iter_mut().enumerate().with_min_len(ROWS_A_TASK);
            let noted: Vec<Result<usize, RowError>> = placed.filter_map(place).collect();
            for note in noted {
                let row = note.map_err(|error| RowError { row: start + error.row, ..error })?;
                coarse.push(first + (start + row) as u32);
            }
        }
        for (row, shape) in shapes.iter().enumerate() {
            self.primitive_ids.push(shape).ok_or_else(|| too_many(row))?;
        }
        self.coarse.extend(coarse);
        match self.geometries.is_empty() {
            true => self.geometries = Arc::new(shapes),
            false => Arc::make_mut(&mut self.geometries).extend(shapes),
        }
        Ok(first..self.geometry_count())
    }

    fn refuse_too_many(&self, count: usize) -> Result<(), RowError> {
        // A row takes one number, as a primitive or as an instance.
        let most = u64::from(self.geometry_count()).max(self.numbered()) + count as u64;
        if most >= u64::from(NONE) { Err(too_many(count - 1)) } else { Ok(()) }
    }

    /// Does for a row what [`Self::add_transformed`] does for a geometry, except changing the
    /// scene.
    fn checked(
        &self,
        kind: &ShapeType,
        row: &[f64],
        world_from_shape: &Transform,
    ) -> Result<CheckedShape, ShapeError> {
        let affine = match world_from_shape {
            Transform::Similarity(similarity) => {
                let PlacedShape { shape, coarse } = placed(kind, row, &self.relative(similarity))?;
                return Ok(CheckedShape::Own(PlacedShape { shape: shape.into(), coarse }));
            }
            Transform::Affine(affine) => affine,
        };
        let shape: Geometry = unplaced(kind, row)?.into();
        let translation = affine.translation - self.origin;
        if let Some(image) = shape.image(&Affine { translation, ..*affine }) {
            return Ok(CheckedShape::Own(image.placed(&Similarity::IDENTITY)?));
        }
        let mut alone = Self::new();
        alone.add(shape)?;
        let size = alone.size();
        placement_of(&world_from_shape.moved(-self.origin).affine(), &size.bounds)?;
        Ok(CheckedShape::Apart(Arc::new(alone), size))
    }
}

fn too_many(row: usize) -> RowError {
    let reason = "is too much: a scene can have at most 2^32 - 2 geometries and primitives";
    RowError { row, error: ShapeError { field: String::new(), reason: reason.to_owned() } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{SHAPE_TYPES, Sphere};
    use glam::DVec3;

    fn sphere_type() -> &'static ShapeType {
        &SHAPE_TYPES[0]
    }

    /// A scene about an origin, and a plain one.
    fn scenes() -> [Scene; 2] {
        [Scene::with_origin(DVec3::new(1e6, 0.0, 0.0)), Scene::new()]
    }

    fn transforms() -> [Transform; 3] {
        let stretched = [2.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 3.0];
        let even = [2.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 2.0, 0.0, 0.0, 2.0, 3.0];
        [Transform::IDENTITY, Affine::from_rows(even).into(), Affine::from_rows(stretched).into()]
    }

    #[test]
    fn rows_make_the_scene_that_shapes_make_one_by_one() {
        let torus = ShapeType::named("torus").unwrap();
        let torus_rows =
            [0.1, 0.2, 0.3, 0.0, 0.6, 0.8, 2.0, 0.5, 9.1, 0.2, 0.3, 1.0, 0.6, 0.8, 3.0, 0.5];
        let sphere_rows = [0.1, 0.2, 0.3, 0.7, 5.0, 0.0, 0.0, 2.0];
        for (kind, rows) in [(sphere_type(), &sphere_rows[..]), (torus, &torus_rows[..])] {
            for transform in transforms() {
                for (mut at_once, mut in_turn) in scenes().into_iter().zip(scenes()) {
                    assert_eq!(at_once.add_rows(kind, rows, &transform).unwrap(), 0..2);
                    for row in rows.chunks(kind.columns()) {
                        let shape = unplaced(kind, row).unwrap();
                        in_turn.add_transformed(&shape.into(), &transform).unwrap();
                    }
                    assert!(at_once.has_structure_of(&in_turn));
                    assert!(at_once.moved_instances(&in_turn).is_empty());
                    assert_eq!(at_once.coarsely_rounded(), in_turn.coarsely_rounded());
                }
                for (mut at_once, mut by_rows) in scenes().into_iter().zip(scenes()) {
                    let shapes = rows.chunks(kind.columns());
                    let shapes = shapes.map(|row| unplaced(kind, row).unwrap().into()).collect();
                    let first = at_once.add(Sphere { center: DVec3::X, radius: 1.0 }).unwrap();
                    assert_eq!(at_once.add_all(shapes, &transform).unwrap(), first + 1..first + 3);
                    by_rows.add(Sphere { center: DVec3::X, radius: 1.0 }).unwrap();
                    by_rows.add_rows(kind, rows, &transform).unwrap();
                    assert!(at_once.has_structure_of(&by_rows));
                    assert_eq!(at_once.coarsely_rounded(), by_rows.coarsely_rounded());
                }
            }
        }
    }

    #[test]
    fn a_row_that_is_no_shape_is_named_and_nothing_is_added() {
        for transform in transforms() {
            for mut scene in scenes() {
                let mut rows = [0.0, 0.0, 0.0, 1.0].repeat(9000);
                for row in [8000, 17, 5000] {
                    rows[4 * row + 3] = -1.0;
                }
                let refused = scene.add_rows(sphere_type(), &rows, &transform).unwrap_err();
                assert_eq!((refused.row, refused.error.field.as_str()), (17, "radius"));
                let refused = scene.add_rows(sphere_type(), &rows[..70], &transform).unwrap_err();
                assert_eq!(refused.row, 17);
                assert_eq!(scene.geometry_count(), 0);
            }
        }
        let flat = Affine::from_rows([0.0; 12]).into();
        assert!(Scene::new().add_rows(sphere_type(), &[0.0, 0.0, 0.0, 1.0], &flat).is_err());
    }

    #[test]
    fn no_rows_are_no_shapes() {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 }).unwrap();
        let added = scene.add_rows(sphere_type(), &[], &Transform::IDENTITY).unwrap();
        assert_eq!(added, 1..1);
    }
}
