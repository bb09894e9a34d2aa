//! Elements that SDFormat allows once, and that a file has several times: one of them is read.

use super::element::SdfElement;
use super::geometry::shape_of;

/// The elements of which a geometry may have several.
const MANY: [&str; 4] = ["point", "polyline", "texture", "blend"];

/// The parts of a visual or a collision that are ignored: everything after its first geometry and
/// material, and the other shapes.
pub(super) fn left_out_of_shape(item: &SdfElement) -> Vec<&SdfElement> {
    let of_item = ["geometry", "material"];
    let mut found: Vec<_> =
        item.repeated().filter(|it| of_item.contains(&it.tag.as_str())).collect();
    if let Some([geometry, shape]) = shape_of(item) {
        let is_read = |it: &SdfElement| std::ptr::eq(it, shape);
        let is_part = |it: &SdfElement| it.tag == "polyline" && shape.tag == "polyline";
        let others = geometry.elements().iter();
        found.extend(others.filter(|it| !is_read(it) && !is_part(it)));
        add_repeated(shape, &mut found);
    }
    found
}

/// The ignored repetitions in a sensor's view, at any depth.
pub(super) fn left_out_of_view(view: &SdfElement) -> Vec<&SdfElement> {
    let mut found = Vec::new();
    add_repeated(view, &mut found);
    found
}

fn add_repeated<'a>(element: &'a SdfElement, found: &mut Vec<&'a SdfElement>) {
    let is_single = |it: &&SdfElement| !MANY.contains(&it.tag.as_str());
    found.extend(element.repeated().filter(is_single));
    // The contents of plugins belong to them.
    let inner = element.elements().iter().filter(|it| it.tag != "plugin");
    inner.for_each(|it| add_repeated(it, found));
}
