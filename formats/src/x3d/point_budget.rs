//! A limit for the points of all geometries, because a short file can use a list of points very
//! often, and an extrusion has as many as its spine times its cross-section.

use super::tree::NodeIndex;
use glam::DVec3;
use std::collections::HashMap;
use std::rc::Rc;

/// The largest number of points of the geometries of any world, however short its file is. They
/// need at most two hundred bytes each until the scene is made.
const ALWAYS_ALLOWED: usize = 1 << 18;

/// The points of Coordinate nodes, and the number of points that the geometries of the file may
/// still have.
#[derive(Debug)]
pub(super) struct PointBudget {
    left: usize,
    /// The points of the Coordinate nodes that several geometries have.
    pub shared: HashMap<NodeIndex, Rc<[DVec3]>>,
}

impl PointBudget {
    /// Returns the budget of a file of that length. A point that is used once takes at least six
    /// bytes.
    pub fn new(file_length: usize) -> Self {
        Self { left: ALWAYS_ALLOWED + file_length, shared: HashMap::new() }
    }

    /// Deducts points from the budget.
    ///
    /// # Errors
    /// Returns the reason to leave out a geometry with more points than are left.
    pub fn spend(&mut self, count: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            format!(
                "it has {count} points, but the geometries of a file of this length may have only {} more: let shapes USE one geometry instead of repeating its points",
                self.left
            )
        })?;
        Ok(())
    }
}
