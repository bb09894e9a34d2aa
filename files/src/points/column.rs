//! Columns of tables of points and their answers.

use crate::bytes::parquet::writer::{field, unsigned, write_column};
use ::parquet::basic::{LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::writer::SerializedRowGroupWriter;
use ::parquet::schema::types::TypePtr;
use std::io::Write;
use std::ops::Range;

/// A column's name and values.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    pub values: ColumnValues,
}

/// The values of a column, each of which may be missing.
#[derive(Clone, Debug)]
pub(crate) enum ColumnValues {
    Texts(Vec<Option<String>>),
    Integers(Vec<Option<i64>>),
    Floats(Vec<Option<f64>>),
    Singles(Vec<Option<f32>>),
    Unsigned(Vec<Option<u32>>),
}

impl Column {
    pub fn new(name: &str, values: ColumnValues) -> Self {
        Self { name: name.to_owned(), values }
    }

    /// Replaces the commas of a column of numbers by decimal points.
    pub fn point_decimals(&mut self) {
        let ColumnValues::Texts(texts) = &mut self.values else { return };
        let is_number = |text: &String| text.replacen(',', ".", 1).parse::<f64>().is_ok();
        if texts.iter().flatten().all(is_number) {
            texts.iter_mut().flatten().for_each(|text| *text = text.replacen(',', ".", 1));
        }
    }

    /// The column as numbers, if all texts are numbers. Integers must be written as such, because
    /// 007 is a name.
    pub fn typed(&self) -> Self {
        let ColumnValues::Texts(texts) = &self.values else { return self.clone() };
        let whole = |text: &String| text.parse::<i64>().ok().filter(|it| it.to_string() == *text);
        let float = |text: &String| {
            let is_name =
                text.starts_with('0') && text.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            text.parse::<f64>().ok().filter(|_| !is_name)
        };
        let has_some = texts.iter().any(Option::is_some);
        let values = match texts {
            _ if has_some && texts.iter().flatten().all(|text| whole(text).is_some()) => {
                ColumnValues::Integers(texts.iter().map(|it| it.as_ref().and_then(whole)).collect())
            }
            _ if has_some && texts.iter().flatten().all(|text| float(text).is_some()) => {
                ColumnValues::Floats(texts.iter().map(|it| it.as_ref().and_then(float)).collect())
            }
            _ => return self.clone(),
        };
        Self { name: self.name.clone(), values }
    }

    /// Some rows of the column.
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let values = match &self.values {
            ColumnValues::Texts(values) => ColumnValues::Texts(values[rows].to_vec()),
            ColumnValues::Integers(values) => ColumnValues::Integers(values[rows].to_vec()),
            ColumnValues::Floats(values) => ColumnValues::Floats(values[rows].to_vec()),
            ColumnValues::Singles(values) => ColumnValues::Singles(values[rows].to_vec()),
            ColumnValues::Unsigned(values) => ColumnValues::Unsigned(values[rows].to_vec()),
        };
        Self { name: self.name.clone(), values }
    }

    pub fn field(&self) -> Result<TypePtr, ParquetError> {
        let values = match self.values {
            ColumnValues::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnValues::Integers(_) => (Physical::INT64, None),
            ColumnValues::Floats(_) => (Physical::DOUBLE, None),
            ColumnValues::Singles(_) => (Physical::FLOAT, None),
            ColumnValues::Unsigned(_) => unsigned(32),
        };
        field(&self.name, values, Repetition::OPTIONAL)
    }

    /// Writes the values as the next column of a group.
    pub fn write<W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        match &self.values {
            ColumnValues::Texts(values) => {
                write_values::<_, ByteArrayType, _>(group, values, |it| ByteArray::from(&it[..]))
            }
            ColumnValues::Integers(values) => {
                write_values::<_, Int64Type, _>(group, values, |it| *it)
            }
            ColumnValues::Floats(values) => {
                write_values::<_, DoubleType, _>(group, values, |it| *it)
            }
            ColumnValues::Singles(values) => {
                write_values::<_, FloatType, _>(group, values, |it| *it)
            }
            ColumnValues::Unsigned(values) => {
                write_values::<_, Int32Type, _>(group, values, |it| it.cast_signed())
            }
        }
    }
}

impl ColumnValues {
    /// Adds a text to a column of texts.
    pub fn push_text(&mut self, text: Option<&str>) {
        if let Self::Texts(texts) = self {
            texts.push(text.map(str::to_owned));
        }
    }

    /// Adds numbers to an unsigned column.
    pub fn add_unsigned<T: Into<u32>>(&mut self, numbers: impl Iterator<Item = T>) {
        if let Self::Unsigned(values) = self {
            values.extend(numbers.map(|number| Some(number.into())));
        }
    }

    /// The text of a row's value; empty if it is missing.
    pub fn text(&self, row: usize) -> String {
        let text = match self {
            Self::Texts(values) => values[row].clone(),
            Self::Integers(values) => values[row].map(|it| it.to_string()),
            Self::Floats(values) => values[row].map(|it| it.to_string()),
            Self::Singles(values) => values[row].map(|it| it.to_string()),
            Self::Unsigned(values) => values[row].map(|it| it.to_string()),
        };
        text.unwrap_or_default()
    }
}

/// Writes values, each of which may be missing.
fn write_values<W: Write + Send, T: DataType, V>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[Option<V>],
    value: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let values: Vec<T::T> = values.iter().flatten().map(value).collect();
    write_column::<T, W>(group, &values, [Some(&levels), None])
}
