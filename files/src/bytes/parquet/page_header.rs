//! The header in front of a page.

use super::compact_bytes::{CompactBytes, I32, STRUCT, TRUE};
use ::parquet::basic::Encoding;

/// The contents of a page header, as `PageHeader` in `parquet.thrift` defines them.
#[derive(Debug, Default)]
pub(super) struct PageHeader {
    pub kind: PageKind,
    /// The length of the page in bytes after it is decompressed.
    pub length: u32,
    /// The length of the page in the file.
    pub compressed_length: u32,
    /// The count of numbers, nulls included.
    pub values: u32,
    pub nulls: u32,
    pub rows: u32,
    /// The code of the numbers' encoding.
    encoding: i64,
    /// The codes of the levels' encodings, for a page of the first version.
    definition_encoding: i64,
    repetition_encoding: i64,
    /// The lengths in bytes of the levels, for a page of the second version.
    pub definition_bytes: u32,
    pub repetition_bytes: u32,
    pub is_compressed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum PageKind {
    Data,
    Dictionary,
    DataV2,
    /// A page without numbers, such as an index.
    #[default]
    Other,
}

impl PageHeader {
    /// Reads a header from the first of these bytes and also returns its length; `None` if they end
    /// early or are invalid.
    pub fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        const DATA: i16 = 5;
        const DICTIONARY: i16 = 7;
        const DATA_V2: i16 = 8;
        let mut rest = CompactBytes::new(bytes);
        let mut header = Self { is_compressed: true, ..Self::default() };
        let mut id = 0;
        while let Some(kind) = rest.field(&mut id)? {
            match (id, kind) {
                (2, I32) => header.length = rest.unsigned()?,
                (3, I32) => header.compressed_length = rest.unsigned()?,
                (DATA | DICTIONARY | DATA_V2, STRUCT) => {
                    header.kind = match id {
                        DATA => PageKind::Data,
                        DICTIONARY => PageKind::Dictionary,
                        _ => PageKind::DataV2,
                    };
                    header.parse_kind(&mut rest)?;
                }
                _ => rest.skip(kind, 1)?,
            }
        }
        Some((header, bytes.len() - rest.left()))
    }

    /// Reads the part of the header that depends on the kind of page.
    fn parse_kind(&mut self, rest: &mut CompactBytes<'_>) -> Option<()> {
        let is_v2 = self.kind == PageKind::DataV2;
        let mut id = 0;
        while let Some(kind) = rest.field(&mut id)? {
            match (id, kind) {
                (1, I32) => self.values = rest.unsigned()?,
                (2, I32) if is_v2 => self.nulls = rest.unsigned()?,
                (2, I32) => self.encoding = rest.integer()?,
                (3, I32) if is_v2 => self.rows = rest.unsigned()?,
                (3, I32) => self.definition_encoding = rest.integer()?,
                (4, I32) if is_v2 => self.encoding = rest.integer()?,
                (4, I32) => self.repetition_encoding = rest.integer()?,
                (5, I32) if is_v2 => self.definition_bytes = rest.unsigned()?,
                (6, I32) if is_v2 => self.repetition_bytes = rest.unsigned()?,
                (7, _) if is_v2 => self.is_compressed = kind == TRUE,
                _ => rest.skip(kind, 2)?,
            }
        }
        Some(())
    }

    /// The encoding of the numbers, if the format knows it.
    pub fn encoding(&self) -> Option<Encoding> {
        encoding(self.encoding)
    }

    /// The length in bytes of the levels, which only a page of the second version has here.
    pub fn level_bytes(&self) -> Option<u64> {
        (self.kind == PageKind::DataV2)
            .then(|| u64::from(self.definition_bytes) + u64::from(self.repetition_bytes))
    }

    /// The encodings of the definition and repetition levels of a page of the first version.
    pub fn level_encodings(&self) -> Option<[Encoding; 2]> {
        Some([encoding(self.definition_encoding)?, encoding(self.repetition_encoding)?])
    }
}

impl CompactBytes<'_> {
    fn unsigned(&mut self) -> Option<u32> {
        u32::try_from(self.integer()?).ok()
    }
}

/// The encoding with this code, by `Encoding` in `parquet.thrift`.
fn encoding(code: i64) -> Option<Encoding> {
    Some(match code {
        0 => Encoding::PLAIN,
        2 => Encoding::PLAIN_DICTIONARY,
        3 => Encoding::RLE,
        #[expect(deprecated, reason = "old files have such levels")]
        4 => Encoding::BIT_PACKED,
        5 => Encoding::DELTA_BINARY_PACKED,
        6 => Encoding::DELTA_LENGTH_BYTE_ARRAY,
        7 => Encoding::DELTA_BYTE_ARRAY,
        8 => Encoding::RLE_DICTIONARY,
        9 => Encoding::BYTE_STREAM_SPLIT,
        _ => return None,
    })
}
