//! The triangles of a COLLADA geometry.

use super::dae_file::{DaeFile, children};
use crate::mesh::Triangles;
use crate::xml::Node;
use glam::DVec3;
use raytwin_files::FileError;
use std::collections::HashMap;

/// The indices of one element of polygons: each corner has `stride` indices, one of which is its
/// vertex.
struct Corners {
    stride: usize,
    offset: usize,
    /// The index that the first vertex of its source has in the mesh.
    first: u32,
    vertex_count: usize,
}

/// Reads all polygons of a geometry, whose own sources and vertices come before others with the
/// same ids. Anything else is left out with a warning.
pub(super) fn triangles<'a>(
    file: &DaeFile<'a>,
    geometry: Node<'a, 'a>,
) -> Result<Triangles, FileError> {
    let mut mesh = Triangles { vertices: Vec::new(), triangles: Vec::new() };
    // The sources of positions that were read, each with the first of its vertices and their
    // number; `None` for one without numbers.
    let mut sources: HashMap<usize, Option<(u32, usize)>> = HashMap::new();
    for element in geometry.children().flat_map(|form| elements_of(file, form)) {
        match element.tag_name().name() {
            "triangles" | "polylist" | "polygons" | "trifans" | "tristrips" => {}
            "lines" | "linestrips" if children(element, "p").next().is_some() => {
                file.leave_out(element, "has lines, which have no surface");
                continue;
            }
            _ => continue,
        }
        let Some((source, stride, offset)) = positions(file, geometry, element)? else { continue };
        let position = source.range().start;
        let read = match sources.get(&position) {
            Some(&known) => known,
            None => {
                let first = mesh.vertices.len() as u32;
                let points = points(file, geometry, source)?;
                let read = points.as_ref().map(|points| (first, points.len()));
                mesh.vertices.extend(points.unwrap_or_default());
                sources.insert(position, read);
                read
            }
        };
        let Some((first, vertex_count)) = read else { continue };
        let corners = Corners { stride, offset, first, vertex_count };
        add_polygons(file, element, &corners, &mut mesh)?;
    }
    Ok(mesh)
}

/// The elements of a mesh; none for a form of geometry that is not supported.
fn elements_of<'a>(
    file: &DaeFile<'a>,
    form: Node<'a, 'a>,
) -> impl Iterator<Item = Node<'a, 'a>> + use<'a> {
    let is_mesh = match form.tag_name().name() {
        "convex_mesh" if form.has_attribute("convex_hull_of") => {
            file.leave_out(form, "is the convex hull of another geometry, which is not read");
            false
        }
        "mesh" | "convex_mesh" => true,
        "spline" | "brep" => {
            file.leave_out(form, "is not a mesh: export the geometry as triangles");
            false
        }
        _ => false,
    };
    form.children().filter(move |child| is_mesh && child.is_element())
}

/// The source of an element's positions, the number of indices a corner, and the offset of its
/// vertex among them; `None` for an element without corners or without the numbers of them,
/// or whose positions are not in the file.
fn positions<'a>(
    file: &DaeFile<'a>,
    geometry: Node<'a, 'a>,
    element: Node<'a, 'a>,
) -> Result<Option<(Node<'a, 'a>, usize, usize)>, FileError> {
    if !element.children().any(|child| ["p", "ph"].contains(&child.tag_name().name())) {
        return Ok(None);
    }
    if element.tag_name().name() == "polylist" && children(element, "vcount").next().is_none() {
        file.leave_out(element, "has no <vcount>, which counts the corners of its polygons");
        return Ok(None);
    }
    let offset = |input: Node<'a, 'a>| -> Result<usize, FileError> {
        let text = input.attribute("offset").unwrap_or("0");
        // A mesh has few inputs; a larger offset would make corners of unlimited size.
        let offset = text.trim().parse().ok().filter(|&offset| offset < 1000);
        offset.ok_or_else(|| file.refuse(input, "offset must be a whole number below 1000"))
    };
    let mut stride = 0;
    let mut vertices = None;
    for input in children(element, "input") {
        let offset = offset(input)?;
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") {
            vertices = Some((input, offset));
        }
    }
    let Some((input, offset)) = vertices else {
        let reason = "has no <input semantic=\"VERTEX\">, which names its vertices";
        file.leave_out(element, reason);
        return Ok(None);
    };
    let Some(vertices) = file.referred(geometry, input, "source", &["vertices"]) else {
        return Ok(None);
    };
    let mut inputs = children(vertices, "input");
    let input = inputs.find(|input| input.attribute("semantic") == Some("POSITION"));
    let Some(input) = input else {
        file.leave_out(vertices, "has no <input semantic=\"POSITION\">");
        return Ok(None);
    };
    let source = file.referred(geometry, input, "source", &["source"]);
    Ok(source.map(|source| (source, stride, offset)))
}

