//! Reads the nodes of the component Geometry2D (X3D 14).

use super::geometry::{CircularArc, in_space, planar_triangle_set, polyline, rectangle};
use super::geometry_fault::GeometryFault;
use super::node_geometry::mesh;
use super::placement::Surroundings;
use super::tree::NodeIndex;
use super::tree_reader::TreeReader;
use crate::closed_form::closed_form;
use glam::DVec2;
use raytwin::geometry::Geometry;
use raytwin_files::FileError;
use std::f64::consts::FRAC_PI_2;

impl TreeReader<'_> {
    /// The geometries of a node of that type; `None` if it is not a planar node.
    pub fn planar(
        &mut self,
        node: NodeIndex,
        type_name: &str,
        names: &[&str],
        within: &Surroundings,
    ) -> Result<Option<Vec<Geometry>>, GeometryFault> {
        let tree = self.tree;
        let one = |geometry: Geometry| Ok(Some(vec![geometry]));
        match type_name {
            "Arc2D" => one(self.lines(self.arc(node)?.polyline()?)?),
            "Circle2D" => {
                let circle = CircularArc::circle(tree.number(node, "radius", 1.0)?);
                one(self.lines(circle.polyline()?)?)
            }
            "ArcClose2D" => {
                let closure_type = tree.string(node, "closureType")?;
                one(mesh(self.arc(node)?.face(closure_type.as_deref().unwrap_or("PIE"))?)?)
            }
            "Disk2D" => {
                let inner = tree.number(node, "innerRadius", 0.0)?;
                let outer = tree.number(node, "outerRadius", 1.0)?;
                if inner == outer {
                    // The specification requires a circle if nothing is left of the ring.
                    return one(self.lines(CircularArc::circle(outer).polyline()?)?);
                }
                one(closed_form("disc", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, outer, inner])?)
            }
            "Polyline2D" => {
                let lines = polyline(&self.planar_points(node, "lineSegments")?)?;
                one(self.lines(lines)?)
            }
            "Polypoint2D" => {
                let points = in_space(&self.planar_points(node, "point")?);
                self.spheres(&points, node, names, within).map(Some)
            }
            "Rectangle2D" => {
                one(mesh(rectangle(DVec2::from(tree.vector(node, "size", [2.0; 2])?))?)?)
            }
            "TriangleSet2D" => {
                let faces = planar_triangle_set(&self.planar_points(node, "vertices")?)?;
                self.note_left_out(faces.left_out, node, names, within);
                one(mesh(faces.triangles)?)
            }
            _ => Ok(None),
        }
    }

    fn arc(&self, node: NodeIndex) -> Result<CircularArc, FileError> {
        let tree = self.tree;
        let end_angle = tree.number(node, "endAngle", FRAC_PI_2 / tree.angle_unit)?;
        Ok(CircularArc {
            radius: tree.number(node, "radius", 1.0)?,
            start_angle: tree.number(node, "startAngle", 0.0)? * tree.angle_unit,
            end_angle: end_angle * tree.angle_unit,
        })
    }

    fn planar_points(&mut self, node: NodeIndex, field: &str) -> Result<Vec<DVec2>, GeometryFault> {
        let numbers = self.tree.numbers(node, field)?.unwrap_or_default();
        let points: Vec<DVec2> = numbers.chunks_exact(2).map(DVec2::from_slice).collect();
        self.points.spend(points.len())?;
        Ok(points)
    }
}

#[cfg(test)]
mod tests;
