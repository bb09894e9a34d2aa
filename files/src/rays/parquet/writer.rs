//! Answers as columns of a Parquet file, in which each batch is a row group.

use super::passed_columns::PassedColumns;
use crate::answers::AnswerLayout;
use crate::bytes::parquet::read_metadata;
use crate::bytes::parquet::writer::{self, unsigned, write_column, write_error};
use crate::rays::answer_columns::{AnswerColumn, ColumnNumbers, columns, path_columns};
use crate::{Draft, FileError, FileStore, Outputs};
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, DoubleType, FloatType, Int32Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::EnabledStatistics;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{ColumnPath, Type, TypePtr};
use raytwin::query::{Answers, Query, SolidPaths};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key of the note in the file's metadata.
const NOTE_KEY: &str = "raytwin";

/// A writer of answers, batch by batch.
#[derive(Debug)]
pub(in crate::rays) struct ParquetAnswers {
    // The draft in it is dropped before the outputs, which remove a folder that was made only for
    // it when the folder is empty.
    file: SerializedFileWriter<Draft>,
    outputs: Outputs,
    path: PathBuf,
    query: Query,
    passed: Option<PassedColumns>,
}

/// The definition and repetition levels by which Parquet distinguishes the rows' lists in a column's
/// numbers.
struct Levels {
    /// The level is 1 for each number, and 0 for a row with an empty list.
    definition: Vec<i16>,
    /// The level is 0 for the first number of a row, and 1 for the others.
    repetition: Vec<i16>,
}

impl Levels {
    fn from_splits(splits: &[u64]) -> Self {
        let mut levels = Self { definition: Vec::new(), repetition: Vec::new() };
        for ends in splits.windows(2) {
            let count = (ends[1] - ends[0]) as usize;
            levels.repetition.push(0);
            levels.definition.push((count > 0).into());
            let rest = count.saturating_sub(1);
            levels.repetition.extend(std::iter::repeat_n(1, rest));
            levels.definition.extend(std::iter::repeat_n(1, rest));
        }
        levels
    }
}

impl ParquetAnswers {
    /// Begins a file whose answers are followed by the columns that are passed on.
    pub fn new(
        path: &Path,
        layout: AnswerLayout,
        passed: Option<PassedColumns>,
    ) -> Result<Self, FileError> {
        if let Some(passed) = &passed {
            let no_answers = layout.query.unanswered();
            let no_paths = layout.has_paths.then(SolidPaths::default);
            let of_paths = no_paths.iter().flat_map(path_columns);
            let columns = columns(&no_answers, layout.query).into_iter().chain(of_paths);
            passed.refuse_names(&columns.map(|column| column.name).collect::<Vec<_>>())?;
        }
        let mut outputs = Outputs::default();
        let draft = outputs.draft(path)?;
        let file = begin(draft, layout, passed.as_ref()).map_err(write_error(path))?;
        Ok(Self { file, outputs, path: path.to_owned(), query: layout.query, passed })
    }

    pub fn write(
        &mut self,
        answers: &Answers,
        paths: Option<&SolidPaths>,
    ) -> Result<(), FileError> {
        if answers.rays() == 0 {
            return Ok(());
        }
        let levels = match answers {
            Answers::All(all) => Some(Levels::from_splits(&all.ray_splits)),
            _ => None,
        };
        let columns = columns(answers, self.query);
        let levels_of_paths = paths.map(|paths| Levels::from_splits(&paths.path_splits));
        let of_paths = paths.into_iter().flat_map(path_columns);
        let columns = columns.into_iter().map(|column| (column, levels.as_ref()));
        let columns = columns.chain(of_paths.map(|column| (column, levels_of_paths.as_ref())));
        let Self { file, path, passed, .. } = self;
        let mut group = file.next_row_group().map_err(write_error(path))?;
        for (column, levels) in columns {
            column.numbers.write(&mut group, levels).map_err(write_error(path))?;
        }
        if let Some(passed) = passed {
            passed.copy(answers.rays(), &mut group, write_error(path))?;
        }
        group.close().map(drop).map_err(write_error(path))
    }

    pub fn complete(self, note: Option<&str>) -> Result<(Vec<PathBuf>, Outputs), FileError> {
        let Self { mut file, mut outputs, path, .. } = self;
        if let Some(note) = note {
            file.append_key_value_metadata(KeyValue::new(NOTE_KEY.to_owned(), note.to_owned()));
        }
        outputs.keep(file.into_inner().map_err(write_error(&path))?)?;
        Ok((vec![path], outputs))
    }
}

