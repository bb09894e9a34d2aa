//! Wavefront OBJ: text, with polygons over numbered vertices.

use super::Triangles;
use crate::import::{TOO_LARGE, unfit};
use crate::io::FileError;
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
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
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
    let obj = models.into_iter().next().map(|model| model.mesh).unwrap_or_default();
    let (positions, _) = obj.positions.as_chunks();
    let vertices: Vec<_> = positions.iter().copied().map(DVec3::from_array).collect();
    if vertices.iter().any(|vertex| !vertex.is_finite()) {
        let mut faults = (1..).zip(lines(&text).map(unfit_vertex));
        let fault = faults.find_map(|(line, fault)| Some((line, fault?)));
        let (line, reason) = fault.unwrap_or((1, TOO_LARGE));
        return Err(refuse(line, reason.to_owned()));
    }
    let mut mesh = Triangles { vertices, triangles: Vec::new() };
    // tobj names no numbers of corners where all have three.
    let arities = obj.face_arities.iter().map(|&arity| arity as usize).chain(std::iter::repeat(3));
    let mut corners = &obj.indices[..];
    for (index, arity) in arities.enumerate() {
        let Some((polygon, rest)) = corners.split_at_checked(arity) else { break };
        let refuse = |reason| refuse(polygon_line(&text, index), reason);
        mesh.add_polygon(polygon).map_err(refuse)?;
        corners = rest;
    }
    Ok(mesh)
}

/// The text with only what makes triangles, and empty lines for the rest, so that lines keep their
/// numbers: one that `\` continues stands whole in the first of its lines. tobj would know no such line, cut the
/// mesh at groups and materials, refuse it for an index of a normal or for a vertex without a colour among coloured
/// ones, overflow at an index of a texture, and take no letter that is not UTF-8, in a comment neither.
fn geometry(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + 1);
    let mut statement = Vec::new();
    let mut ends = 0;
    // The last line may promise another.
    for line in lines(bytes).chain([&b""[..]]) {
        let (line, goes_on) = content(line);
        statement.extend_from_slice(line);
        statement.push(b' ');
        ends += 1;
        if goes_on {
            continue;
        }
        let count = words(&statement).count();
        let kept = match words(&statement).next() {
            // x y z red green blue.
            Some(b"v") if count == 7 => 4,
            Some(b"v") => count,
            // A face without a corner is skipped, as one with a single corner is.
            Some(b"f") if count > 1 => count,
            _ => 0,
        };
        for word in words(&statement).take(kept) {
            text.extend_from_slice(word);
            text.push(b' ');
        }
        text.extend(std::iter::repeat_n(b'\n', ends));
        statement.clear();
        ends = 0;
    }
    text
}

/// A line without its comment, and whether the next one belongs to it. No comment goes on: one that ends in the
/// `\` of a folder's name would swallow a vertex.
fn content(line: &[u8]) -> (&[u8], bool) {
    match line.iter().position(|&byte| byte == b'#') {
        Some(comment) => (&line[..comment], false),
        None => match line.trim_ascii_end() {
            [line @ .., b'\\'] => (line, true),
            line => (line, false),
        },
    }
}

/// The line of a polygon by its place among those that are not points or edges.
fn polygon_line(text: &[u8], index: usize) -> usize {
    let is_polygon = |line: &[u8]| words(line).next() == Some(b"f") && words(line).count() > 3;
    let polygons = lines(text).enumerate().filter(|(_, line)| is_polygon(line));
    polygons.map(|(index, _)| index + 1).nth(index).unwrap_or(1)
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

/// What is wrong with a line's vertex as tobj takes it: a fourth number divides the others.
fn unfit_vertex(line: &[u8]) -> Option<&'static str> {
    let number = |word| str::from_utf8(word).ok()?.parse().ok();
    let numbers: Vec<f64> = words(line).skip(1).filter_map(number).collect();
    let weight = numbers.get(3).unwrap_or(&1.0);
    let numbers: Vec<f64> = numbers.iter().map(|number| number / weight).collect();
    unfit(&numbers).filter(|_| words(line).next() == Some(b"v"))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
