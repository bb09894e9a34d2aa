//! The tree of an XML document: elements with their attributes, and the text between their tags.

use crate::source_text::position;
use std::borrow::Cow;
use std::ops::Range;

/// A document, whose elements and texts are in the order of its text.
#[derive(Debug)]
pub(crate) struct Document<'input> {
    pub(super) text: &'input str,
    /// The root is the first node. Everything after its last node is outside it.
    pub(super) nodes: Vec<NodeData<'input>>,
    pub(super) attributes: Vec<Attribute<'input>>,
}

#[derive(Debug)]
pub(super) struct NodeData<'input> {
    pub content: Content<'input>,
    /// The position of the node in the text, in bytes.
    pub range: Range<usize>,
    /// The number of the node after all nodes inside this one.
    pub end: usize,
}

#[derive(Debug)]
pub(super) enum Content<'input> {
    Element {
        tag: &'input str,
        attributes: Range<usize>,
    },
    /// All text up to the next tag, also across comments.
    Text(Cow<'input, str>),
}

#[derive(Debug)]
pub(crate) struct Attribute<'input> {
    pub(super) name: &'input str,
    pub(super) value: Cow<'input, str>,
}

impl Attribute<'_> {
    /// The name as it is written, with its prefix.
    pub fn name(&self) -> &str {
        self.name
    }

    pub fn value(&self) -> &str {
        &self.value
    }
}

/// The name of an element, and the prefix before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TagName<'input> {
    written: &'input str,
}

impl<'input> TagName<'input> {
    /// The name without its prefix.
    pub fn name(self) -> &'input str {
        self.written.split_once(':').map_or(self.written, |(_, name)| name)
    }

    /// The name with its prefix.
    pub fn written(self) -> &'input str {
        self.written
    }

    pub fn has_prefix(self) -> bool {
        self.written.contains(':')
    }
}

/// An element or a text of a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct XmlNode<'a, 'input> {
    document: &'a Document<'input>,
    index: usize,
}

impl<'input> Document<'input> {
    pub fn root_element(&self) -> XmlNode<'_, 'input> {
        XmlNode { document: self, index: 0 }
    }

    /// The line and the column of an offset in bytes, both counted from 1.
    pub fn position(&self, offset: usize) -> [usize; 2] {
        position(self.text, offset)
    }

    /// The root and all nodes in it, each before its contents.
    pub fn descendants(&self) -> impl Iterator<Item = XmlNode<'_, 'input>> {
        (0..self.nodes[0].end).map(|index| XmlNode { document: self, index })
    }
}

impl<'a, 'input> XmlNode<'a, 'input> {
    fn data(self) -> &'a NodeData<'input> {
        &self.document.nodes[self.index]
    }

    pub fn is_element(&self) -> bool {
        matches!(self.data().content, Content::Element { .. })
    }

    pub fn is_text(&self) -> bool {
        !self.is_element()
    }

    /// The name of an element; empty for a text.
    pub fn tag_name(&self) -> TagName<'input> {
        match self.data().content {
            Content::Element { tag, .. } => TagName { written: tag },
            Content::Text(_) => TagName { written: "" },
        }
    }

    /// Returns true if this is an element of that name, without a prefix.
    pub fn has_tag_name(&self, name: &str) -> bool {
        self.tag_name().written == name
    }

    /// The attributes of an element in their order.
    pub fn attributes(&self) -> impl Iterator<Item = &'a Attribute<'input>> + use<'a, 'input> {
        let numbers = match &self.data().content {
            Content::Element { attributes, .. } => attributes.clone(),
            Content::Text(_) => 0..0,
        };
        self.document.attributes[numbers].iter()
    }

    /// The value of the attribute that is written with this name.
    pub fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes().find(|attribute| attribute.name == name).map(Attribute::value)
    }

    pub fn has_attribute(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// A text, or the text at the beginning of an element.
    pub fn text(&self) -> Option<&'a str> {
        match &self.data().content {
            Content::Text(text) => Some(text),
            Content::Element { .. } => self.children().next().filter(Self::is_text)?.text(),
        }
    }

    /// The elements and texts directly in an element.
    pub fn children(&self) -> Children<'a, 'input> {
        Children { document: self.document, next: self.index + 1, end: self.data().end }
    }

    /// The position of the node in the text, in bytes.
    pub fn range(&self) -> Range<usize> {
        self.data().range.clone()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Children<'a, 'input> {
    document: &'a Document<'input>,
    next: usize,
    end: usize,
}

impl<'a, 'input> Iterator for Children<'a, 'input> {
    type Item = XmlNode<'a, 'input>;

    fn next(&mut self) -> Option<Self::Item> {
        let index = Some(self.next).filter(|next| *next < self.end)?;
        let node = XmlNode { document: self.document, index };
        self.next = node.data().end;
        Some(node)
    }
}
