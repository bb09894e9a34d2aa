//! Points from a PCD file, the format of the Point Cloud Library: a header of text, then rows of
//! text or little-endian numbers. Compressed files are an error.
//!
//! Source: "The PCD (Point Cloud Data) file format", version 0.7, of the library's documentation.

use super::record::{Encoding, RecordField, Records};
use super::table::PointTable;
use crate::bytes::number_type::NumberType;
use crate::{FileError, FileStore, without_mark};
use std::path::Path;

/// The contents of a header.
#[derive(Default)]
struct Header<'a> {
    fields: Vec<&'a str>,
    sizes: Vec<&'a str>,
    types: Vec<&'a str>,
    counts: Vec<&'a str>,
    width: Option<usize>,
    height: Option<usize>,
    points: Option<usize>,
    encoding: Option<Encoding>,
}

/// Reads the points of a file, optionally with their other fields.
pub(super) fn read(
    store: &FileStore,
    path: &Path,
    with_columns: bool,
) -> Result<PointTable, FileError> {
    let bytes = store.read(path)?;
    let mut header = Header::default();
    let mut start = bytes.len() - without_mark(&bytes).len();
    let mut line = 0;
    let encoding = loop {
        line += 1;
        let refuse = |reason| FileError::Syntax { path: path.to_owned(), line, column: 1, reason };
        let rest = &bytes[start..];
        let end = rest.iter().position(|byte| *byte == b'\n');
        let end = end.ok_or_else(|| refuse("has no line DATA: it is not a PCD file".to_owned()))?;
        start += end + 1;
        let text = str::from_utf8(&rest[..end]);
        let text = text.map_err(|_| {
            refuse("has a header that is not text: it is not a PCD file".to_owned())
        })?;
        header.take(text).map_err(refuse)?;
        if let Some(encoding) = header.encoding {
            break encoding;
        }
    };
    let refuse = |reason| FileError::meaning(path, "its header", reason);
    let (fields, rows) = header.described().map_err(refuse)?;
    let records =
        Records { store, path, bytes: &bytes, start, encoding, fields, rows, is_followed: false };
    records.read(with_columns)
}

impl<'a> Header<'a> {
    fn take(&mut self, line: &'a str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let key = words.next().unwrap_or_default();
        let rest: Vec<&str> = words.collect();
        let number = || {
            let number = rest.first().and_then(|word| word.parse().ok());
            number.ok_or_else(|| format!("{key} must be a whole number"))
        };
        match key {
            "FIELDS" | "COLUMNS" => self.fields = rest,
            "SIZE" => self.sizes = rest,
            "TYPE" => self.types = rest,
            "COUNT" => self.counts = rest,
            "WIDTH" => self.width = Some(number()?),
            "HEIGHT" => self.height = Some(number()?),
            "POINTS" => self.points = Some(number()?),
            "DATA" => {
                self.encoding = Some(match rest.first() {
                    Some(&"ascii") => Encoding::Text,
                    Some(&"binary") => Encoding::LittleEndian,
                    Some(&"binary_compressed") => {
                        let reason = "DATA is compressed: save the cloud as ascii or binary";
                        return Err(reason.to_owned());
                    }
                    _ => return Err("DATA must be ascii or binary".to_owned()),
                });
            }
            "VERSION" | "VIEWPOINT" | "" => {}
            comment if comment.starts_with('#') => {}
            key => return Err(format!("'{key}' is not a line of a PCD header")),
        }
        Ok(())
    }

    fn described(&self) -> Result<(Vec<RecordField>, usize), String> {
        let Self { fields, sizes, types, counts, width, height, points, .. } = self;
        let has_counts = counts.is_empty() || counts.len() == fields.len();
        if sizes.len() != fields.len() || types.len() != fields.len() || !has_counts {
            let reason = "FIELDS, SIZE, TYPE and COUNT must have the same number of words";
            return Err(reason.to_owned());
        }
        let field = |at: usize| {
            let (name, kind, size) = (fields[at], types[at], sizes[at]);
            let is_it =
                |it: &NumberType| it.letter() == kind && it.byte_count().to_string() == size;
            let number_type = NumberType::ALL.into_iter().find(is_it).ok_or_else(|| {
                format!("{name} has TYPE {kind} and SIZE {size}, which is not a number type")
            })?;
            let count = counts.get(at).map_or(Some(1), |count| count.parse().ok());
            let count = count.ok_or_else(|| "COUNT must be whole numbers".to_owned())?;
            Ok::<_, String>(RecordField { name: name.to_owned(), number_type, count })
        };
        let area = width.map(|width| width.saturating_mul(height.unwrap_or(1)));
        let rows = match (points, area) {
            (Some(points), Some(area)) if *points != area => {
                return Err(format!("POINTS is {points}, but WIDTH times HEIGHT is {area}"));
            }
            (Some(points), _) => *points,
            (None, Some(area)) => area,
            (None, None) => return Err("has neither POINTS nor WIDTH".to_owned()),
        };
        Ok(((0..fields.len()).map(field).collect::<Result<_, _>>()?, rows))
    }
}
