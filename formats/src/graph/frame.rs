//! GraphContents at a place: the transforms, names and appearances of their groups there.

mod inherited;

pub(super) use inherited::InheritedTraits;

use super::contents::{GraphContents, GraphItem, Group, Label};
use super::shape::GraphShape;
use raytwin::scene::Name;
use raytwin::transform::Transform;

/// GraphContents at a place in a scene. The items before `next` are done.
#[derive(Debug)]
pub(super) struct Frame<'g> {
    pub contents: &'g GraphContents,
    pub next: usize,
    /// True for contents that are used: unnamed parts then have their key as a name, even if no
    /// parent has a name.
    pub is_used: bool,
    world_from_groups: Vec<Transform>,
    names: Vec<Option<Name>>,
    inherited: Vec<InheritedTraits>,
}

impl<'g> Frame<'g> {
    /// Composes the transforms of all groups in float64, from the outermost to the innermost.
    pub fn new(
        contents: &'g GraphContents,
        world_from_contents: Transform,
        name: Option<Name>,
        inherited: InheritedTraits,
        is_used: bool,
    ) -> Self {
        let mut frame = Self {
            contents,
            next: 0,
            is_used,
            world_from_groups: vec![world_from_contents],
            names: vec![name],
            inherited: vec![inherited],
        };
        for group in &contents.groups[1..] {
            let parent = group.parent as usize;
            frame.world_from_groups.push(match (&group.label, is_used) {
                // A scene that is only a robot has exactly the numbers of its joints.
                (Label::Frame(_), false) => group.parent_from_group,
                _ => frame.world_from_groups[parent].then_inner(&group.parent_from_group),
            });
            frame.names.push(group.named(frame.names[parent].as_ref(), is_used));
            frame.inherited.push(frame.inherited[parent].in_group(group));
        }
        frame
    }

    pub fn next_item(&mut self) -> Option<&'g GraphItem> {
        let item = self.contents.items.get(self.next)?;
        self.next += 1;
        Some(item)
    }

    pub fn world_from(&self, group: u32) -> Transform {
        self.world_from_groups[group as usize]
    }

    /// The transform of a shape into the world.
    pub fn world_from_shape(&self, shape: &GraphShape) -> Transform {
        match (&shape.contents_from_shape, self.is_used) {
            (None, _) => self.world_from(shape.group),
            (Some(contents_from_shape), false) => **contents_from_shape,
            (Some(contents_from_shape), true) => {
                self.world_from_groups[0].then_inner(contents_from_shape)
            }
        }
    }

    /// The properties that everything in a group inherits.
    pub fn inherited(&self, group: u32) -> &InheritedTraits {
        &self.inherited[group as usize]
    }

    /// The path of a group; `None` if neither it nor a parent has a name.
    pub fn name(&self, group: u32) -> Option<&Name> {
        self.names[group as usize].as_ref()
    }

    /// The path of a group with other contents. In a native scene, it always has a path, so that
    /// paths distinguish instances.
    pub fn name_of_use(&self, group: u32) -> Option<Name> {
        let path = || Some(self.contents.path_of(group)).filter(|path| !path.is_empty());
        self.name(group).cloned().or_else(|| path().map(Name::from))
    }

    /// The path of what is in a group: its name, or else its key if the group has a name.
    pub fn name_in(
        &self,
        group: u32,
        name: Option<&Name>,
        key: impl FnOnce() -> String,
    ) -> Option<Name> {
        match (self.name(group), name) {
            (Some(parent), Some(name)) => Some(parent.joined(name)),
            (Some(parent), None) => Some(parent.child(key())),
            (None, Some(name)) => Some(name.clone()),
            (None, None) => self.is_used.then(|| Name::from(key())),
        }
    }
}

impl Group {
    fn named(&self, parent: Option<&Name>, is_used: bool) -> Option<Name> {
        let (index, name) = match &self.label {
            Label::Node(index, name) => (index, name.as_deref()),
            Label::Named(Some(name)) => {
                return Some(
                    parent.map_or_else(|| Name::from(name.as_str()), |it| it.child(name.as_str())),
                );
            }
            Label::Whole | Label::Named(None) | Label::Frame(_) => return parent.cloned(),
        };
        match (parent, name) {
            (Some(parent), Some(name)) => Some(parent.child(name)),
            (Some(parent), None) => Some(parent.child(format!("nodes[{index}]"))),
            (None, Some(name)) => Some(Name::from(name)),
            (None, None) => is_used.then(|| Name::from(format!("nodes[{index}]"))),
        }
    }
}
