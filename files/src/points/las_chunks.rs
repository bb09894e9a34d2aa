//! Checks what a LAZ file declares about its chunks against the length of the file, because the
//! crate `laz` allocates what a chunk declares before it reads it.
//!
//! Source: "The LAZ file format", and the chunks of LASzip 3 in layers, of the library LASzip.

use crate::bytes::open_file::OpenFile;
use laz::laszip::{ChunkTable, ChunkTableEntry, LazItem};
use laz::{LazItemType, LazVlr};
use std::io::{self, Read, Seek, SeekFrom};

/// The largest number of items of a point.
const MOST_ITEMS: usize = 8;

/// The least number of bytes of a chunk, which are those of its first point.
const LEAST_CHUNK: u64 = 20;

/// What is known about the file beforehand.
pub(super) struct Claims {
    /// The offset of the points.
    pub start: u64,
    /// The number of bytes of the file.
    pub length: u64,
    /// The number of bytes of an uncompressed point.
    pub point_size: u16,
    /// The number of points that the header declares.
    pub count: u64,
}

impl Claims {
    /// Checks the chunks of the points. Afterwards the file is at the points again.
    pub fn hold(&self, file: &mut OpenFile, laz: &LazVlr, record: &[u8]) -> Result<(), String> {
        let mismatch = || "describes compressed points that do not match its format".to_owned();
        let sizes = laz.items().iter().map(|item| u64::from(item.size()));
        if laz.items().len() > MOST_ITEMS || sizes.sum::<u64>() != u64::from(self.point_size) {
            return Err(mismatch());
        }
        let is_layered = |item: &LazItem| item.version() >= 3;
        match record.first() {
            Some(1) if !laz.items().iter().any(is_layered) => {}
            Some(2) if !laz.items().iter().any(is_layered) => {
                let table = self.table(file, laz)?;
                let points = table.iter().map(|chunk| chunk.point_count);
                let points = points.fold(0_u64, u64::saturating_add);
                // The last chunk of those of one size may be smaller.
                let last = table.last().map_or(0, |chunk| chunk.point_count);
                let is_short = !laz.uses_variable_size_chunks();
                let least =
                    if is_short { points.saturating_sub(last) } else { points.saturating_sub(1) };
                if self.count > points || self.count <= least {
                    return Err(self.miscounted(points));
                }
            }
            Some(3) if laz.items().iter().all(is_layered) => self.layers(file, laz)?,
            _ => return Err(mismatch()),
        }
        file.seek(SeekFrom::Start(self.start)).map_err(damaged).map(drop)
    }

    /// Reads the table of chunks, whose bytes are in the file.
    fn table(&self, file: &mut OpenFile, laz: &LazVlr) -> Result<Vec<ChunkTableEntry>, String> {
        file.seek(SeekFrom::Start(self.start)).map_err(damaged)?;
        let mut at = next_u64(file)?;
        let is_in_file = |at: u64| at > self.start && at.saturating_add(8) <= self.length;
        if !is_in_file(at) {
            // A writer that could not go back wrote the offset at the end.
            file.seek(SeekFrom::End(-8)).map_err(damaged)?;
            at = next_u64(file)?;
        }
        if !is_in_file(at) {
            return Err("is truncated: it has no chunk table".to_owned());
        }
        file.seek(SeekFrom::Start(at + 4)).map_err(damaged)?;
        let chunks = next_u32(file)?;
        if u64::from(chunks) > self.length / LEAST_CHUNK {
            return Err(format!("is damaged: it declares {chunks} chunks"));
        }
        file.seek(SeekFrom::Start(self.start)).map_err(damaged)?;
        let table = ChunkTable::read_from(&mut *file, laz);
        let table = table.map_err(|error| format!("is damaged in its chunk table: {error}"))?;
        let bytes = table.as_ref().iter().map(|chunk| chunk.byte_count);
        let end = bytes.fold(self.start + 8, u64::saturating_add);
        if end > at || table.as_ref().is_empty() {
            return Err("is damaged: its chunks are longer than the file".to_owned());
        }
        Ok(table.as_ref().to_vec())
    }

    /// Checks chunks that begin with a point, the number of points, and the sizes of layers.
    fn layers(&self, file: &mut OpenFile, laz: &LazVlr) -> Result<(), String> {
        let layers = laz.items().iter().map(|item| match item.item_type() {
            LazItemType::Point14 => 9,
            LazItemType::RGBNIR14 => 2,
            LazItemType::Byte14(count) => count.into(),
            _ => 1_u64,
        });
        let layers: u64 = layers.sum();
        let head = u64::from(self.point_size) + 4 + 4 * layers;
        let mut at = self.start + 8;
        let mut points = 0_u64;
        for (index, chunk) in self.table(file, laz)?.iter().enumerate() {
            file.seek(SeekFrom::Start(at + u64::from(self.point_size))).map_err(damaged)?;
            let count = u64::from(next_u32(file)?);
            let mut bytes = head;
            for _ in 0..layers {
                bytes += u64::from(next_u32(file)?);
            }
            let has_count = match laz.uses_variable_size_chunks() {
                true => count == chunk.point_count,
                false => count <= chunk.point_count,
            };
            if bytes != chunk.byte_count || !has_count {
                return Err(format!(
                    "is damaged: its chunk {index} does not have its declared length"
                ));
            }
            points = points.saturating_add(count);
            at += bytes;
        }
        if points == self.count { Ok(()) } else { Err(self.miscounted(points)) }
    }

    fn miscounted(&self, points: u64) -> String {
        format!("has chunks of {points} points, but its header declares {}", self.count)
    }
}

fn next_u32(file: &mut OpenFile) -> Result<u32, String> {
    let mut bytes = [0; 4];
    file.read_exact(&mut bytes).map_err(damaged)?;
    Ok(u32::from_le_bytes(bytes))
}

fn next_u64(file: &mut OpenFile) -> Result<u64, String> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes).map_err(damaged)?;
    Ok(u64::from_le_bytes(bytes))
}

fn damaged(error: io::Error) -> String {
    format!("is damaged or truncated: {error}")
}
