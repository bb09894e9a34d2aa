//! Expands instances of prototypes (X3D 3.3, section 4.4.4): the first node of the body is copied
//! in the instance's place, with the values that the instance gives to the fields of the interface.

use super::tree::{FieldValue, MOST_NESTED, NodeField, NodeIndex, NodeKind, NodeTree, WorldNode};
use raytwin_files::FileError;
use std::collections::HashMap;
use std::rc::Rc;

/// The largest number of nodes, and places for them, that all instances of a world make, so that
/// nested instances cannot fill the memory.
const MOST_EXPANDED: usize = 1 << 18;

/// A prototype. One that another file declares has no body.
#[derive(Debug, Default)]
pub(super) struct Prototype {
    /// The values of fields that an instance does not give.
    pub defaults: HashMap<Rc<str>, FieldValue>,
    pub body: Vec<NodeIndex>,
}

/// Copies the body of a prototype for an instance at some depth; other nodes stay as they are.
pub(super) fn expand(
    tree: &mut NodeTree<'_>,
    prototypes: &[Prototype],
    instance: NodeIndex,
    depth: usize,
    expanded: &mut usize,
) -> Result<(), FileError> {
    let NodeKind::Instance { prototype, .. } = tree.node(instance).kind else { return Ok(()) };
    let Some(&template) = prototypes[prototype as usize].body.first() else { return Ok(()) };
    let fields = &tree.node(instance).fields;
    let given = fields.iter().map(|field| (field.name.clone(), field.value.clone())).collect();
    let mut expansion = Expansion {
        tree,
        prototypes,
        given,
        defaults: &prototypes[prototype as usize].defaults,
        copies: HashMap::new(),
        expanded,
        instance,
    };
    let body = Some(expansion.copy(template, depth + 1)?);
    tree.nodes[instance as usize].kind = NodeKind::Instance { prototype, body };
    Ok(())
}

/// The copying of one body.
struct Expansion<'e, 'a> {
    tree: &'e mut NodeTree<'a>,
    prototypes: &'e [Prototype],
    given: HashMap<Rc<str>, FieldValue>,
    defaults: &'e HashMap<Rc<str>, FieldValue>,
    /// The copies by their templates, so that what the body uses twice is one node.
    copies: HashMap<NodeIndex, NodeIndex>,
    expanded: &'e mut usize,
    instance: NodeIndex,
}

impl Expansion<'_, '_> {
    fn copy(&mut self, template: NodeIndex, depth: usize) -> Result<NodeIndex, FileError> {
        if let Some(copy) = self.copies.get(&template) {
            return Ok(*copy);
        }
        let WorldNode { type_name, name, offset, kind, fields } = self.tree.node(template);
        let (type_name, name, offset, kind) = (type_name.clone(), name.clone(), *offset, *kind);
        let fields = fields.clone();
        self.count(1 + fields.len())?;
        if depth > MOST_NESTED {
            let reason = format!(
                "the prototype's nodes are nested too deeply: at most {MOST_NESTED} levels are allowed"
            );
            return Err(self.tree.refuse(self.instance, reason));
        }
        let copy = self.tree.nodes.len() as NodeIndex;
        self.copies.insert(template, copy);
        self.tree.nodes.push(WorldNode { type_name, name, offset, kind, fields: Vec::new() });
        for NodeField { name, value } in fields {
            if let Some(value) = self.copied(value, depth)? {
                self.tree.nodes[copy as usize].fields.push(NodeField { name, value });
            }
        }
        expand(self.tree, self.prototypes, copy, depth, self.expanded)?;
        Ok(copy)
    }

    fn count(&mut self, more: usize) -> Result<(), FileError> {
        *self.expanded += more;
        if *self.expanded <= MOST_EXPANDED {
            return Ok(());
        }
        let reason = format!(
            "instances of prototypes make more than {MOST_EXPANDED} nodes and fields: use DEF and USE instead"
        );
        Err(self.tree.refuse(self.instance, reason))
    }

    /// The value in the copy: that of the interface for a connected field, and `None` if the
    /// interface has none.
    fn copied(&mut self, value: FieldValue, depth: usize) -> Result<Option<FieldValue>, FileError> {
        let value = match value {
            FieldValue::Interface(name) => {
                match (self.given.get(&name), self.defaults.get(&name)) {
                    (Some(given), _) => return Ok(Some(given.clone())),
                    (None, Some(default)) => default.clone(),
                    (None, None) => return Ok(None),
                }
            }
            value => value,
        };
        let FieldValue::Nodes(nodes) = value else { return Ok(Some(value)) };
        self.count(nodes.len())?;
        let copies: Result<Rc<[NodeIndex]>, FileError> =
            nodes.iter().map(|&node| self.copy(node, depth + 1)).collect();
        copies.map(|nodes| Some(FieldValue::Nodes(nodes)))
    }
}
