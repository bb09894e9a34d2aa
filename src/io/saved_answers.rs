//! Reads answers that were saved, by raytwin or another program, so that they can be judged.

use super::npz::{ArrayToRead, arrays_to_read};
use super::parquet::{ColumnKind, ROWS_AT_A_TIME, Table};
use super::{FileError, FileStore, nearest};
use crate::query::{AllHits, PointHit, Query, TracedAnswers};
use crate::ray::{Hit, NONE};
use crate::scene::Scene;
use std::path::{Path, PathBuf};

/// The arrays that files of answers may have; some are not read.
const NAMES: [&str; 18] = [
    "t_hit",
    "distance",
    "geometry_ids",
    "primitive_ids",
    "occluded",
    "intersections",
    "ray_splits",
    "contains",
    "containing_ids",
    "ray_ids",
    "z",
    "primitive_normals",
    "primitive_uvs",
    "faces",
    "instance_ids",
    "closest_points",
    "signed_distance",
    "world_ids",
];

/// Those of them that follow from what is judged: ids and t.
const UNJUDGED: [&str; 6] =
    ["z", "primitive_normals", "faces", "instance_ids", "closest_points", "signed_distance"];

const RULE: &str =
    "answers are arrays such as t_hit and geometry_ids, occluded, intersections or ray_splits";

/// A file or folder of answers that was opened: an `.npz`, such as the answers to a query or the arrays of a render, a
/// folder with an `.npy` for each array, or a Parquet file with a column for each.
#[derive(Debug)]
pub struct SavedAnswers {
    path: PathBuf,
    source: AnswerSource,
}

#[derive(Debug)]
enum AnswerSource {
    Arrays(Vec<(&'static str, ArrayToRead)>),
    Columns(Box<Table>),
}

impl SavedAnswers {
    /// Opens a file or a folder.
    ///
    /// # Errors
    /// [`FileError`]: it is unreadable, or holds something else than answers.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref().to_owned();
        let is_parquet =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"));
        let source = if path.is_dir() {
            let mut arrays = Vec::new();
            for name in NAMES {
                let file = path.join(format!("{name}.npy"));
                if file.exists() {
                    let [array] = arrays_to_read(&FileStore::disk(), &file, [name], RULE)?;
                    arrays.extend(array.map(|array| (name, array)));
                }
            }
            AnswerSource::Arrays(arrays)
        } else if is_parquet {
            AnswerSource::Columns(Box::new(Table::open(&FileStore::disk(), &path)?))
        } else {
            let is_archive =
                path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npz"));
            if !is_archive {
                let reason = "answers are an .npz, a folder of .npy files or a .parquet file";
                return Err(FileError::meaning(&path, "", reason));
            }
            let arrays = arrays_to_read(&FileStore::disk(), &path, NAMES, RULE)?;
            let named = NAMES.into_iter().zip(arrays);
            AnswerSource::Arrays(named.filter_map(|(name, array)| Some((name, array?))).collect())
        };
        Ok(Self { path, source })
    }

    /// Returns the arrays that it holds and that are not judged, because they follow from the others.
    pub fn unjudged(&self) -> Vec<&'static str> {
        UNJUDGED.into_iter().filter(|name| self.has(name)).collect()
    }

    /// Reads the answers to a query of so many rays. Where `primitive_ids` are missing, each hit is of the first primitive
    /// of its geometry, in a scene whose geometries have one each.
    ///
    /// # Errors
    /// [`FileError`]: an array is missing, of another size or type, or holds ids that the scene has not.
    pub fn of_rays(
        mut self,
        query: Query,
        rays: usize,
        scene: &Scene,
    ) -> Result<TracedAnswers, FileError> {
        Ok(match query {
            Query::Closest { .. } => TracedAnswers::Closest(self.closest(rays, scene)?),
            Query::Any => {
                let occluded = self.integers("occluded", Some(rays))?;
                TracedAnswers::Any(occluded.into_iter().map(|number| number != 0).collect())
            }
            Query::Count => TracedAnswers::Count(self.ids("intersections", Some(rays))?),
            Query::All => TracedAnswers::All(self.all(rays, scene)?),
        })
    }

    /// Reads the answers to so many points.
    ///
    /// # Errors
    /// As [`Self::of_rays`].
    pub fn of_points(mut self, points: usize, scene: &Scene) -> Result<Vec<PointHit>, FileError> {
        let contains = self.ids("contains", Some(points))?;
        let containing_ids = self.ids("containing_ids", Some(points))?;
        let (geometry_ids, primitive_ids) = self.surfaces(Some(points), scene)?;
        self.refuse_other_scene("containing_ids", &containing_ids, scene)?;
        Ok((0..points)
            .map(|index| PointHit {
                contains: contains[index],
                containing_id: containing_ids[index],
                geometry_id: geometry_ids[index],
                primitive_id: primitive_ids[index],
            })
            .collect())
    }

