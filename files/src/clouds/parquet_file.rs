//! Clouds as columns of a Parquet file.

use super::fields::{CloudField, NumberKind};
use super::points::CloudPoint;
use super::spilled::SpilledPoints;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{DataType, DoubleType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::io::{self, Write};
use std::sync::Arc;

/// The rows of a group, which are in memory at the same time.
const GROUP: usize = 1 << 18;

/// Writes a cloud: positions in float64, and a column for each field.
pub(super) fn write(file: impl Write + Send, points: &mut SpilledPoints<'_>) -> io::Result<()> {
    let fields = points.fields;
    let mut writer = begin(file, fields).map_err(io::Error::other)?;
    let mut group: Vec<CloudPoint> = Vec::with_capacity(GROUP.min(points.count as usize));
    points.each(|point| {
        group.push(*point);
        if group.len() < GROUP {
            return Ok(());
        }
        write_group(&mut writer, &group, fields).map_err(io::Error::other)?;
        group.clear();
        Ok(())
    })?;
    if !group.is_empty() {
        write_group(&mut writer, &group, fields).map_err(io::Error::other)?;
    }
    writer.close().map(drop).map_err(io::Error::other)
}

fn begin<W: Write + Send>(
    file: W,
    fields: &[CloudField],
) -> Result<SerializedFileWriter<W>, ParquetError> {
    let column = |name: &str, kind| {
        let (physical, logical) = match kind {
            NumberKind::F64 => (Physical::DOUBLE, None),
            NumberKind::F32 => (Physical::FLOAT, None),
            NumberKind::U32 => (Physical::INT32, Some(LogicalType::integer(32, false))),
            NumberKind::I32 => (Physical::INT32, None),
            NumberKind::U8 => (Physical::INT32, Some(LogicalType::integer(8, false))),
        };
        let column = Type::primitive_type_builder(name, physical)
            .with_logical_type(logical)
            .with_repetition(Repetition::REQUIRED);
        column.build().map(Arc::new)
    };
    let positions = ["x", "y", "z"].map(|name| (name, NumberKind::F64));
    let columns: Vec<(&str, NumberKind)> =
        positions.into_iter().chain(fields.iter().map(|it| (it.name(), it.kind()))).collect();
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("raytwin ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::SNAPPY);
    // A dictionary only pays off for numbers that repeat, as ids do.
    for (name, _) in
        columns.iter().filter(|(_, kind)| matches!(kind, NumberKind::F32 | NumberKind::F64))
    {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*name), false);
    }
    let columns: Vec<TypePtr> =
        columns.into_iter().map(|(name, kind)| column(name, kind)).collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("cloud").with_fields(columns).build()?;
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    points: &[CloudPoint],
    fields: &[CloudField],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for axis in 0..3 {
        let numbers: Vec<f64> = points.iter().map(|point| point.position[axis]).collect();
        write_column::<_, DoubleType>(&mut group, &numbers)?;
    }
    let mut bytes = Vec::new();
    for field in fields {
        bytes.clear();
        points.iter().try_for_each(|point| field.write(point, &mut bytes))?;
        match field.kind() {
            NumberKind::F64 => {
                let numbers = bytes.as_chunks().0.iter().map(|it| f64::from_le_bytes(*it));
                write_column::<_, DoubleType>(&mut group, &numbers.collect::<Vec<f64>>())?;
            }
            NumberKind::F32 => {
                let numbers = bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it));
                write_column::<_, FloatType>(&mut group, &numbers.collect::<Vec<f32>>())?;
            }
            NumberKind::U8 => {
                let numbers: Vec<i32> = bytes.iter().map(|&byte| byte.into()).collect();
                write_column::<_, Int32Type>(&mut group, &numbers)?;
            }
            NumberKind::U32 | NumberKind::I32 => {
                let numbers = bytes.as_chunks().0.iter().map(|it| i32::from_le_bytes(*it));
                write_column::<_, Int32Type>(&mut group, &numbers.collect::<Vec<i32>>())?;
            }
        }
    }
    group.close().map(drop)
}

fn write_column<W: Write + Send, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    numbers: &[T::T],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are more columns than the schema has".to_owned()));
    };
    column.typed::<T>().write_batch(numbers, None, None)?;
    column.close()
}
