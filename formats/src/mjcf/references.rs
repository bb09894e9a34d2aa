//! The geoms that other elements name. A model that discards visual geoms keeps them.

use super::document::Element;
use std::collections::HashSet;

/// The names of geoms, each with the address of the root of the model whose elements name it.
#[derive(Default)]
pub(super) struct GeomReferences<'a>(HashSet<(usize, &'a str)>);

impl<'a> GeomReferences<'a> {
    /// Returns the names that contact pairs, tendons, sensors and tuples of these models give.
    pub fn of_models(roots: impl IntoIterator<Item = &'a Element>) -> Self {
        let mut references = Self::default();
        for root in roots {
            let mut add = |name: Option<&'a str>| {
                references.0.extend(name.map(|name| (address(root), name)));
            };
            for pair in within(root, "contact").filter(|element| element.tag == "pair") {
                ["geom1", "geom2"].into_iter().for_each(|end| add(pair.attribute(end)));
            }
            for tendon in within(root, "tendon") {
                tendon.children("geom").for_each(|wrapped| add(wrapped.attribute("geom")));
            }
            for sensor in within(root, "sensor") {
                let objects = ["geom", "geom1", "geom2"].into_iter();
                objects.for_each(|object| add(sensor.attribute(object)));
                add(name_of_geom(sensor, "objtype", "objname"));
                add(name_of_geom(sensor, "reftype", "refname"));
            }
            for tuple in within(root, "custom").filter(|element| element.tag == "tuple") {
                let elements = tuple.children("element");
                elements.for_each(|element| add(name_of_geom(element, "objtype", "objname")));
            }
        }
        references
    }

    /// Returns true if an element of the model with this root names a geom with this name.
    pub fn contain(&self, root: &Element, name: &str) -> bool {
        self.0.contains(&(address(root), name))
    }
}

fn within<'a>(root: &'a Element, section: &'a str) -> impl Iterator<Item = &'a Element> {
    root.children(section).flat_map(|section| &section.children)
}

/// Returns the name in an attribute of an element, if another attribute states that it is a geom's.
fn name_of_geom<'a>(element: &'a Element, kind: &str, name: &str) -> Option<&'a str> {
    element.attribute(name).filter(|_| element.attribute(kind) == Some("geom"))
}

fn address(root: &Element) -> usize {
    std::ptr::from_ref(root).addr()
}
