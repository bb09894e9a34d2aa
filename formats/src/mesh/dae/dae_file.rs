//! The elements of a COLLADA file.

use crate::graph_reader::called;
use crate::mesh::triangles::Triangles;
use crate::mesh_warnings::MeshWarnings;
use crate::shortened::shortened;
use crate::xml::{self, Document, Node};
use raytwin_files::FileError;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

/// The number of nodes, numbers, vertices and triangles that instances may make in addition to one
/// for each byte of the file.
const SPARE_ITEMS: usize = 1 << 20;

/// The elements of this name in another.
pub(super) fn children<'a>(
    node: Node<'a, 'a>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// A parsed file, and the mesh that its nodes make.
pub(super) struct DaeFile<'a> {
    pub path: &'a Path,
    pub document: &'a Document<'a>,
    /// The elements by id and kind, in the order of the file. Some writers give the parts of every
    /// geometry the same ids.
    elements: HashMap<(&'a str, &'a str), Vec<Node<'a, 'a>>>,
    /// The triangles of each geometry that was read, by the position of its element.
    pub geometries: HashMap<usize, Rc<Triangles>>,
    pub mesh: Triangles,
    /// The names of nodes whose geometries are not requested.
    pub other_parts: Vec<String>,
    /// The warnings of what the mesh lacks.
    pub warnings: RefCell<MeshWarnings>,
    /// How many more nodes, numbers, vertices and triangles may be taken.
    left: Cell<usize>,
}

impl<'a> DaeFile<'a> {
    pub fn new(path: &'a Path, document: &'a Document<'a>, size: usize) -> Self {
        let mut elements: HashMap<_, Vec<_>> = HashMap::new();
        for node in document.descendants() {
            if let Some(id) = node.attribute("id").filter(|id| !id.is_empty()) {
                let kind = node.tag_name().name();
                elements.entry((id, kind)).or_default().push(node);
            }
        }
        Self {
            path,
            document,
            elements,
            geometries: HashMap::new(),
            mesh: Triangles { vertices: Vec::new(), triangles: Vec::new() },
            other_parts: Vec::new(),
            warnings: RefCell::default(),
            left: Cell::new(size.saturating_add(SPARE_ITEMS)),
        }
    }

    /// A syntax error at the line and column where the node begins.
    pub fn refuse(&self, node: Node<'_, '_>, reason: impl Into<String>) -> FileError {
        xml::refuse(self.path, self.document, node, reason)
    }

    /// Returns the first element of a kind to which an attribute refers, such as `url="#wheel"`:
    /// one in `scope` if there is any, otherwise one of the file; `None` if there is none.
    pub fn found(
        &self,
        scope: Node<'a, 'a>,
        node: Node<'a, 'a>,
        attribute: &str,
        kinds: &[&str],
    ) -> Option<Node<'a, 'a>> {
        let text = node.attribute(attribute).unwrap_or_default();
        let id = text.strip_prefix('#').unwrap_or_default();
        let named = || kinds.iter().filter_map(|&kind| self.elements.get(&(id, kind)));
        let own = named().find_map(|named| {
            let own = named.partition_point(|found| found.range().start < scope.range().start);
            named.get(own).filter(|found| found.range().start < scope.range().end)
        });
        own.or_else(|| named().find_map(|named| named.first())).copied()
    }

    /// The reason to refuse an attribute that refers to no element of these kinds.
    pub fn unresolved(node: Node<'a, 'a>, attribute: &str, kinds: &[&str]) -> String {
        let text = shortened(node.attribute(attribute).unwrap_or_default());
        let kinds = kinds.join("> or <");
        format!("{attribute}=\"{text}\" must be # followed by the id of a <{kinds}> of this file")
    }

    /// Returns the result of [`Self::found`]. A reference without a target is left out with a
    /// warning, because nothing else in the file depends on it.
    pub fn referred(
        &self,
        scope: Node<'a, 'a>,
        node: Node<'a, 'a>,
        attribute: &str,
        kinds: &[&str],
    ) -> Option<Node<'a, 'a>> {
        let found = self.found(scope, node, attribute, kinds);
        if found.is_none() {
            self.leave_out(node, Self::unresolved(node, attribute, kinds));
        }
        found
    }

    /// Counts a part of the file that is left out.
    pub fn leave_out(&self, node: Node<'_, '_>, reason: impl Into<String>) {
        let fault = || xml::refuse(Path::new(&called(self.path)), self.document, node, reason);
        self.warnings.borrow_mut().parts.add(|| fault().to_string());
    }

    /// The numbers in the text of an element.
    pub fn numbers(&self, node: Node<'a, 'a>) -> Result<Vec<f64>, FileError> {
        let numbers = node.text().unwrap_or_default().split_ascii_whitespace().map(|word| {
            let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| {
                let word = shortened(word);
                self.refuse(node, format!("\"{word}\" must be a finite number"))
            })
        });
        numbers.collect()
    }

    pub fn take(&self, node: Node<'a, 'a>, count: usize) -> Result<(), FileError> {
        match self.left.get().checked_sub(count) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(self.refuse(
                node,
                "is used so often that the mesh would be far larger than its file: use it less often",
            )),
        }
    }
}
