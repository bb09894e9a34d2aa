//! Builds the tree of a world from the parser's events, in the order of the text. Names, uses and
//! prototypes are resolved at once, because each use comes after its definition.

use super::prototypes::{Prototype, expand};
use super::tree::{
    FieldValue, IMPORTED, MOST_NESTED, NodeField, NodeIndex, NodeKind, NodeTree, UNDEFINED,
    WorldNode, WorldText,
};
use crate::shortened::shortened;
use raytwin_files::FileError;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A scope of names: the file, or the body of one prototype. Prototypes are also visible in the
/// bodies inside theirs.
#[derive(Debug, Default)]
struct Scope {
    nodes: HashMap<Rc<str>, NodeIndex>,
    /// The placeholders of nodes that are used before a DEF with their name.
    undefined: HashMap<Rc<str>, NodeIndex>,
    prototypes: HashMap<Rc<str>, u32>,
}

#[derive(Debug)]
pub(super) struct TreeBuilder<'a> {
    tree: NodeTree<'a>,
    texts: HashSet<Rc<str>>,
    scopes: Vec<Scope>,
    prototypes: Vec<Prototype>,
    /// The prototypes whose bodies are being read.
    open_prototypes: Vec<u32>,
    /// The nodes that are being read, each inside the previous one.
    open_nodes: HashSet<NodeIndex>,
    depth: usize,
    /// The Inline that each IMPORT statement of the file names, with the byte where the statement
    /// begins.
    imports: Vec<(Rc<str>, usize)>,
    /// The number of nodes and fields that instances of prototypes made.
    expanded: usize,
}

impl<'a> TreeBuilder<'a> {
    pub fn new(source: WorldText<'a>) -> Self {
        Self {
            tree: NodeTree {
                source,
                nodes: Vec::new(),
                roots: Vec::new(),
                stray_imports: Vec::new(),
                length_unit: 1.0,
                angle_unit: 1.0,
            },
            texts: HashSet::new(),
            scopes: vec![Scope::default()],
            prototypes: Vec::new(),
            open_prototypes: Vec::new(),
            open_nodes: HashSet::new(),
            depth: 0,
            imports: Vec::new(),
            expanded: 0,
        }
    }

