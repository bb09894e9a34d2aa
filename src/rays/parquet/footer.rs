//! A file's footer, which says what is where in it.
//!
//! The parquet crate reserves room for as many row groups, and as many columns in a column, as a footer claims, and
//! calls itself for each column in a column: a footer of a few bytes can end the program. So its claims are looked at
//! first, in the compact protocol of Apache Thrift that they are written in.

use super::decoded;
use crate::files::FileError;
use crate::npz::open;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// What the footer of a file says.
///
/// # Errors
/// [`FileError`]: unreadable, cut, damaged.
pub(super) fn metadata(path: &Path) -> Result<ParquetMetaData, FileError> {
    let (file, length) = open(path)?;
    decoded(|| read(file, length)).map_err(|error| {
        FileError::meaning(path, "", format!("is not a whole Parquet file: {error}"))
    })
}

/// Reads the footer of a file of `length` bytes.
fn read(mut file: impl Read + Seek, length: u64) -> Result<ParquetMetaData> {
    /// The footer's length and a magic word.
    const END: u64 = 8;
    let inner = length.checked_sub(END).ok_or_else(|| damaged("it is too short"))?;
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(inner))?;
    file.read_exact(&mut end)?;
    let [a, b, c, d, magic @ ..] = end;
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(damaged("its footer is encrypted, which is not read")),
        _ => return Err(damaged("it does not end in PAR1")),
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start = inner.checked_sub(footer).ok_or_else(|| damaged("its footer is not there"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; footer as usize];
    file.read_exact(&mut bytes)?;
    Claims { rest: &bytes }.refuse_false().ok_or_else(|| damaged("its footer claims too much"))?;
    ParquetMetaDataReader::decode_metadata(&bytes)
}

fn damaged(reason: &str) -> ParquetError {
    ParquetError::General(reason.to_owned())
}

/// Types of the protocol.
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Structures in structures, and columns in columns, are not followed deeper.
const DEEPEST: usize = 32;

/// What is not looked at yet. Methods return `None` where the bytes end, or claim what cannot be.
struct Claims<'a> {
    rest: &'a [u8],
}

impl Claims<'_> {
    /// Looks through `FileMetaData`, as `parquet.thrift` has it.
    fn refuse_false(&mut self) -> Option<()> {
        const SCHEMA: i16 = 2;
        const ROW_GROUPS: i16 = 4;
        /// They are numbered by 16 bits.
        const MOST_ROW_GROUPS: usize = 1 << 15;
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (SCHEMA, LIST) => self.schema()?,
                (ROW_GROUPS, LIST) => {
                    let (kind, count) = self.list()?;
                    (count <= MOST_ROW_GROUPS).then_some(())?;
                    self.skip_all(kind, count, 1)?;
                }
                _ => self.skip(kind, 1)?,
            }
        }
        Some(())
    }

    /// A list of all columns, each before those in it.
    fn schema(&mut self) -> Option<()> {
        const CHILDREN: i16 = 5;
        const I32: u8 = 5;
        let (kind, count) = self.list()?;
        (kind == STRUCT).then_some(())?;
        // Of each column that is not complete, how many of those in it are still to come.
        let mut open = Vec::new();
        for _ in 0..count {
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            let (mut id, mut children) = (0, 0);
            while let Some(kind) = self.field(&mut id)? {
                if (id, kind) == (CHILDREN, I32) {
                    let zigzag = self.varint()?;
                    children = usize::try_from(zigzag >> 1).ok().filter(|_| zigzag & 1 == 0)?;
                } else {
                    self.skip(kind, 1)?;
                }
            }
            (children < count).then_some(())?;
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
            (open.len() <= DEEPEST).then_some(())?;
        }
        Some(())
    }

    /// The type of a structure's next field, whose number is told from the last one's; `Some(None)` at its end.
    fn field(&mut self, id: &mut i16) -> Option<Option<u8>> {
        let byte = self.byte()?;
        let kind = byte & 0x0f;
        if kind == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => {
                let zigzag = self.varint()?;
                ((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)) as i16
            }
            more => id.checked_add(more.into())?,
        };
        Some(Some(kind))
    }

    /// The type of a list's elements, and how many there are: no more than there are bytes.
    fn list(&mut self) -> Option<(u8, usize)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            few => few.into(),
        };
        (count <= self.rest.len()).then_some((byte & 0x0f, count))
    }

    fn skip_all(&mut self, kind: u8, count: usize, depth: usize) -> Option<()> {
        (0..count).try_for_each(|_| match kind {
            // In a list, a truth has a byte of its own.
            1 | 2 => self.byte().map(drop),
            kind => self.skip(kind, depth),
        })
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        (depth <= DEEPEST).then_some(())?;
        match kind {
            1 | 2 => {}
            3 => self.take(1)?,
            4..=6 => self.varint().map(drop)?,
            7 => self.take(8)?,
            8 => {
                let length = self.varint()?;
                self.take(usize::try_from(length).ok()?)?;
            }
            LIST | 10 => {
                let (kind, count) = self.list()?;
                self.skip_all(kind, count, depth + 1)?;
            }
            STRUCT => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            // Maps are nowhere in a footer.
            _ => return None,
        }
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn take(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    /// What is said of a file that is a footer with these bytes for its columns, and for how many row groups it has.
    fn shape_error(schema: &[&[u8]], groups: &[u8]) -> String {
        let version: &[u8] = &[0x15, 2];
        let rows: &[u8] = &[0x16, 0];
        let lists = [&schema.concat()[..], rows, &[0x19], groups].concat();
        let footer = [version, &[0x19], &lists, &[0]].concat();
        let length = (footer.len() as u32).to_le_bytes();
        let file = [&b"PAR1"[..], &footer, &length, b"PAR1"].concat();
        read(Cursor::new(&file), file.len() as u64).unwrap_err().to_string()
    }

    /// A column that has so many in it, as the protocol writes them.
    fn column(children: &[u8]) -> Vec<u8> {
        [&[0x48, 1, b'a', 0x15], children, &[0]].concat()
    }

    #[test]
    fn what_a_footer_claims_is_counted_before_room_is_made_for_it() {
        const TOO_MUCH: &str = "claims too much";
        /// 2³¹ − 1, and as a signed number its half.
        const HUGE: [u8; 5] = [0xff, 0xff, 0xff, 0xff, 0x07];
        let none = [0x0c];
        let root = column(&[2]);
        let leaf: &[u8] = &[0x15, 2, 0x25, 0, 0x18, 1, b'x', 0];
        let groups = [&[0xfc], &HUGE[..]].concat();
        assert!(shape_error(&[&[0x2c], &root, leaf], &groups).contains(TOO_MUCH));
        // More than there are numbers for, and bytes enough.
        let many = [&[0xfc, 0x81, 0x80, 0x02][..], &vec![0; 40_000]].concat();
        assert!(shape_error(&[&[0x2c], &root, leaf], &many).contains(TOO_MUCH));
        assert!(shape_error(&[&[0x1c], &column(&HUGE)], &none).contains(TOO_MUCH));
        assert!(shape_error(&[&[0xfc], &HUGE], &none).contains(TOO_MUCH));
        // A column in a column in a column.
        let deep = [&[0xfc, 0x90, 0x4e][..], &column(&[2]).repeat(10_000)].concat();
        assert!(shape_error(&[&deep], &none).contains(TOO_MUCH));
        // What is not false is left to the decoder.
        let other = shape_error(&[&[0x2c], &root, leaf], &[0x1c, 0]);
        assert!(!other.contains(TOO_MUCH), "{other}");
    }
}
