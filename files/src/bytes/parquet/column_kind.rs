//! The types of columns, and how their values are read.

use super::decode;
use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::errors::ParquetError;
use ::parquet::schema::types::Type;
use half::f16;

/// The largest number of bytes of a decimal, which has up to 38 digits.
const MAX_DECIMAL_BYTES: usize = size_of::<i128>();

/// The types as which the values of a column can be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColumnKind {
    /// Floating-point numbers of 16, 32 or 64 bits.
    Float,
    /// Decimal numbers: integers of limited digits, over ten to the power of the scale.
    Decimal {
        /// The largest number of digits.
        precision: u32,
        /// The number of digits after the point.
        scale: u32,
    },
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Truth values, which can be read as the integers 0 and 1.
    Bool,
    /// Text in UTF-8.
    Text,
    /// All values are null and have no type.
    Null,
    /// Values of another type.
    Other,
    /// Lists and structures.
    Nested,
}

/// Reads the next values of a column, nulls as `None`, and passes each to `take` with its row.
/// Returns the number of rows that were read.
fn next_values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    count: usize,
    mut take: impl FnMut(usize, Option<&T::T>),
) -> Result<usize, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, _, _) = reader.read_records(count, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        values.iter().enumerate().for_each(|(row, value)| take(row, Some(value)));
        return Ok(rows);
    }
    let mut values = values.iter();
    for (row, level) in levels.iter().enumerate() {
        take(row, if *level > 0 { values.next() } else { None });
    }
    Ok(rows)
}

fn other_type() -> ParquetError {
    ParquetError::General("its type differs from the schema".to_owned())
}

/// Reads the integer of a decimal, whose first byte is the highest.
fn unscaled(bytes: &[u8]) -> i128 {
    let sign = bytes.first().map_or(0, |&first| i128::from(first as i8 >> 7));
    bytes.iter().fold(sign, |number, &byte| (number << 8) | i128::from(byte))
}

/// The float64 closest to a decimal.
fn decimal(unscaled: i128, scale: u32) -> f64 {
    // Only the parser rounds once, whatever the digits.
    format!("{unscaled}e-{scale}").parse().unwrap_or(f64::NAN)
}

