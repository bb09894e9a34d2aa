//! Points from LAS and LAZ, read with the crates `las` and `laz`. The sizes in their headers are
//! checked against the length of the file first, because the crates allocate what a header
//! declares.
//!
//! Source: LAS 1.4 - R15, of the American Society for Photogrammetry and Remote Sensing.

use super::column::{Column, ColumnValues};
use super::las_chunks::Claims;
use super::table::{AXES, CELL_BYTES, PointTable};
use crate::bytes::decoder::catch_panic;
use crate::bytes::number_type::NumberType;
use crate::bytes::open_file::OpenFile;
use crate::bytes::parquet::ROWS_AT_A_TIME;
use crate::{FileError, FileStore};
use las::point::Format;
use las::{PointData, PointDataBuilder, Transform, Vector, raw};
use laz::{LasZipDecompressor, LazVlr};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// The usual names in programs for the fields of points.
const OWN_NAMES: [&str; 12] = [
    "intensity",
    "return_number",
    "number_of_returns",
    "classification",
    "scan_angle",
    "user_data",
    "point_source_id",
    "gps_time",
    "red",
    "green",
    "blue",
    "nir",
];

/// Below this, all integers are exact in float64, and so is a coordinate.
const MOST_EXACT: f64 = (1_u64 << 52) as f64;

/// The largest number of bytes of compressed points if there are no points: the offset and the head
/// of a chunk table.
const EMPTY_BYTES: u64 = 64;

/// The description of the points in a file.
struct CloudHeader {
    format: Format,
    transforms: Vector<Transform>,
    count: u64,
    extra: Vec<ExtraField>,
}

/// A number in the extra bytes of each point.
#[derive(Debug)]
struct ExtraField {
    name: String,
    number_type: NumberType,
    /// Its offset in the extra bytes.
    at: usize,
    /// The conversion of the stored number into its value.
    scale: Option<Transform>,
}

