//! The tree of names from which geometries' paths are composed when they are asked for, so that a name which many
//! geometries share is held once.

/// A name in a scene, under that of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(u32);

#[derive(Clone, Debug, Default)]
pub(super) struct Names(Vec<(Option<Name>, Box<str>)>);

impl Names {
    /// Adds a name; `None` where numbers would run out, or where the parent is not of these names.
    pub fn add(&mut self, parent: Option<Name>, own: String) -> Option<Name> {
        let name = Name(u32::try_from(self.0.len()).ok()?);
        // A parent that stands before its children is never among them.
        if parent.is_some_and(|parent| parent.0 >= name.0) {
            return None;
        }
        self.0.push((parent, own.into()));
        Some(name)
    }
}
