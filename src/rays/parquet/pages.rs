//! Pages of a column that the decoders can be trusted with: some of them panic at what a damaged file says, or reserve
//! whatever it claims.

use super::packed;
use ::parquet::basic::{Compression, Encoding};
use ::parquet::column::page::{Page, PageMetadata, PageReader};
use ::parquet::errors::{ParquetError, Result};

/// Plain numbers, and places in a dictionary that is there, which is what writers write unless told otherwise.
pub(super) struct KnownPages<P> {
    pages: P,
    compression: Compression,
    has_dictionary: bool,
    may_have_nulls: bool,
}

impl<P: PageReader> KnownPages<P> {
    /// Of pages as they are in the file, which are so compressed.
    pub fn new(pages: P, compression: Compression, may_have_nulls: bool) -> Self {
        Self { pages, compression, has_dictionary: false, may_have_nulls }
    }

    fn refuse_unknown(&self, page: &Page) -> Result<()> {
        if let Page::DictionaryPage { buf, num_values, .. } = page {
            // Room is reserved for as many as there are said to be. All that are read have four bytes.
            return match u64::from(*num_values) * 4 > buf.len() as u64 {
                false => Ok(()),
                true => Err(ParquetError::General(format!(
                    "a dictionary of {num_values} numbers has {} bytes",
                    buf.len()
                ))),
            };
        }
        let is_known = match page.encoding() {
            Encoding::PLAIN => true,
            Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY => self.has_dictionary,
            _ => false,
        };
        if !is_known {
            return Err(ParquetError::General(format!(
                "a page is encoded as {}; plain numbers and those of a dictionary are read",
                page.encoding()
            )));
        }
        // Where some may not be there, that stands before the numbers.
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
                "a page does not say which of its numbers are there".to_owned(),
            )),
        }
    }
}

impl<P: PageReader> PageReader for KnownPages<P> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        let page = packed::unpacked(page, self.compression)?;
        self.refuse_unknown(&page)?;
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

impl<P: PageReader> Iterator for KnownPages<P> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
