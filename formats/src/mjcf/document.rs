//! The elements of a model, with those of an included file in place of its `<include>`, and errors
//! with their place.

use crate::reference::reduced_path_in;
use crate::source_text::SourceText;
use crate::xml::{self, Lapses, Node};
use raytwin_files::{FileError, FileStore};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The deepest nesting of elements. MuJoCo's own XML parser has the same limit.
const MAX_DEPTH: usize = 500;

/// An XML element of a model. It knows its place in its file, which the model may have included.
#[derive(Debug)]
pub(super) struct Element {
    pub tag: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    source: Arc<SourceText>,
    offset: usize,
}

impl Element {
    /// Reads the root element of a file, with all that it includes.
    pub fn read(store: &FileStore, path: &Path, lapses: &mut Lapses) -> Result<Self, FileError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut reader = DocumentReader { store, folder, files: HashSet::new(), lapses };
        reader.files.insert(identity(store, path));
        let text = xml::read_text(store, path, reader.lapses)?;
        reader.root(path, text, 0)
    }

    pub fn children<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// Returns all attributes, as names and texts.
    pub fn attributes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.attributes.iter().map(|(name, text)| (&**name, &**text))
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes().find(|(found, _)| *found == name).map(|(_, text)| text)
    }

    /// Returns the text of a required attribute.
    pub fn required(&self, name: &str) -> Result<&str, FileError> {
        self.attribute(name)
            .ok_or_else(|| self.refuse(format!("<{}> has no {name}=\"...\"", self.tag)))
    }

    /// Returns the folder of the file in which the element is written.
    pub fn folder(&self) -> &Path {
        self.source.path.parent().unwrap_or(Path::new(""))
    }

    /// The text that the element is written in, and the offset in bytes where it begins.
    pub fn place(&self) -> (Arc<SourceText>, usize) {
        (Arc::clone(&self.source), self.offset)
    }

    /// A syntax error at the line and column where the element begins.
    pub fn refuse(&self, reason: impl Into<String>) -> FileError {
        self.source.refuse(self.offset, reason)
    }
}

/// The canonical name of a file, however its path is written.
pub(super) fn identity(store: &FileStore, path: &Path) -> PathBuf {
    store.identity(path).unwrap_or_else(|_| path.to_owned())
}

/// Reads the files of one model.
struct DocumentReader<'a> {
    store: &'a FileStore,
    /// The folder of the model's main file.
    folder: &'a Path,
    /// The files that were read, none of which may be included again.
    files: HashSet<PathBuf>,
    lapses: &'a mut Lapses,
}

impl DocumentReader<'_> {
    fn root(&mut self, path: &Path, text: String, depth: usize) -> Result<Element, FileError> {
        let source = Arc::new(SourceText { path: path.to_owned(), text });
        let document = xml::parse(path, &source.text, self.lapses)?;
        self.element(document.root_element(), &source, depth)
    }

    fn element(
        &mut self,
        node: Node<'_, '_>,
        source: &Arc<SourceText>,
        depth: usize,
    ) -> Result<Element, FileError> {
        let attributes = node.attributes();
        let mut element = Element {
            tag: node.tag_name().written().to_owned(),
            attributes: attributes.map(|a| (a.name().to_owned(), a.value().to_owned())).collect(),
            children: Vec::new(),
            source: Arc::clone(source),
            offset: node.range().start,
        };
        if depth == MAX_DEPTH {
            let reason = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(element.refuse(reason));
        }
        for child in node.children().filter(Node::is_element) {
            let child = self.element(child, source, depth + 1)?;
            match child.tag.as_str() {
                "include" => element.children.extend(self.included(&child, depth + 1)?),
                _ => element.children.push(child),
            }
        }
        Ok(element)
    }

    /// Returns the elements that replace an `<include>`. Its path is relative to the main file's
    /// folder, or otherwise to that of the including file.
    fn included(&mut self, include: &Element, depth: usize) -> Result<Vec<Element>, FileError> {
        if !include.children.is_empty() {
            return Err(include.refuse("<include> contains elements: it must be empty"));
        }
        let file = include.required("file")?;
        let mut candidates =
            [self.folder, include.folder()].map(|folder| reduced_path_in(self.store, folder, file));
        let found = candidates.iter().position(|path| self.store.exists(path)).unwrap_or(0);
        let path = std::mem::take(&mut candidates[found]);
        if !self.files.insert(identity(self.store, &path)) {
            let reason = format!("file=\"{file}\" is already part of the model: include it once");
            return Err(include.refuse(reason));
        }
        let text = xml::read_text(self.store, &path, self.lapses)
            .map_err(|error| include.refuse(error.to_string()))?;
        Ok(self.root(&path, text, depth)?.children)
    }
}
