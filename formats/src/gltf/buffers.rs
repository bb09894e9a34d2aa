//! The bytes of a document's buffers, from the binary chunk, from data URIs and from files next to
//! the document.

use super::document::GltfFile;
use crate::reference::{path_in, percent_decoded};
use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use raytwin_files::FileStore;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Some writers leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of a buffer. Its file may have more, such as the padding of a binary chunk.
struct Buffer {
    bytes: Rc<[u8]>,
    length: usize,
}

/// The buffers of a document, or why one cannot be read.
pub(super) struct Buffers(Vec<Result<Buffer, String>>);

impl Buffers {
    pub fn read(store: &FileStore, path: &Path, file: &mut GltfFile) -> Self {
        let mut chunk = file.chunk.take();
        // Several buffers may name one file, which is then kept only once.
        let mut files: HashMap<PathBuf, Result<Rc<[u8]>, String>> = HashMap::new();
        let read = file.document.buffers.iter().enumerate().map(|(index, buffer)| {
            let bytes = match &buffer.uri {
                None if index == 0 => {
                    chunk.take().map(Rc::from).ok_or_else(|| "has no uri".to_owned())?
                }
                None => return Err("has no uri".to_owned()),
                Some(uri) => match uri.strip_prefix("data:") {
                    Some(data) => decoded(data)?.into(),
                    None => {
                        let file = beside(store, path, uri)?;
                        files
                            .entry(file)
                            .or_insert_with_key(|file| read_file(store, file))
                            .clone()?
                    }
                },
            };
            let length = buffer.byte_length;
            match length <= bytes.len() {
                true => Ok(Buffer { bytes, length }),
                false => Err(format!("has {} bytes: its byteLength is {length}", bytes.len())),
            }
        });
        let numbered = |(index, bytes): (usize, Result<_, String>)| {
            bytes.map_err(|reason| format!("buffers[{index}] {reason}"))
        };
        Self(read.enumerate().map(numbered).collect())
    }

    pub fn get(&self, index: usize) -> Result<&[u8], String> {
        match self.0.get(index) {
            Some(Ok(Buffer { bytes, length })) => Ok(&bytes[..*length]),
            Some(Err(reason)) => Err(reason.clone()),
            None => Err(format!("buffers[{index}] does not exist")),
        }
    }

    /// Returns the number of bytes of all buffers.
    pub fn size(&self) -> u64 {
        self.0.iter().flatten().map(|buffer| buffer.length as u64).sum()
    }
}

/// The bytes of a data URI, without the scheme (RFC 2397).
fn decoded(data: &str) -> Result<Vec<u8>, String> {
    let (kind, data) = data.split_once(',').ok_or("is a data URI without a comma")?;
    if !kind.ends_with(";base64") {
        return Ok(percent_decoded(data));
    }
    BASE64.decode(data).map_err(|error| format!("is a data URI that is not base64: {error}"))
}

/// The file that a relative reference names (RFC 3986, section 4.2).
fn beside(store: &FileStore, path: &Path, uri: &str) -> Result<PathBuf, String> {
    let scheme = uri.split_once(':').map(|(scheme, _)| scheme);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    if scheme.is_some_and(is_scheme) || uri.starts_with(['/', '\\']) {
        return Err(format!(
            "is at {}: raytwin reads only files next to the document; put it there, and use a relative path",
            crate::shortened::shortened(uri)
        ));
    }
    let name = String::from_utf8(percent_decoded(uri));
    let name = name.map_err(|_| "has a uri that is not UTF-8".to_owned())?;
    Ok(path_in(store, path.parent().unwrap_or(Path::new("")), name))
}

fn read_file(store: &FileStore, path: &Path) -> Result<Rc<[u8]>, String> {
    let bytes = store.read(path).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(bytes.into())
}