enum Source {
    Plain(OpenFile),
    Compressed(Box<LasZipDecompressor<'static, OpenFile>>),
}

/// Reads the points of a file, optionally with their other fields.
pub(super) fn read(
    store: &FileStore,
    path: &Path,
    with_columns: bool,
) -> Result<PointTable, FileError> {
    let (file, length) = store.open(path)?;
    let refuse = |reason: String| FileError::meaning(path, "", reason);
    let opened = catch_panic(|| open(file, length)).and_then(|opened| opened);
    let (described, mut source) = opened.map_err(refuse)?;
    let mut table = PointTable { is_cloud: true, ..PointTable::default() };
    if with_columns {
        table.kept = described.columns(path);
    }
    let mut left = described.count;
    while left > 0 {
        let rows = left.min(ROWS_AT_A_TIME as u64) as usize;
        let bytes = (rows * (1 + table.kept.len()) * CELL_BYTES) as u64;
        let needs = || format!("its first {} points need", table.positions.len() + rows);
        store.take_memory(path, bytes, needs)?;
        let points = catch_panic(|| described.next(&mut source, rows)).and_then(|points| points);
        described.add(&points.map_err(refuse)?, &mut table).map_err(refuse)?;
        left -= rows as u64;
    }
    Ok(table)
}

/// Reads the header and the records after it, and opens the points.
fn open(mut file: OpenFile, length: u64) -> Result<(CloudHeader, Source), String> {
    let header = raw::Header::read_from(&mut file);
    let header = header.map_err(|error| format!("has no LAS header: {error}"))?;
    let (major, minor) = (header.version.major, header.version.minor);
    if major != 1 || minor > 4 {
        return Err(format!("has LAS version {major}.{minor}, and raytwin reads 1.0 to 1.4"));
    }
    let kind = header.point_data_record_format;
    // The two high bits mark compressed points.
    if kind & 0x3f > 10 {
        return Err(format!("has points of format {kind}, which LAS 1.4 does not define"));
    }
    let mut format = Format::new(kind).map_err(|error| error.to_string())?;
    let own = format.len();
    let size = header.point_data_record_length;
    format.extra_bytes = size.checked_sub(own).ok_or_else(|| {
        format!("has points of {size} bytes: points of its format have at least {own}")
    })?;
    let start = u64::from(header.offset_to_point_data);
    let mut records = Vec::new();
    file.seek(SeekFrom::Start(header.header_size.into())).map_err(|error| error.to_string())?;
    for _ in 0..header.number_of_variable_length_records {
        let record = raw::Vlr::read_from(&mut file, false).map(las::Vlr::new);
        records.push(record.map_err(|_| "is truncated: it ends in its header".to_owned())?);
    }
    let count = match header.large_file {
        Some(large) if header.number_of_point_records == 0 => large.number_of_point_records,
        _ => header.number_of_point_records.into(),
    };
    let after = [
        header.evlr.map_or(0, |records| records.start_of_first_evlr),
        header.start_of_waveform_data_packet_record.unwrap_or_default(),
    ];
    let end = after.into_iter().filter(|at| (start..length).contains(at)).min().unwrap_or(length);
    let goes_on = || format!("continues after the {count} points that its header declares");
    let laz = records.iter().find(|record| las::laz::is_laszip_vlr(record));
    file.seek(SeekFrom::Start(start)).map_err(|error| error.to_string())?;
    let source = match (laz, format.is_compressed) {
        (Some(record), true) if count > 0 => {
            let laz = LazVlr::try_from(record).map_err(|error| error.to_string())?;
            let claims = Claims { start, length, point_size: size, count };
            claims.hold(&mut file, &laz, &record.data)?;
            let source = LasZipDecompressor::new(file, laz);
            Source::Compressed(Box::new(source.map_err(|error| error.to_string())?))
        }
        (None, true) => {
            return Err("is compressed, but has no record of the compression".to_owned());
        }
        (_, true) if end.saturating_sub(start) > EMPTY_BYTES => return Err(goes_on()),
        _ => {
            let needed = count.saturating_mul(size.into()).saturating_add(start);
            if needed > length && count > 0 {
                return Err(format!(
                    "is truncated: it ends before the {count} points that its header declares"
                ));
            }
            if !format.is_compressed && end.saturating_sub(needed) >= u64::from(size.max(1)) {
                return Err(goes_on());
            }
            Source::Plain(file)
        }
    };
    let axis = |scale, offset| Transform { scale, offset };
    let transforms = Vector {
        x: axis(header.x_scale_factor, header.x_offset),
        y: axis(header.y_scale_factor, header.y_offset),
        z: axis(header.z_scale_factor, header.z_offset),
    };
    for Transform { scale, offset } in [transforms.x, transforms.y, transforms.z] {
        if !scale.is_normal() || !offset.is_finite() {
            return Err(format!(
                "has coordinates with the scale {scale} and the offset {offset}: both must be finite, and the scale must not be 0"
            ));
        }
    }
    let extra = extra_fields(&records, format.extra_bytes.into());
    Ok((CloudHeader { format, transforms, count, extra }, source))
}

/// Reads the descriptions of extra bytes: records of 192 bytes. The third byte is the type, the
/// fourth states what else the record has, and the name begins at the fifth. Fields of other types
/// are skipped, and so is everything past a point's bytes.
fn extra_fields(records: &[las::Vlr], extra_bytes: usize) -> Vec<ExtraField> {
    let is_described = |it: &&las::Vlr| it.user_id == "LASF_Spec" && it.record_id == 4;
    let records = records.iter().filter(is_described).flat_map(|it| it.data.chunks_exact(192));
    const NUMBERS: [NumberType; 10] = NumberType::ALL;
    let mut at = 0_usize;
    let mut fields = Vec::new();
    for record in records {
        let number_type = usize::from(record[2]).checked_sub(1).and_then(|at| NUMBERS.get(at));
        let Some(number_type) = number_type.copied() else {
            // Bytes of type 0 are described only by their number. Types above 10 belong to old
            // versions, and have two or three numbers of such a type.
            at += match record[2] {
                0 => record[3].into(),
                old @ 11..=30 => {
                    let at = usize::from(old - 1);
                    NUMBERS[at % 10].byte_count() * (1 + at / 10)
                }
                _ => break,
            };
            continue;
        };
        let number = |at: usize| {
            let bytes = record[at..at + 8].first_chunk();
            bytes.map_or(0.0, |bytes| f64::from_le_bytes(*bytes))
        };
        let [has_scale, has_offset] = [8, 16].map(|bit| record[3] & bit != 0);
        let scale = (has_scale || has_offset).then(|| Transform {
            scale: if has_scale { number(112) } else { 1.0 },
            offset: if has_offset { number(136) } else { 0.0 },
        });
        let name = record[4..36].split(|byte| *byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let end = at + number_type.byte_count();
        if end > extra_bytes {
            break;
        }
        let is_taken = AXES.contains(&&name[..])
            || OWN_NAMES.contains(&&name[..])
            || fields.iter().any(|field: &ExtraField| field.name == name);
        if !name.is_empty() && !is_taken {
            fields.push(ExtraField { name, number_type, at, scale });
        }
        at = end;
    }
    fields
}

/// Returns the function that computes a coordinate from its integer: the exact decimal if the scale
/// is one part of a whole number, such as 0.001, otherwise product and sum.
fn coordinate(Transform { scale, offset }: Transform) -> impl Fn(i32) -> f64 {
    let parts = (1.0 / scale).round();
    let whole_offset = offset * parts;
    let is_decimal =
        1.0 / parts == scale && whole_offset.fract() == 0.0 && whole_offset.abs() < MOST_EXACT;
    move |stored| match is_decimal {
        true => (f64::from(stored) + whole_offset) / parts,
        false => f64::from(stored) * scale + offset,
    }
}

impl ExtraField {
    /// Adds the number of a point, if it is in range.
    fn push(&self, values: &mut ColumnValues, bytes: &[u8]) -> Option<()> {
        let number = self.number_type.number_in(bytes)?;
        match (self.scale, values) {
            (Some(Transform { scale, offset }), ColumnValues::Floats(values)) => {
                values.push(Some(number.as_f64() * scale + offset));
                Some(())
            }
            (_, values) => number.push(values),
        }
    }
}

impl CloudHeader {
    /// The columns of the points' other fields, with their usual names in programs.
    fn columns(&self, path: &Path) -> Vec<Column> {
        let Format { has_gps_time, has_color, has_nir, .. } = self.format;
        let own = OWN_NAMES.into_iter().filter(|name| match *name {
            "gps_time" => has_gps_time,
            "red" | "green" | "blue" => has_color,
            "nir" => has_nir,
            _ => true,
        });
        let column = |name: &str| {
            let values = match name {
                "scan_angle" => ColumnValues::Singles(Vec::new()),
                "gps_time" => ColumnValues::Floats(Vec::new()),
                _ => ColumnValues::Unsigned(Vec::new()),
            };
            Column::new(name, values)
        };
        let mut columns: Vec<Column> = own.map(column).collect();
        let mut described = 0;
        for field in &self.extra {
            described += field.number_type.byte_count();
            let values = match field.scale {
                Some(_) => ColumnValues::Floats(Vec::new()),
                None => field.number_type.values(),
            };
            columns.push(Column::new(&field.name, values));
        }
        let left_out = usize::from(self.format.extra_bytes) - described;
        if left_out > 0 {
            let path = path.display();
            log::warn!(
                "{path}: leaves out {left_out} extra bytes of each point, which are not numbers with unique names"
            );
        }
        columns
    }

    fn next(&self, source: &mut Source, rows: usize) -> Result<PointData, String> {
        let mut bytes = vec![0; rows * usize::from(self.format.len())];
        let read = match source {
            Source::Plain(file) => file.read_exact(&mut bytes),
            Source::Compressed(points) => points.decompress_many(&mut bytes),
        };
        read.map_err(|error| format!("is damaged or truncated: {error}"))?;
        let points = PointDataBuilder::new().with_format(self.format);
        let points = points.with_transforms(self.transforms).build_from_bytes(bytes);
        points.map_err(|error| error.to_string())
    }

    fn add(&self, points: &PointData, table: &mut PointTable) -> Result<(), String> {
        let Vector { x, y, z } = self.transforms;
        let [x, y, z] = [x, y, z].map(coordinate);
        let positions = points.x_raw().zip(points.y_raw()).zip(points.z_raw());
        table.positions.extend(positions.map(|((at_x, at_y), at_z)| [x(at_x), y(at_y), z(at_z)]));
        let own = table.kept.len().saturating_sub(self.extra.len());
        let (kept, extra) = table.kept.split_at_mut(own);
        for Column { name, values } in kept {
            let colors = || points.rgb().into_iter().flatten();
            match name.as_str() {
                "intensity" => values.add_unsigned(points.intensity()),
                "return_number" => values.add_unsigned(points.return_number()),
                "number_of_returns" => values.add_unsigned(points.number_of_returns()),
                "classification" => values.add_unsigned(points.classification()),
                "user_data" => values.add_unsigned(points.user_data()),
                "point_source_id" => values.add_unsigned(points.point_source_id()),
                "red" => values.add_unsigned(colors().map(|(red, ..)| red)),
                "green" => values.add_unsigned(colors().map(|(_, green, _)| green)),
                "blue" => values.add_unsigned(colors().map(|(.., blue)| blue)),
                "nir" => values.add_unsigned(points.nir().into_iter().flatten()),
                _ => match values {
                    ColumnValues::Singles(values) => {
                        values.extend(points.scan_angle_degrees().map(Some));
                    }
                    ColumnValues::Floats(values) => {
                        values.extend(points.gps_time().into_iter().flatten().map(Some));
                    }
                    _ => {}
                },
            }
        }
        let first = usize::from(self.format.len() - self.format.extra_bytes);
        for (Column { values, .. }, field) in extra.iter_mut().zip(&self.extra) {
            for point in points.raw_bytes().chunks_exact(self.format.len().into()) {
                let bytes = &point[first + field.at..][..field.number_type.byte_count()];
                field.push(values, bytes).ok_or_else(|| {
                    format!(
                        "has a number {} that is too large: raytwin keeps signed 64-bit integers",
                        field.name
                    )
                })?;
            }
        }
        Ok(())
    }
}
