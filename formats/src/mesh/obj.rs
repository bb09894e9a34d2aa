//! Reads Wavefront OBJ: a text of polygons over numbered vertices. tobj parses it after
//! [`geometry`] has reduced it to the statements that tobj reads without faults.

use super::triangles::Triangles;
use crate::checks::{TOO_LARGE, not_finite};
use crate::graph_reader::called;
use crate::mesh_warnings::MeshWarnings;
use crate::source_text::plain_text;
use glam::DVec3;
use raytwin_files::FileError;
use std::path::Path;
use tobj::{LoadError, LoadOptions};

/// The objects and groups whose faces are read.
#[derive(Clone, Copy, Default)]
pub(super) enum ObjPart<'a> {
    #[default]
    Whole,
    Named(&'a str),
    /// MuJoCo's choice: everything before the object or group after the first that has elements. A
    /// vertex has three numbers there, and the shorter diagonal divides a quadrilateral.
    First,
}

/// Reads the vertices and faces of all objects and groups as one mesh. Vertices are numbered in the
/// order in which faces first name them. A file without faces keeps all its vertices.
pub(super) fn parse(
    path: &Path,
    bytes: Vec<u8>,
    warnings: &mut MeshWarnings,
) -> Result<Triangles, FileError> {
    parse_part(path, &bytes, ObjPart::Whole, warnings).map(|(mesh, _)| mesh)
}

/// Does the same with the faces of only some objects and groups. Also returns the number of other
/// faces.
pub(super) fn parse_part(
    path: &Path,
    bytes: &[u8],
    part: ObjPart<'_>,
    warnings: &mut MeshWarnings,
) -> Result<(Triangles, usize), FileError> {
    let refuse = |line: usize, reason: String| FileError::Syntax {
        path: path.to_owned(),
        line,
        column: 1,
        reason,
    };
    let ReducedText { text, other_faces, no_faces } = geometry(&plain_text(bytes), part);
    for (count, (_, elements)) in no_faces.into_iter().zip(NO_FACES) {
        if count > 0 {
            warnings.parts.add(|| format!("{}: {count} {elements}", called(path)));
        }
    }
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let mut rest = &text[..];
    let no_materials = |_: &Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut rest, &options, no_materials).map_err(|error| {
        let stray = (error == LoadError::FaceVertexOutOfBounds).then(|| stray_corner(&text));
        let (line, reason) = stray.flatten().unwrap_or_else(|| {
            let read = &text[..text.len() - rest.len()];
            (
                lines(read).count(),
                format!("{error}: write vertices as `v x y z` and faces as `f 1 2 3`"),
            )
        });
        refuse(line, reason)
    })?;

    // The text names no groups any more, so there is one model.
    let obj = models.into_iter().next().map(|model| model.mesh).unwrap_or_default();
    let (positions, _) = obj.positions.as_chunks();
    let mut vertices: Vec<_> = positions.iter().copied().map(DVec3::from_array).collect();
    if obj.indices.is_empty() {
        vertices = lines(&text).filter_map(vertex).collect();
    }
    if vertices.iter().any(|vertex| !vertex.is_finite()) {
        let mut faults = (1..).zip(lines(&text).map(vertex_not_finite));
        let fault = faults.find_map(|(line, fault)| Some((line, fault?)));
        let (line, reason) = fault.unwrap_or((1, TOO_LARGE));
        return Err(refuse(line, reason.to_owned()));
    }
    let mut mesh = Triangles { vertices, triangles: Vec::new() };
    // tobj leaves the numbers of corners out if all polygons have three.
    let arities = obj.face_arities.iter().map(|&arity| arity as usize).chain(std::iter::repeat(3));
    let mut corners = &obj.indices[..];
    for (index, arity) in arities.enumerate() {
        let Some((polygon, rest)) = corners.split_at_checked(arity) else { break };
        let refuse = |reason| refuse(polygon_line(&text, index), reason);
        match (part, polygon) {
            (ObjPart::First, &[a, b, c, d]) => mesh.add_quadrilateral([a, b, c, d]),
            _ => mesh.add_polygon(polygon).map_err(refuse)?,
        }
        corners = rest;
    }
    Ok((mesh, other_faces))
}

