//! The nodes of a world, from either encoding: types, names, and fields whose values are parsed
//! when their type is requested.

use super::values;
use crate::shortened::shortened;
use crate::source_text;
use raytwin_files::FileError;
use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

/// The type of the placeholder of a node that an IMPORT names.
pub(super) const IMPORTED: &str = "IMPORT";

/// The type of the placeholder of a node that no DEF has defined before its USE.
pub(super) const UNDEFINED: &str = "USE";

/// Returns whether a type is that of a placeholder of a missing node.
pub(super) fn is_stand_in(type_name: &str) -> bool {
    [IMPORTED, UNDEFINED].contains(&type_name)
}

/// The largest depth of nested nodes and prototypes. Parsers and converters recurse as deeply.
pub(super) const MOST_NESTED: usize = 200;

pub(super) type NodeIndex = u32;

/// The text of a world, in which errors have their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorldText<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl WorldText<'_> {
    /// A syntax error at a byte of the text.
    pub fn refuse(&self, offset: usize, reason: impl Into<String>) -> FileError {
        source_text::refuse(self.path, self.text, offset, reason)
    }

    /// The line and the column of a byte, both counted from 1.
    pub fn position(&self, offset: usize) -> [usize; 2] {
        source_text::position(self.text, offset)
    }
}

/// A world. The nodes of prototypes' bodies are in it too, but no root leads to them.
#[derive(Debug)]
pub(super) struct NodeTree<'a> {
    pub source: WorldText<'a>,
    pub nodes: Vec<WorldNode>,
    pub roots: Vec<NodeIndex>,
    /// The names that IMPORT statements give as those of Inlines and that no Inline has, each with
    /// the byte at which the statement begins.
    pub stray_imports: Vec<(Rc<str>, usize)>,
    /// The number of metres in the unit of length.
    pub length_unit: f64,
    /// The number of radians in the unit of angles.
    pub angle_unit: f64,
}

/// A node, or an instance of a prototype.
#[derive(Debug)]
pub(super) struct WorldNode {
    pub type_name: Rc<str>,
    /// The name with which other places use it.
    pub name: Option<Rc<str>>,
    /// The byte of the text at which it begins.
    pub offset: usize,
    pub fields: Vec<NodeField>,
    pub kind: NodeKind,
}

/// The origin of a node's type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeKind {
    /// The standard defines the type, or it is unknown.
    BuiltIn,
    /// The prototype with that number defines it; `body` is the node that replaces the instance
    /// after it is expanded.
    Instance { prototype: u32, body: Option<NodeIndex> },
}

#[derive(Clone, Debug)]
pub(super) struct NodeField {
    pub name: Rc<str>,
    pub value: FieldValue,
}

/// The value of a field. Values are shared by the copies that prototypes make.
#[derive(Clone, Debug)]
pub(super) enum FieldValue {
    /// An attribute's text. Its type depends on how it is read.
    Text(Rc<str>),
    Numbers(Rc<[f64]>),
    Strings(Rc<[String]>),
    Flags(Rc<[bool]>),
    Nodes(Rc<[NodeIndex]>),
    /// The value of a field of the prototype whose body holds the node.
    Interface(Rc<str>),
}

