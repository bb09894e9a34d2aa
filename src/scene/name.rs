//! Names of geometries, in a tree: a name refers to its parent's, which all children share.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// A name with its parents. It displays as the path of names from the root, such as `arm/elbow`.
/// The path is composed only when it is displayed, so names that share a parent do not store its
/// path again.
#[derive(Clone)]
pub struct Name(Arc<Component>);

struct Component {
    parent: Option<Name>,
    last: Box<str>,
}

impl Name {
    /// Makes a name whose parent is this one.
    pub fn child(&self, name: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Component { parent: Some(self.clone()), last: name.into() }))
    }

    /// Makes the path of this name followed by another's.
    pub fn joined(&self, inner: &Self) -> Self {
        inner.components().into_iter().fold(self.clone(), |path, name| path.child(name))
    }

    /// Returns the names from the root.
    fn components(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            std::iter::successors(Some(self), |name| name.parent()).map(Self::last).collect();
        names.reverse();
        names
    }

    /// Returns the parent; `None` for a root.
    pub fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// Returns the last component of the path.
    pub fn last(&self) -> &str {
        &self.0.last
    }
}

impl<S: Into<Box<str>>> From<S> for Name {
    fn from(name: S) -> Self {
        Self(Arc::new(Component { parent: None, last: name.into() }))
    }
}

/// A name is written as the names from the root.
impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.components().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut names = Vec::<String>::deserialize(deserializer)?.into_iter();
        let root = Self::from(names.next().unwrap_or_default());
        Ok(names.fold(root, |name, last| name.child(last)))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut from_root = self.components().into_iter();
        from_root.next().map_or(Ok(()), |root| f.write_str(root))?;
        from_root.try_for_each(|name| write!(f, "/{name}"))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({self})")
    }
}

/// Drops a chain of parents in a loop, because the recursion of the default drop would overflow the
/// stack.
impl Drop for Component {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut component) = parent.and_then(|name| Arc::into_inner(name.0)) {
            parent = component.parent.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_names_from_the_root() {
        let arm = Name::from("arm");
        assert_eq!(arm.to_string(), "arm");
        assert_eq!(arm.child("elbow").child("tip").to_string(), "arm/elbow/tip");
        assert_eq!(arm.child("").child("tip").to_string(), "arm//tip");
    }

    #[test]
    fn a_long_chain_of_names_is_reported_and_dropped_without_a_deep_stack() {
        let last = (1..1_000_000).fold(Name::from("a"), |name, _| name.child("a"));
        let kept = last.clone();
        drop(last);
        assert_eq!(kept.to_string().len(), 1_999_999);
    }
}
