//! STL: triangles in float32, each with corners of its own, in binary or as text.

use super::Triangles;
use crate::io::FileError;
use glam::{DVec3, Vec3};
use std::collections::HashMap;
use std::fmt::Display;
use std::io::Cursor;
use std::path::Path;

/// The bytes before a binary file's first triangle: a title, and the number of triangles.
const HEAD: usize = 84;
const TITLE: usize = 80;
/// The bytes of a triangle in a binary file.
const FACET: u64 = 50;

/// Reads the triangles of all solids. Corners that are equal to the bit are one vertex.
pub(super) fn parse(path: &Path, bytes: Vec<u8>) -> Result<Triangles, FileError> {
    let shown = if is_text(&bytes) { facets(path, &bytes)? } else { untitled(path, bytes)? };
    let mut shown = Cursor::new(shown);
    let facets = stl_io::create_stl_reader(&mut shown)
        .map_err(|error| FileError::meaning(path, "", error))?;

    let mut mesh = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    let mut numbers = HashMap::new();
    for (index, facet) in facets.enumerate() {
        let refuse =
            |reason: &dyn Display| FileError::meaning(path, format!("triangles[{index}]"), reason);
        let mut triangle = [0; 3];
        let corners = facet.map_err(|error| refuse(&error))?.vertices;
        for (number, corner) in triangle.iter_mut().zip(corners) {
            let position = Vec3::from_array(corner.0);
            if !position.is_finite() {
                return Err(refuse(&format!("has a corner {position}: it must be finite")));
            }
            let next = u32::try_from(mesh.vertices.len()).map_err(|error| refuse(&error))?;
            *number = *numbers.entry(corner.0.map(f32::to_bits)).or_insert(next);
            if *number == next {
                mesh.vertices.push(DVec3::from(position));
            }
        }
        mesh.triangles.push(triangle);
    }
    Ok(mesh)
}

/// Many binary files begin with `solid` too, but no text has a zero byte, which ends most titles and
/// all counts below 2²⁴.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let begins = head.trim_ascii_start().get(..5);
    begins.is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && !head.contains(&0)
        && promised(bytes).is_none_or(|(_, length)| length != bytes.len() as u64)
}

/// How many triangles a binary file's head promises, and how long the file is then.
fn promised(bytes: &[u8]) -> Option<(u32, u64)> {
    let count = u32::from_le_bytes(*bytes.get(TITLE..)?.first_chunk()?);
    Some((count, HEAD as u64 + FACET * u64::from(count)))
}

/// A binary file without its title, by which `stl_io` would take it for text.
fn untitled(path: &Path, mut bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    let found = bytes.len();
    let refuse = |reason: String| Err(FileError::meaning(path, "", reason));
    match promised(&bytes) {
        None => refuse(format!(
            "is neither a text that begins with `solid`, nor has it the {HEAD} bytes that a binary STL begins with: there are {found} bytes"
        )),
        Some((count, length)) if length > found as u64 => refuse(format!(
            "is truncated: its head promises {count} triangles of {FACET} bytes, and there are {found} bytes"
        )),
        Some(_) => {
            bytes[..TITLE].fill(0);
            Ok(bytes)
        }
    }
}

/// A text as one solid of nothing but corners. `stl_io` would stop after the first solid, and refuse
/// one without a name, capitals, and a normal that is not a number.
fn facets(path: &Path, text: &[u8]) -> Result<Vec<u8>, FileError> {
    let mut shown = b"solid \n".to_vec();
    let mut is_closed = false;
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii().to_ascii_lowercase();
        match words(&line).next() {
            Some(b"" | b"solid") | None => continue,
            Some(b"endsolid") => {
                is_closed = true;
                continue;
            }
            Some(b"facet") => shown.extend_from_slice(b"facet normal 0 0 0"),
            Some(b"vertex") if words(&line).any(is_infinite) => {
                return Err(FileError::Syntax {
                    path: path.to_owned(),
                    line: index + 1,
                    column: 1,
                    reason: "a number is too large: STL is of float32, which ends at 3.4e38"
                        .to_owned(),
                });
            }
            Some(_) => shown.extend_from_slice(&line),
        }
        is_closed = false;
        shown.push(b'\n');
    }
    if is_closed {
        shown.extend_from_slice(b"endsolid\n");
    }
    Ok(shown)
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
}

fn is_infinite(word: &[u8]) -> bool {
    let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
    number.is_some_and(f32::is_infinite)
}
