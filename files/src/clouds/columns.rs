//! The formats whose points are rows of little-endian numbers: PLY, PCD and NumPy's structured
//! arrays. They differ in the header and the type of positions.

use super::fields::{CloudField, NumberKind};
use super::spilled::SpilledPoints;
use std::io::{self, Write};

/// The header and the type of positions of a format.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowFormat {
    Ply,
    Pcd,
    Npy,
}

impl RowFormat {
    /// The type of the numbers of a position. In PCD it is float32, because the Point Cloud
    /// Library, whose format this is, reads no others.
    fn position(self) -> NumberKind {
        match self {
            Self::Ply | Self::Npy => NumberKind::F64,
            Self::Pcd => NumberKind::F32,
        }
    }

    /// The fields as the format has them: PCD has a colour in one number.
    fn fields(self, fields: &[CloudField]) -> Vec<CloudField> {
        let of_format = |field: &CloudField| match (self, field) {
            (Self::Pcd, CloudField::Color(0)) => Some(CloudField::PackedColor),
            (Self::Pcd, CloudField::Color(_)) => None,
            _ => Some(field.clone()),
        };
        fields.iter().filter_map(of_format).collect()
    }

    /// Writes a cloud.
    pub fn write(self, file: &mut impl Write, points: &mut SpilledPoints<'_>) -> io::Result<()> {
        let position = ["x", "y", "z"].map(|name| (name, self.position()));
        let fields = self.fields(points.fields);
        let named = fields.iter().map(|field| {
            let name = if matches!(self, Self::Pcd) { field.pcl_name() } else { field.name() };
            (name, field.kind())
        });
        let columns: Vec<(&str, NumberKind)> = position.into_iter().chain(named).collect();
        match self {
            Self::Ply => write_ply_header(file, &columns, points.count)?,
            Self::Pcd => write_pcd_header(file, &columns, points.count)?,
            Self::Npy => write_npy_header(file, &columns, points.count)?,
        }
        let kind = self.position();
        points.each(|point| {
            for number in point.position {
                match kind {
                    NumberKind::F64 => file.write_all(&number.to_le_bytes())?,
                    _ => file.write_all(&(number as f32).to_le_bytes())?,
                }
            }
            fields.iter().try_for_each(|field| field.write(point, file))
        })
    }
}

/// Writes the header of a binary PLY file.
fn write_ply_header(
    file: &mut impl Write,
    columns: &[(&str, NumberKind)],
    count: u64,
) -> io::Result<()> {
    writeln!(file, "ply\nformat binary_little_endian 1.0\ncomment raytwin")?;
    writeln!(file, "element vertex {count}")?;
    for (name, kind) in columns {
        let kind = match kind {
            NumberKind::F64 => "double",
            NumberKind::F32 => "float",
            NumberKind::U32 => "uint",
            NumberKind::I32 => "int",
            NumberKind::U8 => "uchar",
        };
        writeln!(file, "property {kind} {name}")?;
    }
    writeln!(file, "end_header")
}

/// Writes the header of a binary PCD file of version 0.7.
fn write_pcd_header(
    file: &mut impl Write,
    columns: &[(&str, NumberKind)],
    count: u64,
) -> io::Result<()> {
    let each = |text: &dyn Fn(NumberKind) -> String| {
        columns.iter().map(|(_, kind)| text(*kind)).collect::<Vec<_>>().join(" ")
    };
    let size = |kind: NumberKind| kind.byte_count().to_string();
    let letter = |kind| match kind {
        NumberKind::U32 | NumberKind::U8 => "U".to_owned(),
        NumberKind::I32 => "I".to_owned(),
        NumberKind::F32 | NumberKind::F64 => "F".to_owned(),
    };
    let one = |_| "1".to_owned();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    writeln!(file, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7")?;
    writeln!(file, "FIELDS {}", names.join(" "))?;
    writeln!(file, "SIZE {}\nTYPE {}\nCOUNT {}", each(&size), each(&letter), each(&one))?;
    writeln!(file, "WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0")?;
    writeln!(file, "POINTS {count}\nDATA binary")
}

/// Writes the header of a structured array.
fn write_npy_header(
    file: &mut impl Write,
    columns: &[(&str, NumberKind)],
    count: u64,
) -> io::Result<()> {
    let descr = |(name, kind): &(&str, NumberKind)| {
        let kind = match kind {
            NumberKind::F64 => "<f8",
            NumberKind::F32 => "<f4",
            NumberKind::U32 => "<u4",
            NumberKind::I32 => "<i4",
            NumberKind::U8 => "|u1",
        };
        format!("('{name}', '{kind}')")
    };
    let descr: Vec<String> = columns.iter().map(descr).collect();
    let fields = format!(
        "{{'descr': [{}], 'fortran_order': False, 'shape': ({count},), }}",
        descr.join(", ")
    );
    // The header takes a multiple of 64 bytes, of which ten stand before the text, and ends a
    // line.
    let length = (10 + fields.len() + 1).next_multiple_of(64) - 10;
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(length as u16).to_le_bytes())?;
    writeln!(file, "{fields:width$}", width = length - 1)
}
