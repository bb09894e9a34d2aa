//! The decompression of pages, never to more bytes than a page declares, which is checked before.

use ::parquet::basic::Compression;
use ::parquet::errors::{ParquetError, Result};
use brotli_decompressor::Decompressor as BrotliDecoder;
use flate2::read::MultiGzDecoder;
use ruzstd::decoding::FrameDecoder;
use std::collections::TryReserveError;
use std::io::Read;

/// Returns whether pages with this compression can be decompressed.
pub(super) fn is_supported(compression: Compression) -> bool {
    match compression {
        Compression::UNCOMPRESSED
        | Compression::SNAPPY
        | Compression::GZIP(_)
        | Compression::BROTLI(_)
        | Compression::LZ4
        | Compression::LZ4_RAW
        | Compression::ZSTD(_) => true,
        Compression::LZO => false,
    }
}

/// Decompresses `compressed` to `length` bytes, which follow `levels`.
pub(super) fn decompress(
    compressed: &[u8],
    compression: Compression,
    levels: &[u8],
    length: usize,
) -> Result<Vec<u8>> {
    let start = levels.len();
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(start + length).map_err(|error| no_room(start + length, error))?;
    bytes.extend_from_slice(levels);
    bytes.resize(start + length, 0);
    // A page without numbers may have no bytes, which some decoders would reject.
    if compressed.is_empty() && length == 0 {
        return Ok(bytes);
    }
    let decompressed = &mut bytes[start..];
    let filled = match compression {
        Compression::SNAPPY => {
            snap::raw::Decoder::new().decompress(compressed, decompressed).map_err(failed)?
        }
        Compression::GZIP(_) => fill(decompressed, MultiGzDecoder::new(compressed))?,
        Compression::BROTLI(_) => fill(decompressed, BrotliDecoder::new(compressed, 1 << 16))?,
        Compression::LZ4_RAW => decompress_lz4(compressed, decompressed)?,
        Compression::LZ4 => decompress_lz4_of_hadoop(compressed, decompressed)
            .map_or_else(|| decompress_lz4(compressed, decompressed), Ok)?,
        Compression::ZSTD(_) => {
            let mut decoder = FrameDecoder::new();
            // A page that is one piece has a window of its own length.
            decoder.set_max_window_size(decoder.max_window_size().max(length as u64));
            decoder.decode_all(compressed, decompressed).map_err(failed)?
        }
        other => {
            return Err(ParquetError::General(format!(
                "raytwin does not read pages compressed with {other}"
            )));
        }
    };
    match filled == length {
        true => Ok(bytes),
        false => Err(ParquetError::General(format!(
            "a page of {length} bytes decompresses to only {filled} bytes"
        ))),
    }
}

/// The error for a page whose bytes do not fit into memory.
pub(super) fn no_room(bytes: usize, error: TryReserveError) -> ParquetError {
    ParquetError::General(format!(
        "a page needs {bytes} bytes of memory, which are not available ({error}): free memory, or write smaller pages"
    ))
}

fn failed(error: impl std::fmt::Display) -> ParquetError {
    ParquetError::General(format!("a page cannot be decompressed: {error}"))
}

/// Fills `bytes` from a decoder and returns how many were read. A decoder with more bytes is an
/// error.
fn fill(bytes: &mut [u8], mut decoder: impl Read) -> Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match decoder.read(&mut bytes[filled..]).map_err(failed)? {
            0 => return Ok(filled),
            count => filled += count,
        }
    }
    match decoder.read(&mut [0]).map_err(failed)? {
        0 => Ok(filled),
        _ => Err(failed(format!("it is longer than the {filled} bytes that its header declares"))),
    }
}

fn decompress_lz4(compressed: &[u8], bytes: &mut [u8]) -> Result<usize> {
    lz4_flex::block::decompress_into(compressed, bytes).map_err(failed)
}

