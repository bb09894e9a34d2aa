//! Reads STL: triangles in float32, each with its own three corners, in binary or as text.

use super::triangles::Triangles;
use crate::graph_reader::called;
use crate::mesh_warnings::MeshWarnings;
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
pub(super) fn parse(
    path: &Path,
    bytes: Vec<u8>,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    let unmarked = in_utf_8(&bytes);
    let (bytes, facet_lines) = match (is_text(&unmarked), is_whole(&unmarked)) {
        (true, _) => {
            let solid = one_solid(path, &plain_text(&unmarked))?;
            if !solid.is_closed {
                let missing_end = || {
                    format!(
                        "{}: triangles may be missing at its end, because it has no `endsolid`",
                        called(path)
                    )
                };
                warnings.parts.add(missing_end);
            }
            (solid.bytes, solid.facet_lines)
        }
        // An editor may have put the mark before a binary file too.
        (false, true) => (untitled(path, unmarked.into_owned())?, Vec::new()),
        (false, false) => {
            drop(unmarked);
            (untitled(path, bytes)?, Vec::new())
        }
    };
    let mut bytes = Cursor::new(bytes);
    let facets = stl_io::create_stl_reader(&mut bytes)
        .map_err(|error| FileError::meaning(path, "", error))?;

    let mut mesh = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    let mut indices = HashMap::new();
    for (index, facet) in facets.enumerate() {
        let refuse = |reason: &dyn Display| match facet_lines.get(index).or(facet_lines.last()) {
            Some(&line) => FileError::Syntax {
                path: path.to_owned(),
                line,
                column: 1,
                reason: format!("triangles[{index}]: {reason}"),
            },
            None => FileError::meaning(path, format!("triangles[{index}]"), reason),
        };
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

/// Distinguishes a text from a binary file. Many binary files also begin with `solid`, but a text
/// has no zero bytes except after its end, while most titles and all counts below 2²⁴ have some.
fn is_text(bytes: &[u8]) -> bool {
    let text = plain_text(bytes);
    let header = &text[..text.len().min(HEADER_BYTES)];
    let first_word = header.trim_ascii_start().get(..5);
    first_word.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !header.contains(&0)
        && !is_whole(bytes)
}

/// Returns whether a file has the length that its header declares for a binary file.
fn is_whole(bytes: &[u8]) -> bool {
    promised(bytes).is_some_and(|(_, length)| length == bytes.len() as u64)
}

/// The declared number of triangles of a binary file, and the length of a file with this many.
fn promised(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(*bytes.get(TITLE_BYTES..)?.first_chunk()?);
    Some((count, HEADER_BYTES as u64 + TRIANGLE_BYTES * u64::from(count)))
}

/// Blanks the title of a binary file, because stl_io would treat a file with the title `solid` as
/// text.
fn untitled(path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    let size = bytes.len();
    let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
    match promised(&bytes) {
        None => refuse(format!(
            "is not an STL file: it does not begin with `solid` like a text, and its {size} bytes are fewer than the {HEADER_BYTES} of a binary header"
        )),
        // In a binary file of so many triangles that their number is four letters, the title alone
        // would not be text.
        Some((_, length))
            if length > size as u64 && bytes[..HEADER_BYTES].iter().all(is_printed) =>
        {
            refuse("is not an STL file: it is a text that does not begin with `solid`".to_owned())
        }
        Some((count, length)) if length > size as u64 => refuse(format!(
            "is truncated: its header declares {count} triangles of {TRIANGLE_BYTES} bytes, but the file has {size} bytes"
        )),
        // Zeros are padding, to which some exporters fill a block.
        Some((count, length))
            if length + TRIANGLE_BYTES <= size as u64
                && bytes[length as usize..].iter().any(|&byte| byte != 0) =>
        {
            let more = (size as u64 - length) / TRIANGLE_BYTES;
            refuse(format!(
                "has {} triangles of {TRIANGLE_BYTES} bytes, but its header declares {count}: correct the count at byte {TITLE_BYTES}, or remove the extra bytes",
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

/// A text as stl_io reads it.
struct PlainSolid {
    bytes: Vec<u8>,
    /// The number of the line of the file on which each facet begins.
    facet_lines: Vec<usize>,
    /// True if the file has an end of its last solid.
    is_closed: bool,
}

/// The words that begin a statement.
const KEYWORDS: [&[u8]; 7] =
    [b"solid", b"facet", b"outer", b"vertex", b"endloop", b"endfacet", b"endsolid"];

/// Joins the solids of a text into one, in lower case, with zero normals and a line for each
/// statement. stl_io would stop after the first solid, and reject a solid without a name or an end,
/// capital letters, comment lines, several statements on a line, and a normal that is not a number.
fn one_solid(path: &Path, text: &[u8]) -> Result<PlainSolid, FileError> {
    let mut bytes = b"solid \n".to_vec();
    let mut facet_lines = Vec::new();
    let mut is_closed = false;
    let mut last: &[u8] = b"";
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii().to_ascii_lowercase();
        if line.starts_with(b"#") {
            continue;
        }
        // Names and normals end with their line, if no statement follows on it.
        let mut is_passed_over = false;
        let mut words = words(&line).peekable();
        while let Some(word) = words.next() {
            is_passed_over &= match (last, word) {
                (b"solid", b"facet") => words.peek() != Some(&&b"normal"[..]),
                (b"facet", b"outer") | (b"endsolid", b"solid") => false,
                _ => true,
            };
            if is_passed_over {
                continue;
            }
            let keyword = KEYWORDS.into_iter().find(|keyword| *keyword == word);
            if let Some(keyword) = keyword {
                last = keyword;
                is_passed_over = [&b"solid"[..], b"facet", b"endsolid"].contains(&keyword);
                is_closed |= keyword == b"endsolid";
                if [&b"solid"[..], b"endsolid"].contains(&keyword) {
                    continue;
                }
            }
            if last == b"vertex" && is_infinite(word) {
                let reason =
                    "a number is too large: STL uses float32, whose largest number is 3.4e38";
                let (path, reason) = (path.to_owned(), reason.to_owned());
                return Err(FileError::Syntax { path, line: number, column: 1, reason });
            }
            is_closed = false;
            if !bytes.ends_with(b"\n") {
                bytes.push(if keyword.is_some() { b'\n' } else { b' ' });
            }
            bytes.extend_from_slice(word);
            if keyword == Some(b"facet") {
                facet_lines.push(number);
                bytes.extend_from_slice(b" normal 0 0 0");
            }
        }
        if !bytes.ends_with(b"\n") {
            bytes.push(b'\n');
        }
    }
    // A file that ends within a facet is truncated; stl_io returns the place.
    if is_closed || last == b"endfacet" {
        bytes.extend_from_slice(b"endsolid\n");
    }
    Ok(PlainSolid { bytes, facet_lines, is_closed })
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

fn is_infinite(word: &[u8]) -> bool {
    let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.is_some_and(f32::is_infinite)
}
