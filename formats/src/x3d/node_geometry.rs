//! The geometries of a geometry node, by the type of the node. Sizes are full lengths, and axes are
//! y.

use super::geometry::{ElevationGrid, Extrusion, FontStyle, Polylines, Text};
use super::geometry_fault::GeometryFault;
use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::TreeReader;
use super::values::whole_number;
use crate::closed_form::closed_form;
use crate::mesh::Triangles;
use glam::{DVec2, DVec3};
use raytwin::geometry::{Geometry, Lines, Mesh};
use raytwin::math::Bounds;
use raytwin_files::FileError;

/// The default radius of the lines in a set, as a share of the set's size.
const LINE_RADIUS: f64 = 1e-3;

/// The names of the flags of a round shape's side and of its ends, which are the top and the
/// bottom.
const PARTS: [&str; 3] = ["side", "top", "bottom"];

impl TreeReader<'_> {
    /// The geometries of a node, in its own space: one, none if nothing is visible, or many for
    /// points.
    pub fn geometry(
        &mut self,
        node: NodeIndex,
        names: &[&str],
        within: &Surroundings,
    ) -> Result<Vec<Geometry>, GeometryFault> {
        let tree = self.tree;
        if let Some(reason) = tree.absence(node) {
            return Err(reason.to_owned().into());
        }
        let number = |field, default| tree.number(node, field, default);
        let one = |geometry: Geometry| Ok(vec![geometry]);
        match &*tree.node(node).type_name {
            "Sphere" => one(closed_form("sphere", &[0.0, 0.0, 0.0, number("radius", 1.0)?])?),
            "Box" => {
                let half = tree.vector(node, "size", [2.0; 3])?.map(|size| 0.5 * size);
                one(closed_form("box", &[[0.0; 3], half].concat())?)
            }
            "Cylinder" => {
                let [radius, height] = [number("radius", 1.0)?, number("height", 2.0)?];
                let [side, top, bottom] = self.parts(node)?;
                round("cylinder", height, [radius, 0.0], [side, bottom, top])
            }
            "Cone" => {
                let [radius, height] = [number("bottomRadius", 1.0)?, number("height", 2.0)?];
                let [side, _, bottom] = self.parts(node)?;
                // The tip belongs to the side.
                round("cone", height, [radius, 0.0], [side, bottom, side])
            }
            "ElevationGrid" => {
                let whole = |field, default| tree.number(node, field, default).map(whole_number);
                let heights = tree.numbers(node, "height")?.unwrap_or_default().into_owned();
                let grid = ElevationGrid {
                    x_dimension: whole("xDimension", 0.0)?,
                    z_dimension: whole("zDimension", 0.0)?,
                    x_spacing: number("xSpacing", 1.0)?,
                    z_spacing: number("zSpacing", 1.0)?,
                    heights,
                    ccw: tree.flag(node, "ccw", true)?,
                };
                self.points.spend(grid.heights.len())?;
                let triangles = grid.triangles()?;
                self.note_surplus(node, "height", grid.heights.len(), triangles.vertices.len());
                one(mesh(triangles)?)
            }
            "Extrusion" => one(self.extrusion(node)?),
            "Text" if self.is_blank(node)? => Ok(Vec::new()),
            "Text" => one(self.text(node)?),
            "IndexedLineSet" | "LineSet" => {
                let lines = self.polylines(node)?;
                self.note_left_out(lines.left_out, node, names, within);
                one(self.lines(lines)?)
            }
            "PointSet" => {
                let points = self.coordinates(node)?;
                self.spheres(&points, node, names, within)
            }
            type_name => {
                if let Some(geometries) = self.planar(node, type_name, names, within)? {
                    return Ok(geometries);
                }
                let Some(faces) = self.faces(node, type_name)? else {
                    return Err("raytwin does not read this type of geometry".to_owned().into());
                };
                self.note_left_out(faces.left_out, node, names, within);
                match faces.triangles.triangles.is_empty() {
                    true => Ok(Vec::new()),
                    false => one(mesh(faces.triangles)?),
                }
            }
        }
    }

    fn parts(&self, node: NodeIndex) -> Result<[bool; 3], FileError> {
        let mut parts = [true; 3];
        for (part, field) in parts.iter_mut().zip(PARTS) {
            *part = self.tree.flag(node, field, true)?;
        }
        Ok(parts)
    }

    fn extrusion(&mut self, node: NodeIndex) -> Result<Geometry, GeometryFault> {
        const SQUARE: [f64; 10] = [1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0];
        let tree = self.tree;
        let list = |field, default: &[f64]| -> Result<Vec<f64>, FileError> {
            Ok(tree.numbers(node, field)?.map_or_else(|| default.to_vec(), |it| it.into_owned()))
        };
        let pairs = |list: Vec<f64>| list.chunks_exact(2).map(DVec2::from_slice).collect();
        let orientation = list("orientation", &[0.0, 0.0, 1.0, 0.0])?;
        let turn = |turn: &[f64; 4]| [turn[0], turn[1], turn[2], turn[3] * tree.angle_unit];
        let extrusion = Extrusion {
            cross_section: pairs(list("crossSection", &SQUARE)?),
            spine: list("spine", &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0])?
                .chunks_exact(3)
                .map(DVec3::from_slice)
                .collect(),
            scale: pairs(list("scale", &[1.0, 1.0])?),
            orientation: orientation.as_chunks().0.iter().map(turn).collect(),
            begin_cap: tree.flag(node, "beginCap", true)?,
            end_cap: tree.flag(node, "endCap", true)?,
            ccw: tree.flag(node, "ccw", true)?,
        };
        let count = extrusion.cross_section.len().saturating_mul(extrusion.spine.len());
        self.points.spend(count)?;
        mesh(extrusion.triangles()?)
    }

    /// Returns true if a Text has no letters, as in worlds whose scripts fill it.
    fn is_blank(&self, node: NodeIndex) -> Result<bool, FileError> {
        let strings = self.tree.strings(node, "string")?;
        Ok(strings.iter().all(|line| line.trim().is_empty()))
    }

    fn text(&mut self, node: NodeIndex) -> Result<Geometry, GeometryFault> {
        let tree = self.tree;
        let mut font = FontStyle {
            size: 1.0,
            spacing: 1.0,
            justify: vec!["BEGIN".to_owned()],
            horizontal: true,
            left_to_right: true,
            top_to_bottom: true,
        };
        if let Some(style) = tree.node_in(node, "fontStyle").map(|style| tree.resolved(style)) {
            font.size = tree.number(style, "size", font.size)?;
            font.spacing = tree.number(style, "spacing", font.spacing)?;
            let justify = tree.strings(style, "justify")?;
            if !justify.is_empty() {
                font.justify = justify.into_owned();
            }
            font.horizontal = tree.flag(style, "horizontal", true)?;
            font.left_to_right = tree.flag(style, "leftToRight", true)?;
            font.top_to_bottom = tree.flag(style, "topToBottom", true)?;
        }
        let text = Text {
            strings: tree.strings(node, "string")?.into_owned(),
            lengths: tree.numbers(node, "length")?.unwrap_or_default().into_owned(),
            max_extent: tree.number(node, "maxExtent", 0.0)?,
            font,
        };
        let triangles = text.triangles()?;
        self.points.spend(triangles.vertices.len())?;
        mesh(triangles)
    }

    /// The points of a set as spheres, if there is a radius for them.
    pub fn spheres(
        &mut self,
        points: &[DVec3],
        node: NodeIndex,
        names: &[&str],
        within: &Surroundings,
    ) -> Result<Vec<Geometry>, GeometryFault> {
        let Some(radius) = self.options.point_radius else {
            let shape = self.described_shape(node, names, within);
            self.warnings.points.add(|| shape);
            return Ok(Vec::new());
        };
        let sphere = |point: &DVec3| closed_form("sphere", &[point.x, point.y, point.z, radius]);
        Ok(points.iter().map(sphere).collect::<Result<_, _>>()?)
    }

    pub fn lines(&self, lines: Polylines) -> Result<Geometry, GeometryFault> {
        let Polylines { points, segments, .. } = lines;
        let bounds = points
            .iter()
            .fold(Bounds::EMPTY, |all, &point| all.union(Bounds { min: point, max: point }));
        let radius = self.options.line_radius.unwrap_or(LINE_RADIUS * 2.0 * bounds.radius());
        Ok(Lines::new(points, segments, radius)?.into())
    }

    /// Records that faces or lines of a set were left out, if some were.
    pub fn note_left_out(
        &mut self,
        left_out: usize,
        node: NodeIndex,
        names: &[&str],
        within: &Surroundings,
    ) {
        if left_out > 0 {
            let shape = self.described_shape(node, names, within);
            self.warnings.incomplete_shapes.add(|| format!("{shape}: {left_out} of them"));
        }
    }
}

/// A round shape about y, from its radii and whether its side, its start cap and its end cap are
/// present. If all parts are missing, it is checked but gives no geometry.
fn round(
    type_name: &str,
    height: f64,
    radii: [f64; 2],
    parts: [bool; 3],
) -> Result<Vec<Geometry>, GeometryFault> {
    if height <= 0.0 {
        return Err(format!("its height is {height:?}: it must be above 0").into());
    }
    let half = 0.5 * height;
    let is_absent = parts == [false; 3];
    let flags = parts.map(|is_present| f64::from(u8::from(is_present || is_absent)));
    let row = [&[0.0, -half, 0.0, 0.0, half, 0.0][..], &radii, &flags].concat();
    let whole = closed_form(type_name, &row)?;
    Ok(if is_absent { Vec::new() } else { vec![whole] })
}

pub(super) fn mesh(
    Triangles { vertices, triangles }: Triangles,
) -> Result<Geometry, GeometryFault> {
    Ok(Mesh::new(vertices, triangles)?.into())
}
