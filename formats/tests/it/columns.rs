//! Makes Parquet files column by column.

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Column {
    F32(Vec<f32>),
    F64(Vec<f64>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    /// Numbers of float32, some of them null.
    Nullable(Vec<Option<f32>>),
    /// Numbers of int32, some of them null.
    NullableI32(Vec<Option<i32>>),
    /// The bits of numbers of float16.
    Halves(Vec<u16>),
    /// Decimals of nine digits, two of them behind the point, as numbers of hundredths.
    Decimals(Vec<i32>),
    /// A list of one number in each row.
    Lists(Vec<f32>),
    /// Texts, some of them null.
    Texts(Vec<Option<&'static str>>),
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Self::F32(numbers) | Self::Lists(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
            Self::U32(numbers) => numbers.len(),
            Self::I32(numbers) => numbers.len(),
            Self::I64(numbers) => numbers.len(),
            Self::Nullable(numbers) => numbers.len(),
            Self::NullableI32(numbers) => numbers.len(),
            Self::Halves(bits) => bits.len(),
            Self::Decimals(hundredths) => hundredths.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn field(&self, name: &str) -> Type {
        let leaf = |name, physical, logical, repetition| {
            let leaf = Type::primitive_type_builder(name, physical).with_logical_type(logical);
            leaf.with_repetition(repetition).build().unwrap()
        };
        let required = |physical| leaf(name, physical, None, Repetition::REQUIRED);
        match self {
            Self::F32(_) => required(Physical::FLOAT),
            Self::F64(_) => required(Physical::DOUBLE),
            Self::I32(_) => required(Physical::INT32),
            Self::I64(_) => required(Physical::INT64),
            Self::U32(_) => {
                let unsigned = Some(LogicalType::integer(32, false));
                leaf(name, Physical::INT32, unsigned, Repetition::OPTIONAL)
            }
            Self::Nullable(_) => leaf(name, Physical::FLOAT, None, Repetition::OPTIONAL),
            Self::NullableI32(_) => leaf(name, Physical::INT32, None, Repetition::OPTIONAL),
            Self::Halves(_) => {
                let leaf = Type::primitive_type_builder(name, Physical::FIXED_LEN_BYTE_ARRAY);
                let leaf = leaf.with_logical_type(Some(LogicalType::Float16)).with_length(2);
                leaf.with_repetition(Repetition::REQUIRED).build().unwrap()
            }
            Self::Decimals(_) => {
                let leaf = Type::primitive_type_builder(name, Physical::FIXED_LEN_BYTE_ARRAY);
                let leaf = leaf.with_logical_type(Some(LogicalType::decimal(2, 9)));
                let leaf = leaf.with_length(4).with_precision(9).with_scale(2);
                leaf.with_repetition(Repetition::REQUIRED).build().unwrap()
            }
            Self::Texts(_) => {
                let text = Some(LogicalType::String);
                leaf(name, Physical::BYTE_ARRAY, text, Repetition::OPTIONAL)
            }
            Self::Lists(_) => {
                let element = leaf("element", Physical::FLOAT, None, Repetition::REQUIRED);
                let list = Type::group_type_builder("list")
                    .with_repetition(Repetition::REPEATED)
                    .with_fields(vec![Arc::new(element)]);
                let field = Type::group_type_builder(name)
                    .with_repetition(Repetition::REQUIRED)
                    .with_logical_type(Some(LogicalType::List))
                    .with_fields(vec![Arc::new(list.build().unwrap())]);
                field.build().unwrap()
            }
        }
    }

    fn write(
        &self,
        rows: std::ops::Range<usize>,
        group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    ) {
        fn put<T: DataType>(
            group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
            numbers: &[T::T],
            definition: Option<&[i16]>,
            repetition: Option<&[i16]>,
        ) {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<T>().write_batch(numbers, definition, repetition).unwrap();
            column.close().unwrap();
        }
        let ones = vec![1; rows.len()];
        match self {
            Self::F32(numbers) => put::<FloatType>(group, &numbers[rows], None, None),
            Self::F64(numbers) => put::<DoubleType>(group, &numbers[rows], None, None),
            Self::I32(numbers) => put::<Int32Type>(group, &numbers[rows], None, None),
            Self::I64(numbers) => put::<Int64Type>(group, &numbers[rows], None, None),
            Self::U32(numbers) => {
                let numbers: Vec<i32> = numbers[rows].iter().map(|number| *number as i32).collect();
                put::<Int32Type>(group, &numbers, Some(&ones), None);
            }
            Self::Nullable(numbers) => {
                let levels: Vec<i16> =
                    numbers[rows.clone()].iter().map(|n| n.is_some().into()).collect();
                let there: Vec<f32> = numbers[rows].iter().flatten().copied().collect();
                put::<FloatType>(group, &there, Some(&levels), None);
            }
            Self::NullableI32(numbers) => {
                let levels: Vec<i16> =
                    numbers[rows.clone()].iter().map(|n| n.is_some().into()).collect();
                let there: Vec<i32> = numbers[rows].iter().flatten().copied().collect();
                put::<Int32Type>(group, &there, Some(&levels), None);
            }
            Self::Halves(bits) => {
                let bytes = bits[rows].iter().map(|bits| bits.to_le_bytes().to_vec());
                let bytes: Vec<FixedLenByteArray> = bytes.map(Into::into).collect();
                put::<FixedLenByteArrayType>(group, &bytes, None, None);
            }
            Self::Decimals(hundredths) => {
                let bytes = hundredths[rows].iter().map(|number| number.to_be_bytes().to_vec());
                let bytes: Vec<FixedLenByteArray> = bytes.map(Into::into).collect();
                put::<FixedLenByteArrayType>(group, &bytes, None, None);
            }
            Self::Texts(texts) => {
                let texts = &texts[rows];
                let levels: Vec<i16> = texts.iter().map(|text| text.is_some().into()).collect();
                let there: Vec<_> = texts.iter().flatten().map(|&text| text.into()).collect();
                put::<ByteArrayType>(group, &there, Some(&levels), None);
            }
            Self::Lists(numbers) => {
                let zeros = vec![0; rows.len()];
                put::<FloatType>(group, &numbers[rows], Some(&ones), Some(&zeros));
            }
        }
    }
}

/// Makes a file of these columns with the given properties, and with `group` rows in each row group.
pub fn parquet_file_with(
    columns: &[(&str, Column)],
    group: usize,
    properties: WriterProperties,
) -> Vec<u8> {
    let fields = columns.iter().map(|(name, column)| Arc::new(column.field(name))).collect();
    let schema = Type::group_type_builder("rays").with_fields(fields).build().unwrap();
    let mut file =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    let rows = columns[0].1.len();
    for start in (0..rows).step_by(group) {
        let mut group_writer = file.next_row_group().unwrap();
        for (_, column) in columns {
            column.write(start..rows.min(start + group), &mut group_writer);
        }
        group_writer.close().unwrap();
    }
    file.into_inner().unwrap()
}