fn begin(
    draft: Draft,
    layout: AnswerLayout,
    passed: Option<&PassedColumns>,
) -> Result<SerializedFileWriter<Draft>, ParquetError> {
    let no_answers = layout.query.unanswered();
    let no_paths = layout.has_paths.then(SolidPaths::default);
    let is_list = layout.query == Query::All;
    let columns = columns(&no_answers, layout.query).into_iter().map(|column| (column, is_list));
    let of_paths = no_paths.iter().flat_map(path_columns).map(|column| (column, true));
    let columns: Vec<(AnswerColumn<'_>, bool)> = columns.chain(of_paths).collect();
    let mut properties = writer::properties();
    for (column, is_list) in &columns {
        // A dictionary pays off only for numbers that repeat, as ids do, and distances and normals
        // do not.
        if matches!(column.numbers, ColumnNumbers::Float(_) | ColumnNumbers::Double(_)) {
            let path = ColumnPath::from(column.path(*is_list));
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    for field in passed.into_iter().flat_map(PassedColumns::fields) {
        // The least and greatest texts cost more time than they save for a reader of answers.
        if field.get_physical_type() == Physical::BYTE_ARRAY {
            let path = ColumnPath::from(field.name());
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::None);
        }
    }
    let mut fields: Vec<TypePtr> =
        columns.iter().map(|(column, is_list)| column.field(*is_list)).collect::<Result<_, _>>()?;
    fields.extend(passed.into_iter().flat_map(PassedColumns::fields));
    writer::begin(draft, "answers", fields, properties)
}

impl AnswerColumn<'_> {
    /// The field of the schema. A list has the nesting that the format prescribes for lists.
    fn field(&self, is_list: bool) -> Result<TypePtr, ParquetError> {
        let numbers = match self.numbers {
            ColumnNumbers::Float(_) => (Physical::FLOAT, None),
            ColumnNumbers::Double(_) => (Physical::DOUBLE, None),
            ColumnNumbers::Unsigned(_) => unsigned(32),
            ColumnNumbers::Unsigned16(_) => unsigned(16),
            ColumnNumbers::Bool(_) => (Physical::BOOLEAN, None),
        };
        if !is_list {
            return writer::field(self.name, numbers, Repetition::REQUIRED);
        }
        let element = writer::field("element", numbers, Repetition::REQUIRED)?;
        let list = Type::group_type_builder("list")
            .with_repetition(Repetition::REPEATED)
            .with_fields(vec![element])
            .build()?;
        let field = Type::group_type_builder(self.name)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![Arc::new(list)]);
        field.build().map(Arc::new)
    }

    /// The path of the numbers in the schema.
    fn path(&self, is_list: bool) -> Vec<String> {
        let in_list: &[&str] = if is_list { &["list", "element"] } else { &[] };
        [&[self.name], in_list].concat().into_iter().map(str::to_owned).collect()
    }
}

impl ColumnNumbers<'_> {
    fn write(
        &self,
        group: &mut SerializedRowGroupWriter<'_, Draft>,
        levels: Option<&Levels>,
    ) -> Result<(), ParquetError> {
        let levels = levels.map(|Levels { definition, repetition }| [definition, repetition]);
        let levels = levels.map_or([None; 2], |of| of.map(|levels| Some(&levels[..])));
        match self {
            Self::Float(numbers) => write_column::<FloatType, _>(group, numbers, levels),
            Self::Double(numbers) => write_column::<DoubleType, _>(group, numbers, levels),
            Self::Unsigned(numbers) => {
                write_column::<Int32Type, _>(group, bytemuck::cast_slice(numbers), levels)
            }
            Self::Unsigned16(numbers) => write_column::<Int32Type, _>(group, numbers, levels),
            Self::Bool(numbers) => write_column::<BoolType, _>(group, numbers, levels),
        }
    }
}

/// It is `None` if the file cannot be read, or has no note.
pub(in crate::rays) fn note_of(path: &Path) -> Option<String> {
    let metadata = read_metadata(&FileStore::disk(), path).ok()?;
    let pairs = metadata.file_metadata().key_value_metadata()?;
    pairs.iter().find(|pair| pair.key == NOTE_KEY)?.value.clone()
}
