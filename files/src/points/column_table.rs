//! A table with a row for each of many things, which is written to a file batch by batch.

use super::column::Column;
use crate::bytes::parquet::writer::{self, write_error};
use crate::{Draft, FileError, has_extension};
use ::parquet::file::writer::SerializedFileWriter;
use std::path::{Path, PathBuf};

/// A `.parquet`, or for any other name a `.csv`.
#[derive(Debug)]
pub(crate) struct ColumnTable {
    file: TableFile,
    path: PathBuf,
}

#[derive(Debug)]
enum TableFile {
    Csv(Box<csv::Writer<Draft>>),
    Parquet(Box<SerializedFileWriter<Draft>>),
}

impl ColumnTable {
    /// Returns true if a file of this name is a Parquet file.
    pub fn is_parquet(path: &Path) -> bool {
        has_extension(path, &["parquet"])
    }

    /// Begins a table with the names and the types of some columns. `schema` is its name in Parquet.
    pub fn begin(
        draft: Draft,
        path: &Path,
        schema: &str,
        columns: &[Column],
    ) -> Result<Self, FileError> {
        let file = if Self::is_parquet(path) {
            let fields = columns.iter().map(Column::field).collect::<Result<_, _>>();
            let begun = fields
                .and_then(|fields| writer::begin(draft, schema, fields, writer::properties()));
            TableFile::Parquet(Box::new(begun.map_err(write_error(path))?))
        } else {
            let mut file = csv::Writer::from_writer(draft);
            let names = columns.iter().map(|column| &column.name);
            file.write_record(names).map_err(FileError::write(path))?;
            TableFile::Csv(Box::new(file))
        };
        Ok(Self { file, path: path.to_owned() })
    }

    /// Adds rows to all columns, which are those it was begun with.
    pub fn write(&mut self, columns: &[Column], rows: usize) -> Result<(), FileError> {
        let path = &self.path;
        match &mut self.file {
            TableFile::Csv(file) => (0..rows).try_for_each(|row| {
                let cells = columns.iter().map(|column| column.values.text(row));
                file.write_record(cells).map_err(FileError::write(path))
            }),
            TableFile::Parquet(file) => {
                let mut group = file.next_row_group().map_err(write_error(path))?;
                for column in columns {
                    column.write(&mut group).map_err(write_error(path))?;
                }
                group.close().map(drop).map_err(write_error(path))
            }
        }
    }

    /// Completes the file, and returns it with its path.
    pub fn complete(self) -> Result<(Draft, PathBuf), FileError> {
        let Self { file, path } = self;
        let draft = match file {
            TableFile::Csv(file) => {
                file.into_inner().map_err(|error| FileError::write(&path)(error.into_error()))?
            }
            TableFile::Parquet(file) => file.into_inner().map_err(write_error(&path))?,
        };
        Ok((draft, path))
    }
}
