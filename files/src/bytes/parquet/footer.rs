//! A file's footer, which has its schema and the offsets of its columns.
//!
//! The parquet crate reserves memory for as many row groups and nested columns as a footer
//! declares, and recurses for each nested column: a footer of a few bytes can end the program. Its
//! declarations are therefore checked first, in the compact protocol of Apache Thrift that they
//! use.

use super::compact_bytes::{CompactBytes, I32, LIST, MAX_DEPTH, STRUCT};
use super::decode;
use crate::{FileError, FileStore};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

pub(crate) fn read_metadata(store: &FileStore, path: &Path) -> Result<ParquetMetaData, FileError> {
    let (file, length) = store.open(path)?;
    decode(|| read(file, length)).map_err(|error| {
        FileError::meaning(path, "", format!("is not a complete Parquet file: {error}"))
    })
}

/// Reads the footer of a file of `length` bytes.
fn read(mut file: impl Read + Seek, length: u64) -> Result<ParquetMetaData> {
    /// The length of the footer and the magic string.
    const TAIL_BYTES: u64 = 8;
    let footer_end = length.checked_sub(TAIL_BYTES).ok_or_else(|| damaged("it is too short"))?;
    let mut tail = [0; TAIL_BYTES as usize];
    file.seek(SeekFrom::Start(footer_end))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(damaged("its footer is encrypted, which raytwin cannot read")),
        _ => return Err(damaged("it does not end in PAR1")),
    }
    let footer_bytes = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start =
        footer_end.checked_sub(footer_bytes).ok_or_else(|| damaged("its footer is missing"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(footer_bytes as usize).map_err(std::io::Error::other)?;
    file.take(footer_bytes).read_to_end(&mut bytes)?;
    CompactBytes::new(&bytes)
        .check_footer()
        .ok_or_else(|| damaged("the sizes in its footer are too large"))?;
    ParquetMetaDataReader::decode_metadata(&bytes)
}

fn damaged(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

impl CompactBytes<'_> {
    /// Checks `FileMetaData`, as `parquet.thrift` defines it.
    fn check_footer(&mut self) -> Option<()> {
        const SCHEMA: i16 = 2;
        const ROW_GROUPS: i16 = 4;
        /// Row groups are numbered by 16 bits.
        const MAX_ROW_GROUPS: usize = 1 << 15;
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (SCHEMA, LIST) => self.check_schema()?,
                (ROW_GROUPS, LIST) => {
                    let (kind, count) = self.list()?;
                    (count <= MAX_ROW_GROUPS).then_some(())?;
                    self.skip_all(kind, count, 1)?;
                }
                _ => self.skip(kind, 1)?,
            }
        }
        Some(())
    }

    /// Checks the schema, which lists all columns in depth-first order.
    fn check_schema(&mut self) -> Option<()> {
        const CHILDREN: i16 = 5;
        let (kind, count) = self.list()?;
        (kind == STRUCT).then_some(())?;
        // For each column that encloses the current one: the count of its children that are still
        // to come.
        let mut enclosing = Vec::new();
        for _ in 0..count {
            if let Some(left) = enclosing.last_mut() {
                *left -= 1;
            }
            let (mut id, mut children) = (0, 0);
            while let Some(kind) = self.field(&mut id)? {
                if (id, kind) == (CHILDREN, I32) {
                    children = usize::try_from(self.integer()?).ok()?;
                } else {
                    self.skip(kind, 1)?;
                }
            }
            (children < count).then_some(())?;
            enclosing.push(children);
            while enclosing.last() == Some(&0) {
                enclosing.pop();
            }
            (enclosing.len() <= MAX_DEPTH).then_some(())?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// The error for a file that consists of a footer with this schema and this list of row groups.
    fn footer_error(schema: &[&[u8]], groups: &[u8]) -> String {
        let version: &[u8] = &[0x15, 2];
        let rows: &[u8] = &[0x16, 0];
        let lists = [&schema.concat()[..], rows, &[0x19], groups].concat();
        let footer = [version, &[0x19], &lists, &[0]].concat();
        let length = (footer.len() as u32).to_le_bytes();
        let file = [&b"PAR1"[..], &footer, &length, b"PAR1"].concat();
        read(Cursor::new(&file), file.len() as u64).unwrap_err().to_string()
    }

    /// A column with so many children, in the protocol's bytes.
    fn column(children: &[u8]) -> Vec<u8> {
        [&[0x48, 1, b'a', 0x15], children, &[0]].concat()
    }

    #[test]
    fn claims_of_a_footer_are_checked_before_memory_is_reserved() {
        const TOO_MUCH: &str = "in its footer are too large";
        /// The bytes of 2³¹ − 1, which the protocol's signed numbers take for half of it.
        const HUGE: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x07];
        let none = [0x0c];
        let root = column(&[2]);
        let leaf: &[u8] = &[0x15, 2, 0x25, 0, 0x18, 1, b'x', 0];
        let groups = [&[0xfc], &HUGE[..]].concat();
        assert!(footer_error(&[&[0x2c], &root, leaf], &groups).contains(TOO_MUCH));
        // These are more row groups than 16 bits can number, and there are bytes enough for them.
        let many = [&[0xfc, 0x81, 0x80, 0x02][..], &vec![0; 40_000]].concat();
        assert!(footer_error(&[&[0x2c], &root, leaf], &many).contains(TOO_MUCH));
        assert!(footer_error(&[&[0x1c], &column(&HUGE)], &none).contains(TOO_MUCH));
        assert!(footer_error(&[&[0xfc], &HUGE], &none).contains(TOO_MUCH));
        // These columns are nested too deep.
        let deep = [&[0xfc, 0x90, 0x4e][..], &column(&[2]).repeat(10_000)].concat();
        assert!(footer_error(&[&deep], &none).contains(TOO_MUCH));
        // True declarations are left to the decoder.
        let other = footer_error(&[&[0x2c], &root, leaf], &[0x1c, 0]);
        assert!(!other.contains(TOO_MUCH), "{other}");
    }
}
