//! Keeps the points of a cloud on disk until all are known.

use super::columns::CloudField;
use super::points::CloudPoint;
use super::scan_partial::{ScanCounts, ScanPartial};
use super::survey::Survey;
use crate::image::color;
use crate::{Draft, FileError};
use glam::DVec3;
use std::io::{self, BufReader, Read, Write};

/// The file that keeps points until all are known.
#[derive(Debug)]
pub(super) enum Spill {
    /// A file that ends with the run.
    Draft(Draft),
    /// A file that stays if the run ends early.
    Partial(ScanPartial),
}

impl Spill {
    /// Adds points, with the counts of their part of a scan.
    pub fn add(
        &mut self,
        points: &[CloudPoint],
        fields: &[CloudField],
        counts: ScanCounts,
    ) -> Result<(), FileError> {
        match self {
            Self::Draft(draft) => {
                draft.add(|file| points.iter().try_for_each(|point| spill(file, point, fields)))
            }
            Self::Partial(partial) => {
                let mut bytes = Vec::new();
                // Writing to memory never fails.
                let _ = points.iter().try_for_each(|point| spill(&mut bytes, point, fields));
                partial.add(counts, &bytes)
            }
        }
    }
}

pub(super) struct WholeCloud<'a> {
    pub points: SpilledPoints<'a>,
    /// The smallest and the largest coordinates.
    pub bounds: [DVec3; 2],
    pub survey: &'a Survey,
    /// The points whose label the format could not write in the usual way.
    pub unclassified: u64,
}

/// The points of a cloud that are on disk.
pub(super) struct SpilledPoints<'a> {
    pub spill: &'a mut Spill,
    pub fields: &'a [CloudField],
    pub count: u64,
    /// The least and the largest height, if colours show heights.
    pub heights: Option<[f64; 2]>,
}

impl SpilledPoints<'_> {
    pub fn each(&mut self, mut take: impl FnMut(&CloudPoint) -> io::Result<()>) -> io::Result<()> {
        let heights = self.heights;
        let mut take = |point: &CloudPoint| match heights {
            Some(range) => {
                let color = color::of_distance(point.position[2], range);
                take(&CloudPoint { color, ..*point })
            }
            None => take(point),
        };
        match &mut self.spill {
            Spill::Draft(draft) => {
                let mut reader = BufReader::with_capacity(1 << 18, draft.read_back()?);
                (0..self.count).try_for_each(|_| take(&read_back(&mut reader, self.fields)?))
            }
            Spill::Partial(partial) => {
                partial.replay(|bytes| each_of(bytes, self.fields, &mut take))
            }
        }
    }
}

pub(super) fn bytes_of_point(fields: &[CloudField]) -> u64 {
    let bytes = fields.iter().map(|field| field.number_type().byte_count());
    (size_of::<[f64; 3]>() + bytes.sum::<usize>()) as u64
}

pub(super) fn each_of(
    mut bytes: &[u8],
    fields: &[CloudField],
    mut take: impl FnMut(&CloudPoint) -> io::Result<()>,
) -> io::Result<()> {
    while !bytes.is_empty() {
        take(&read_back(&mut bytes, fields)?)?;
    }
    Ok(())
}

/// Writes the position of a point, and these fields.
fn spill(file: &mut impl Write, point: &CloudPoint, fields: &[CloudField]) -> io::Result<()> {
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
