//! Reads STL: triangles in float32, each with its own three corners, in binary or as text.

use super::triangles::Triangles;
use crate::source_text::plain_text;
use glam::{DVec3, Vec3};
use raytwin_files::{FileError, in_utf_8};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::Cursor;
use std::path::Path;

/// The bytes of a binary file's header: a title, and the number of triangles.
const HEADER_BYTES: usize = 84;
const TITLE_BYTES: usize = 80;
/// The bytes of a triangle in a binary file.
const TRIANGLE_BYTES: u64 = 50;

/// Reads the triangles of all solids. Corners with the same bits become one vertex.
pub(super) fn parse(path: &Path, bytes: Vec<u8>) -> Result<Triangles, FileError> {
    let unmarked = in_utf_8(&bytes);
    let bytes = match (is_text(&unmarked), is_whole(&unmarked)) {
        (true, _) => one_solid(path, &plain_text(&unmarked))?,
        // An editor may have put the mark before a binary file too.
        (false, true) => untitled(path, unmarked.into_owned())?,
        (false, false) => {
            drop(unmarked);
            untitled(path, bytes)?
        }
    };
    let mut bytes = Cursor::new(bytes);
    let facets = stl_io::create_stl_reader(&mut bytes)
        .map_err(|error| FileError::meaning(path, "", error))?;

    let mut mesh = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    let mut indices = HashMap::new();
    for (index, facet) in facets.enumerate() {
        let refuse =
            |reason: &dyn Display| FileError::meaning(path, format!("triangles[{index}]"), reason);
        let mut triangle = [0; 3];
        let corners = facet.map_err(|error| refuse(&error))?.vertices;
        for (vertex, corner) in triangle.iter_mut().zip(corners) {
            let position = Vec3::from_array(corner.0);
            if !position.is_finite() {
                return Err(refuse(&format!("has a corner {position}: it must be finite")));
            }
            let next = u32::try_from(mesh.vertices.len()).map_err(|error| refuse(&error))?;
            *vertex = *indices.entry(corner.0.map(f32::to_bits)).or_insert(next);
            if *vertex == next {
                mesh.vertices.push(DVec3::from(position));
            }
        }
        mesh.triangles.push(triangle);
    }
    Ok(mesh)
}

/// Tells a text from a binary file. Many binary files begin with `solid` too, but a text holds no
/// zero byte but behind its end, while most titles and all counts below 2²⁴ do.
fn is_text(bytes: &[u8]) -> bool {
    let text = plain_text(bytes);
    let header = &text[..text.len().min(HEADER_BYTES)];
    let first_word = header.trim_ascii_start().get(..5);
    first_word.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !header.contains(&0)
        && !is_whole(bytes)
}

/// Tells whether a file is as long as its header promises if it is binary.
fn is_whole(bytes: &[u8]) -> bool {
    promised(bytes).is_some_and(|(_, length)| length == bytes.len() as u64)
}

/// The number of triangles that a binary file's header promises, and the length of a file with so
/// many.
fn promised(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(*bytes.get(TITLE_BYTES..)?.first_chunk()?);
    Some((count, HEADER_BYTES as u64 + TRIANGLE_BYTES * u64::from(count)))
}

/// Blanks the title of a binary file, because stl_io would take a file with the title `solid` for
/// text.
fn untitled(path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    let size = bytes.len();
    let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
    match promised(&bytes) {
        None => refuse(format!(
            "is no STL: it neither begins with `solid` as a text does, nor has it the {HEADER_BYTES} bytes of a binary header, but {size} bytes"
        )),
        // In a binary file of so many triangles that their number is four letters, the title alone
        // would not be text.
        Some((_, length))
            if length > size as u64 && bytes[..HEADER_BYTES].iter().all(is_printed) =>
        {
            refuse("is no STL: it is a text that does not begin with `solid`".to_owned())
        }
        Some((count, length)) if length > size as u64 => refuse(format!(
            "is truncated: its header promises {count} triangles of {TRIANGLE_BYTES} bytes, but the file has {size} bytes"
        )),
        // Zeros are padding, to which some exporters fill a block.
        Some((count, length))
            if length + TRIANGLE_BYTES <= size as u64
                && bytes[length as usize..].iter().any(|&byte| byte != 0) =>
        {
            let more = (size as u64 - length) / TRIANGLE_BYTES;
            refuse(format!(
                "holds {} triangles of {TRIANGLE_BYTES} bytes, but its header promises {count}: correct the count, which is at byte {TITLE_BYTES}, or cut off what is no triangle",
                u64::from(count) + more
            ))
        }
        Some(_) => {
            bytes[..TITLE_BYTES].fill(0);
            Ok(bytes)
        }
    }
}

fn is_printed(byte: &u8) -> bool {
    byte.is_ascii_graphic() || byte.is_ascii_whitespace()
}

/// Joins the solids of a text into one, in lower case and with zero normals. stl_io would stop
/// after the first solid, and refuse a solid without a name, capital letters, lines of comment, and a
/// normal that is not a number.
fn one_solid(path: &Path, text: &[u8]) -> Result<Vec<u8>, FileError> {
    let mut solid = b"solid \n".to_vec();
    let mut is_closed = false;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii().to_ascii_lowercase();
        match words(&line).next() {
            Some(b"" | b"solid") | None => continue,
            Some([b'#', ..]) => continue,
            Some(b"endsolid") => {
                is_closed = true;
                continue;
            }
            Some(b"facet") => solid.extend_from_slice(b"facet normal 0 0 0"),
            Some(b"vertex") if words(&line).any(is_infinite) => {
                return Err(FileError::Syntax {
                    path: path.to_owned(),
                    line: index + 1,
                    column: 1,
                    reason: "a number is too large: STL holds float32, which ends at 3.4e38"
                        .to_owned(),
                });
            }
            Some(_) => solid.extend_from_slice(&line),
        }
        is_closed = false;
        solid.push(b'\n');
    }
    if is_closed {
        solid.extend_from_slice(b"endsolid\n");
    }
    Ok(solid)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
}

fn is_infinite(word: &[u8]) -> bool {
    let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.is_some_and(f32::is_infinite)
}
