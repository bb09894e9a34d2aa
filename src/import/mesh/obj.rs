//! Wavefront OBJ: text, with polygons over numbered vertices.

use super::Triangles;
use crate::files::FileError;
use glam::DVec3;
use std::path::Path;
use tobj::{LoadError, LoadOptions};

/// Some editors put it before the first line, which would not be known for a vertex then.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads the vertices and faces of all objects and groups as one mesh. Vertices are numbered as faces
/// first name them.
pub(super) fn parse(path: &Path, bytes: Vec<u8>) -> Result<Triangles, FileError> {
    let refuse = |line: usize, reason: String| FileError::Syntax {
        path: path.to_owned(),
        line,
        column: 1,
        reason,
    };
    let text = geometry(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes));
    let options = LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..LoadOptions::default()
    };
    let mut rest = &text[..];
    let no_materials = |_: &Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut rest, &options, no_materials).map_err(|error| {
        let stray = (error == LoadError::FaceVertexOutOfBounds).then(|| stray_corner(&text));
        let (line, reason) = stray.flatten().unwrap_or_else(|| {
            let read = &text[..text.len() - rest.len()];
            (lines(read).count(), format!("{error}: vertices are `v x y z`, faces `f 1 2 3`"))
        });
        refuse(line, reason)
    })?;

    // Without groups there is one model.
    let mesh = models.into_iter().next().map(|model| model.mesh).unwrap_or_default();
    let (positions, _) = mesh.positions.as_chunks();
    let vertices: Vec<_> = positions.iter().copied().map(DVec3::from_array).collect();
    if vertices.iter().any(|vertex| !vertex.is_finite()) {
        let line = lines(&text).position(is_infinite_vertex).map_or(1, |index| index + 1);
        return Err(refuse(line, "every coordinate must be a finite number".to_owned()));
    }
    Ok(Triangles { vertices, triangles: mesh.indices.as_chunks().0.to_vec() })
}

/// The text with only what makes triangles, and empty lines for the rest, so that lines keep their
/// numbers. tobj would cut the mesh at groups and materials, refuse it for an index of a normal or for
/// a vertex without a colour among coloured ones, overflow at an index of a texture, and take no
/// letter that is not UTF-8, in a comment neither.
fn geometry(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + 1);
    for line in lines(bytes) {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let count = words(line).count();
        let kept = match words(line).next() {
            // x y z red green blue.
            Some(b"v") if count == 7 => 4,
            Some(b"v") => count,
            // A face without a corner is skipped, as one with a single corner is.
            Some(b"f") if count > 1 => count,
            _ => 0,
        };
        for word in words(line).take(kept) {
            text.extend_from_slice(word);
            text.push(b' ');
        }
        text.push(b'\n');
    }
    text
}

/// Line and reason of the first face with a corner that is no vertex of the file.
fn stray_corner(text: &[u8]) -> Option<(usize, String)> {
    let is_vertex = |line: &&[u8]| words(line).next() == Some(b"v");
    let total = lines(text).filter(is_vertex).count() as i64;
    let mut above = 0;
    for (index, line) in lines(text).enumerate() {
        if is_vertex(&line) {
            above += 1;
            continue;
        }
        for corner in words(line).skip(1) {
            let number = corner.split(|&byte| byte == b'/').next()?;
            let number: i64 = str::from_utf8(number).ok()?.parse().ok()?;
            let vertex = if number < 0 { above + number } else { number - 1 };
            if !(0..total).contains(&vertex) {
                let reason = format!("a corner is vertex {number}: there are {total}, from 1");
                return Some((index + 1, reason));
            }
        }
    }
    None
}

/// As tobj takes it: a fourth number divides the others.
fn is_infinite_vertex(line: &[u8]) -> bool {
    let number = |word| str::from_utf8(word).ok()?.parse().ok();
    let numbers: Vec<f64> = words(line).skip(1).filter_map(number).collect();
    let weight = numbers.get(3).unwrap_or(&1.0);
    words(line).next() == Some(b"v") && numbers.iter().any(|x| !(x / weight).is_finite())
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
