//! The pages of a column. They are read and checked here before the parquet crate decodes their
//! numbers, because the crate would reserve whatever memory a page declares, decompress it without
//! a limit, and panic on some damaged pages.

use super::compact_bytes::CompactBytes;
use super::decompress::{decompress, no_room};
use super::page_header::{PageHeader, PageKind};
use crate::bytes::open_file::SharedFile;
use ::parquet::basic::{Compression, Encoding, Type as Physical};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::data_type::ByteArray;
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::ColumnChunkMetaData;
use bytes::Bytes;

/// The longest page that is read, both in the file and decompressed. By default, writers make pages
/// of a mebibyte.
pub(super) const MAX_PAGE_BYTES: u32 = 1 << 27;

/// The longest header of a page. It may contain the least and the greatest text of its page.
const MAX_HEADER_BYTES: u64 = 1 << 24;

/// The pages of one column in one row group.
pub(super) struct ColumnPages {
    /// Readers of several columns share the file.
    file: SharedFile,
    /// The offsets of the next page and of the column's end.
    position: u64,
    end: u64,
    compression: Compression,
    physical: Physical,
    /// The least count of bytes of a number in a dictionary.
    number_bytes: u64,
    may_have_nulls: bool,
    has_dictionary: bool,
}

impl ColumnPages {
    /// Begins with the column's first page. The chunk's bytes must be within the file.
    pub fn new(file: SharedFile, chunk: &ColumnChunkMetaData) -> Self {
        let (start, length) = chunk.byte_range();
        let description = chunk.column_descr();
        let physical = description.physical_type();
        let number_bytes = match physical {
            Physical::BOOLEAN => 1,
            Physical::INT32 | Physical::FLOAT | Physical::BYTE_ARRAY => 4,
            Physical::INT64 | Physical::DOUBLE => 8,
            Physical::INT96 => 12,
            Physical::FIXED_LEN_BYTE_ARRAY => description.type_length().max(1) as u64,
        };
        Self {
            file,
            position: start,
            end: start + length,
            compression: chunk.compression(),
            physical,
            number_bytes,
            may_have_nulls: description.max_def_level() > 0,
            has_dictionary: false,
        }
    }

    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>> {
        let bytes = self.file.read_at(offset, count)?;
        match bytes.len() as u64 == count {
            true => Ok(bytes),
            false => Err(damaged("the file ends before its pages")),
        }
    }

    /// Reads the header of the next page, and moves past it.
    fn next_header(&mut self) -> Result<PageHeader> {
        const FIRST_TRY: u64 = 1 << 10;
        let left = self.end - self.position;
        let mut tried = FIRST_TRY.min(left);
        loop {
            let bytes = self.read(self.position, tried)?;
            if let Some((header, length)) = PageHeader::parse(&bytes) {
                self.position += length as u64;
                return Ok(header);
            }
            if tried == left.min(MAX_HEADER_BYTES) {
                return Err(damaged("the header of a page is invalid"));
            }
            tried = (8 * tried).min(left).min(MAX_HEADER_BYTES);
        }
    }

    /// Reads the body of a page, and moves past it. The levels of a page of the second version,
    /// which mark the nulls, are in front of the numbers and never compressed.
    fn next_body(&mut self, header: &PageHeader) -> Result<Bytes> {
        let in_file = u64::from(header.compressed_length);
        if in_file > self.end - self.position {
            return Err(damaged(format!(
                "a page of {in_file} bytes extends past the end of its column"
            )));
        }
        let longest = header.length.max(header.compressed_length);
        if longest > MAX_PAGE_BYTES {
            return Err(damaged(format!(
                "a page has {longest} bytes, and raytwin reads pages of at most {MAX_PAGE_BYTES} bytes: write smaller ones"
            )));
        }
        let body = self.read(self.position, in_file)?;
        self.position += in_file;
        let level_bytes = header.level_bytes().unwrap_or(0);
        let halves =
            usize::try_from(level_bytes).ok().and_then(|count| body.split_at_checked(count));
        let number_bytes = u64::from(header.length).checked_sub(level_bytes);
        let (Some((levels, compressed)), Some(number_bytes)) = (halves, number_bytes) else {
            return Err(damaged("a page ends before its numbers"));
        };
        if !header.is_compressed || self.compression == Compression::UNCOMPRESSED {
            return Ok(body.into());
        }
        decompress(compressed, self.compression, levels, number_bytes as usize).map(Bytes::from)
    }

