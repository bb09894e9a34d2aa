//! Reads PLY: a text header describes elements and their properties, which follow as text or in
//! binary of either byte order.

use super::triangles::Triangles;
use crate::checks::not_finite;
use crate::graph_reader::called;
use crate::mesh_warnings::MeshWarnings;
use crate::source_text::end_by_newlines;
use glam::DVec3;
use raytwin_files::{FileError, in_utf_8};
use serde::Deserialize;
use serde_ply::{DeserializeError, PlyReader};
use std::borrow::Cow;
use std::io::{BufRead, ErrorKind, Read};
use std::path::Path;

#[derive(Deserialize)]
struct Vertex {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Deserialize)]
struct Face {
    /// The type is wider than any integer of a file, so that an index that is too large gets an
    /// error with its place.
    #[serde(alias = "vertex_index")]
    vertex_indices: Vec<i64>,
}

/// An element that is read past and not kept.
#[derive(Deserialize)]
struct Other {}

/// The elements of a file that make the mesh.
#[derive(Default)]
struct Elements {
    vertices: Vec<Vertex>,
    faces: Vec<Face>,
    /// Each other element of surfaces or lines, as its name and the number of its rows.
    others: Vec<(String, usize)>,
}

/// The elements of surfaces and lines that other programs write in addition to `face`.
const OTHER_ELEMENTS: [&str; 3] = ["tristrips", "range_grid", "edge"];

/// The element in which reading stopped, and the reason.
struct Fault {
    /// The element's name; empty in the header.
    element: String,
    error: DeserializeError,
}

/// Reads the elements `vertex` and `face`. Vertices keep the file's indices. Other elements of
/// surfaces and lines are left out with a warning.
pub(super) fn parse(
    path: &Path,
    bytes: Vec<u8>,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    let bytes = &tidied(in_utf_8(&bytes))[..];
    let is_text = is_text(bytes);
    // Without an end of line, the parser would treat the last number as truncated.
    let end: &[u8] = if is_text { b"\n" } else { b"" };
    let mut rest = bytes.chain(end);
    let Elements { vertices, faces, others } =
        elements(&mut rest, bytes.len()).map_err(|fault| {
            let read = &bytes[..bytes.len() - rest.get_ref().0.len()];
            fault.into_error(path, read, is_text)
        })?;
    let left = rest.get_ref().0;
    if left.iter().any(|byte| !byte.is_ascii_whitespace() && *byte != 0) {
        let reason = format!(
            "has {} bytes after the elements that its header declares: correct the counts of its elements, or remove these bytes",
            left.len()
        );
        return Err(FileError::meaning(path, "", reason));
    }

    for (element, count) in others {
        let rows = || format!("{}: {count} rows of the element \"{element}\"", called(path));
        warnings.parts.add(rows);
    }
    let mut mesh = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    for (index, Vertex { x, y, z }) in vertices.into_iter().enumerate() {
        if let Some(reason) = not_finite(&[x, y, z]) {
            return Err(FileError::meaning(path, format!("vertices[{index}]"), reason));
        }
        mesh.vertices.push(DVec3::new(x, y, z));
    }
    for (index, Face { vertex_indices }) in faces.into_iter().enumerate() {
        let refuse = |reason| FileError::meaning(path, format!("face[{index}]"), reason);
        let vertex = |&corner: &i64| {
            let vertex = u32::try_from(corner).ok();
            vertex.filter(|&vertex| (vertex as usize) < mesh.vertices.len()).ok_or_else(|| {
                let count = mesh.vertices.len();
                refuse(format!(
                    "has the corner {corner}: there are {count} vertices, counted from 0"
                ))
            })
        };
        let corners: Vec<u32> = vertex_indices.iter().map(vertex).collect::<Result<_, _>>()?;
        mesh.add_polygon(&corners).map_err(refuse)?;
    }
    Ok(mesh)
}

/// Changes, byte for byte, the parts of a header that serde_ply would reject and other programs
/// read: a magic word in capitals, letters that are not UTF-8, and lines that end in only a
/// carriage return, as in the first writers of PLY.
fn tidied(mut bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    const END: &[u8] = b"end_header";
    let is_end = |at: &usize| bytes[*at..].starts_with(END) && b"\r\n".contains(&bytes[at - 1]);
    let Some(end) = (1..bytes.len()).find(is_end) else { return bytes };
    let header = &bytes[..end];
    let is_text = is_text(header);
    let (is_utf_8, has_newlines) = (str::from_utf8(header).is_ok(), header.contains(&b'\n'));
    if header.starts_with(b"ply") && is_utf_8 && has_newlines {
        return bytes;
    }
    let (header, rest) = bytes.to_mut().split_at_mut(end + END.len());
    if header[..3].eq_ignore_ascii_case(b"ply") {
        header[..3].make_ascii_lowercase();
    }
    if !is_utf_8 {
        header.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
    }
    if !has_newlines {
        end_by_newlines(header);
        // The end of the header's last line is the first byte of the rest.
        let text = if is_text { rest.len() } else { rest.len().min(1) };
        end_by_newlines(&mut rest[..text]);
    }
    bytes
}

/// Returns whether the elements are text, as the header states, which is always text.
fn is_text(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| b"\r\n".contains(byte));
    let format = lines.find(|line| line.starts_with(b"format")).unwrap_or_default();
    format.split(u8::is_ascii_whitespace).any(|word| word == b"ascii")
}

fn elements(file: impl BufRead, length: usize) -> Result<Elements, Fault> {
    let in_header = |error| Fault { element: String::new(), error };
    let mut file = PlyReader::from_reader(file).map_err(in_header)?;
    let mut elements = Elements::default();
    while let Some(element) = file.current_element() {
        let name = element.name.clone();
        // Each property of a row needs at least a byte, so there cannot be more rows than bytes.
        let is_empty = element.properties.is_empty();
        if element.count > 0 && OTHER_ELEMENTS.contains(&&*name) {
            elements.others.push((name.clone(), element.count));
        }
        let is_credible = is_empty || element.count <= length;
        let read = match name.as_str() {
            _ if !is_credible => Err(DeserializeError(ErrorKind::UnexpectedEof.into())),
            "vertex" => file.next_element().map(|vertices| elements.vertices = vertices),
            "face" => file.next_element().map(|faces| elements.faces = faces),
            // Rows without properties need no bytes, so reading the declared number of them could
            // take forever.
            _ if is_empty => file.next_element().map(|_: [Other; 0]| ()),
            _ => file.next_element().map(|_: Vec<Other>| ()),
        };
        read.map_err(|error| Fault { element: name, error })?;
    }
    Ok(elements)
}

impl Fault {
    /// The error with its line and column, counted in `read`, the part of the file that was read.
    fn into_error(self, path: &Path, read: &[u8], is_text: bool) -> FileError {
        let Self { element, error: DeserializeError(error) } = self;
        if error.kind() == ErrorKind::UnexpectedEof {
            let reason = "is truncated: the file ends before the elements that its header declares";
            return FileError::meaning(path, element, reason);
        }
        let is_header = element.is_empty();
        if !is_header && !is_text {
            return FileError::meaning(path, element, error);
        }
        // The parser read last the faulty word and the space after it, or in the header the whole
        // line.
        let before = read.split_last().map_or(read, |(_, before)| before);
        let line = before.split(|&byte| byte == b'\n').count();
        let row = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let word = row.iter().rposition(u8::is_ascii_whitespace).filter(|_| !is_header);
        let column = word.map_or(1, |space| space + 2);
        FileError::Syntax { path: path.to_owned(), line, column, reason: error.to_string() }
    }
}
