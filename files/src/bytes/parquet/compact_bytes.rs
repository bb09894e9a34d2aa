//! Bytes in the compact protocol of Apache Thrift, which a file's footer and the headers of its
//! pages use.

/// Type codes of the protocol. A structure's boolean is part of its field's type.
pub(super) const TRUE: u8 = 1;
const FALSE: u8 = 2;
pub(super) const I32: u8 = 5;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// Structures and columns that are nested deeper than this are rejected.
pub(super) const MAX_DEPTH: usize = 32;

/// Walks through bytes. Methods return `None` if the bytes end early or declare something
/// impossible.
pub(super) struct CompactBytes<'a> {
    /// The bytes that are still to be read.
    rest: &'a [u8],
}

impl<'a> CompactBytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The count of bytes that are still to be read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads the type of a structure's next field and updates `id` to its number; `Some(None)` is
    /// the structure's end.
    pub fn field(&mut self, id: &mut i16) -> Option<Option<u8>> {
        let byte = self.byte()?;
        let kind = byte & 0x0f;
        if kind == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => self.integer()? as i16,
            delta => id.checked_add(delta.into())?,
        };
        Some(Some(kind))
    }

    /// Reads the type of a list's elements and their count, which is at most the count of bytes
    /// that are left.
    pub fn list(&mut self) -> Option<(u8, usize)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            short => short.into(),
        };
        (count <= self.rest.len()).then_some((byte & 0x0f, count))
    }

    /// Skips the elements of a list.
    pub fn skip_all(&mut self, kind: u8, count: usize, depth: usize) -> Option<()> {
        (0..count).try_for_each(|_| match kind {
            // A boolean takes a byte in a list. As a field it is part of the type code.
            TRUE | FALSE => self.byte().map(drop),
            kind => self.skip(kind, depth),
        })
    }

    /// Skips a value of this type.
    pub fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        (depth <= MAX_DEPTH).then_some(())?;
        match kind {
            TRUE | FALSE => {}
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
            // Parquet's structures have no maps.
            _ => return None,
        }
        Some(())
    }

    /// Reads a signed integer.
    pub fn integer(&mut self) -> Option<i64> {
        let zigzag = self.varint()?;
        Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
    }

    /// Reads an unsigned integer.
    pub fn varint(&mut self) -> Option<u64> {
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

    pub fn take(&mut self, count: usize) -> Option<()> {
        self.rest = self.rest.get(count..)?;
        Some(())
    }
}
