//! The binary container of a document (glTF 2.0, section 4).

/// The types of the chunks that are known, with their names in messages.
const JSON: (&[u8; 4], &str) = (b"JSON", "JSON");
const BIN: (&[u8; 4], &str) = (b"BIN\0", "BIN\\0");

const HEADER: usize = 12;

/// Returns the JSON text of a container, and its binary chunk if it has one.
pub(super) fn chunks(container: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let mut left = container;
    let [_magic, version, length] = [word(&mut left)?, word(&mut left)?, word(&mut left)?];
    if !(HEADER..=container.len()).contains(&(u32::from_le_bytes(length) as usize)) {
        return Err("could not completely read the object".to_owned());
    }
    if u32::from_le_bytes(version) != 2 {
        return Err("unsupported version".to_owned());
    }
    let text = chunk(&mut left, JSON)?;
    let binary = if left.is_empty() { None } else { Some(chunk(&mut left, BIN)?) };
    Ok((text, binary))
}

/// Takes the bytes of a chunk of a type.
fn chunk<'a>(left: &mut &'a [u8], (expected, name): (&[u8; 4], &str)) -> Result<&'a [u8], String> {
    let [length, kind] = [word(left)?, word(left)?];
    if kind != *expected {
        let other = [JSON, BIN].into_iter().find(|(known, _)| kind == **known);
        return Err(other.map_or_else(
            || "unknown chunk type".to_owned(),
            |(_, name)| format!("was not expecting {name} chunk"),
        ));
    }
    let bytes = left.split_off(..u32::from_le_bytes(length) as usize);
    bytes.ok_or_else(|| format!("{name} chunk length exceeds that of slice"))
}

/// Takes four bytes.
fn word(left: &mut &[u8]) -> Result<[u8; 4], String> {
    let (word, rest) = left.split_first_chunk().ok_or("failed to fill whole buffer")?;
    *left = rest;
    Ok(*word)
}
