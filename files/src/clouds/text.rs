//! Clouds as text: rows of `x y z`, or a table with a column for each field. Numbers have the fewest
//! digits that read back to the same number.

use super::columns::{CloudField, PointNumber};
use super::points::CloudPoint;
use super::spilled::SpilledPoints;
use std::io::{self, Write};

/// Writes only the positions, without a line of names, which few programs expect in such files.
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
    points.each(|point| {
        let [x, y, z] = point.position;
        write!(file, "{x:?},{y:?},{z:?}")?;
        fields.iter().try_for_each(|field| write_cell(file, field, point))?;
        writeln!(file)
    })
}

/// Writes a comma and the number of a field.
fn write_cell(file: &mut impl Write, field: &CloudField, point: &CloudPoint) -> io::Result<()> {
    match field.number(point) {
        PointNumber::F64(number) => write!(file, ",{number:?}"),
        PointNumber::F32(number) => write!(file, ",{number:?}"),
        PointNumber::U32(number) => write!(file, ",{number}"),
        PointNumber::I32(number) => write!(file, ",{number}"),
        PointNumber::U8(number) => write!(file, ",{number}"),
    }
}
