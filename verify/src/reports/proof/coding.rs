//! Words as text: little-endian bytes, deflated, in base 64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::{self, Read};

/// Writes words as text.
pub(super) fn encoded(words: &[u32]) -> io::Result<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Ok(STANDARD.encode(deflated(&bytes)?))
}

pub(super) fn deflated(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut deflated = Vec::new();
    DeflateEncoder::new(bytes, Compression::default()).read_to_end(&mut deflated)?;
    Ok(deflated)
}

/// Inflates bytes; `None` if there are more than `most`, which are never kept in memory.
pub(super) fn inflated(deflated: &[u8], most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(deflated).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Reads words from text. A few bytes may declare any number of words, so at most `most` are
/// unpacked.
pub(super) fn decoded(text: &str, most: u64) -> Result<Vec<u32>, String> {
    let deflated = STANDARD.decode(text).map_err(|error| format!("not base 64: {error}"))?;
    let bytes = inflated(&deflated, 4 * most)
        .map_err(|error| format!("cannot be unpacked: {error}"))?
        .ok_or_else(|| format!("more than the {most} words of such answers"))?;
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(format!("{} bytes are not a whole number of words", bytes.len()));
    }
    Ok(words.iter().copied().map(u32::from_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        for words in [vec![], vec![0; 5000], vec![1, u32::MAX, 0, 0x0102_0304]] {
            let text = encoded(&words).unwrap();
            assert_eq!(decoded(&text, words.len() as u64), Ok(words));
        }
    }

    #[test]
    fn what_is_no_coding_of_so_many_words_is_refused_in_words() {
        let bomb = encoded(&vec![0; 1 << 20]).unwrap();
        assert!(decoded(&bomb, 1000).unwrap_err().contains("1000 words"));
        assert!(decoded("%%%", 9).unwrap_err().contains("base 64"));
        assert!(decoded("/////w==", 9).unwrap_err().contains("unpacked"));
        let mut three = Vec::new();
        DeflateEncoder::new(&[1_u8, 2, 3][..], Compression::fast())
            .read_to_end(&mut three)
            .unwrap();
        assert!(decoded(&STANDARD.encode(three), 9).unwrap_err().contains("3 bytes"));
    }
}
