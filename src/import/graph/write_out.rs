//! Makes a scene of a graph: its shapes are placed in the world and rounded once, its uses written out or instanced.

use super::frame::Frame;
use super::plan::{MOST_WRITTEN_OUT, Plan};
use super::{Graph, GraphItem, GraphShape, GraphUse};
use crate::fields::ShapeError;
use crate::io::{FileError, FileStore};
use crate::math::Similarity;
use crate::scene::{Definition, Scene};
use crate::transform::Transform;
use std::collections::HashMap;

/// Adds what the contents `root` hold, with all that they use, to an empty scene about its origin. Returns the plan by which
/// it was made, too.
///
/// # Errors
/// [`FileError`] with the place of what cannot be in a scene, or for more memory than the store allows.
pub(in crate::import) fn write_out(
    store: &FileStore,
    graph: &Graph,
    root: u32,
    empty: Scene,
) -> Result<(Scene, Plan), FileError> {
    write_out_up_to(MOST_WRITTEN_OUT, store, graph, root, empty)
}

/// Does the same, where what is used several times is written out if that makes so many primitives at most.
pub(super) fn write_out_up_to(
    most_written_out: u64,
    store: &FileStore,
    graph: &Graph,
    root: u32,
    empty: Scene,
) -> Result<(Scene, Plan), FileError> {
    let plan = Plan::new(graph, root, most_written_out)?;
    // What the files' meshes and heights take is counted again here, with how often they are used.
    let path = &graph.0[root as usize].path;
    let needs = || "its shapes with all uses need".to_owned();
    store.for_another_scene().take_memory(path, plan.bytes, needs)?;
    let mut writer = Writer { graph, plan: &plan, definitions: HashMap::new() };
    for &contents in &plan.definitions {
        let about_origin = Scene::about(graph.0[contents as usize].origin);
        let definition = Definition::new(writer.scene(contents, about_origin, true)?);
        writer.definitions.insert(contents, definition);
    }
    let mut scene = writer.scene(root, empty, false)?;
    super::cameras::add_cameras(graph, &plan, root, &mut scene)?;
    Ok((scene, plan))
}

struct Writer<'g> {
    graph: &'g Graph,
    plan: &'g Plan,
    definitions: HashMap<u32, Definition>,
}

impl Writer<'_> {
    /// Adds contents to an empty scene. Uses are walked by a stack of their own, because they may be nested deeply.
    fn scene(&self, contents: u32, mut scene: Scene, is_used: bool) -> Result<Scene, FileError> {
        let whole = &self.graph.0[contents as usize];
        let whole = Frame::new(whole, Transform::IDENTITY, None, None, is_used);
        whole.check()?;
        let mut open = vec![whole];
        while let Some(frame) = open.last_mut() {
            match frame.next_item() {
                None => {
                    open.pop();
                    if !open.is_empty() {
                        scene.end_use();
                    }
                }
                Some(GraphItem::Shape(shape)) => add_shape(frame, shape, &mut scene)?,
                Some(GraphItem::Use(used)) => {
                    let inner = self.begin_use(frame, *used, contents, &mut scene)?;
                    open.extend(inner);
                }
            }
        }
        scene.begin_node(&Transform::IDENTITY);
        Ok(scene)
    }

    /// Adds an instance, or begins to write out what is used and returns it.
    fn begin_use<'g>(
        &'g self,
        frame: &Frame<'g>,
        used: GraphUse,
        written: u32,
        scene: &mut Scene,
    ) -> Result<Option<Frame<'g>>, FileError> {
        let GraphUse { group, contents } = used;
        let (world, name, color) =
            (frame.world_from(group), frame.name_of_use(group), frame.color(group));
        scene.begin_use();
        if self.plan.is_empty(contents) {
            scene.end_use();
            return Ok(None);
        }
        let inner = &self.graph.0[contents as usize];
        if !self.plan.is_instance(written, contents) {
            let inner = Frame::new(inner, world, name, color, true);
            inner.check()?;
            return Ok(Some(inner));
        }
        let Some(definition) = self.definitions.get(&contents) else { return Ok(None) };
        let about_origin = Similarity { translation: inner.origin, ..Similarity::IDENTITY };
        let world_from_definition = world.then_inner(&about_origin.into());
        let added = scene.add_instance(definition, &world_from_definition, name, color);
        scene.end_use();
        added.map(|_| None).map_err(|shape_error| frame.refuse(group, shape_error))
    }
}

fn add_shape(frame: &Frame<'_>, shape: &GraphShape, scene: &mut Scene) -> Result<(), FileError> {
    let GraphShape { group, index, geometry, contents_from_shape, name, mask, color } = shape;
    let key = || match frame.contents.is_native {
        true => format!("shapes[{index}]"),
        false => format!("{}[{index}]", geometry.type_name()),
    };
    let world_from_group = frame.world_from(*group);
    let world_from_shape = match contents_from_shape {
        Some(contents_from_shape) => frame.world_from(0).then_inner(contents_from_shape),
        None => world_from_group,
    };
    let name = frame.name_in(*group, name.as_ref(), key);
    scene.begin_node(&world_from_group);
    let id = scene.add_transformed(geometry, &world_from_shape).map_err(|shape_error| {
        let ShapeError { field, reason } = shape_error;
        let dot = if field.is_empty() { "" } else { "." };
        let named = name.as_ref().map(|name| format!(" (\"{name}\")")).unwrap_or_default();
        let place = format!("{}{}{dot}{field}{named}", frame.contents.place_of(*group), key());
        FileError::meaning(&frame.contents.path, place, reason)
    })?;
    scene.set_mask(id, *mask);
    if let Some(name) = name {
        scene.set_name(id, name);
    }
    if let Some(color) = color.or(frame.color(*group)) {
        scene.set_color(id, color);
    }
    Ok(())
}

impl Frame<'_> {
    /// Refuses a group whose transform into the world cannot be, also if there is no shape in it.
    pub(super) fn check(&self) -> Result<(), FileError> {
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
