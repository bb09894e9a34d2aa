//! Answers as a table of text: a row for each ray, with its own columns if it came from such a
//! table, the answer, and the path of the shape that was hit.

use super::reader::CsvRays;
use crate::answers::AnswerLayout;
use crate::rays::answer_columns::{ColumnNumbers, columns};
use crate::{Draft, FileError, Outputs, has_extension};
use raytwin::query::{Answers, Query};
use raytwin::ray::NONE;
use raytwin::scene::Scene;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The column of the path of the shape that was hit. It follows the shape's id.
const PATH: &str = "path";
const ID: &str = "geometry_id";

/// A writer of answers, batch by batch.
#[derive(Debug)]
pub(in crate::rays) struct CsvAnswers {
    // The draft in it is dropped before the outputs, which remove a folder that was made only for
    // it when the folder is empty.
    file: Box<csv::Writer<Draft>>,
    outputs: Outputs,
    path: PathBuf,
    query: Query,
    scene: Arc<Scene>,
    /// The rows of the rays that are not answered yet.
    rows: std::vec::IntoIter<Vec<String>>,
}

impl CsvAnswers {
    /// Begins a file. Rays of a table of text keep their columns.
    pub fn new(
        path: &Path,
        AnswerLayout { query, has_paths }: AnswerLayout,
        rays: &Path,
        scene: Arc<Scene>,
    ) -> Result<Self, FileError> {
        let of_many = [(query == Query::All, "crossings"), (has_paths, "paths")];
        if let Some((_, many)) = of_many.into_iter().find(|(is_asked, _)| *is_asked) {
            let reason = format!(
                "a row of this table has one answer, but a ray may have many {many}: write a .parquet or an .npz file"
            );
            return Err(FileError::meaning(path, "", reason));
        }
        let own =
            if has_extension(rays, &["csv"]) { CsvRays::rows(rays)? } else { Default::default() };
        let no_answers = query.unanswered();
        let mut names: Vec<&str> =
            columns(&no_answers, query).iter().map(|column| column.name).collect();
        if names.contains(&ID) {
            names.push(PATH);
        }
        if let Some(name) = own.names.iter().find(|name| names.contains(&&name[..])) {
            let reason = "has the name of a column of the answers: rename or remove it";
            return Err(FileError::meaning(rays, name, reason));
        }
        let mut outputs = Outputs::default();
        let mut file = csv::Writer::from_writer(outputs.draft(path)?);
        let names = own.names.iter().map(String::as_str).chain(names);
        file.write_record(names).map_err(FileError::write(path))?;
        let (file, rows) = (Box::new(file), own.rows.into_iter());
        Ok(Self { file, outputs, path: path.to_owned(), query, scene, rows })
    }

    pub fn write(&mut self, answers: &Answers) -> Result<(), FileError> {
        let columns = columns(answers, self.query);
        // Distances and ids exist even if they are not requested.
        let is_hit = |row: usize| match answers {
            Answers::Closest(hits) => hits.geometry_ids[row] != NONE,
            Answers::Any(_) | Answers::Count(_) | Answers::All(_) => true,
        };
        for row in 0..answers.rays() {
            let mut cells = self.rows.next().unwrap_or_default();
            cells.extend(columns.iter().map(|column| column.numbers.text(row, is_hit(row))));
            let ids = columns.iter().find(|column| column.name == ID);
            if let Some(ColumnNumbers::Unsigned(ids)) = ids.map(|column| &column.numbers) {
                let id = Some(ids[row]).filter(|id| *id != NONE);
                cells.push(id.map_or(String::new(), |id| self.scene.path(id)));
            }
            self.file.write_record(&cells).map_err(FileError::write(&self.path))?;
        }
        Ok(())
    }

    /// Completes the file, and returns it with the outputs, which are not published yet.
    pub fn complete(self) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        let Self { file, mut outputs, path, .. } = self;
        let draft =
            file.into_inner().map_err(|error| FileError::write(&path)(error.into_error()))?;
        outputs.keep(draft)?;
        Ok((vec![path], outputs))
    }
}

impl ColumnNumbers<'_> {
    /// The text of a number. It is empty for a miss, except for its distance, which is infinite,
    /// and if there is no number, as for an invalid ray.
    fn text(&self, row: usize, is_hit: bool) -> String {
        match self {
            Self::Float(numbers) if is_hit || numbers[row] == f32::INFINITY => {
                numbers[row].to_string()
            }
            Self::Unsigned(numbers) if numbers[row] != NONE => numbers[row].to_string(),
            Self::Unsigned16(numbers) if is_hit => numbers[row].to_string(),
            Self::Bool(bools) => u8::from(bools[row]).to_string(),
            Self::Double(numbers) => numbers[row].to_string(),
            Self::Float(_) | Self::Unsigned(_) | Self::Unsigned16(_) => String::new(),
        }
    }
}
