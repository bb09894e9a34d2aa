//! The beginning of a Parquet file and of its columns, for all writers.

use crate::FileError;
use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::DataType;
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{Type, TypePtr};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The type of a column's values.
pub(crate) type ValueType = (Physical, Option<LogicalType>);

/// Unsigned integers of this many bits, which Parquet stores in 32 bits.
pub(crate) fn unsigned(bits: i8) -> ValueType {
    (Physical::INT32, Some(LogicalType::integer(bits, false)))
}

/// The schema of a column.
pub(crate) fn field(
    name: &str,
    (physical, logical): ValueType,
    repetition: Repetition,
) -> Result<TypePtr, ParquetError> {
    let field = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    field.with_repetition(repetition).build().map(Arc::new)
}

/// The properties of every file.
pub(crate) fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_created_by(concat!("raytwin ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY)
}

/// Begins a file whose schema has this name and these fields.
pub(crate) fn begin<W: Write + Send>(
    file: W,
    name: &str,
    fields: Vec<TypePtr>,
    properties: WriterPropertiesBuilder,
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let schema = Type::group_type_builder(name).with_fields(fields).build()?;
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))
}

/// Writes the next column of a group, with its definition and repetition levels if it has some.
pub(crate) fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    [definition, repetition]: [Option<&[i16]>; 2],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are more columns than the schema has".to_owned()));
    };
    column.typed::<T>().write_batch(values, definition, repetition)?;
    column.close()
}

/// Converts the errors of writing `path`, for `map_err`.
pub(crate) fn write_error(path: &Path) -> impl Fn(ParquetError) -> FileError + '_ {
    |error| {
        FileError::write(path)(match error {
            ParquetError::External(cause) => io::Error::other(cause),
            error => io::Error::other(error),
        })
    }
}
