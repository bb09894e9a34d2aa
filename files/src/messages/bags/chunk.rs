//! The decompression of chunks of MCAP files.

use flate2::Crc;
use lz4_flex::frame::FrameDecoder;
use mcap::records::ChunkHeader;
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// The largest number of bytes of a chunk, which limits its memory.
const MOST_BYTES: u64 = 1 << 30;

/// Decompresses the records of a chunk. An error is the reason why they cannot be read.
pub(super) fn decompressed(header: &ChunkHeader, data: &[u8]) -> Result<Vec<u8>, String> {
    let length = header.uncompressed_size;
    if length > MOST_BYTES {
        return Err(format!("a chunk has {length} bytes, and raytwin reads at most {MOST_BYTES}"));
    }
    let records = match header.compression.as_str() {
        "" => data.to_vec(),
        "lz4" => filled(FrameDecoder::new(data), length)?,
        "zstd" => {
            let decoder = StreamingDecoder::new_with_max_window_size(data, MOST_BYTES);
            filled(decoder.map_err(failed)?, length)?
        }
        other => {
            return Err(format!(
                "a chunk is compressed with {other}, and raytwin reads lz4 and zstd"
            ));
        }
    };
    // A writer that computes no checksum writes 0.
    let mut sum = Crc::new();
    sum.update(&records);
    match header.uncompressed_crc == 0 || header.uncompressed_crc == sum.sum() {
        true => Ok(records),
        false => {
            Err("the checksum of a chunk does not match its bytes: the file is damaged".to_owned())
        }
    }
}

/// Reads the declared bytes of a chunk. Memory grows as they come.
fn filled(decoder: impl Read, length: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    decoder.take(length + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 == length {
        true => Ok(bytes),
        false => {
            Err(failed(format!("it does not have the {length} bytes that its header declares")))
        }
    }
}

fn failed(error: impl std::fmt::Display) -> String {
    format!("a chunk cannot be decompressed: {error}")
}
