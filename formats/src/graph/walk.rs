//! Walks contents in the order of ids, including everything that they use.

use super::contents::{Graph, GraphItem, GraphUse};
use super::frame::{Frame, InheritedTraits};
use super::plan::Plan;
use super::rows::GraphRows;
use super::scene_bodies::SceneBodies;
use super::shape::GraphShape;
use raytwin::fields::ShapeError;
use raytwin::math::Similarity;
use raytwin::scene::{Definition, Name};
use raytwin::transform::Transform;
use raytwin_files::FileError;
use std::collections::HashMap;

/// A graph with the definitions, and the plan for them.
pub(super) struct Walk<'g> {
    pub graph: &'g Graph,
    pub plan: &'g Plan,
    /// Each with the bodies in it.
    pub definitions: HashMap<u32, (Definition, SceneBodies)>,
}

/// A consumer of the walk.
pub(super) trait Visitor {
    /// Consumes a shape, given its place and the index of its item in those contents.
    fn shape(&mut self, frame: &Frame<'_>, item: u32, shape: &GraphShape) -> Result<(), FileError>;

    /// Takes rows at a place.
    fn rows(&mut self, frame: &Frame<'_>, rows: &GraphRows) -> Result<(), FileError>;

    /// Consumes an instance of a definition, as a whole or not at all.
    fn instance(&mut self, instance: UsedDefinition<'_>) -> Result<(), ShapeError>;

    fn begin_use(&mut self) {}

    /// Takes the end of the use that began last.
    fn end_use(&mut self) {}
}

/// A use of contents that is an instance.
pub(super) struct UsedDefinition<'a> {
    pub definition: &'a Definition,
    pub bodies: &'a SceneBodies,
    pub world_from_definition: Transform,
    pub name: Option<Name>,
    pub inherited: InheritedTraits,
}

impl Walk<'_> {
    /// Walks contents, which are used or a scene of their own. Nested uses are on a stack, because
    /// they may be nested deeply.
    pub fn through(
        &self,
        contents: u32,
        is_used: bool,
        visitor: &mut impl Visitor,
    ) -> Result<(), FileError> {
        let whole = &self.graph.0[contents as usize];
        let whole =
            Frame::new(whole, Transform::IDENTITY, None, InheritedTraits::default(), is_used);
        whole.check()?;
        let mut open = vec![whole];
        while let Some(frame) = open.last_mut() {
            let index = frame.next as u32;
            match frame.next_item() {
                None => {
                    open.pop();
                    if !open.is_empty() {
                        visitor.end_use();
                    }
                }
                Some(GraphItem::Shape(shape)) => visitor.shape(frame, index, shape)?,
                Some(GraphItem::Rows(rows)) => visitor.rows(frame, rows)?,
                Some(GraphItem::Use(used)) => {
                    let inner = self.begin_use(frame, *used, contents, visitor)?;
                    open.extend(inner);
                }
            }
        }
        Ok(())
    }

    /// Consumes an instance, or begins to walk the used contents and returns them.
    fn begin_use<'g>(
        &'g self,
        frame: &Frame<'g>,
        used: GraphUse,
        walked: u32,
        visitor: &mut impl Visitor,
    ) -> Result<Option<Frame<'g>>, FileError> {
        let GraphUse { group, contents } = used;
        let (world, name, inherited) =
            (frame.world_from(group), frame.name_of_use(group), frame.inherited(group).clone());
        visitor.begin_use();
        if self.plan.is_empty(contents) {
            visitor.end_use();
            return Ok(None);
        }
        let inner = &self.graph.0[contents as usize];
        if !self.plan.is_instance(walked, contents) {
            let inner = Frame::new(inner, world, name, inherited, true);
            inner.check()?;
            return Ok(Some(inner));
        }
        let Some((definition, bodies)) = self.definitions.get(&contents) else { return Ok(None) };
        let about_origin = Similarity { translation: inner.origin, ..Similarity::IDENTITY };
        let world_from_definition = world.then_inner(&about_origin.into());
        let added = visitor.instance(UsedDefinition {
            definition,
            bodies,
            world_from_definition,
            name,
            inherited,
        });
        visitor.end_use();
        added.map(|()| None).map_err(|shape_error| frame.refuse(group, shape_error))
    }
}

impl Frame<'_> {
    /// Rejects a group whose transform into the world is not allowed, even if it has no shapes.
    fn check(&self) -> Result<(), FileError> {
        (0..self.contents.groups.len() as u32).try_for_each(|group| {
            let checked = match self.world_from(group) {
                Transform::Similarity(_) => Ok(()),
                Transform::Affine(affine) => affine.check(),
            };
            checked.map_err(|shape_error| self.refuse(group, shape_error))
        })
    }

    fn refuse(&self, group: u32, shape_error: ShapeError) -> FileError {
        let named = self.name(group).map(|name| format!(" (\"{name}\")")).unwrap_or_default();
        let place = self.contents.place_of(group);
        let place = format!("{}{named}", place.trim_end_matches('.'));
        FileError::meaning(&self.contents.path, place, shape_error.reason)
    }
}