impl ColumnKind {
    /// Returns the kind of a field's values.
    pub(super) fn of(field: &Type) -> Self {
        if field.is_group() || field.get_basic_info().repetition() == Repetition::REPEATED {
            return Self::Nested;
        }
        let info = field.get_basic_info();
        match (field.get_physical_type(), info.logical_type_ref(), info.converted_type()) {
            (_, Some(LogicalType::Unknown), _) => Self::Null,
            (Physical::FLOAT | Physical::DOUBLE, None, _) => Self::Float,
            (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Float16), _) => Self::Float,
            (Physical::BOOLEAN, None, _) => Self::Bool,
            (_, Some(LogicalType::Decimal(_)), _) | (_, None, ConvertedType::DECIMAL) => {
                Self::of_decimal(field)
            }
            (Physical::INT32 | Physical::INT64, _, converted) => match converted {
                ConvertedType::NONE if info.logical_type_ref().is_none() => Self::Signed,
                ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64 => Self::Signed,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64 => Self::Unsigned,
                _ => Self::Other,
            },
            (Physical::BYTE_ARRAY, None | Some(LogicalType::String | LogicalType::Enum), _) => {
                Self::Text
            }
            _ => Self::Other,
        }
    }

    /// Returns the kind of a field of decimals. A field with too many digits is another type.
    fn of_decimal(field: &Type) -> Self {
        let Type::PrimitiveType { physical_type, type_length, scale, precision, .. } = field else {
            return Self::Nested;
        };
        let logical = field.get_basic_info().logical_type_ref();
        let (scale, precision) = match logical {
            Some(LogicalType::Decimal(decimal)) => (decimal.scale, decimal.precision),
            _ => (*scale, *precision),
        };
        let fits = match physical_type {
            Physical::FIXED_LEN_BYTE_ARRAY => {
                usize::try_from(*type_length).is_ok_and(|length| length <= MAX_DECIMAL_BYTES)
            }
            Physical::INT32 | Physical::INT64 | Physical::BYTE_ARRAY => true,
            _ => false,
        };
        match (u32::try_from(precision), u32::try_from(scale)) {
            (Ok(precision), Ok(scale)) if fits => Self::Decimal { precision, scale },
            _ => Self::Other,
        }
    }

    /// Reads the next numbers of a column, whole or not, nulls as `None`; decimals are rounded to
    /// float64.
    pub fn next_floats(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(usize, Option<f64>),
    ) -> Result<usize, ParquetError> {
        if let Self::Decimal { scale, .. } = self {
            return self.next_integers(reader, count, |row, number| {
                take(row, number.map(|number| decimal(number, scale)));
            });
        }
        decode(|| match reader {
            ColumnReader::FixedLenByteArrayColumnReader(reader) if self == Self::Float => {
                next_values(reader, count, |row, bytes| {
                    let bytes = bytes.and_then(|bytes| bytes.data().try_into().ok());
                    take(row, bytes.map(|bytes| f16::from_le_bytes(bytes).to_f64()));
                })
            }
            ColumnReader::FloatColumnReader(reader) => {
                next_values(reader, count, |row, number| take(row, number.map(|x| f64::from(*x))))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                next_values(reader, count, |row, number| take(row, number.copied()))
            }
            _ => self.next_integers(reader, count, |row, number| {
                take(row, number.map(|number| number as f64));
            }),
        })
    }

    /// Reads the next texts of a column, nulls as `None`, and passes each to `take`. Returns the
    /// number of rows.
    pub fn next_texts(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(Option<&[u8]>),
    ) -> Result<usize, ParquetError> {
        /// A long text of a dictionary may occur in every row.
        const MAX_BYTES: usize = 1 << 26;
        let mut bytes = 0;
        decode(|| match reader {
            ColumnReader::ByteArrayColumnReader(reader) => {
                let rows = next_values(reader, count, |_, text| {
                    let text = text.map(ByteArray::data);
                    bytes += text.map_or(0, <[u8]>::len);
                    take(text.filter(|_| bytes <= MAX_BYTES));
                })?;
                match bytes <= MAX_BYTES {
                    true => Ok(rows),
                    false => Err(ParquetError::General(format!(
                        "{rows} of its rows have {bytes} bytes, and raytwin reads at most {MAX_BYTES}"
                    ))),
                }
            }
            _ => Err(other_type()),
        })
    }

    /// Returns true if all values are integers, or are truth values, which stand for 0 and 1.
    pub fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Signed
                | Self::Unsigned
                | Self::Bool
                | Self::Null
                | Self::Decimal { scale: 0, .. }
        )
    }

    /// Returns true if all values are numbers, whole or not.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Float | Self::Decimal { .. }) || self.is_whole() && self != Self::Bool
    }

    /// Reads the next numbers of a column of integers or only nulls, or of decimals without their
    /// points, nulls as `None`.
    pub fn next_integers(
        self,
        reader: &mut ColumnReader,
        count: usize,
        mut take: impl FnMut(usize, Option<i128>),
    ) -> Result<usize, ParquetError> {
        let is_decimal = matches!(self, Self::Decimal { .. });
        let is_unsigned = self == Self::Unsigned;
        decode(|| match reader {
            ColumnReader::Int32ColumnReader(reader) => next_values(reader, count, |row, number| {
                take(row, number.map(|&x| if is_unsigned { (x as u32).into() } else { x.into() }));
            }),
            ColumnReader::Int64ColumnReader(reader) => next_values(reader, count, |row, number| {
                take(row, number.map(|&x| if is_unsigned { (x as u64).into() } else { x.into() }));
            }),
            ColumnReader::BoolColumnReader(reader) => {
                next_values(reader, count, |row, is_true| take(row, is_true.map(|&x| x.into())))
            }
            ColumnReader::ByteArrayColumnReader(reader) if is_decimal => {
                let mut is_long = false;
                let rows = next_values(reader, count, |row, bytes| {
                    is_long |= bytes.is_some_and(|bytes| bytes.len() > MAX_DECIMAL_BYTES);
                    take(row, bytes.map(|bytes| unscaled(bytes.data())));
                })?;
                match is_long {
                    false => Ok(rows),
                    true => Err(ParquetError::General("a decimal has too many digits".to_owned())),
                }
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) if is_decimal => {
                next_values(reader, count, |row, bytes| {
                    take(row, bytes.map(|bytes| unscaled(bytes.data())));
                })
            }
            _ => Err(other_type()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_with_their_sign_and_rounded_once() {
        for (bytes, scale, number) in [
            (&[0x01, 0x00][..], 2, 2.56),
            (&[0xff, 0x6a], 1, -15.0),
            (&[0x80], 0, -128.0),
            (&[], 0, 0.0),
            (&[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 3, 9_223_372_036_854_775.807),
        ] {
            assert_eq!(decimal(unscaled(bytes), scale), number, "{bytes:?}");
        }
    }
}