const NO_FACES: [(&[&[u8]], &str); 4] = [
    (&[b"p"], "statements of points"),
    (&[b"l"], "lines"),
    (&[b"curv"], "curves"),
    (&[b"surf", b"bsp", b"bzp", b"cdc", b"cdp"], "free-form surfaces"),
];

/// The reduced text of a file.
struct ReducedText {
    text: Vec<u8>,
    /// The number of faces that belong to other parts.
    other_faces: usize,
    /// The number of elements of the part of each kind of [`NO_FACES`].
    no_faces: [usize; NO_FACES.len()],
}

/// The text reduced to the vertices and faces, with empty lines for the rest so that line numbers
/// stay. A line that `\` continues is joined into its first line. tobj needs this, because it does
/// not know continued lines, splits the mesh at groups and materials, refuses a wrong normal index
/// and a vertex without a colour among coloured ones, overflows at a texture index, and refuses
/// bytes that are not UTF-8 even in comments.
fn geometry(bytes: &[u8], part: ObjPart<'_>) -> ReducedText {
    let mut faces = FaceFilter { part, ..FaceFilter::default() };
    let mut other_faces = 0;
    let mut no_faces = [0; NO_FACES.len()];
    let mut text = Vec::with_capacity(bytes.len() + 1);
    let mut statement = Vec::new();
    let mut line_count = 0;
    // The last line may end in `\`: the empty line ends its statement.
    for line in lines(bytes).chain([&b""[..]]) {
        let (line, is_continued) = content(line);
        statement.extend_from_slice(line);
        statement.push(b' ');
        line_count += 1;
        if is_continued {
            continue;
        }
        let count = words(&statement).count();
        faces.pass(&statement);
        let keyword = keyword(&statement);
        if count > 1 && faces.are_kept() {
            let is_of =
                |(keywords, _): &(&[&[u8]], _)| keyword.is_some_and(|it| keywords.contains(&it));
            if let Some(kind) = NO_FACES.iter().position(is_of) {
                no_faces[kind] += 1;
            }
        }
        let kept = match keyword {
            // A coloured vertex is `v x y z red green blue`.
            Some(b"v") if count == 7 || matches!(part, ObjPart::First) => count.min(4),
            Some(b"v") => count,
            // A face without corners is left out, as `ignore_points` leaves out a face of one
            // corner.
            Some(b"f") if count > 1 && faces.are_kept() => count,
            Some(b"f") if count > MIN_FACE => {
                other_faces += 1;
                0
            }
            _ => 0,
        };
        for word in keyword.into_iter().chain(words(&statement).skip(1)).take(kept) {
            text.extend_from_slice(word);
            text.push(b' ');
        }
        text.extend(std::iter::repeat_n(b'\n', line_count));
        statement.clear();
        line_count = 0;
    }
    ReducedText { text, other_faces, no_faces }
}

/// The first word of a statement. `fo` is what faces were called before.
fn keyword(statement: &[u8]) -> Option<&[u8]> {
    words(statement).next().map(|word| if word == b"fo" { b"f" } else { word })
}

/// The words of a face with three corners.
const MIN_FACE: usize = 3;

/// The state by which faces are assigned to the part of a file that is read.
#[derive(Default)]
struct FaceFilter<'a> {
    part: ObjPart<'a>,
    /// True if the next face is in an object, or in a group, of the name.
    is_in_object: bool,
    is_in_group: bool,
    /// True once the first object or group with elements has begun, and once the next one has.
    has_begun: bool,
    is_over: bool,
}

