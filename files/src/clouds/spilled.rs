//! Keeps the points of a cloud on disk until all are there.

use super::fields::{CloudField, NumberKind};
use super::points::CloudPoint;
use crate::Draft;
use std::io::{self, BufReader, Read, Write};

/// The points of a cloud that lie on disk.
pub(super) struct SpilledPoints<'a> {
    pub draft: &'a mut Draft,
    pub fields: &'a [CloudField],
    pub count: u64,
}

impl SpilledPoints<'_> {
    /// Calls `take` with each point.
    pub fn each(&mut self, mut take: impl FnMut(&CloudPoint) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 18, self.draft.read_back()?);
        (0..self.count).try_for_each(|_| take(&read_back(&mut reader, self.fields)?))
    }
}

/// The bytes of a point on disk with these fields.
pub(super) fn bytes_of_point(fields: &[CloudField]) -> u64 {
    let position = 3 * u64::from(NumberKind::F64.byte_count());
    position + fields.iter().map(|field| u64::from(field.kind().byte_count())).sum::<u64>()
}

/// Writes the position of a point, and these fields.
pub(super) fn spill(
    file: &mut impl Write,
    point: &CloudPoint,
    fields: &[CloudField],
) -> io::Result<()> {
    point.position.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
    fields.iter().try_for_each(|field| field.write(point, file))
}

fn read_back(reader: &mut impl Read, fields: &[CloudField]) -> io::Result<CloudPoint> {
    let mut point = CloudPoint::default();
    for number in &mut point.position {
        let mut bytes = [0; 8];
        reader.read_exact(&mut bytes)?;
        *number = f64::from_le_bytes(bytes);
    }
    fields.iter().try_for_each(|field| field.read(&mut point, reader))?;
    Ok(point)
}
