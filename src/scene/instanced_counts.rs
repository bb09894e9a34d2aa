//! How much the instances of a scene have in all.

/// How many geometries and primitives the instances have in all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstancedCounts {
    pub geometries: u32,
    pub primitives: u64,
}

impl InstancedCounts {
    /// Counts what an instance has.
    pub fn add(&mut self, geometries: u32, primitives: u64) {
        self.geometries += geometries;
        self.primitives += primitives;
    }
}