    fn closest(&mut self, rays: usize, scene: &Scene) -> Result<Vec<Hit>, FileError> {
        // A render's arrays call it the distance, because its rays are of unit length.
        let name = if self.has("t_hit") { "t_hit" } else { "distance" };
        let t_hit = match self.has(name) {
            true => self.floats(name, Some(rays))?,
            false => return Err(self.missing("t_hit")),
        };
        let (geometry_ids, primitive_ids) = self.surfaces(Some(rays), scene)?;
        Ok(hits(t_hit, geometry_ids, primitive_ids))
    }

    fn all(&mut self, rays: usize, scene: &Scene) -> Result<AllHits, FileError> {
        let splits = self.integers("ray_splits", Some(rays + 1))?;
        let t_hit = self.floats("t_hit", None)?;
        let (geometry_ids, primitive_ids) = self.surfaces(Some(t_hit.len()), scene)?;
        let is_in_order = splits.windows(2).all(|pair| pair[0] <= pair[1]);
        let ends = (splits.first().copied(), splits.last().copied());
        if !is_in_order || ends != (Some(0), Some(t_hit.len() as i128)) {
            let reason =
                format!("must rise from 0 to the number of crossings, which is {}", t_hit.len());
            return Err(FileError::meaning(&self.path, "ray_splits", reason));
        }
        let hits = hits(t_hit, geometry_ids, primitive_ids);
        if self.has("ray_ids") {
            let ray_ids = self.ids("ray_ids", Some(hits.len()))?;
            let is_of = |(ray, pair): (usize, &[i128])| {
                ray_ids[pair[0] as usize..pair[1] as usize].iter().all(|&id| id as usize == ray)
            };
            if !splits.windows(2).enumerate().all(is_of) {
                let reason = "contradict ray_splits: each crossing has the index of its ray";
                return Err(FileError::meaning(&self.path, "ray_ids", reason));
            }
        }
        let mut all = AllHits::default();
        for pair in splits.windows(2) {
            all.push(hits[pair[0] as usize..pair[1] as usize].iter().copied());
        }
        Ok(all)
    }

    /// Reads the ids of what was hit.
    fn surfaces(
        &mut self,
        count: Option<usize>,
        scene: &Scene,
    ) -> Result<(Vec<u32>, Vec<u32>), FileError> {
        let geometry_ids = self.ids("geometry_ids", count)?;
        self.refuse_other_scene("geometry_ids", &geometry_ids, scene)?;
        if self.has("primitive_ids") {
            let primitive_ids = self.ids("primitive_ids", count)?;
            return Ok((geometry_ids, primitive_ids));
        }
        if u64::from(scene.geometry_count()) != scene.primitive_count() {
            return Err(self.missing("primitive_ids"));
        }
        let first = |&id: &u32| if id == NONE { NONE } else { 0 };
        let primitive_ids = geometry_ids.iter().map(first).collect();
        Ok((geometry_ids, primitive_ids))
    }

