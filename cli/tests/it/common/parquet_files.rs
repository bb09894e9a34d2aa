//! Makes Parquet files from columns, and reads their columns.

use super::columns::{Column, parquet_file_with};
use parquet::basic::Compression;
use parquet::column::reader::ColumnReader;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::path::Path;

/// Makes a file of these columns, with `group` rows in each row group.
pub fn parquet_file(columns: &[(&str, Column)], group: usize, compression: Compression) -> Vec<u8> {
    let properties = WriterProperties::builder().set_compression(compression).build();
    parquet_file_with(columns, group, properties)
}

/// Reads the numbers of one column as little-endian bytes, or its texts, and how many there are in each row.
pub fn parquet_column(path: &Path, name: &str) -> (Vec<u8>, Vec<u32>) {
    let file = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let index = (0..schema.num_columns())
        .find(|&index| schema.column(index).path().parts()[0] == name)
        .unwrap_or_else(|| panic!("there is no column {name}"));
    let is_list = schema.column(index).max_rep_level() > 0;
    let (mut bytes, mut counts) = (Vec::new(), Vec::new());
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group).unwrap();
        let rows = group.metadata().num_rows() as usize;
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        let levels = (Some(&mut definition), Some(&mut repetition));
        let read = match group.get_column_reader(index).unwrap() {
            ColumnReader::FloatColumnReader(mut reader) => {
                let mut numbers = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut numbers).unwrap();
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                read
            }
            ColumnReader::DoubleColumnReader(mut reader) => {
                let mut numbers = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut numbers).unwrap();
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                read
            }
            ColumnReader::Int32ColumnReader(mut reader) => {
                let mut numbers = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut numbers).unwrap();
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                read
            }
            ColumnReader::BoolColumnReader(mut reader) => {
                let mut numbers = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut numbers).unwrap();
                bytes.extend(numbers.iter().map(|&number| u8::from(number)));
                read
            }
            ColumnReader::Int64ColumnReader(mut reader) => {
                let mut numbers = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut numbers).unwrap();
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                read
            }
            ColumnReader::ByteArrayColumnReader(mut reader) => {
                let mut texts = Vec::new();
                let read = reader.read_records(rows, levels.0, levels.1, &mut texts).unwrap();
                bytes.extend(texts.iter().flat_map(|text| text.data()));
                read
            }
            _ => panic!("{name} has an unexpected type"),
        };
        assert_eq!(read.0, rows);
        if !is_list {
            // A null has the level 0.
            let is_there = |row: usize| definition.get(row).is_none_or(|&level| level > 0);
            counts.extend((0..rows).map(|row| u32::from(is_there(row))));
            continue;
        }
        for (defined, repeated) in definition.iter().zip(&repetition) {
            match repeated {
                0 => counts.push(u32::from(*defined == 1)),
                _ => *counts.last_mut().unwrap() += 1,
            }
        }
    }
    (bytes, counts)
}

/// Reads the names of a file's columns, in their order.
pub fn parquet_names(path: &Path) -> Vec<String> {
    let file = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let fields = file.metadata().file_metadata().schema().get_fields();
    fields.iter().map(|field| field.name().to_owned()).collect()
}
