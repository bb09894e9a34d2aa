//! Geometry nodes over the points of a Coordinate: faces, polylines, and the points themselves.

use super::geometry::{
    FaceKind, Faces, Polylines, counted_faces, indexed_faces, indexed_line_set, line_set,
    plain_faces,
};
use super::geometry_fault::GeometryFault;
use super::tree::NodeIndex;
use super::tree_reader::TreeReader;
use super::values::whole_number;
use glam::DVec3;
use raytwin_files::FileError;
use std::rc::Rc;

impl TreeReader<'_> {
    /// The points of a node's Coordinate.
    pub fn points_of(&mut self, node: NodeIndex) -> Result<Rc<[DVec3]>, GeometryFault> {
        let tree = self.tree;
        let coord = tree.node_in(node, "coord").map(|coord| tree.resolved(coord));
        let Some(coord) = coord else { return Err("it has no Coordinate".to_owned().into()) };
        if let Some(reason) = tree.absence(coord) {
            return Err(format!("its points are missing: {reason}").into());
        }
        let type_name = &*tree.node(coord).type_name;
        if !matches!(type_name, "Coordinate" | "CoordinateDouble") {
            return Err("its points are not in a Coordinate".to_owned().into());
        }
        if let Some(points) = self.points.shared.get(&coord) {
            return Ok(points.clone());
        }
        let numbers = tree.numbers(coord, "point")?.unwrap_or_default();
        self.note_surplus(coord, "point", numbers.len(), numbers.len() / 3 * 3);
        let points: Rc<[DVec3]> = numbers.chunks_exact(3).map(DVec3::from_slice).collect();
        if self.is_shared(coord) {
            self.points.shared.insert(coord, points.clone());
        }
        Ok(points)
    }

    /// The points of a node that uses all of its Coordinate's.
    pub fn coordinates(&mut self, node: NodeIndex) -> Result<Rc<[DVec3]>, GeometryFault> {
        let points = self.points_of(node)?;
        self.points.spend(points.len())?;
        Ok(points)
    }

    /// The numbers of a field that are indices or counts.
    fn whole_numbers(&mut self, node: NodeIndex, field: &str) -> Result<Vec<i64>, FileError> {
        let numbers = self.tree.numbers(node, field)?.unwrap_or_default();
        Ok(numbers.iter().copied().map(whole_number).collect())
    }

    /// The indices of a node, each of which may add a point.
    fn indices(&mut self, node: NodeIndex, field: &str) -> Result<Vec<i64>, GeometryFault> {
        let indices = self.whole_numbers(node, field)?;
        self.points.spend(indices.len())?;
        Ok(indices)
    }

    /// The faces of a node of that type; `None` if it is not a known set of faces.
    pub fn faces(
        &mut self,
        node: NodeIndex,
        type_name: &str,
    ) -> Result<Option<Faces>, GeometryFault> {
        let ccw = self.tree.flag(node, "ccw", true)?;
        let (field, kind) = match type_name {
            "IndexedFaceSet" => ("coordIndex", FaceKind::Polygon),
            "IndexedTriangleSet" => ("index", FaceKind::Three),
            "IndexedTriangleFanSet" => ("index", FaceKind::Fan),
            "IndexedTriangleStripSet" => ("index", FaceKind::Strip),
            "IndexedQuadSet" => ("index", FaceKind::Quad),
            "TriangleFanSet" => ("fanCount", FaceKind::Fan),
            "TriangleStripSet" => ("stripCount", FaceKind::Strip),
            "TriangleSet" => ("", FaceKind::Three),
            "QuadSet" => ("", FaceKind::Quad),
            _ => return Ok(None),
        };
        if !type_name.starts_with("Indexed") {
            let points = self.coordinates(node)?;
            return Ok(Some(match field {
                "" => plain_faces(&points, kind, ccw)?,
                counts => counted_faces(&points, &self.whole_numbers(node, counts)?, kind, ccw)?,
            }));
        }
        let indices = self.indices(node, field)?;
        if indices.is_empty() {
            return Ok(Some(Faces::default()));
        }
        Ok(Some(indexed_faces(&self.points_of(node)?, &indices, kind, ccw)?))
    }

    /// The polylines of an IndexedLineSet or a LineSet.
    pub fn polylines(&mut self, node: NodeIndex) -> Result<Polylines, GeometryFault> {
        if &*self.tree.node(node).type_name == "IndexedLineSet" {
            let points = self.points_of(node)?;
            return Ok(indexed_line_set(&points, &self.indices(node, "coordIndex")?)?);
        }
        let points = self.coordinates(node)?;
        Ok(line_set(&points, &self.whole_numbers(node, "vertexCount")?)?)
    }
}
