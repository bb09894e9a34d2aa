//! Points from the element `vertex` of a PLY file, text or binary. serde_ply reads its header.

use super::record::{Encoding, RecordField, Records};
use super::table::PointTable;
use crate::bytes::number_type::NumberType;
use crate::{FileError, FileStore, without_mark};
use serde_ply::{DeserializeError, ElementDef, PlyFormat, PlyReader, PropertyType, ScalarType};
use std::path::Path;

/// Reads the vertices of a file, optionally with their other properties.
pub(super) fn read(
    store: &FileStore,
    path: &Path,
    with_columns: bool,
) -> Result<PointTable, FileError> {
    let bytes = store.read(path)?;
    let mut rest = without_mark(&bytes);
    let header = PlyReader::from_reader(&mut rest).map_err(|DeserializeError(error)| {
        FileError::meaning(path, "", format!("its header is not a PLY header: {error}"))
    })?;
    let header = header.header().clone();
    let encoding = match header.format {
        PlyFormat::Ascii => Encoding::Text,
        PlyFormat::BinaryLittleEndian => Encoding::LittleEndian,
        PlyFormat::BinaryBigEndian => Encoding::BigEndian,
    };
    let elements = &header.elem_defs;
    let Some(at) = elements.iter().position(|element| element.name == "vertex") else {
        return Err(FileError::meaning(path, "", "has no element vertex, which is for points"));
    };
    for element in &elements[..at] {
        let skipped = skipped(element, encoding, rest);
        rest = skipped.ok_or_else(|| {
            let reason = "comes before the vertices, and has lists or is truncated: write the vertices first";
            FileError::meaning(path, &element.name, reason)
        })?;
    }
    let vertex = &elements[at];
    let fields = fields(vertex).ok_or_else(|| {
        FileError::meaning(path, "vertex", "has lists, which points may not have: remove them")
    })?;
    let records = Records {
        store,
        path,
        bytes: &bytes,
        start: bytes.len() - rest.len(),
        encoding,
        fields,
        rows: vertex.count,
        is_followed: elements[at + 1..].iter().any(|element| element.count > 0),
    };
    records.read(with_columns)
}

/// The fields of an element; `None` if it has a list.
fn fields(element: &ElementDef) -> Option<Vec<RecordField>> {
    let field = |property: &serde_ply::PlyProperty| {
        let PropertyType::Scalar(scalar) = property.property_type else { return None };
        let number_type = match scalar {
            ScalarType::I8 => NumberType::I8,
            ScalarType::U8 => NumberType::U8,
            ScalarType::I16 => NumberType::I16,
            ScalarType::U16 => NumberType::U16,
            ScalarType::I32 => NumberType::I32,
            ScalarType::U32 => NumberType::U32,
            ScalarType::F32 => NumberType::F32,
            ScalarType::F64 => NumberType::F64,
        };
        Some(RecordField { name: property.name.clone(), number_type, count: 1 })
    };
    element.properties.iter().map(field).collect()
}

/// The bytes after those of an element; `None` if it has a list, or the file ends before.
fn skipped<'a>(element: &ElementDef, encoding: Encoding, bytes: &'a [u8]) -> Option<&'a [u8]> {
    let fields = fields(element)?;
    if encoding != Encoding::Text {
        let row: usize = fields.iter().map(|field| field.number_type.byte_count()).sum();
        return bytes.get(row.checked_mul(element.count)?..);
    }
    let mut rest = bytes;
    for _ in 0..fields.len().checked_mul(element.count)? {
        rest = rest.trim_ascii_start();
        let end = rest.iter().position(u8::is_ascii_whitespace)?;
        rest = &rest[end..];
    }
    Some(rest)
}
