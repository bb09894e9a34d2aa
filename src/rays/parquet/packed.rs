//! The bytes of pages that are compressed.
//!
//! They are unpacked here and not by the parquet crate, which reserves whatever length a page claims, and unpacks gzip
//! however long it becomes.

use ::parquet::basic::Compression;
use ::parquet::column::page::Page;
use ::parquet::errors::{ParquetError, Result};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// No page is longer once it is unpacked: writers make them of a mebibyte unless they are told otherwise.
const LONGEST: u64 = 1 << 27;

/// Whether pages that are so compressed can be unpacked.
pub(super) fn is_known(compression: Compression) -> bool {
    matches!(compression, Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_))
}

/// A page as it was before it was compressed.
pub(super) fn unpacked(mut page: Page, compression: Compression) -> Result<Page> {
    let (buf, start) = match &mut page {
        Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
        Page::DataPageV2 { is_compressed: false, .. } => return Ok(page),
        // What says which numbers are there stands before them, and is never compressed.
        Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
            (buf, u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len))
        }
    };
    let parts = usize::try_from(start).ok().and_then(|start| buf.split_at_checked(start));
    let Some((levels, packed)) = parts else {
        return Err(ParquetError::General("a page ends before its numbers".to_owned()));
    };
    // A page without a number may have no bytes, which are no gzip.
    if packed.is_empty() || compression == Compression::UNCOMPRESSED {
        return Ok(page);
    }
    let mut bytes = levels.to_vec();
    match compression {
        Compression::SNAPPY => unpack_snappy(packed, &mut bytes)?,
        Compression::GZIP(_) => unpack_gzip(packed, &mut bytes)?,
        other => return Err(ParquetError::General(format!("pages of {other} are not read"))),
    }
    *buf = Bytes::from(bytes);
    Ok(page)
}

fn unpack_snappy(packed: &[u8], bytes: &mut Vec<u8>) -> Result<()> {
    /// At best three bytes say that 64 are those of before (`format_description.txt` of google/snappy).
    const MOST_FROM_A_BYTE: u64 = 22;
    let length = snap::raw::decompress_len(packed)?;
    if length as u64 > LONGEST.min(MOST_FROM_A_BYTE * packed.len() as u64) {
        return Err(too_long(&format!("{length} bytes"), packed));
    }
    let before = bytes.len();
    bytes.resize(before + length, 0);
    snap::raw::Decoder::new().decompress(packed, &mut bytes[before..])?;
    Ok(())
}

fn unpack_gzip(packed: &[u8], bytes: &mut Vec<u8>) -> Result<()> {
    let length = MultiGzDecoder::new(packed).take(LONGEST + 1).read_to_end(bytes)?;
    if length as u64 > LONGEST {
        return Err(too_long(&format!("more than {LONGEST} bytes"), packed));
    }
    Ok(())
}

fn too_long(length: &str, packed: &[u8]) -> ParquetError {
    ParquetError::General(format!(
        "a page of {} bytes would be unpacked to {length}, and pages of at most {LONGEST} are read: write smaller ones",
        packed.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::basic::Encoding;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn unpack(packed: &[u8], compression: Compression, levels: u32) -> Result<Page, String> {
        let page = Page::DataPageV2 {
            buf: Bytes::copy_from_slice(packed),
            num_values: 4,
            encoding: Encoding::PLAIN,
            num_nulls: 0,
            num_rows: 4,
            def_levels_byte_len: levels,
            rep_levels_byte_len: 0,
            is_compressed: true,
            statistics: None,
        };
        unpacked(page, compression).map_err(|error| error.to_string())
    }

    fn gzip(zeros: u64) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let piece = vec![0; 1 << 20];
        for start in (0..zeros).step_by(piece.len()) {
            packed.write_all(&piece[..piece.len().min((zeros - start) as usize)]).unwrap();
        }
        packed.finish().unwrap()
    }

    #[test]
    fn a_page_is_unpacked_behind_what_says_which_numbers_are_there() {
        let packed = snap::raw::Encoder::new().compress_vec(b"numbers").unwrap();
        let both = [&b"ab"[..], &packed].concat();
        assert_eq!(unpack(&both, Compression::SNAPPY, 2).unwrap().buffer(), &b"abnumbers"[..]);
        let both = [&b"ab"[..], &gzip(3)].concat();
        let gzipped = Compression::GZIP(Default::default());
        assert_eq!(unpack(&both, gzipped, 2).unwrap().buffer(), &b"ab\0\0\0"[..]);
        assert_eq!(unpack(b"ab", gzipped, 2).unwrap().buffer(), &b"ab"[..]);
        assert!(unpack(b"ab", gzipped, 3).unwrap_err().contains("ends before its numbers"));
        assert!(unpack(b"ab", gzipped, u32::MAX).unwrap_err().contains("ends before its numbers"));
    }

    #[test]
    fn what_would_become_too_long_is_refused() {
        let gzipped = Compression::GZIP(Default::default());
        let most = unpack(&gzip(LONGEST), gzipped, 0).unwrap();
        assert_eq!(most.buffer().len() as u64, LONGEST);
        assert!(
            unpack(&gzip(LONGEST + 1), gzipped, 0).unwrap_err().contains("more than 134217728")
        );
        // A length of 2 GB, with no more than a few bytes behind it.
        let claim = [&[0xff, 0xff, 0xff, 0xff, 0x07][..], &[0; 15]].concat();
        assert!(unpack(&claim, Compression::SNAPPY, 0).unwrap_err().contains("2147483647 bytes"));
    }
}
