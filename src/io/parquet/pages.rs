//! The check of a column's pages before the parquet crate decodes them: some of its decoders panic on a damaged page, or
//! reserve whatever memory it claims.

use super::decompress::decompress;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};

/// The pages of a column, decompressed and checked. They hold plain numbers, or indices into a dictionary that the column
/// has, which are the encodings that writers use by default.
pub(in crate::io) struct CheckedPages<P> {
    pages: P,
    compression: Compression,
    has_dictionary: bool,
    may_have_nulls: bool,
}

impl<P: PageReader> CheckedPages<P> {
    /// Wraps the pages as they are in the file, which have this compression.
    pub fn new(pages: P, compression: Compression, may_have_nulls: bool) -> Self {
        Self { pages, compression, has_dictionary: false, may_have_nulls }
    }

    fn check(&self, page: &Page) -> Result<()> {
        if let Page::DictionaryPage { buf, num_values, .. } = page {
            // The decoder reserves memory for the claimed count of numbers, which all have four bytes.
            return match u64::from(*num_values) * 4 > buf.len() as u64 {
                false => Ok(()),
                true => Err(ParquetError::General(format!(
                    "a dictionary of {num_values} numbers has only {} bytes",
                    buf.len()
                ))),
            };
        }
        let is_supported = match page.encoding() {
            Encoding::PLAIN => true,
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => self.has_dictionary,
            _ => false,
        };
        if !is_supported {
            return Err(ParquetError::General(format!(
                "a page is encoded as {}, and raytwin reads plain numbers and those of a dictionary",
                page.encoding()
            )));
        }
        // If numbers may be null, their levels are in front of them.
        let holds_its_levels = match page {
            Page::DataPage { def_level_encoding, .. } => {
                *def_level_encoding == Encoding::RLE || !self.may_have_nulls
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                levels <= buf.len() as u64
            }
            Page::DictionaryPage { .. } => true,
        };
        match holds_its_levels {
            true => Ok(()),
            false => Err(ParquetError::General(
                "a page does not tell which of its numbers are null".to_owned(),
            )),
        }
    }
}

impl<P: PageReader> PageReader for CheckedPages<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        let page = decompress(page, self.compression)?;
        self.check(&page)?;
        self.has_dictionary |= page.is_dictionary_page();
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl<P: PageReader> Iterator for CheckedPages<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
