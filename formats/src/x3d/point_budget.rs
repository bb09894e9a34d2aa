//! A limit for the points of all geometries, because a short file can use a list of points very
//! often, and an extrusion has as many as its spine times its cross-section.

use super::tree::NodeIndex;
use glam::DVec3;
use std::collections::HashMap;
use std::rc::Rc;

/// The most points that the geometries of any world may have, however short its file is. They take
/// at most two hundred bytes each until the scene is made.
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

    /// Takes points from the budget.
    ///
    /// # Errors
    /// Returns the reason for leaving out a geometry of more points than are left.
    pub fn spend(&mut self, count: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(count).ok_or_else(|| {
            format!(
                "it has {count} points, and all geometries of a file of this length only {} more: let shapes USE one geometry in place of its points",
                self.left
            )
        })?;
        Ok(())
    }
}
