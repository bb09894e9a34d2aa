//! Collects the faces of a node into triangles over the points that they use.

use crate::mesh::Triangles;
use glam::DVec3;
use std::collections::HashMap;

/// The triangles of a node's faces.
#[derive(Debug, Default, PartialEq)]
pub(in crate::x3d) struct Faces {
    /// The triangles, over only those points that a face has.
    pub triangles: Triangles,
    /// The number of faces that were left out: a corner is no point, or there are no three corners
    /// in different places.
    pub left_out: usize,
}

/// Collects faces over the points of a node. It keeps only the points of faces, because worlds
/// often share one long list of points among many nodes.
pub(super) struct FaceCollector<'a> {
    points: &'a [DVec3],
    vertex_by_point: HashMap<usize, u32>,
    faces: Faces,
}

impl<'a> FaceCollector<'a> {
    pub fn new(points: &'a [DVec3]) -> Self {
        let triangles = Triangles { vertices: Vec::new(), triangles: Vec::new() };
        let faces = Faces { triangles, left_out: 0 };
        Self { points, vertex_by_point: HashMap::new(), faces }
    }

    /// Adds a polygon, or counts it as left out. Polygons with collinear corners are kept, because
    /// a face without an area may close the gap between two others.
    pub fn add(&mut self, corners: &[i64]) {
        let Some(mut corners) = self.known(corners) else {
            return self.leave_out();
        };
        // Writers repeat corners, especially the first at the end.
        corners.dedup_by_key(|corner| self.points[*corner]);
        while corners.len() > 1
            && self.points[corners[0]] == self.points[corners[corners.len() - 1]]
        {
            corners.pop();
        }
        if corners.len() >= 3 {
            let vertices: Vec<u32> =
                corners.into_iter().map(|corner| self.vertex(corner)).collect();
            if self.faces.triangles.add_polygon(&vertices).is_ok() {
                return;
            }
        }
        self.leave_out();
    }

    /// Adds a triangle of a strip or a fan. A triangle with equal corners connects two stretches of
    /// a strip, and is dropped.
    pub fn add_part(&mut self, corners: [usize; 3]) {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        if a != b && b != c && c != a {
            let vertices = corners.map(|corner| self.vertex(corner));
            self.faces.triangles.triangles.push(vertices);
        }
    }

    /// Returns the corners as indices of points; `None` if one is not a point.
    pub fn known(&self, corners: &[i64]) -> Option<Vec<usize>> {
        let point = |corner: &i64| usize::try_from(*corner).ok();
        let is_known = |point: &usize| *point < self.points.len();
        corners.iter().map(|corner| point(corner).filter(is_known)).collect()
    }

    pub fn leave_out(&mut self) {
        self.faces.left_out += 1;
    }

    fn vertex(&mut self, point: usize) -> u32 {
        let vertices = &mut self.faces.triangles.vertices;
        *self.vertex_by_point.entry(point).or_insert_with(|| {
            vertices.push(self.points[point]);
            vertices.len() as u32 - 1
        })
    }

    /// Returns the faces, turned over if their corners run clockwise.
    ///
    /// # Errors
    /// Returns the reason if no face has an area.
    pub fn finish(mut self, ccw: bool) -> Result<Faces, String> {
        let Triangles { vertices, triangles } = &mut self.faces.triangles;
        let has_area = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| vertices[corner as usize]);
            (b - a).cross(c - a) != DVec3::ZERO
        };
        if !triangles.iter().any(has_area) {
            return Err("has no face with an area".to_owned());
        }
        turn(triangles, ccw);
        self.faces.triangles.flip_collinear();
        Ok(self.faces)
    }
}

/// Turns triangles over whose corners run clockwise as seen from the front.
pub(super) fn turn(triangles: &mut [[u32; 3]], ccw: bool) {
    if !ccw {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}
