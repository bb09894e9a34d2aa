//! The facets of a heightfield: the triangles over its cells and, with a base, those that make up
//! its sides and bottom.

use super::Heightfield;
use super::faces::BOTTOM;
use crate::shapes::Triangle;
use glam::{DMat3, DVec3};

/// A layer of the grid's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellLayer {
    /// The surface over the cells and, in the rim, the sides.
    Surface,
    /// The bottom.
    Bottom,
}

/// A triangle of a layer, in a cell of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facet {
    pub(super) layer: CellLayer,
    pub(super) row: usize,
    pub(super) column: usize,
    /// True for the triangle to the left of the diagonal.
    pub(super) is_left: bool,
}

impl Heightfield {
    pub(super) fn layers(&self) -> &'static [CellLayer] {
        match self.base {
            Some(_) => &[CellLayer::Surface, CellLayer::Bottom],
            None => &[CellLayer::Surface],
        }
    }

    /// Returns a triangle over a cell, by its `primitive_id`.
    pub(super) fn facet_over_cell(&self, index: usize) -> Option<Facet> {
        let (cell, columns) = (index / 2, self.columns - 1);
        (index < self.triangle_count()).then(|| Facet {
            layer: CellLayer::Surface,
            row: cell / columns + self.rim(),
            column: cell % columns + self.rim(),
            is_left: index % 2 == 1,
        })
    }

    /// Returns the `primitive_id` that a facet belongs to; `None` for one without area, in a corner
    /// of the rim, and for one of the bottom outside of the field.
    pub(crate) fn primitive_of(&self, facet: Facet) -> Option<u32> {
        let Facet { layer, row, column, is_left } = facet;
        let [last_row, last_column] = self.cells().map(|cells| cells - 1);
        let in_rim = |index: usize, last: usize| self.base.is_some() && [0, last].contains(&index);
        let is_beyond = [in_rim(row, last_row), in_rim(column, last_column)];
        let face = match (layer, is_beyond) {
            (CellLayer::Surface, [false, false]) => {
                let cell = (row - self.rim()) * (self.columns - 1) + column - self.rim();
                return Some((2 * cell + usize::from(is_left)) as u32);
            }
            (CellLayer::Surface, [false, true]) => usize::from(column > 0),
            (CellLayer::Surface, [true, false]) => 2 + usize::from(row > 0),
            (CellLayer::Bottom, [false, false]) => BOTTOM,
            (_, _) => return None,
        };
        Some((self.triangle_count() + face) as u32)
    }

    /// Calls `visit` with every triangle that a primitive is made up of.
    pub(super) fn each_triangle_of(&self, primitive_id: u32, mut visit: impl FnMut(Triangle)) {
        let axes = self.world_from_field();
        let [rows, columns] = self.cells();
        for &layer in self.layers() {
            for cell in 0..2 * rows * columns {
                let (row, column) = (cell / 2 / columns, cell / 2 % columns);
                let facet = Facet { layer, row, column, is_left: cell % 2 == 1 };
                if self.primitive_of(facet) == Some(primitive_id) {
                    visit(self.triangle_of(&axes, facet));
                }
            }
        }
    }

    /// Returns the triangle of a facet in world space, with the rotation into it already at hand.
    pub(super) fn triangle_of(&self, world_from_field: &DMat3, facet: Facet) -> Triangle {
        let corners = match facet.is_left {
            false => [[0, 0], [0, 1], [1, 1]],
            true => [[0, 0], [1, 1], [1, 0]],
        };
        let vertex = |[r, c]: [usize; 2]| {
            let (row, column) = (facet.row + r, facet.column + c);
            let height = match facet.layer {
                CellLayer::Surface => self.height(row, column),
                CellLayer::Bottom => self.lowest,
            };
            let local_point = DVec3::new(self.x_of(column), self.y_of(row), height);
            self.center + *world_from_field * local_point
        };
        Triangle { vertices: corners.map(vertex) }
    }
}
