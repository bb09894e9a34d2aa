//! The elements of an SDFormat file: the contents between their tags, as text, numbers and flags,
//! and errors with their place.

use crate::checks::not_finite_in;
use crate::shortened::shortened;
use crate::source_text::SourceText;
use crate::xml::{self, Lapses, Node};
use raytwin_files::{FileError, FileStore};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// The deepest nesting of elements.
const MAX_DEPTH: usize = 200;

/// The supported minor numbers of versions 1.x. The supported elements have the same notation since
/// the first of them.
const VERSIONS: std::ops::RangeInclusive<u32> = 3..=12;

/// An XML element that knows its place in its file.
#[derive(Debug)]
pub(super) struct SdfElement {
    pub tag: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<SdfElement>,
    place: Place,
}

/// The place of an element in its file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub source: Arc<SourceText>,
    /// The offset in bytes where the element begins.
    pub offset: usize,
}

impl Place {
    /// A syntax error at the line and column of the place.
    pub fn refuse(&self, reason: impl Into<String>) -> FileError {
        self.source.refuse(self.offset, reason)
    }
}

impl SdfElement {
    /// Reads the root element of a file of a supported version.
    pub fn read(store: &FileStore, path: &Path, lapses: &mut Lapses) -> Result<Self, FileError> {
        let root = Self::read_any(store, path, lapses)?;
        if root.tag != "sdf" {
            let reason = format!("the root element is <{}>: SDFormat begins with <sdf>", root.tag);
            return Err(root.refuse(reason));
        }
        let version = root.required_attribute("version")?;
        match minor_version(version) {
            Some(_) => Ok(root),
            None => Err(root.refuse(format!(
                "version=\"{}\": raytwin reads SDFormat 1.{} to 1.{}",
                shortened(version),
                VERSIONS.start(),
                VERSIONS.end()
            ))),
        }
    }

    /// Reads the root element of any XML file.
    pub fn read_any(
        store: &FileStore,
        path: &Path,
        lapses: &mut Lapses,
    ) -> Result<Self, FileError> {
        let text = xml::read_text(store, path, lapses)?;
        let source = Arc::new(SourceText { path: path.to_owned(), text });
        let document = xml::parse(path, &source.text, lapses)?;
        Self::of(document.root_element(), &source, 0)
    }

    fn of(node: Node<'_, '_>, source: &Arc<SourceText>, depth: usize) -> Result<Self, FileError> {
        let attributes = node.attributes();
        let texts: Vec<&str> =
            node.children().filter(Node::is_text).filter_map(|text| text.text()).collect();
        let mut element = Self {
            tag: node.tag_name().written().to_owned(),
            attributes: attributes.map(|a| (a.name().to_owned(), a.value().to_owned())).collect(),
            text: texts.concat().trim().to_owned(),
            children: Vec::new(),
            place: Place { source: Arc::clone(source), offset: node.range().start },
        };
        if depth == MAX_DEPTH {
            let reason = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(element.refuse(reason));
        }
        // Elements with a prefix are extensions, whatever their names.
        let is_own = |child: &Node<'_, '_>| child.is_element() && !child.tag_name().has_prefix();
        for child in node.children().filter(is_own) {
            element.children.push(Self::of(child, source, depth + 1)?);
        }
        Ok(element)
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The file that the element is written in.
    pub fn path(&self) -> &Path {
        &self.place.source.path
    }

    /// A syntax error at the line and column where the element begins.
    pub fn refuse(&self, reason: impl Into<String>) -> FileError {
        self.place.refuse(reason)
    }

    /// The elements in it, in the file's order.
    pub fn elements(&self) -> &[Self] {
        &self.children
    }

    pub fn children<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Self> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    pub fn child(&self, tag: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// The elements in it that follow another one with the same tag.
    pub fn repeated(&self) -> impl Iterator<Item = &Self> {
        let mut met = HashSet::new();
        self.children.iter().filter(move |child| !met.insert(child.tag.as_str()))
    }

    /// The required child with a tag.
    pub fn required(&self, tag: &str) -> Result<&Self, FileError> {
        self.child(tag).ok_or_else(|| self.refuse(format!("<{}> has no <{tag}>", self.tag)))
    }

    /// An attribute, unless it is empty.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// A required attribute.
    pub fn required_attribute(&self, name: &str) -> Result<&str, FileError> {
        self.attribute(name)
            .ok_or_else(|| self.refuse(format!("<{}> has no {name}=\"...\"", self.tag)))
    }

    /// The contents of the element, without the white space around it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a child, unless it is missing or empty.
    pub fn text_of(&self, tag: &str) -> Option<&str> {
        self.child(tag).map(Self::text).filter(|text| !text.is_empty())
    }

    /// The numbers in the element, which must be finite.
    pub fn numbers(&self) -> Result<Vec<f64>, FileError> {
        let numbers: Result<Vec<f64>, _> =
            self.text.split_whitespace().map(str::parse::<f64>).collect();
        let Ok(numbers) = numbers else {
            return Err(self.refuse(format!("{} must be numbers", self.quoted())));
        };
        match not_finite_in(&self.text) {
            Some(fault) => Err(self.refuse(format!("{}: {fault}", self.quoted()))),
            None => Ok(numbers),
        }
    }

    /// The numbers in the element, which must be exactly N.
    pub fn exactly<const N: usize>(&self) -> Result<[f64; N], FileError> {
        <[f64; N]>::try_from(self.numbers()?).map_err(|_| {
            let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            self.refuse(format!("{} must be {wanted}", self.quoted()))
        })
    }

    /// The numbers of a required child.
    pub fn numbers_of<const N: usize>(&self, tag: &str) -> Result<[f64; N], FileError> {
        self.required(tag)?.exactly()
    }

    /// The numbers of a child, or `default` if it is missing.
    pub fn numbers_or<const N: usize>(
        &self,
        tag: &str,
        default: [f64; N],
    ) -> Result<[f64; N], FileError> {
        self.child(tag).map_or(Ok(default), Self::exactly)
    }

    /// The number in the element; infinity means no limit.
    pub fn limit(&self) -> Result<f64, FileError> {
        match self.text() {
            "inf" | "+inf" => Ok(f64::INFINITY),
            _ => self.exactly::<1>().map(|[limit]| limit),
        }
    }

    /// The whole number of a child, from 1, or `default` if it is missing. As in libsdformat, a
    /// fraction is truncated.
    pub fn count_or(&self, tag: &str, default: u32) -> Result<u32, FileError> {
        let Some(child) = self.child(tag) else { return Ok(default) };
        let is_count = |count: &f64| (1.0..=f64::from(u32::MAX)).contains(count);
        let count = child.text.parse().ok().filter(is_count).map(|count| count as u32);
        count.ok_or_else(|| {
            child.refuse(format!("{} must be a whole number from 1", child.quoted()))
        })
    }

    /// The text of an element in a message.
    fn quoted(&self) -> String {
        format!("<{}>{}</{}>", self.tag, shortened(&self.text), self.tag)
    }
}

/// The N of a version 1.N, if it is supported.
pub(super) fn minor_version(version: &str) -> Option<u32> {
    let minor = version.trim().strip_prefix("1.")?.parse().ok();
    minor.filter(|minor| VERSIONS.contains(minor))
}

/// Returns true if a text means true, as for SDFormat's booleans.
pub(super) fn is_true(text: &str) -> bool {
    text == "1" || text.eq_ignore_ascii_case("true")
}