/// Decompresses blocks as Hadoop writes them, each after its two lengths; returns `None` if these
/// are not such blocks. Older files of other writers have the same compression in their footer, and
/// one block without its lengths.
fn decompress_lz4_of_hadoop(mut compressed: &[u8], bytes: &mut [u8]) -> Option<usize> {
    let mut filled = 0_usize;
    while !compressed.is_empty() {
        let (lengths, rest) = compressed.split_first_chunk::<8>()?;
        let [a, b, c, d, e, f, g, h] = *lengths;
        let [length, in_file] = [[a, b, c, d], [e, f, g, h]].map(u32::from_be_bytes);
        let (block, rest) = rest.split_at_checked(in_file as usize)?;
        let end = filled.checked_add(length as usize)?;
        let count = lz4_flex::block::decompress_into(block, bytes.get_mut(filled..end)?).ok()?;
        (count == length as usize).then_some(())?;
        filled = end;
        compressed = rest;
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    const TEXT: &[u8] = b"numbers numbers numbers numbers numbers";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut compressed = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        compressed.write_all(bytes).unwrap();
        compressed.finish().unwrap()
    }

    /// A block of LZ4 that holds the text as it is: a token with the length 15, the rest of the
    /// length, and the bytes.
    fn lz4() -> Vec<u8> {
        [&[0xf0, (TEXT.len() - 15) as u8], TEXT].concat()
    }

    /// The text by every compression, of which brotli's is one uncompressed piece (RFC 7932, 9.2).
    fn compressed() -> Vec<(Compression, Vec<u8>)> {
        let length = (TEXT.len() as u32).to_be_bytes();
        let in_file = (lz4().len() as u32).to_be_bytes();
        // A window of 16 bits; not the last piece, four nibbles of length less one, not compressed;
        // the last, empty piece.
        let bits = (TEXT.len() as u32 - 1) << 4 | 1 << 20;
        let brotli = [&bits.to_le_bytes()[..3], TEXT, &[3]].concat();
        vec![
            (Compression::SNAPPY, snap::raw::Encoder::new().compress_vec(TEXT).unwrap()),
            (Compression::GZIP(Default::default()), gzip(TEXT)),
            (Compression::BROTLI(Default::default()), brotli),
            (Compression::LZ4_RAW, lz4()),
            (Compression::LZ4, [&length, &in_file, &lz4()[..]].concat()),
            (Compression::LZ4, lz4()),
            (
                Compression::ZSTD(Default::default()),
                compress_to_vec(TEXT, CompressionLevel::Fastest),
            ),
        ]
    }

    #[test]
    fn a_page_is_decompressed_behind_its_levels_to_the_length_that_it_claims() {
        for (compression, compressed) in compressed() {
            let decompressed = decompress(&compressed, compression, b"ab", TEXT.len()).unwrap();
            assert_eq!(decompressed, [b"ab", TEXT].concat(), "{compression}");
            for length in [TEXT.len() - 1, TEXT.len() + 1, 1 << 20] {
                assert!(
                    decompress(&compressed, compression, b"", length).is_err(),
                    "{compression}"
                );
            }
            assert!(is_supported(compression));
            assert_eq!(decompress(b"", compression, b"ab", 0).unwrap(), b"ab");
        }
        assert!(decompress(b"x", Compression::LZO, b"", 1).is_err());
    }

    #[test]
    fn no_damage_to_a_page_makes_a_decoder_panic() {
        for (compression, whole) in compressed() {
            for position in 0..whole.len() {
                let mut damaged = whole.clone();
                damaged[position] ^= [0x01, 0x80, 0xff][position % 3];
                for bytes in [&damaged[..], &whole[..position]] {
                    if let Ok(decompressed) = decompress(bytes, compression, b"", TEXT.len()) {
                        assert_eq!(decompressed.len(), TEXT.len());
                    }
                }
            }
        }
    }

    #[test]
    fn a_page_that_is_longer_than_it_claims_is_refused() {
        let bomb = gzip(&vec![0; 1 << 24]);
        let gzipped = Compression::GZIP(Default::default());
        let refused = decompress(&bomb, gzipped, b"", 99).unwrap_err().to_string();
        assert!(refused.contains("longer than the 99 bytes that its header declares"), "{refused}");
    }

    #[test]
    fn a_page_that_the_memory_has_no_room_for_is_an_error() {
        let length = isize::MAX as usize;
        let refused = decompress(b"x", Compression::SNAPPY, b"", length).unwrap_err().to_string();
        assert!(refused.contains("bytes of memory, which are not available"), "{refused}");
    }
}