impl FaceFilter<'_> {
    fn pass(&mut self, statement: &[u8]) {
        let is_named = |part| matches!(part, ObjPart::Named(name) if is_named(statement, name));
        let count = words(statement).count();
        match keyword(statement) {
            Some(b"o") => self.is_in_object = is_named(self.part),
            Some(b"g") => self.is_in_group = is_named(self.part),
            Some(b"f") => self.has_begun |= count > MIN_FACE,
            Some(b"l" | b"p") => self.has_begun |= count > 1,
            _ => {}
        }
        // Objects and groups without a name divide nothing.
        self.is_over |=
            self.has_begun && count > 1 && matches!(words(statement).next(), Some(b"o" | b"g"));
    }

    fn are_kept(&self) -> bool {
        match self.part {
            ObjPart::Whole => true,
            ObjPart::Named(_) => self.is_in_object || self.is_in_group,
            ObjPart::First => !self.is_over,
        }
    }
}

/// The names of the objects and groups of a file.
pub(super) fn part_names(bytes: &[u8]) -> Vec<String> {
    let text = plain_text(bytes);
    let statements = lines(&text).map(|line| content(line).0);
    let named = statements.filter(|line| matches!(words(line).next(), Some(b"o" | b"g")));
    let names = named.map(|line| words(line).skip(1).collect::<Vec<_>>().join(&b' '));
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| String::from_utf8_lossy(&name).into_owned()).collect()
}

/// Returns true if an object has this name, or whether one of several groups has it.
fn is_named(statement: &[u8], part: &str) -> bool {
    let names: Vec<&[u8]> = words(statement).skip(1).collect();
    names.contains(&part.as_bytes()) || names.join(&b' ') == part.as_bytes()
}

/// A line without its comment, and whether the next line continues it. A comment is never
/// continued: one that ends in the `\` of a folder's name would swallow a vertex.
fn content(line: &[u8]) -> (&[u8], bool) {
    match line.iter().position(|&byte| byte == b'#') {
        Some(comment) => (&line[..comment], false),
        None => match line.trim_ascii_end() {
            [line @ .., b'\\'] => (line, true),
            line => (line, false),
        },
    }
}

/// The line number of a polygon, by its index among the faces of three corners or more.
fn polygon_line(text: &[u8], index: usize) -> usize {
    let is_polygon = |line: &[u8]| words(line).next() == Some(b"f") && words(line).count() > 3;
    let polygons = lines(text).enumerate().filter(|(_, line)| is_polygon(line));
    polygons.map(|(index, _)| index + 1).nth(index).unwrap_or(1)
}

/// Finds the first face with a corner that is not a vertex of the file: its line number, and the
/// reason to refuse it.
fn stray_corner(text: &[u8]) -> Option<(usize, String)> {
    let is_vertex = |line: &&[u8]| words(line).next() == Some(b"v");
    let total = lines(text).filter(is_vertex).count() as i64;
    let mut vertices_above = 0;
    for (index, line) in lines(text).enumerate() {
        if is_vertex(&line) {
            vertices_above += 1;
            continue;
        }
        for corner in words(line).skip(1) {
            let number = corner.split(|&byte| byte == b'/').next()?;
            let number: i64 = str::from_utf8(number).ok()?.parse().ok()?;
            let vertex = if number < 0 { vertices_above + number } else { number - 1 };
            if !(0..total).contains(&vertex) {
                let reason =
                    format!("a corner is vertex {number}: vertices are numbered from 1 to {total}");
                return Some((index + 1, reason));
            }
        }
    }
    None
}

/// The reason for refusing a line's vertex if a coordinate is not finite.
fn vertex_not_finite(line: &[u8]) -> Option<&'static str> {
    not_finite(&vertex(line)?.to_array())
}

/// The vertex of a line. As in tobj, a fourth number divides the others.
fn vertex(line: &[u8]) -> Option<DVec3> {
    let mut words = words(line);
    words.next().filter(|word| *word == b"v")?;
    let number = |word| str::from_utf8(word).ok()?.parse().ok();
    let numbers: Vec<f64> = words.filter_map(number).collect();
    let weight = numbers.get(3).unwrap_or(&1.0);
    Some(DVec3::from_slice(numbers.get(..3)?) / weight)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}