    pub fn finish(mut self) -> NodeTree<'a> {
        let names = self.scopes.first().map(|scope| &scope.nodes);
        let is_inline = |name: &Rc<str>| {
            let node = names.and_then(|names| names.get(name));
            node.is_some_and(|&node| {
                let node = self.tree.node(node);
                &*node.type_name == "Inline" || node.kind != NodeKind::BuiltIn
            })
        };
        self.imports.retain(|(inline, _)| !is_inline(inline));
        NodeTree { stray_imports: self.imports, ..self.tree }
    }

    pub fn refuse(&self, offset: usize, reason: impl Into<String>) -> FileError {
        self.tree.source.refuse(offset, reason)
    }

    /// The single copy of a text that nodes share.
    fn shared(&mut self, text: &str) -> Rc<str> {
        if let Some(known) = self.texts.get(text) {
            return known.clone();
        }
        let text: Rc<str> = text.into();
        self.texts.insert(text.clone());
        text
    }

    fn deeper(&mut self, offset: usize) -> Result<(), FileError> {
        self.depth += 1;
        if self.depth > MOST_NESTED {
            let reason =
                format!("nodes are nested too deeply: at most {MOST_NESTED} levels are allowed");
            return Err(self.refuse(offset, reason));
        }
        Ok(())
    }

    /// Begins a node. If its type is a prototype, it is an instance.
    pub fn begin_node(
        &mut self,
        type_name: &str,
        name: Option<&str>,
        offset: usize,
    ) -> Result<NodeIndex, FileError> {
        self.deeper(offset)?;
        let prototype = self.prototype(type_name);
        if prototype.is_some_and(|prototype| self.open_prototypes.contains(&prototype)) {
            let reason = format!("the prototype {} contains itself", shortened(type_name));
            return Err(self.refuse(offset, reason));
        }
        let kind = match prototype {
            Some(prototype) => NodeKind::Instance { prototype, body: None },
            None => NodeKind::BuiltIn,
        };
        let type_name = self.shared(type_name);
        let name = name.map(|name| self.shared(name));
        let index = self.tree.nodes.len() as NodeIndex;
        if let (Some(name), Some(scope)) = (&name, self.scopes.last_mut()) {
            scope.nodes.insert(name.clone(), index);
        }
        self.tree.nodes.push(WorldNode { type_name, name, offset, fields: Vec::new(), kind });
        self.open_nodes.insert(index);
        Ok(index)
    }

    /// Ends a node. Outside prototypes' bodies, an instance is expanded.
    pub fn end_node(&mut self, node: NodeIndex) -> Result<(), FileError> {
        self.open_nodes.remove(&node);
        if self.open_prototypes.is_empty() {
            expand(&mut self.tree, &self.prototypes, node, self.depth, &mut self.expanded)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Gives a name to a node of an Inline's file, whose placeholder cannot be read. Earlier uses
    /// of the name also refer to it.
    pub fn import(&mut self, inline: &str, name: &str, offset: usize) -> Result<(), FileError> {
        if self.open_prototypes.is_empty() {
            let inline = self.shared(inline);
            self.imports.push((inline, offset));
        }
        let imported = self.shared(IMPORTED);
        let scope = self.scopes.last();
        if let Some(&used) = scope.and_then(|scope| scope.undefined.get(name)) {
            self.tree.nodes[used as usize].type_name = imported;
        }
        let node = self.begin_node(IMPORTED, Some(name), offset)?;
        self.end_node(node)
    }

    /// The node with a name. If no DEF has defined it yet, returns a placeholder that cannot be
    /// read.
    pub fn used(&mut self, name: &str, offset: usize) -> Result<NodeIndex, FileError> {
        let Some(scope) = self.scopes.last() else { return self.stand_in(name, offset) };
        match scope.nodes.get(name).or_else(|| scope.undefined.get(name)) {
            Some(node) if self.open_nodes.contains(node) => {
                let reason = format!(
                    "USE {} closes a circle: it is inside the node with that DEF name",
                    shortened(name)
                );
                Err(self.refuse(offset, reason))
            }
            Some(node) => Ok(*node),
            None => self.stand_in(name, offset),
        }
    }

    /// Makes the placeholder of a node that is used and does not exist.
    fn stand_in(&mut self, name: &str, offset: usize) -> Result<NodeIndex, FileError> {
        let node = self.begin_node(UNDEFINED, Some(name), offset)?;
        self.end_node(node)?;
        let name = self.shared(name);
        if let Some(scope) = self.scopes.last_mut() {
            scope.nodes.remove(&name);
            scope.undefined.insert(name, node);
        }
        Ok(node)
    }

    /// The type of a node.
    pub fn type_of(&self, node: NodeIndex) -> &str {
        &self.tree.node(node).type_name
    }

    pub fn set(&mut self, node: NodeIndex, field: &str, value: FieldValue) {
        let name = self.shared(field);
        self.tree.nodes[node as usize].fields.push(NodeField { name, value });
    }

    /// Adds a node to the roots: those of the file, or of the prototype whose body is being read.
    pub fn add_root(&mut self, node: NodeIndex) {
        match self.open_prototypes.last() {
            Some(&prototype) => self.prototypes[prototype as usize].body.push(node),
            None => self.tree.roots.push(node),
        }
    }

    /// Begins a prototype, which is known from here on, so that it can be rejected inside itself.
    pub fn begin_prototype(&mut self, name: &str, offset: usize) -> Result<u32, FileError> {
        self.deeper(offset)?;
        let prototype = self.declare(name);
        self.open_prototypes.push(prototype);
        self.scopes.push(Scope::default());
        Ok(prototype)
    }

    pub fn end_prototype(&mut self) {
        self.open_prototypes.pop();
        self.scopes.pop();
        self.depth -= 1;
    }

    /// Registers a prototype by name. A prototype of another file has no body.
    pub fn declare(&mut self, name: &str) -> u32 {
        let prototype = self.prototypes.len() as u32;
        let name = self.shared(name);
        self.prototypes.push(Prototype::default());
        if let Some(scope) = self.scopes.last_mut() {
            scope.prototypes.insert(name, prototype);
        }
        prototype
    }

    /// Sets the default of a prototype's field.
    pub fn set_default(&mut self, prototype: u32, field: &str, value: FieldValue) {
        let field = self.shared(field);
        self.prototypes[prototype as usize].defaults.insert(field, value);
    }

    /// The prototype with a type's name in this scope.
    fn prototype(&self, type_name: &str) -> Option<u32> {
        let scopes = self.scopes.iter().rev();
        scopes.filter_map(|scope| scope.prototypes.get(type_name)).next().copied()
    }

    /// The type of the placeholder of a prototype's instance.
    pub fn type_of_instance(&self, type_name: &str) -> Option<&str> {
        let mut prototype = self.prototype(type_name)?;
        for _ in 0..MOST_NESTED {
            let body = *self.prototypes[prototype as usize].body.first()?;
            match self.tree.node(body).kind {
                NodeKind::BuiltIn => return Some(&self.tree.node(body).type_name),
                NodeKind::Instance { prototype: inner, .. } => prototype = inner,
            }
        }
        None
    }

    pub fn interface(&mut self, name: &str) -> FieldValue {
        FieldValue::Interface(self.shared(name))
    }

    pub fn set_unit(
        &mut self,
        category: &str,
        factor: f64,
        offset: usize,
    ) -> Result<(), FileError> {
        if !(1e-9..=1e9).contains(&factor) {
            let reason = format!(
                "the unit of {category} is {factor:?}: it must be a number from 1e-9 to 1e9"
            );
            return Err(self.refuse(offset, reason));
        }
        match category {
            "length" => self.tree.length_unit = factor,
            "angle" => self.tree.angle_unit = factor,
            _ => {}
        }
        Ok(())
    }
}