    fn refuse_other_scene(&self, name: &str, ids: &[u32], scene: &Scene) -> Result<(), FileError> {
        let geometries = scene.geometry_count();
        match ids.iter().position(|&id| id >= geometries && id != NONE) {
            None => Ok(()),
            Some(index) => {
                let reason = format!(
                    "is {}, and the scene has {geometries} geometries: these are answers of another scene",
                    ids[index]
                );
                Err(FileError::meaning(&self.path, format!("{name}[{index}]"), reason))
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        match &self.source {
            AnswerSource::Arrays(arrays) => arrays.iter().any(|(known, _)| *known == name),
            AnswerSource::Columns(table) => {
                let wanted = column_name(name);
                table.columns().iter().any(|column| column.name == wanted)
            }
        }
    }

    fn missing(&self, name: &str) -> FileError {
        match &self.source {
            AnswerSource::Columns(table) => table.missing(column_name(name), RULE),
            AnswerSource::Arrays(arrays) => {
                let names: Vec<&str> = arrays.iter().map(|(name, _)| *name).collect();
                let near = nearest(name, &names).map(|near| format!(", and has {near}"));
                let reason =
                    format!("holds no array named {name}{}: {RULE}", near.unwrap_or_default());
                FileError::meaning(&self.path, "", reason)
            }
        }
    }

    fn ids(&mut self, name: &str, count: Option<usize>) -> Result<Vec<u32>, FileError> {
        let numbers = self.integers(name, count)?;
        let fitting = numbers.into_iter().enumerate().map(|(index, number)| {
            // Signed arrays have -1 where there is nothing.
            let id = if number == -1 { Ok(NONE) } else { u32::try_from(number) };
            id.map_err(|_| {
                let reason = format!("is {number}: it must be from 0 to {NONE}");
                FileError::meaning(&self.path, format!("{name}[{index}]"), reason)
            })
        });
        fitting.collect()
    }

    fn integers(&mut self, name: &str, count: Option<usize>) -> Result<Vec<i128>, FileError> {
        let mut integers = Vec::new();
        let path = self.path.clone();
        match self.column(name, count)? {
            SavedColumn::Array(array, count) => {
                let mut numbers = array.numbers(&path)?;
                integers = numbers.integers(count)?;
                numbers.finish()?;
            }
            SavedColumn::Table(table) => {
                read_column(table, column_name(name), |kind, reader, count| {
                    kind.next_integers(reader, count, |_, number| {
                        integers.push(number.unwrap_or(-1));
                    })
                })?;
            }
        }
        Ok(integers)
    }

    fn floats(&mut self, name: &str, count: Option<usize>) -> Result<Vec<f32>, FileError> {
        let mut floats = Vec::new();
        let path = self.path.clone();
        match self.column(name, count)? {
            SavedColumn::Array(array, count) => {
                let mut numbers = array.numbers(&path)?;
                floats.extend(numbers.floats(count)?.into_iter().map(|number| number as f32));
                numbers.finish()?;
            }
            SavedColumn::Table(table) => {
                read_column(table, column_name(name), |kind, reader, count| {
                    kind.next_floats(reader, count, |_, number| {
                        floats.push(number.map_or(f32::NAN, |number| number as f32));
                    })
                })?;
            }
        }
        Ok(floats)
    }

    /// Finds an array, which must have so many numbers if a count is given.
    fn column(&mut self, name: &str, count: Option<usize>) -> Result<SavedColumn<'_>, FileError> {
        if !self.has(name) {
            return Err(self.missing(name));
        }
        let refuse = |path: &Path, found: usize| match count {
            Some(count) if count != found => {
                let reason = format!(
                    "has {found} numbers, and {count} are to be compared: give the same rays or points"
                );
                Err(FileError::meaning(path, name, reason))
            }
            _ => Ok(found),
        };
        let path = &self.path;
        match &mut self.source {
            AnswerSource::Arrays(arrays) => {
                let array = arrays.iter_mut().find(|(known, _)| *known == name);
                let Some((_, array)) = array else {
                    return Err(FileError::meaning(path, name, "is missing"));
                };
                let found = array.header.shape.iter().product();
                let found = refuse(path, found)?;
                Ok(SavedColumn::Array(array, found))
            }
            AnswerSource::Columns(table) => {
                refuse(path, table.len())?;
                Ok(SavedColumn::Table(table))
            }
        }
    }
}

/// One array of the answers.
enum SavedColumn<'a> {
    /// An array, and the count of its numbers.
    Array(&'a mut ArrayToRead, usize),
    Table(&'a Table),
}

/// The name of a column of Parquet for an array: its numbers are called by one of them.
fn column_name(array: &str) -> &str {
    match array {
        "geometry_ids" => "geometry_id",
        "primitive_ids" => "primitive_id",
        name => name,
    }
}

fn hits(t_hit: Vec<f32>, geometry_ids: Vec<u32>, primitive_ids: Vec<u32>) -> Vec<Hit> {
    let ids = geometry_ids.into_iter().zip(primitive_ids);
    let hit = |(t, (geometry_id, primitive_id))| Hit { t, geometry_id, primitive_id };
    t_hit.into_iter().zip(ids).map(hit).collect()
}

/// Reads a column of a table from its start to its end.
fn read_column(
    table: &Table,
    name: &str,
    mut next: impl FnMut(
        ColumnKind,
        &mut ::parquet::column::reader::ColumnReader,
        usize,
    ) -> Result<usize, ::parquet::errors::ParquetError>,
) -> Result<(), FileError> {
    let column = table.column(name)?.ok_or_else(|| table.missing(name, RULE))?;
    if matches!(column.kind, ColumnKind::Nested | ColumnKind::Text) {
        let reason = format!(
            "is of type {}, which is not read: save the answers as .npz or in a folder",
            column.type_name()
        );
        return Err(FileError::meaning(table.path(), name, reason));
    }
    table.check(column)?;
    let mut before = 0;
    for (group, rows) in table.group_rows().enumerate() {
        let mut reader = table.reader(group, column)?;
        let mut left = rows;
        while left > 0 {
            let count = left.min(ROWS_AT_A_TIME);
            let read = next(column.kind, &mut reader, count)
                .map_err(|error| table.damaged(name, &error))?;
            table.refuse_truncated(name, read, count, before)?;
            before += count;
            left -= count;
        }
    }
    Ok(())
}
