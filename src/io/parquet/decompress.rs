//! The decompression of pages.
//!
//! The parquet crate would reserve whatever length a page claims, and decompress gzip without a limit.

use ::parquet::basic::Compression;
use ::parquet::column::page::Page;
use ::parquet::errors::{ParquetError, Result};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// The longest decompressed page that is read: by default, writers make pages of a mebibyte.
const MAX_PAGE_BYTES: u64 = 1 << 27;

/// Returns whether pages of this compression can be decompressed.
pub(in crate::io) fn is_supported(compression: Compression) -> bool {
    matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_))
}

/// Decompresses a page.
pub(super) fn decompress(mut page: Page, compression: Compression) -> Result<Page> {
    let (buf, start) = match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
        Page::DataPageV2 { is_compressed: false, .. } => return Ok(page),
        // The levels, which tell the nulls, are in front of the numbers and never compressed.
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len))
        }
    };
    let halves = usize::try_from(start).ok().and_then(|start| buf.split_at_checked(start));
    let Some((levels, compressed)) = halves else {
        return Err(ParquetError::General("a page ends before its numbers".to_owned()));
    };
    // A page without numbers may have no bytes, which a gzip decoder would refuse.
    if compressed.is_empty() || compression == Compression::UNCOMPRESSED {
        return Ok(page);
    }
    let mut bytes = levels.to_vec();
    match compression {
        Compression::SNAPPY => decompress_snappy(compressed, &mut bytes)?,
        Compression::GZIP(_) => decompress_gzip(compressed, &mut bytes)?,
        other => {
            return Err(ParquetError::General(format!("raytwin does not read pages of {other}")));
        }
    }
    *buf = Bytes::from(bytes);
    Ok(page)
}

fn decompress_snappy(compressed: &[u8], bytes: &mut Vec<u8>) -> Result<()> {
    /// A copy element of three bytes stands for at most 64 bytes (`format_description.txt` of google/snappy).
    const MAX_EXPANSION: u64 = 22;
    let length = snap::raw::decompress_len(compressed)?;
    if length as u64 > MAX_PAGE_BYTES.min(MAX_EXPANSION * compressed.len() as u64) {
        return Err(too_long(&format!("{length} bytes"), compressed));
    }
    let before = bytes.len();
    bytes.resize(before + length, 0);
    snap::raw::Decoder::new().decompress(compressed, &mut bytes[before..])?;
    Ok(())
}

fn decompress_gzip(compressed: &[u8], bytes: &mut Vec<u8>) -> Result<()> {
    let length = MultiGzDecoder::new(compressed).take(MAX_PAGE_BYTES + 1).read_to_end(bytes)?;
    if length as u64 > MAX_PAGE_BYTES {
        return Err(too_long(&format!("more than {MAX_PAGE_BYTES} bytes"), compressed));
    }
    Ok(())
}

fn too_long(length: &str, compressed: &[u8]) -> ParquetError {
    ParquetError::General(format!(
        "a page of {} bytes would be decompressed to {length}, and raytwin reads pages of at most {MAX_PAGE_BYTES} bytes: write smaller ones",
        compressed.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::basic::Encoding;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn decompress_page(
        compressed: &[u8],
        compression: Compression,
        levels: u32,
    ) -> Result<Page, String> {
        let page = Page::DataPageV2 {
            buf: Bytes::copy_from_slice(compressed),
            num_values: 4,
            encoding: Encoding::PLAIN,
            num_nulls: 0,
            num_rows: 4,
            def_levels_byte_len: levels,
            rep_levels_byte_len: 0,
            is_compressed: true,
            statistics: None,
        };
        decompress(page, compression).map_err(|error| error.to_string())
    }

    fn gzip(zeros: u64) -> Vec<u8> {
        let mut compressed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let piece = vec![0; 1 << 20];
        for start in (0..zeros).step_by(piece.len()) {
            compressed.write_all(&piece[..piece.len().min((zeros - start) as usize)]).unwrap();
        }
        compressed.finish().unwrap()
    }

    #[test]
    fn a_page_is_decompressed_behind_its_levels() {
        let compressed = snap::raw::Encoder::new().compress_vec(b"numbers").unwrap();
        let both = [&b"ab"[..], &compressed].concat();
        assert_eq!(
            decompress_page(&both, Compression::SNAPPY, 2).unwrap().buffer(),
            &b"abnumbers"[..]
        );
        let both = [&b"ab"[..], &gzip(3)].concat();
        let gzipped = Compression::GZIP(Default::default());
        assert_eq!(decompress_page(&both, gzipped, 2).unwrap().buffer(), &b"ab\0\0\0"[..]);
        assert_eq!(decompress_page(b"ab", gzipped, 2).unwrap().buffer(), &b"ab"[..]);
        assert!(
            decompress_page(b"ab", gzipped, 3).unwrap_err().contains("ends before its numbers")
        );
        assert!(
            decompress_page(b"ab", gzipped, u32::MAX)
                .unwrap_err()
                .contains("ends before its numbers")
        );
    }

    #[test]
    fn a_page_that_would_become_too_long_is_refused() {
        let gzipped = Compression::GZIP(Default::default());
        let most = decompress_page(&gzip(MAX_PAGE_BYTES), gzipped, 0).unwrap();
        assert_eq!(most.buffer().len() as u64, MAX_PAGE_BYTES);
        assert!(
            decompress_page(&gzip(MAX_PAGE_BYTES + 1), gzipped, 0)
                .unwrap_err()
                .contains("more than 134217728")
        );
        // This page claims 2 GB and has only a few bytes.
        let claim = [&[0xff, 0xff, 0xff, 0xff, 0x07][..], &[0; 15]].concat();
        assert!(
            decompress_page(&claim, Compression::SNAPPY, 0)
                .unwrap_err()
                .contains("2147483647 bytes")
        );
    }
}
