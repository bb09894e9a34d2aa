//! The mesh: triangles that share vertices. Each triangle is a leaf of the tree. When crossings are
//! counted, an edge belongs to one of its two triangles. So a ray crosses a closed mesh an even
//! number of times, also through its vertices.

use crate::fields::{MIN_SIZE, ShapeError};
use crate::math::{Bounds, Similarity};
use crate::shapes::{PlacedShape, PointRounding, Triangle, place_points, smallest_extent};
use crate::transform::Affine;
use glam::DVec3;
use std::collections::HashMap;

/// A surface of triangles, closed or open. A ray hits its triangles from both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The number of different positions of the vertices. An image keeps the number of its
    /// original.
    positions: usize,
    closed: bool,
}

impl Mesh {
    /// The `type` of a mesh in scene files.
    pub const NAME: &'static str = "mesh";

    /// Makes a mesh of these triangles: for each, three indices into `vertices`, counter-clockwise
    /// as seen from outside.
    ///
    /// # Errors
    /// A [`ShapeError`] for a mesh without triangles, and for an index that is out of range.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        if triangles.is_empty() {
            return Err(ShapeError {
                field: "triangles".to_owned(),
                reason: "is empty: a mesh needs at least one triangle".to_owned(),
            });
        }
        for (number, triangle) in triangles.iter().enumerate() {
            if let Some(index) = triangle.iter().find(|&&index| index as usize >= vertices.len()) {
                return Err(ShapeError {
                    field: format!("triangles[{number}]"),
                    reason: format!(
                        "refers to vertex {index}, but there are only {} vertices: vertices are numbered from 0",
                        vertices.len()
                    ),
                });
            }
        }
        let (merged, positions) = merged(&vertices);
        let closed = is_closed(&merged, &triangles);
        Ok(Self { vertices, triangles, positions, closed })
    }

    /// Returns its vertices. In a scene they are float32 numbers, stored in float64.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns its triangles: for each, three indices into [`Self::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns true if it bounds a solid.
    ///
    /// It does if each edge is in exactly two triangles, once in each direction, after vertices at
    /// the same position are merged. Triangles that lose their area because two of their corners
    /// are merged are ignored.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns one of its triangles.
    pub fn triangle(&self, index: usize) -> Option<Triangle> {
        let indices = self.triangles.get(index)?;
        Some(Triangle { vertices: indices.map(|index| self.vertices[index as usize]) })
    }

    /// Returns the volume inside: the sum of the signed tetrahedra that its triangles form with a
    /// point in its middle. `None` if it is open.
    pub(crate) fn volume(&self) -> Option<f64> {
        let middle = self.bounds().center();
        let tetrahedron = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|index| self.vertices[index as usize] - middle);
            a.dot(b.cross(c)) / 6.0
        };
        // A mesh whose triangles are turned inside out bounds the same solid.
        let sum = || self.triangles.iter().map(tetrahedron).sum::<f64>().abs();
        self.closed.then(sum)
    }

    /// Returns the bounds. Vertices that no triangle uses do not count.
    pub(crate) fn bounds(&self) -> Bounds {
        let used = self.triangles.iter().flatten();
        used.fold(Bounds::EMPTY, |all, &index| {
            let vertex = self.vertices[index as usize];
            all.union(Bounds { min: vertex, max: vertex })
        })
    }

    /// Returns its image. A mirror reverses the order of corners, which determines the normals.
    pub(crate) fn image(&self, map: &Affine) -> Self {
        let is_mirror = map.is_mirror();
        let turn = |&[a, b, c]: &[u32; 3]| if is_mirror { [a, c, b] } else { [a, b, c] };
        Self {
            vertices: self.vertices.iter().map(|&vertex| map.point(vertex)).collect(),
            triangles: self.triangles.iter().map(turn).collect(),
            positions: self.positions,
            closed: self.closed,
        }
    }

    pub(crate) fn placed(
        &self,
        world_from_mesh: &Similarity,
    ) -> Result<PlacedShape<Self>, ShapeError> {
        let vertices = place_points(&self.vertices, "vertices", world_from_mesh)?;
        let used = self.triangles.iter().flatten().map(|&index| self.vertices[index as usize]);
        let rounding = PointRounding::of(used.map(|vertex| world_from_mesh.point(vertex)));
        // A transform keeps vertices apart. Only rounding can merge them. If it merges none, the
        // mesh is closed exactly if it was closed before.
        let (positions, closed) = match rounding.is_exact() {
            true => (self.positions, self.closed),
            false => match merged(&vertices) {
                (_, positions) if positions == self.positions => (positions, self.closed),
                (merged, positions) => (positions, is_closed(&merged, &self.triangles)),
            },
        };
        let mesh = Self { vertices, triangles: self.triangles.clone(), positions, closed };
        let size = mesh.bounds().radius();
        if size < MIN_SIZE {
            return Err(ShapeError {
                field: "vertices".to_owned(),
                reason: format!(
                    "are within {size:?} of each other: a mesh must have a size of at least 1e-9"
                ),
            });
        }
        let coarse = rounding.is_of_far_points(smallest_extent(rounding.bounds()));
        Ok(PlacedShape { shape: mesh, coarse })
    }
}