impl NodeTree<'_> {
    pub fn node(&self, index: NodeIndex) -> &WorldNode {
        &self.nodes[index as usize]
    }

    /// A syntax error at the beginning of a node.
    pub fn refuse(&self, node: NodeIndex, reason: impl Into<String>) -> FileError {
        self.source.refuse(self.node(node).offset, reason)
    }

    /// The node itself, or its replacement if it is an instance of a prototype.
    pub fn resolved(&self, mut node: NodeIndex) -> NodeIndex {
        while let NodeKind::Instance { body: Some(body), .. } = self.node(node).kind {
            node = body;
        }
        node
    }

    /// The reason why a node is missing; `None` if it exists.
    pub fn absence(&self, node: NodeIndex) -> Option<&'static str> {
        match &*self.node(node).type_name {
            IMPORTED => {
                Some("it comes from an IMPORT, and X3D up to 4.0 allows such nodes only in a ROUTE")
            }
            UNDEFINED => Some("no DEF before its USE defines its name"),
            _ => None,
        }
    }

    /// The name of a node, or otherwise of its replacement.
    pub fn name_of(&self, mut node: NodeIndex) -> Option<&str> {
        loop {
            match (&self.node(node).name, self.node(node).kind) {
                (Some(name), _) => return Some(name),
                (None, NodeKind::Instance { body: Some(body), .. }) => node = body,
                (None, _) => return None,
            }
        }
    }

    /// The nodes in a field, in their order.
    pub fn nodes_in(&self, node: NodeIndex, field: &str) -> impl Iterator<Item = NodeIndex> {
        let fields = self.node(node).fields.iter().filter(move |it| &*it.name == field);
        fields.flat_map(|field| match &field.value {
            FieldValue::Nodes(nodes) => nodes.iter().copied(),
            _ => [].iter().copied(),
        })
    }

    /// The first node in a field.
    pub fn node_in(&self, node: NodeIndex, field: &str) -> Option<NodeIndex> {
        self.nodes_in(node, field).next()
    }

    /// The last value of a field, because the connection of an attribute comes after the attribute.
    fn value(&self, node: NodeIndex, field: &str) -> Option<&FieldValue> {
        let mut fields = self.node(node).fields.iter().rev();
        fields.find(|it| &*it.name == field).map(|field| &field.value)
    }

    fn refuse_value(&self, node: NodeIndex, field: &str, wanted: &str) -> FileError {
        let found = match self.value(node, field) {
            Some(FieldValue::Text(text)) => format!(" \"{}\"", shortened(text)),
            _ => String::new(),
        };
        let type_name = &self.node(node).type_name;
        self.refuse(node, format!("{type_name}: {field}{found} must be {wanted}"))
    }

    /// All numbers of a field; `None` if it is missing.
    pub fn numbers(
        &self,
        node: NodeIndex,
        field: &str,
    ) -> Result<Option<Cow<'_, [f64]>>, FileError> {
        match self.value(node, field) {
            None | Some(FieldValue::Interface(_)) => Ok(None),
            Some(FieldValue::Numbers(numbers)) => Ok(Some(Cow::Borrowed(numbers))),
            Some(FieldValue::Text(text)) => match values::numbers(text) {
                Some(numbers) => Ok(Some(Cow::Owned(numbers))),
                None => Err(self.refuse_value(node, field, "finite numbers")),
            },
            Some(_) => Err(self.refuse_value(node, field, "numbers")),
        }
    }

    /// The numbers of a field that has exactly N.
    pub fn vector<const N: usize>(
        &self,
        node: NodeIndex,
        field: &str,
        default: [f64; N],
    ) -> Result<[f64; N], FileError> {
        let Some(numbers) = self.numbers(node, field)? else { return Ok(default) };
        <[f64; N]>::try_from(&*numbers).map_err(|_| {
            let wanted = if N == 1 { "one number".to_owned() } else { format!("{N} numbers") };
            self.refuse_value(node, field, &wanted)
        })
    }

    pub fn number(&self, node: NodeIndex, field: &str, default: f64) -> Result<f64, FileError> {
        self.vector(node, field, [default]).map(|[number]| number)
    }

    pub fn flag(&self, node: NodeIndex, field: &str, default: bool) -> Result<bool, FileError> {
        let flag = match self.value(node, field) {
            None | Some(FieldValue::Interface(_)) => Some(default),
            Some(FieldValue::Flags(flags)) => flags.first().copied(),
            Some(FieldValue::Text(text)) => values::flag(text.trim()),
            Some(_) => None,
        };
        flag.ok_or_else(|| self.refuse_value(node, field, "true or false"))
    }

    /// The single text of a field; `None` if it is missing.
    pub fn string(&self, node: NodeIndex, field: &str) -> Result<Option<Cow<'_, str>>, FileError> {
        match self.value(node, field) {
            None | Some(FieldValue::Interface(_)) => Ok(None),
            Some(FieldValue::Text(text)) => Ok(Some(Cow::Borrowed(text))),
            Some(FieldValue::Strings(strings)) => {
                Ok(strings.first().map(|text| Cow::Borrowed(text.as_str())))
            }
            Some(_) => Err(self.refuse_value(node, field, "a text in quotation marks")),
        }
    }

    /// All texts of a field.
    pub fn strings(&self, node: NodeIndex, field: &str) -> Result<Cow<'_, [String]>, FileError> {
        match self.value(node, field) {
            None | Some(FieldValue::Interface(_)) => Ok(Cow::default()),
            Some(FieldValue::Text(text)) => match values::strings(text) {
                Some(strings) => Ok(Cow::Owned(strings)),
                None => Err(self.refuse_value(node, field, "texts in quotation marks")),
            },
            Some(FieldValue::Strings(strings)) => Ok(Cow::Borrowed(strings)),
            Some(FieldValue::Numbers(numbers)) if numbers.is_empty() => Ok(Cow::default()),
            Some(_) => Err(self.refuse_value(node, field, "texts in quotation marks")),
        }
    }

    /// Counts how often the tree below the roots uses each node.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0_u32; self.nodes.len()];
        let mut waiting = self.roots.clone();
        while let Some(index) = waiting.pop() {
            let count = &mut counts[index as usize];
            *count += 1;
            if *count > 1 {
                continue;
            }
            let node = self.node(index);
            match node.kind {
                NodeKind::Instance { body, .. } => waiting.extend(body),
                NodeKind::BuiltIn => node.fields.iter().for_each(|field| {
                    if let FieldValue::Nodes(nodes) = &field.value {
                        waiting.extend(nodes.iter().copied());
                    }
                }),
            }
        }
        counts
    }
}
