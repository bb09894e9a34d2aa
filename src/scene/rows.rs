//! Adds many shapes of one kind at once, from rows of numbers.

use super::Scene;
use super::bounds::SceneSize;
use super::instance::place;
use crate::fields::ShapeError;
use crate::geometry::Geometry;
use crate::math::Similarity;
use crate::ray::NONE;
use crate::shapes::{Placed, ShapeType, place as placed, unplaced};
use crate::transform::{Affine, Transform};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// So many rows are checked in one task: with fewer, threads cost more than they spare.
const ROWS_A_TASK: usize = 1024;

/// The row of numbers that is no shape.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("row {row}: {error}")]
pub struct RowError {
    /// The index of the row, counted from 0.
    pub row: usize,
    /// The reason.
    #[source]
    pub error: ShapeError,
}

/// A shape that is ready to be kept.
enum Checked {
    /// A shape of the scene's own.
    Own(Placed<Geometry>),
    /// A shape that stands alone in an instance, because its image is none of ours or because everything in the scene moves.
    Apart(Arc<Scene>, SceneSize),
}

impl Scene {
    /// Adds the shapes that rows of numbers describe, one row after another, each in the order of its kind's fields, and
    /// moves them into the world. Returns their ids. Either all are added or none.
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
    /// A [`RowError`] with the first row that is no shape, as [`Self::add_transformed`] tells, or whose length is not
    /// [`ShapeType::columns`].
    pub fn add_rows(
        &mut self,
        kind: &ShapeType,
        rows: &[f64],
        world_from_shapes: &Transform,
    ) -> Result<Range<u32>, RowError> {
        let count = rows.len().div_ceil(kind.columns());
        let kinds = || rows.par_chunks(kind.columns()).map(|row| (kind, row));
        self.add_each(count, kinds, world_from_shapes, false)
    }

    /// Adds rows of several kinds likewise, each as an instance of its own if they are movable.
    #[cfg(feature = "io")]
    pub(crate) fn add_row_list(
        &mut self,
        rows: &[(&ShapeType, &[f64])],
        world_from_shapes: &Transform,
        is_movable: bool,
    ) -> Result<Range<u32>, RowError> {
        let all = || rows.par_iter().copied();
        self.add_each(rows.len(), all, world_from_shapes, is_movable)
    }

    fn add_each<'r, R>(
        &mut self,
        count: usize,
        rows: impl Fn() -> R,
        world_from_shapes: &Transform,
        is_movable: bool,
    ) -> Result<Range<u32>, RowError>
    where
        R: IndexedParallelIterator<Item = (&'r ShapeType, &'r [f64])>,
    {
        let first = self.geometry_count();
        // A row takes one number, as a primitive or as an instance.
        let most = u64::from(first).max(self.numbered()) + count as u64;
        if most >= u64::from(NONE) {
            let reason = "is too much: a scene holds at most 2^32 - 2 geometries and primitives";
            let error = ShapeError { field: String::new(), reason: reason.to_owned() };
            return Err(RowError { row: count - 1, error });
        }
        if let Transform::Affine(affine) = world_from_shapes {
            affine.check().map_err(|error| RowError { row: 0, error })?;
        }
        let check = |(row, (kind, numbers))| {
            self.checked(kind, numbers, world_from_shapes, is_movable)
                .map_err(|error| RowError { row, error })
        };
        let tasks = || rows().enumerate().with_min_len(ROWS_A_TASK).map(check);
        let checked: Result<Vec<Checked>, RowError> = tasks().collect();
        // The first row that is refused is named, whatever thread found one first.
        let checked =
            checked.map_err(|found| tasks().find_map_first(Result::err).unwrap_or(found))?;
        for (row, shape) in checked.into_iter().enumerate() {
            let added = match shape {
                Checked::Own(shape) => self.add_placed(shape),
                Checked::Apart(alone, size) => self.add_alone(&alone, size, world_from_shapes),
            };
            added.map_err(|error| RowError { row, error })?;
        }
        Ok(first..self.geometry_count())
    }

    /// Does for a row what [`Self::add_transformed`] does for a geometry, up to where the scene changes.
    fn checked(
        &self,
        kind: &ShapeType,
        row: &[f64],
        world_from_shape: &Transform,
        is_movable: bool,
    ) -> Result<Checked, ShapeError> {
        let shape: Geometry = match world_from_shape {
            Transform::Similarity(similarity) if !is_movable => {
                let Placed { shape, coarse } = placed(kind, row, &self.relative(similarity))?;
                return Ok(Checked::Own(Placed { shape: shape.into(), coarse }));
            }
            _ => unplaced(kind, row)?.into(),
        };
        if let Transform::Affine(affine) = world_from_shape
            && !is_movable
        {
            let translation = affine.translation - self.origin;
            if let Some(image) = shape.image(&Affine { translation, ..*affine }) {
                return Ok(Checked::Own(image.placed(&Similarity::IDENTITY)?));
            }
        }
        let mut alone = Self::new();
        alone.add(shape)?;
        let size = alone.size();
        place(&world_from_shape.moved(-self.origin).affine(), &size.bounds)?;
        Ok(Checked::Apart(Arc::new(alone), size))
    }
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
        [Scene::about(DVec3::new(1e6, 0.0, 0.0)), Scene::new()]
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
                let [mut at_once, mut in_turn] = [Scene::new(), Scene::new()];
                let list: Vec<_> = rows.chunks(kind.columns()).map(|row| (kind, row)).collect();
                assert_eq!(at_once.add_row_list(&list, &transform, true).unwrap(), 0..2);
                for (kind, row) in list {
                    let shape = unplaced(kind, row).unwrap();
                    in_turn.add_movable(&shape.into(), &transform).unwrap();
                }
                assert_eq!(at_once.instances().len(), 2);
                assert!(at_once.has_structure_of(&in_turn));
                assert!(at_once.moved_instances(&in_turn).is_empty());
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