/// Returns, for each vertex, the first vertex at the same position, and the number of positions.
fn merged(vertices: &[DVec3]) -> (Vec<u32>, usize) {
    // Adding zero turns −0 into +0, so that both have the same bits.
    let key = |vertex: &DVec3| (*vertex + 0.0).to_array().map(f64::to_bits);
    let mut first_at = HashMap::with_capacity(vertices.len());
    let first = |(index, vertex)| *first_at.entry(key(vertex)).or_insert(index);
    let merged = (0..).zip(vertices).map(first).collect();
    (merged, first_at.len())
}

fn is_closed(merged: &[u32], triangles: &[[u32; 3]]) -> bool {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .map(|triangle| triangle.map(|index| merged[index as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]])
        .collect();
    let mut reversed: Vec<[u32; 2]> = edges.iter().map(|&[from, to]| [to, from]).collect();
    edges.sort_unstable();
    reversed.sort_unstable();
    let each_once = edges.windows(2).all(|pair| pair[0] != pair[1]);
    !edges.is_empty() && each_once && edges == reversed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_about;

    fn tetrahedron() -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        (vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    }

    #[test]
    fn a_mesh_is_closed_where_every_edge_has_two_sides() {
        let (vertices, triangles) = tetrahedron();
        assert!(Mesh::new(vertices.clone(), triangles.clone()).unwrap().is_closed());
        assert!(!Mesh::new(vertices.clone(), triangles[..3].to_vec()).unwrap().is_closed());
        let mut turned = triangles.clone();
        turned[3] = [1, 3, 2];
        assert!(!Mesh::new(vertices.clone(), turned).unwrap().is_closed());
        let twice = [&triangles[..], &triangles[..]].concat();
        assert!(!Mesh::new(vertices.clone(), twice).unwrap().is_closed());
        // Two corners of the added sliver are at one position.
        let mut with_sliver = vertices.clone();
        with_sliver.push(DVec3::X);
        let folded = [&[[0, 2, 4], [4, 2, 1]], &triangles[1..]].concat();
        assert!(Mesh::new(with_sliver, folded).unwrap().is_closed());
        // Here each triangle has vertices of its own, as in an STL file; and minus zero equals
        // zero.
        let unshared: Vec<DVec3> =
            triangles.iter().flatten().map(|&index| vertices[index as usize]).collect();
        let unshared =
            unshared.iter().enumerate().map(|(n, v)| if n % 2 == 0 { -(-*v) } else { -*v * -1.0 });
        let apart = (0..4).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        assert!(Mesh::new(unshared.collect(), apart).unwrap().is_closed());
    }

    #[test]
    fn a_placed_mesh_is_closed_as_its_rounded_vertices_are() {
        let (mut vertices, mut triangles) = tetrahedron();
        // A second tetrahedron, which far off becomes one with the first.
        let shift = DVec3::splat(1e-6);
        vertices.extend(vertices.clone().into_iter().map(|vertex| vertex + shift));
        triangles.extend(triangles.clone().into_iter().map(|corners| corners.map(|it| it + 4)));
        let open = [&triangles[..3], &triangles[4..]].concat();
        let mut known = Vec::new();
        for triangles in [triangles, open] {
            let mesh = Mesh::new(vertices.clone(), triangles).unwrap();
            for x in [0.0, 0.1, 7.3, 1e4 / 3.0, 1e7 / 3.0] {
                let translation = DVec3::new(x, -x, 0.3 * x);
                let rotation = rotation_about(DVec3::ONE.normalize(), x);
                let world_from_mesh = Similarity { translation, rotation, scale: 1.0 };
                let placed = mesh.placed(&world_from_mesh).unwrap().shape;
                let anew = Mesh::new(placed.vertices.clone(), placed.triangles.clone()).unwrap();
                assert_eq!(placed, anew, "{x}");
                known.push(placed.is_closed());
            }
        }
        assert!(known[..2] == [true; 2] && !known[3] && known[5..] == [false; 5], "{known:?}");
    }

    #[test]
    fn what_is_no_mesh_is_refused_with_its_place() {
        let (vertices, mut triangles) = tetrahedron();
        assert_eq!(Mesh::new(vertices.clone(), Vec::new()).unwrap_err().field, "triangles");
        triangles[2] = [0, 4, 1];
        let shape_error = Mesh::new(vertices, triangles).unwrap_err();
        assert_eq!(shape_error.field, "triangles[2]");
        assert!(shape_error.reason.contains("vertex 4, but there are only 4"), "{shape_error}");
    }
}
