//! The properties that shapes inherit from their groups.

use crate::graph::contents::Group;
use raytwin::scene::Appearance;
use std::rc::Rc;

/// The properties of shapes that have none of their own.
#[derive(Clone, Debug, Default)]
pub(in crate::graph) struct InheritedTraits {
    pub appearance: Appearance,
    /// Whole numbers by name, which most groups share with their parents.
    pub integers: Rc<[(String, i32)]>,
}

impl InheritedTraits {
    /// The properties in a group inside these; the group's own come first.
    pub fn in_group(&self, group: &Group) -> Self {
        let appearance = group.appearance.or(self.appearance);
        if group.integers.is_empty() {
            return Self { appearance, integers: Rc::clone(&self.integers) };
        }
        let is_new = |(name, _): &&(String, i32)| group.integers.iter().all(|own| own.0 != *name);
        let outer = self.integers.iter().filter(is_new);
        Self { appearance, integers: group.integers.iter().chain(outer).cloned().collect() }
    }
}
