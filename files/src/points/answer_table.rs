//! Tables of answers to points: a row for each, with the paths of the nearest and the containing
//! geometries.

use super::column::{Column, ColumnValues};
use super::column_table::ColumnTable;
use super::table::{AXES, PointTable};
use crate::{FileError, Outputs};
use glam::Vec3;
use raytwin::query::PointAnswer;
use raytwin::ray::NONE;
use raytwin::scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A table that is written batch by batch.
#[derive(Debug)]
pub(super) struct AnswerTable {
    // The draft in it is dropped before the outputs, which remove a folder that was made only for
    // it when the folder is empty.
    table: ColumnTable,
    outputs: Outputs,
    has_innermost: bool,
    /// The file of the points, if it has other columns and more exact positions.
    points: Option<Arc<PointTable>>,
    /// Its other columns, as they are written.
    kept: Vec<Column>,
    rows: usize,
}

impl AnswerTable {
    /// Begins a `.csv` or a `.parquet`.
    pub fn begin(
        path: &Path,
        has_innermost: bool,
        points: Option<Arc<PointTable>>,
    ) -> Result<Self, FileError> {
        let kept = points.as_ref().map_or(&[][..], |table| &table.kept);
        let kept: Vec<Column> = match ColumnTable::is_parquet(path) {
            true => kept.iter().map(Column::typed).collect(),
            false => kept.to_vec(),
        };
        let answers = answer_columns(&Scene::default(), &[], &[], has_innermost.then_some(&[][..]));
        let is_taken = |column: &Column| answers.iter().any(|answer| answer.name == column.name);
        let (taken, kept): (Vec<_>, Vec<_>) = kept.into_iter().partition(is_taken);
        let names: Vec<&str> = taken.iter().map(|column| &column.name[..]).collect();
        match &names[..] {
            [] => {}
            // Clouds of scans have ids of their own, which users cannot easily rename.
            names if points.as_ref().is_some_and(|table| table.is_cloud) => {
                let (path, names) = (path.display(), names.join(", "));
                log::warn!(
                    "{path}: leaves out the cloud's own {names}, because answers have columns of these names"
                );
            }
            [name, ..] => {
                let reason = format!(
                    "the points have a column {name}, and so do the answers: rename or remove it"
                );
                return Err(FileError::meaning(path, "", reason));
            }
        }
        let mut outputs = Outputs::default();
        let draft = outputs.draft(path)?;
        let none = places(&[]).into_iter().chain(kept.iter().map(|column| column.rows(0..0)));
        let columns: Vec<Column> = none.chain(answers).collect();
        let table = ColumnTable::begin(draft, path, "answers", &columns)?;
        Ok(Self { table, outputs, has_innermost, points, kept, rows: 0 })
    }

    /// Adds the answers to the next points, relative to the scene's origin.
    pub fn write(
        &mut self,
        scene: &Scene,
        points: &[[f32; 3]],
        answers: &[PointAnswer],
        innermost: &[u32],
    ) -> Result<(), FileError> {
        if answers.is_empty() {
            return Ok(());
        }
        let rows = self.rows..self.rows + answers.len();
        let places = match &self.points {
            Some(table) => places(&table.positions[rows.clone()]),
            None => {
                let in_world = |&point| (Vec3::from(point).as_dvec3() + scene.origin()).to_array();
                places(&points.iter().map(in_world).collect::<Vec<_>>())
            }
        };
        let kept = self.kept.iter().map(|column| column.rows(rows.clone()));
        let answered =
            answer_columns(scene, points, answers, self.has_innermost.then_some(innermost));
        let columns: Vec<Column> = places.into_iter().chain(kept).chain(answered).collect();
        self.rows = rows.end;
        self.table.write(&columns, answers.len())
    }

    /// Completes the file, and returns it with the outputs, which are not published yet.
    pub fn complete(self) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        let Self { table, mut outputs, .. } = self;
        let (draft, path) = table.complete()?;
        outputs.keep(draft)?;
        Ok((vec![path], outputs))
    }
}