    /// Rejects a page for which the decoder would reserve more memory than its bytes justify, or
    /// that it cannot decode.
    fn check(&self, header: &PageHeader, body: &[u8]) -> Result<Encoding> {
        let values = u64::from(header.values);
        let encoding =
            header.encoding().ok_or_else(|| damaged("the encoding of a page is unknown"))?;
        if header.kind == PageKind::Dictionary {
            if values * self.number_bytes > body.len() as u64 {
                return Err(damaged(format!(
                    "a dictionary of {values} numbers has only {} bytes",
                    body.len()
                )));
            }
            // The crate's decoder ends the program if the numbers do not fit into memory, so this
            // is tried before.
            let bytes = values as usize * size_of::<ByteArray>();
            Vec::<u8>::new().try_reserve_exact(bytes).map_err(|error| no_room(bytes, error))?;
            return Ok(encoding);
        }
        let number_types = [Physical::INT32, Physical::INT64, Physical::FLOAT, Physical::DOUBLE];
        let is_supported = match encoding {
            Encoding::PLAIN => true,
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => self.has_dictionary,
            Encoding::RLE => self.physical == Physical::BOOLEAN,
            Encoding::BYTE_STREAM_SPLIT => {
                number_types.contains(&self.physical)
                    || self.physical == Physical::FIXED_LEN_BYTE_ARRAY
            }
            Encoding::DELTA_BINARY_PACKED => number_types[..2].contains(&self.physical),
            Encoding::DELTA_LENGTH_BYTE_ARRAY => self.physical == Physical::BYTE_ARRAY,
            _ => false,
        };
        if !is_supported {
            return Err(damaged(format!(
                "a page of {} is encoded as {encoding}, which raytwin does not read: write it with another encoding",
                self.physical
            )));
        }
        if self.may_have_nulls
            && header.kind == PageKind::Data
            && header.level_encodings().is_none_or(|[definition, _]| definition != Encoding::RLE)
        {
            return Err(damaged("a page does not mark which of its numbers are null"));
        }
        if encoding == Encoding::DELTA_LENGTH_BYTE_ARRAY {
            self.check_lengths(header, body)?;
        }
        Ok(encoding)
    }

    /// Rejects texts with more lengths than the page has numbers, because the decoder reserves
    /// memory for them.
    fn check_lengths(&self, header: &PageHeader, body: &[u8]) -> Result<()> {
        let levels = match header.level_bytes() {
            Some(bytes) => bytes,
            None if !self.may_have_nulls => 0,
            None => {
                let length = body.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                4 + u64::from(length)
            }
        };
        let numbers = usize::try_from(levels).ok().and_then(|start| body.get(start..));
        let count = numbers.and_then(|numbers| {
            let mut numbers = CompactBytes::new(numbers);
            // The sizes of a block and the count of its parts are in front of the count of lengths.
            numbers.varint()?;
            numbers.varint()?;
            numbers.varint()
        });
        let most = u64::from(header.values.min(MAX_PAGE_BYTES / 4));
        match count {
            Some(count) if count <= most => Ok(()),
            _ => Err(damaged("a page declares more texts than it has")),
        }
    }
}

fn damaged(reason: impl Into<String>) -> ParquetError {
    ParquetError::General(reason.into())
}

impl PageReader for ColumnPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        while self.position < self.end {
            let header = self.next_header()?;
            let buf = self.next_body(&header)?;
            // The decoder treats a page without numbers as the end of the column.
            let is_empty = header.values == 0 && header.kind != PageKind::Dictionary;
            if header.kind == PageKind::Other || is_empty {
                continue;
            }
            let encoding = self.check(&header, &buf)?;
            let num_values = header.values;
            return Ok(Some(match header.kind {
                PageKind::Dictionary => {
                    self.has_dictionary = true;
                    Page::DictionaryPage { buf, num_values, encoding, is_sorted: false }
                }
                PageKind::DataV2 => Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls: header.nulls,
                    num_rows: header.rows,
                    def_levels_byte_len: header.definition_bytes,
                    rep_levels_byte_len: header.repetition_bytes,
                    is_compressed: false,
                    statistics: None,
                },
                PageKind::Data | PageKind::Other => {
                    let [def_level_encoding, rep_level_encoding] =
                        header.level_encodings().unwrap_or([Encoding::RLE; 2]);
                    Page::DataPage {
                        buf,
                        num_values,
                        encoding,
                        def_level_encoding,
                        rep_level_encoding,
                        statistics: None,
                    }
                }
            }));
        }
        Ok(None)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Err(ParquetError::General("pages are only read in order".to_owned()))
    }

    fn skip_next_page(&mut self) -> Result<()> {
        Err(ParquetError::General("pages are only read in order".to_owned()))
    }
}

impl Iterator for ColumnPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
