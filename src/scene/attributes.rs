//! The attributes of geometries, by their index among a scene's own.

use super::integer_columns::IntegerColumns;
use super::node_ranges::NodeRanges;
use super::{Appearance, Name};
use std::collections::BTreeMap;
use std::ops::Range;

/// The attributes of a scene's own geometries, by their index among these.
#[derive(Clone, Debug, Default)]
pub(super) struct GeometryAttributes {
    /// The names of those that have a name of their own or a parent with one.
    pub names: BTreeMap<u32, Name>,
    /// The masks of those whose mask is not all ones.
    pub masks: BTreeMap<u32, u32>,
    /// The appearances of those that have one of their own.
    pub appearances: BTreeMap<u32, Appearance>,
    /// The whole numbers that a file gives them.
    pub integers: IntegerColumns,
    /// The whole numbers of the instances, by their indices, for geometries without numbers of
    /// their own.
    pub instance_integers: IntegerColumns,
    /// The nodes that they belong to.
    pub node_ranges: NodeRanges,
}

impl GeometryAttributes {
    pub fn mask(&self, own: u32) -> u32 {
        self.masks.get(&own).copied().unwrap_or(u32::MAX)
    }

    pub fn appearance(&self, own: u32) -> Appearance {
        self.appearances.get(&own).copied().unwrap_or_default()
    }

    /// Returns the attributes of a range of the geometries, counted from the first of these.
    pub fn within(&self, range: &Range<u32>) -> Self {
        fn part<T: Clone>(of_own: &BTreeMap<u32, T>, range: &Range<u32>) -> BTreeMap<u32, T> {
            let of_range = of_own.range(range.clone());
            of_range.map(|(own, value)| (own - range.start, value.clone())).collect()
        }
        Self {
            names: part(&self.names, range),
            masks: part(&self.masks, range),
            appearances: part(&self.appearances, range),
            integers: self.integers.within(range),
            instance_integers: IntegerColumns::default(),
            node_ranges: self.node_ranges.within(range),
        }
    }
}
