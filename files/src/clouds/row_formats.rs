//! The formats whose points are rows of little-endian numbers: PLY, PCD and NumPy's structured
//! arrays. They differ in the header and the type of positions.

use super::columns::{CloudField, PointNumber};
use super::spilled::SpilledPoints;
use crate::bytes::npz::write_header_fields;
use crate::bytes::number_type::NumberType;
use std::io::{self, Write};

/// The header and the type of positions of a format.
#[derive(Clone, Copy, Debug)]
pub(super) enum RowFormat {
    Ply,
    Pcd,
    Npy,
}

impl RowFormat {
    /// A coordinate in the type of the format. In PCD it is float32, because the Point Cloud
    /// Library, which defines the format, reads no other type.
    fn coordinate(self, coordinate: f64) -> PointNumber {
        match self {
            Self::Ply | Self::Npy => PointNumber::F64(coordinate),
            Self::Pcd => PointNumber::F32(coordinate as f32),
        }
    }

    /// The fields in the layout of the format: PCD has a colour in one number.
    fn fields(self, fields: &[CloudField]) -> Vec<CloudField> {
        let of_format = |field: &CloudField| match (self, field) {
            (Self::Pcd, CloudField::Color(0)) => Some(CloudField::PackedColor),
            (Self::Pcd, CloudField::Color(_)) => None,
            _ => Some(field.clone()),
        };
        fields.iter().filter_map(of_format).collect()
    }

    pub fn write(self, file: &mut impl Write, points: &mut SpilledPoints<'_>) -> io::Result<()> {
        let position = ["x", "y", "z"].map(|name| (name, self.coordinate(0.0)));
        let fields = self.fields(points.fields);
        let named = fields.iter().map(|field| {
            let name = if matches!(self, Self::Pcd) { field.pcl_name() } else { field.name() };
            (name, field.zero())
        });
        let columns: Vec<(&str, PointNumber)> = position.into_iter().chain(named).collect();
        match self {
            Self::Ply => write_ply_header(file, &columns, points.count)?,
            Self::Pcd => write_pcd_header(file, &columns, points.count)?,
            Self::Npy => write_npy_header(file, &columns, points.count)?,
        }
        points.each(|point| {
            point.position.into_iter().try_for_each(|it| self.coordinate(it).write(file))?;
            fields.iter().try_for_each(|field| field.write(point, file))
        })
    }
}

/// Writes the header of a binary PLY file.
fn write_ply_header(
    file: &mut impl Write,
    columns: &[(&str, PointNumber)],
    count: u64,
) -> io::Result<()> {
    writeln!(file, "ply\nformat binary_little_endian 1.0\ncomment raytwin")?;
    writeln!(file, "element vertex {count}")?;
    for (name, zero) in columns {
        let number = match zero {
            PointNumber::F64(_) => "double",
            PointNumber::F32(_) => "float",
            PointNumber::U32(_) => "uint",
            PointNumber::I32(_) => "int",
            PointNumber::U8(_) => "uchar",
        };
        writeln!(file, "property {number} {name}")?;
    }
    writeln!(file, "end_header")
}

/// Writes the header of a binary PCD file of version 0.7.
fn write_pcd_header(
    file: &mut impl Write,
    columns: &[(&str, PointNumber)],
    count: u64,
) -> io::Result<()> {
    let row = |text: &dyn Fn(&str, NumberType) -> String| {
        let texts = columns.iter().map(|(name, zero)| text(name, zero.number_type()));
        texts.collect::<Vec<_>>().join(" ")
    };
    writeln!(file, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7")?;
    writeln!(file, "FIELDS {}", row(&|name, _| name.to_owned()))?;
    writeln!(file, "SIZE {}", row(&|_, number| number.byte_count().to_string()))?;
    writeln!(file, "TYPE {}", row(&|_, number| number.letter().to_owned()))?;
    writeln!(file, "COUNT {}", row(&|_, _| "1".to_owned()))?;
    writeln!(file, "WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0")?;
    writeln!(file, "POINTS {count}\nDATA binary")
}

/// Writes the header of a structured array.
fn write_npy_header(
    file: &mut impl Write,
    columns: &[(&str, PointNumber)],
    count: u64,
) -> io::Result<()> {
    let descr = |(name, zero): &(&str, PointNumber)| {
        let number = zero.number_type();
        let (letter, bytes) = (number.letter().to_lowercase(), number.byte_count());
        let order = if bytes == 1 { '|' } else { '<' };
        format!("('{name}', '{order}{letter}{bytes}')")
    };
    let descr: Vec<String> = columns.iter().map(descr).collect();
    write_header_fields(file, &format!("[{}]", descr.join(", ")), &format!("({count},)"), 0)
}