fn places(positions: &[[f64; 3]]) -> Vec<Column> {
    let column = |axis: usize| {
        let coordinates = positions.iter().map(|position| Some(position[axis]));
        Column::new(AXES[axis], ColumnValues::Floats(coordinates.collect()))
    };
    (0..3).map(column).collect()
}

/// The largest number of primitives of a solid that are searched one by one for the one nearest to
/// a point.
const MOST_PRIMITIVES: usize = 4096;

/// The depth of a point in the solid that contains it. `None` outside all solids, and in a mesh of
/// many triangles whose surface is not the nearest one.
fn depth(scene: &Scene, point: [f32; 3], answer: &PointAnswer) -> Option<f32> {
    let id = answer.containing_id;
    if id == NONE {
        return None;
    }
    if id == answer.geometry_id {
        return Some(answer.signed_distance.abs());
    }
    let count = scene.geometry(id)?.primitive_count();
    if count > MOST_PRIMITIVES {
        return None;
    }
    let from = Vec3::from(point).as_dvec3();
    let primitives = (0..count as u32).filter_map(|primitive| scene.primitive(id, primitive));
    let distances = primitives.map(|primitive| primitive.closest_point(from).distance(from));
    distances.min_by(f64::total_cmp).map(|distance| distance as f32)
}

fn answer_columns(
    scene: &Scene,
    points: &[[f32; 3]],
    answers: &[PointAnswer],
    innermost: Option<&[u32]>,
) -> Vec<Column> {
    let id = |id: u32| Some(id).filter(|id| *id != NONE);
    let ids = |of: &dyn Fn(&PointAnswer) -> Option<u32>| {
        ColumnValues::Unsigned(answers.iter().map(of).collect())
    };
    let paths = |of: &dyn Fn(&PointAnswer) -> u32| {
        ColumnValues::Texts(answers.iter().map(|it| id(of(it)).map(|id| scene.path(id))).collect())
    };
    let number = |number: f32| Some(number).filter(|number| !number.is_nan());
    let nearest = |axis: usize| {
        let place = |answer: &PointAnswer| {
            let origin = scene.origin()[axis];
            number(answer.closest_point[axis]).map(|number| f64::from(number) + origin)
        };
        ColumnValues::Floats(answers.iter().map(place).collect())
    };
    let depths = points.iter().zip(answers).map(|(point, answer)| depth(scene, *point, answer));
    let depths = depths.collect();
    let distances = answers.iter().map(|answer| number(answer.signed_distance)).collect();
    let innermost = innermost.map(|innermost| {
        let innermost = innermost.iter().map(|&innermost| id(innermost));
        let path = |id: Option<u32>| id.map(|id| scene.path(id));
        [
            Column::new("innermost_id", ColumnValues::Unsigned(innermost.clone().collect())),
            Column::new("innermost_path", ColumnValues::Texts(innermost.map(path).collect())),
        ]
    });
    let columns = [
        Column::new("contains", ids(&|answer| Some(answer.contains))),
        Column::new("containing_id", ids(&|answer| id(answer.containing_id))),
        Column::new("containing_path", paths(&|answer| answer.containing_id)),
        Column::new("containing_depth", ColumnValues::Singles(depths)),
        Column::new("signed_distance", ColumnValues::Singles(distances)),
        Column::new("closest_x", nearest(0)),
        Column::new("closest_y", nearest(1)),
        Column::new("closest_z", nearest(2)),
        Column::new("geometry_id", ids(&|answer| id(answer.geometry_id))),
        Column::new(
            "primitive_id",
            ids(&|answer| id(answer.geometry_id).map(|_| answer.primitive_id)),
        ),
        Column::new("path", paths(&|answer| answer.geometry_id)),
    ];
    columns.into_iter().chain(innermost.into_iter().flatten()).collect()
}
