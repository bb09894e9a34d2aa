//! Clouds as text: rows of `x y z`, or a table with a column for each field. Numbers have the fewest
//! digits that read back to the same number.

use super::fields::{CloudField, NumberKind};
use super::points::CloudPoint;
use super::spilled::SpilledPoints;
use std::io::{self, Write};

/// Writes the positions alone, without a line of names, which few programs expect in such files.
pub(super) fn write_xyz(file: &mut impl Write, points: &mut SpilledPoints<'_>) -> io::Result<()> {
    points.each(|point| {
        let [x, y, z] = point.position;
        writeln!(file, "{x:?} {y:?} {z:?}")
    })
}

/// Writes a line with the names of the columns, and a line for each point.
pub(super) fn write_csv(file: &mut impl Write, points: &mut SpilledPoints<'_>) -> io::Result<()> {
    write!(file, "x,y,z")?;
    let fields = points.fields;
    fields.iter().try_for_each(|field| write!(file, ",{}", field.name()))?;
    writeln!(file)?;
    let mut bytes = Vec::new();
    points.each(|point| {
        let [x, y, z] = point.position;
        write!(file, "{x:?},{y:?},{z:?}")?;
        fields.iter().try_for_each(|field| write_cell(file, field, point, &mut bytes))?;
        writeln!(file)
    })
}

/// Writes a comma and the number of a field, for which `bytes` is room.
fn write_cell(
    file: &mut impl Write,
    field: &CloudField,
    point: &CloudPoint,
    bytes: &mut Vec<u8>,
) -> io::Result<()> {
    bytes.clear();
    field.write(point, bytes)?;
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    let [b0, b1, b2, b3, ..] = padded;
    let half = [b0, b1, b2, b3];
    match field.kind() {
        NumberKind::F64 => write!(file, ",{:?}", f64::from_le_bytes(padded)),
        NumberKind::F32 => write!(file, ",{:?}", f32::from_le_bytes(half)),
        NumberKind::U32 => write!(file, ",{}", u32::from_le_bytes(half)),
        NumberKind::I32 => write!(file, ",{}", i32::from_le_bytes(half)),
        NumberKind::U8 => write!(file, ",{b0}"),
    }
}
