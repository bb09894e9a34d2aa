//! Keeps the points of a cloud on disk until all are there.

use super::points::{CloudLayout, CloudPoint};
use crate::Draft;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};

/// The points of a cloud that lie on disk.
pub(super) struct SpilledPoints<'a> {
    pub draft: &'a mut Draft,
    pub layout: CloudLayout,
    pub count: u64,
}

impl SpilledPoints<'_> {
    /// Calls `take` with each point.
    pub fn each(&mut self, mut take: impl FnMut(&CloudPoint) -> io::Result<()>) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(1 << 18, self.draft.read_back()?);
        (0..self.count).try_for_each(|_| take(&CloudPoint::read_back(&mut reader, self.layout)?))
    }
}

impl CloudPoint {
    /// Writes the numbers that clouds of the layout have.
    pub(super) fn spill(&self, file: &mut BufWriter<File>, layout: CloudLayout) -> io::Result<()> {
        self.position.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        file.write_all(&self.geometry_id.to_le_bytes())?;
        self.pixel.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        if layout.has_normals {
            self.normal.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        }
        if layout.has_time() {
            file.write_all(&self.primitive_id.to_le_bytes())?;
            file.write_all(&self.distance.to_le_bytes())?;
            file.write_all(&self.time.to_le_bytes())?;
        }
        Ok(())
    }

    fn read_back(reader: &mut impl Read, layout: CloudLayout) -> io::Result<Self> {
        fn next<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
            let mut bytes = [0; N];
            reader.read_exact(&mut bytes)?;
            Ok(bytes)
        }
        let mut point = Self::default();
        for number in &mut point.position {
            *number = f64::from_le_bytes(next(reader)?);
        }
        point.geometry_id = u32::from_le_bytes(next(reader)?);
        for number in &mut point.pixel {
            *number = u32::from_le_bytes(next(reader)?);
        }
        if layout.has_normals {
            for number in &mut point.normal {
                *number = f32::from_le_bytes(next(reader)?);
            }
        }
        if layout.has_time() {
            point.primitive_id = u32::from_le_bytes(next(reader)?);
            point.distance = f32::from_le_bytes(next(reader)?);
            point.time = f64::from_le_bytes(next(reader)?);
        }
        Ok(point)
    }
}