/// The points of a source, which its accessor selects from an array of numbers; `None` if the array
/// is not in the file.
fn points<'a>(
    file: &DaeFile<'a>,
    geometry: Node<'a, 'a>,
    source: Node<'a, 'a>,
) -> Result<Option<Vec<DVec3>>, FileError> {
    let accessor =
        children(source, "technique_common").flat_map(|common| children(common, "accessor")).next();
    let array = match accessor.filter(|accessor| accessor.has_attribute("source")) {
        Some(accessor) => file.referred(geometry, accessor, "source", &["float_array"]),
        None => {
            let array = children(source, "float_array").next();
            if array.is_none() {
                file.leave_out(source, "has no <float_array>");
            }
            array
        }
    };
    let Some(array) = array else { return Ok(None) };
    let numbers = file.numbers(array)?;
    file.take(array, numbers.len())?;
    let Some(accessor) = accessor else {
        let points = numbers.as_chunks().0.iter().copied().map(DVec3::from_array);
        return Ok(Some(points.collect()));
    };
    let claim = |name: &str, default: usize| -> Result<usize, FileError> {
        let Some(text) = accessor.attribute(name) else { return Ok(default) };
        text.trim()
            .parse()
            .map_err(|_| file.refuse(accessor, format!("{name} must be a whole number")))
    };
    let (stride, offset) = (claim("stride", 3)?, claim("offset", 0)?);
    let names: Vec<&str> = children(accessor, "param")
        .map(|param| param.attribute("name").unwrap_or_default())
        .collect();
    let axis = |name: &str, default: usize| {
        names.iter().position(|&known| known == name).unwrap_or(default)
    };
    let axes = [axis("X", 0), axis("Y", 1), axis("Z", 2)];
    if stride <= axes.into_iter().max().unwrap_or(2) {
        return Err(
            file.refuse(accessor, "stride must be at least 3, because a point has three numbers")
        );
    }
    let count = claim("count", numbers.len() / stride)?;
    let needed = count.checked_mul(stride).and_then(|length| length.checked_add(offset));
    let rows = needed.and_then(|needed| numbers.get(offset..needed)).ok_or_else(|| {
        let reason = format!(
            "needs {count} points of {stride} numbers from number {offset} on, but the array has {}",
            numbers.len()
        );
        file.refuse(accessor, reason)
    })?;
    let point = |row: &[f64]| DVec3::from(axes.map(|axis| row[axis]));
    Ok(Some(rows.chunks_exact(stride).map(point).collect()))
}

fn add_polygons<'a>(
    file: &DaeFile<'a>,
    element: Node<'a, 'a>,
    corners: &Corners,
    mesh: &mut Triangles,
) -> Result<(), FileError> {
    let refuse = |reason: String| file.refuse(element, reason);
    let kind = element.tag_name().name();
    if kind == "polygons" {
        for polygon in children(element, "ph") {
            let Some(outline) = children(polygon, "p").next() else { continue };
            let outline = corners.vertices(file, outline)?;
            let holes = children(polygon, "h").map(|hole| corners.vertices(file, hole));
            let holes = holes.collect::<Result<Vec<_>, _>>()?;
            mesh.add_polygon_with_holes(&outline, &holes).map_err(refuse)?;
        }
    }
    for list in children(element, "p") {
        let vertices = corners.vertices(file, list)?;
        match kind {
            "triangles" => {
                let (triangles, rest) = vertices.as_chunks::<3>();
                if !rest.is_empty() {
                    return Err(refuse(format!(
                        "has {} corners: triangles have three each",
                        vertices.len()
                    )));
                }
                mesh.triangles.extend(triangles);
            }
            "polylist" => {
                let mut rest = &vertices[..];
                let counts = children(element, "vcount").next();
                for count in counts
                    .and_then(|counts| counts.text())
                    .unwrap_or_default()
                    .split_ascii_whitespace()
                {
                    let split =
                        count.parse().ok().and_then(|count: usize| rest.split_at_checked(count));
                    let (polygon, others) = split.ok_or_else(|| {
                        let count = crate::shortened::shortened(count);
                        refuse(format!(
                            "vcount needs {count} corners, but only {} are left",
                            rest.len()
                        ))
                    })?;
                    mesh.add_polygon(polygon).map_err(refuse)?;
                    rest = others;
                }
                if !rest.is_empty() {
                    return Err(refuse(format!(
                        "has {} corners, but vcount needs {}",
                        vertices.len(),
                        vertices.len() - rest.len()
                    )));
                }
            }
            "polygons" => mesh.add_polygon(&vertices).map_err(refuse)?,
            "trifans" => {
                let sides = vertices.windows(2).skip(1);
                mesh.triangles.extend(sides.map(|side| [vertices[0], side[0], side[1]]));
            }
            _ => {
                let strip =
                    vertices.windows(3).enumerate().map(|(number, part)| match number % 2 {
                        0 => [part[0], part[1], part[2]],
                        _ => [part[1], part[0], part[2]],
                    });
                mesh.triangles.extend(strip);
            }
        }
    }
    Ok(())
}

impl Corners {
    /// The vertices that a list of indices names.
    fn vertices<'a>(&self, file: &DaeFile<'a>, list: Node<'a, 'a>) -> Result<Vec<u32>, FileError> {
        let words = list.text().unwrap_or_default().split_ascii_whitespace();
        let vertices = words.skip(self.offset).step_by(self.stride).map(|word| {
            let index =
                word.parse::<u32>().ok().filter(|&index| (index as usize) < self.vertex_count);
            index.map(|index| self.first + index).ok_or_else(|| {
                let word = crate::shortened::shortened(word);
                let reason = format!(
                    "a corner is vertex {word}: there are {} vertices, counted from 0",
                    self.vertex_count
                );
                file.refuse(list, reason)
            })
        });
        vertices.collect()
    }
}
