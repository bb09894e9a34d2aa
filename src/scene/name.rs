//! What geometries are called: a name under another's, which all that hang on it share.

use std::fmt;
use std::sync::Arc;

/// A name, with those of the nodes that it hangs on. As text it is the path of names from the root, such as
/// `arm/elbow`; the path is composed when it is asked for, and takes no memory until then.
#[derive(Clone)]
pub struct Name(Arc<Link>);

struct Link {
    parent: Option<Name>,
    own: Box<str>,
}

impl Name {
    /// A name that hangs on this one.
    pub fn child(&self, own: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Link { parent: Some(self.clone()), own: own.into() }))
    }

    /// The name that it hangs on.
    pub fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    /// The last part of its path.
    pub fn own(&self) -> &str {
        &self.0.own
    }
}

impl<S: Into<Box<str>>> From<S> for Name {
    fn from(own: S) -> Self {
        Self(Arc::new(Link { parent: None, own: own.into() }))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            std::iter::successors(Some(self), |name| name.parent()).map(Self::own).collect();
        let mut downwards = names.iter().rev();
        downwards.next().map_or(Ok(()), |root| f.write_str(root))?;
        downwards.try_for_each(|name| write!(f, "/{name}"))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Name({self})")
    }
}

/// One after another: were each to drop its parent, a long chain would overflow the stack.
impl Drop for Link {
    fn drop(&mut self) {
        let mut parent = self.parent.take();
        while let Some(mut link) = parent.and_then(|name| Arc::into_inner(name.0)) {
            parent = link.parent.take();
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
    fn a_long_chain_of_names_is_told_and_dropped_without_a_deep_stack() {
        let last = (1..1_000_000).fold(Name::from("a"), |name, _| name.child("a"));
        let kept = last.clone();
        drop(last);
        assert_eq!(kept.to_string().len(), 1_999_999);
    }
}
