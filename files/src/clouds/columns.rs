//! The formats whose points are rows of little-endian numbers: PLY, PCD and NumPy's structured
//! arrays. They differ in the header alone.

use super::points::{CloudLayout, CloudPoint};
use super::spilled::SpilledPoints;
use std::io::{self, Write};

/// The type of a column's numbers.
#[derive(Clone, Copy, Debug)]
enum Kind {
    F64,
    F32,
    U32,
}

/// The columns of a format, each with its name and type.
pub(super) struct CloudColumns {
    layout: CloudLayout,
    position: Kind,
    columns: Vec<(&'static str, Kind)>,
}

impl CloudColumns {
    /// Positions are float64.
    pub fn of_ply(layout: CloudLayout) -> Self {
        Self::new(layout, Kind::F64, ["nx", "ny", "nz"])
    }

    /// Positions are float32, because the Point Cloud Library, whose format this is, reads no
    /// others.
    pub fn of_pcd(layout: CloudLayout) -> Self {
        Self::new(layout, Kind::F32, ["normal_x", "normal_y", "normal_z"])
    }

    /// Positions are float64.
    pub fn of_npy(layout: CloudLayout) -> Self {
        Self::of_ply(layout)
    }

    fn new(layout: CloudLayout, position: Kind, normal: [&'static str; 3]) -> Self {
        let mut columns: Vec<_> = ["x", "y", "z"].map(|name| (name, position)).into();
        columns.extend(layout.has_time().then_some(("time", Kind::F64)));
        columns.extend(layout.integer_names().iter().map(|&name| (name, Kind::U32)));
        columns.extend(layout.float_names(normal).into_iter().map(|name| (name, Kind::F32)));
        Self { layout, position, columns }
    }

    /// Writes the rows in the order of the columns.
    fn write_rows(&self, file: &mut impl Write, points: &mut SpilledPoints<'_>) -> io::Result<()> {
        points.each(|point| self.write_row(file, point))
    }

    fn write_row(&self, file: &mut impl Write, point: &CloudPoint) -> io::Result<()> {
        for number in point.position {
            match self.position {
                Kind::F64 => file.write_all(&number.to_le_bytes())?,
                _ => file.write_all(&(number as f32).to_le_bytes())?,
            }
        }
        if self.layout.has_time() {
            file.write_all(&point.time.to_le_bytes())?;
        }
        let mut integers = self.layout.integers(point).into_iter();
        integers.try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        let mut floats = self.layout.floats(point).into_iter();
        floats.try_for_each(|number| file.write_all(&number.to_le_bytes()))
    }

    /// Writes a binary PLY file.
    pub fn write_ply(
        &self,
        file: &mut impl Write,
        points: &mut SpilledPoints<'_>,
    ) -> io::Result<()> {
        writeln!(file, "ply\nformat binary_little_endian 1.0\ncomment raytwin")?;
        writeln!(file, "element vertex {}", points.count)?;
        for (name, kind) in &self.columns {
            let kind = match kind {
                Kind::F64 => "double",
                Kind::F32 => "float",
                Kind::U32 => "uint",
            };
            writeln!(file, "property {kind} {name}")?;
        }
        writeln!(file, "end_header")?;
        self.write_rows(file, points)
    }

    /// Writes a binary PCD file of version 0.7.
    pub fn write_pcd(
        &self,
        file: &mut impl Write,
        points: &mut SpilledPoints<'_>,
    ) -> io::Result<()> {
        let each = |text: &dyn Fn(&(&'static str, Kind)) -> &'static str| {
            self.columns.iter().map(text).collect::<Vec<_>>().join(" ")
        };
        let size = |(_, kind): &(&str, Kind)| if matches!(kind, Kind::F64) { "8" } else { "4" };
        let letter = |(_, kind): &(&str, Kind)| if matches!(kind, Kind::U32) { "U" } else { "F" };
        let count = points.count;
        writeln!(file, "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7")?;
        writeln!(file, "FIELDS {}", each(&|(name, _)| name))?;
        writeln!(file, "SIZE {}\nTYPE {}\nCOUNT {}", each(&size), each(&letter), each(&|_| "1"))?;
        writeln!(file, "WIDTH {count}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0")?;
        writeln!(file, "POINTS {count}\nDATA binary")?;
        self.write_rows(file, points)
    }

    /// Writes a structured array.
    pub fn write_npy(
        &self,
        file: &mut impl Write,
        points: &mut SpilledPoints<'_>,
    ) -> io::Result<()> {
        let descr = |(name, kind): &(&str, Kind)| {
            let kind = match kind {
                Kind::F64 => "<f8",
                Kind::F32 => "<f4",
                Kind::U32 => "<u4",
            };
            format!("('{name}', '{kind}')")
        };
        let descr: Vec<String> = self.columns.iter().map(descr).collect();
        let fields = format!(
            "{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
            descr.join(", "),
            points.count
        );
        // The header takes a multiple of 64 bytes, of which ten stand before the text, and ends a
        // line.
        let length = (10 + fields.len() + 1).next_multiple_of(64) - 10;
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&(length as u16).to_le_bytes())?;
        writeln!(file, "{fields:width$}", width = length - 1)?;
        self.write_rows(file, points)
    }
}
