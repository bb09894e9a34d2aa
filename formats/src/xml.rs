//! Reads the XML of robots, models, worlds and meshes. It is often written by hand and tested with
//! programs that accept more than XML allows. This reader accepts the same, and [`Lapses`] counts
//! it.

mod document;
mod encoding;
mod lapses;
mod parser;
mod references;

pub(crate) use document::{Document, XmlNode as Node};
pub(crate) use lapses::Lapses;

use crate::source_text;
use document::{Attribute, NodeData};
use lapses::Lapse;
use raytwin_files::{FileError, FileStore};
use std::path::Path;

/// Reads the text of a file, in any encoding, after requesting the memory for its contents.
pub(super) fn read_text(
    store: &FileStore,
    path: &Path,
    lapses: &mut Lapses,
) -> Result<String, FileError> {
    text_of(store, path, store.read(path)?, lapses)
}

/// Does the same with the bytes of a file.
pub(super) fn text_of(
    store: &FileStore,
    path: &Path,
    bytes: Vec<u8>,
    lapses: &mut Lapses,
) -> Result<String, FileError> {
    let count = |mark: u8| bytes.iter().filter(|byte| **byte == mark).count() as u64;
    let needed = count(b'<') * size_of::<NodeData<'_>>() as u64
        + count(b'=') * size_of::<Attribute<'_>>() as u64;
    // The elements are dropped when the file has been read.
    store.for_another_scene().take_memory(path, needed, || "its elements need".to_owned())?;
    Ok(decoded(path, bytes, lapses))
}

/// Decodes the text of a file.
pub(super) fn decoded(path: &Path, bytes: Vec<u8>, lapses: &mut Lapses) -> String {
    let decoded = encoding::decoded(&bytes);
    if decoded.is_guessed {
        lapses.add(Lapse::Encoding, path, "", 0);
    }
    decoded.text.into_owned()
}

pub(super) fn parse<'a>(
    path: &Path,
    text: &'a str,
    lapses: &mut Lapses,
) -> Result<Document<'a>, FileError> {
    parser::parse(path, text, lapses)
        .map_err(|fault| source_text::refuse(path, text, fault.offset, fault.reason))
}

/// A syntax error at the line and column where a node of a document begins.
pub(super) fn refuse(
    path: &Path,
    document: &Document<'_>,
    node: Node<'_, '_>,
    reason: impl Into<String>,
) -> FileError {
    let [line, column] = document.position(node.range().start);
    FileError::Syntax { path: path.to_owned(), line, column, reason: reason.into() }
}

#[cfg(test)]
mod tests;
