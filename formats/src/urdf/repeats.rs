//! Elements that URDF allows once, and that a file has several times: the first one is read.

use super::document::children;
use crate::Warning;
use crate::xml::{Document, Node};

/// A warning about the elements after the first of their kind, in joints and in the elements of
/// links that are read (`which`), and about the shapes after the first of a geometry.
pub(super) fn repeated_elements(document: &Document<'_>, which: &'static str) -> Warning {
    let mut warning = Warning::new("elements after the first of their kind were left out");
    let mut leave_out = |node: Node<'_, '_>| {
        let [line, _] = document.position(node.range().start);
        warning.add(|| format!("line {line} (<{}>)", node.tag_name().name()));
    };
    let robot = document.root_element();
    for item in children(robot, "link").flat_map(|link| children(link, which)) {
        for name in ["origin", "geometry", "material"] {
            children(item, name).skip(1).for_each(&mut leave_out);
        }
        let shapes = children(item, "geometry").take(1).flat_map(|geometry| geometry.children());
        let shapes = shapes.filter(Node::is_element).skip(1);
        shapes.filter(|shape| !shape.tag_name().has_prefix()).for_each(&mut leave_out);
    }
    for joint in children(robot, "joint") {
        for name in ["origin", "parent", "child", "axis", "limit", "mimic"] {
            children(joint, name).skip(1).for_each(&mut leave_out);
        }
    }
    warning
}
