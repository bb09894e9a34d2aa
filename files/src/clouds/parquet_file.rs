//! Clouds as columns of a Parquet file.

use super::columns::{CloudField, PointNumber};
use super::points::CloudPoint;
use super::spilled::SpilledPoints;
use crate::bytes::parquet::writer::{self, field, unsigned, write_column};
use parquet::basic::{Repetition, Type as Physical};
use parquet::data_type::{DataType, DoubleType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, TypePtr};
use std::io::{self, Write};

/// The rows of a group, which are in memory together.
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
        let values = match kind {
            PointNumber::F64(_) => (Physical::DOUBLE, None),
            PointNumber::F32(_) => (Physical::FLOAT, None),
            PointNumber::U32(_) => unsigned(32),
            PointNumber::I32(_) => (Physical::INT32, None),
            PointNumber::U8(_) => unsigned(8),
        };
        field(name, values, Repetition::REQUIRED)
    };
    let positions = ["x", "y", "z"].map(|name| (name, PointNumber::F64(0.0)));
    let columns: Vec<(&str, PointNumber)> =
        positions.into_iter().chain(fields.iter().map(|it| (it.name(), it.zero()))).collect();
    let mut properties = writer::properties();
    // A dictionary pays off only for numbers that repeat, such as ids.
    for (name, _) in
        columns.iter().filter(|(_, kind)| matches!(kind, PointNumber::F32(_) | PointNumber::F64(_)))
    {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(*name), false);
    }
    let columns: Vec<TypePtr> =
        columns.into_iter().map(|(name, kind)| column(name, kind)).collect::<Result<_, _>>()?;
    writer::begin(file, "cloud", columns, properties)
}

fn write_group<W: Write + Send>(
    writer: &mut SerializedFileWriter<W>,
    points: &[CloudPoint],
    fields: &[CloudField],
) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for axis in 0..3 {
        let numbers: Vec<f64> = points.iter().map(|point| point.position[axis]).collect();
        write_column::<DoubleType, W>(&mut group, &numbers, [None; 2])?;
    }
    let mut bytes = Vec::new();
    for field in fields {
        bytes.clear();
        points.iter().try_for_each(|point| field.write(point, &mut bytes))?;
        match field.zero() {
            PointNumber::F64(_) => {
                write_numbers::<DoubleType, _, _>(&mut group, &bytes, f64::from_le_bytes)?;
            }
            PointNumber::F32(_) => {
                write_numbers::<FloatType, _, _>(&mut group, &bytes, f32::from_le_bytes)?;
            }
            PointNumber::U32(_) | PointNumber::I32(_) => {
                write_numbers::<Int32Type, _, _>(&mut group, &bytes, i32::from_le_bytes)?;
            }
            PointNumber::U8(_) => {
                write_numbers::<Int32Type, _, _>(&mut group, &bytes, |[byte]| byte.into())?;
            }
        }
    }
    group.close().map(drop)
}

fn write_numbers<T: DataType, W: Write + Send, const N: usize>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    bytes: &[u8],
    number: impl Fn([u8; N]) -> T::T,
) -> Result<(), ParquetError> {
    let numbers: Vec<T::T> = bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect();
    write_column::<T, W>(group, &numbers, [None; 2])
}
