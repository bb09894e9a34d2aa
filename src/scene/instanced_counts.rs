//! How much the instances of a scene have in all.

use super::Scene;

/// How many geometries and primitives the instances have in all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstancedCounts {
    pub geometries: u32,
    pub primitives: u64,
}

impl InstancedCounts {
    /// Counts an instance of a definition.
    pub fn add(&mut self, definition: &Scene) {
        self.geometries += definition.geometry_count();
        self.primitives += definition.primitive_count();
    }
}
