//! Makes a scene from a graph: its shapes are placed in the world and rounded once, and its
//! instances are written out as single shapes or kept as instances.

use super::cameras::cameras;
use super::contents::{Graph, GraphContents, GraphItem, InvalidShapes};
use super::frame::{Frame, InheritedTraits};
use super::origin::origin_near;
use super::plan::{MOST_WRITTEN_OUT, Plan};
use super::rows::{GraphRows, RowShapes};
use super::scene_bodies::SceneBodies;
use super::shape::GraphShape;
use super::walk::{UsedDefinition, Visitor, Walk};
use crate::options::{Options, Origin};
use crate::warning::Warning;
use glam::DVec3;
use raytwin::fields::{MAX_COORDINATE, ShapeError};
use raytwin::geometry::Geometry;
use raytwin::scene::{Appearance, Definition, RowError, Scene};
use raytwin::transform::Transform;
use raytwin_files::{FileError, FileStore};
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// A scene that was made from a graph, and the plan for it.
#[derive(Debug)]
pub(crate) struct FlatScene {
    pub scene: Scene,
    pub plan: Plan,
    /// The warnings of the graph, with the shapes that cannot be in the scene.
    pub warnings: Vec<Warning>,
}

/// Makes a scene from the contents `root` and everything that they use. The options determine its
/// origin and what moves. The scene takes ownership of the shapes of rows, which may be many.
///
/// # Errors
/// [`FileError`] with the place of a part that cannot be in a scene, or if it needs more memory
/// than the store allows.
pub(crate) fn flatten(
    store: &FileStore,
    graph: &mut Graph,
    root: u32,
    options: &Options,
    warnings: Vec<Warning>,
) -> Result<FlatScene, FileError> {
    flatten_up_to(MOST_WRITTEN_OUT, store, graph, root, options, warnings)
}

/// Does the same; definitions that are used several times are written out as single shapes if that
/// makes at most this many primitives.
pub(super) fn flatten_up_to(
    most_written_out: u64,
    store: &FileStore,
    graph: &mut Graph,
    root: u32,
    options: &Options,
    mut warnings: Vec<Warning>,
) -> Result<FlatScene, FileError> {
    let plan = Plan::new(graph, root, most_written_out)?;
    // The memory of the files' meshes and heights is counted again here, with the number of their
    // instances.
    let contents = &graph.0[root as usize];
    let needs = || "its shapes with all instances need".to_owned();
    store.for_another_scene().take_memory(&contents.path, plan.bytes, needs)?;
    let mut walk = Walk { graph, plan: &plan, definitions: HashMap::new() };
    for &index in &plan.definitions {
        let mut builder = Builder::new(graph.0[index as usize].origin, &mut warnings);
        walk.through(index, true, &mut builder)?;
        let bodies = std::mem::take(&mut builder.bodies);
        walk.definitions.insert(index, (Definition::new(builder.ended()), bodies));
    }
    let origin = match options.origin {
        None => contents.origin,
        Some(Origin::At(origin)) => origin,
        // No file and no caller may give an origin that is farther away.
        Some(Origin::Auto) => {
            let most = DVec3::splat(MAX_COORDINATE);
            origin_near(&walk, root)?.clamp(-most, most)
        }
    };
    let definitions = walk.definitions;
    let rows = graph.0[root as usize].items.iter_mut().filter_map(|item| match item {
        GraphItem::Rows(rows) => Some(std::mem::take(&mut rows.shapes)),
        GraphItem::Shape(_) | GraphItem::Use(_) => None,
    });
    let rows = rows.collect();
    let contents = &graph.0[root as usize];
    let walk = Walk { graph, plan: &plan, definitions };
    let mut builder = Builder::new(origin, &mut warnings);
    builder.rows = rows;
    builder.is_movable = options.movable;
    let moving = contents.worlds.iter().flat_map(|world| &world.places);
    builder.moving_items = moving.map(|(item, _)| *item).collect();
    walk.through(root, false, &mut builder)?;
    let instances = std::mem::take(&mut builder.moving_instances);
    let adjacency = std::mem::take(&mut builder.bodies).adjacency();
    let mut scene = builder.ended();
    scene.set_adjacency(adjacency);
    scene.cameras = cameras(graph, &plan, root, &scene)?;
    // If several files name a label, the outermost file decides.
    let outermost_first = graph.0[root as usize..].iter().chain(&graph.0[..root as usize]);
    let mut renamed = Warning::about_read(
        "labels have different names in several files: use different numbers for them",
    );
    for (label, name) in outermost_first.flat_map(|contents| &contents.label_names) {
        let first = scene.label_names.entry(*label).or_insert_with(|| name.clone());
        if first != name {
            renamed.add(|| format!("{label} ({first}, {name})"));
        }
    }
    warnings.push(renamed);
    add_worlds(contents, &instances, &mut scene)?;
    Ok(FlatScene { scene, plan, warnings })
}

/// Adds the worlds of a model beyond the first. The items that move are given with their instances.
fn add_worlds(
    contents: &GraphContents,
    instances: &[u32],
    scene: &mut Scene,
) -> Result<(), FileError> {
    let origin = scene.origin();
    for world in &contents.worlds {
        let moved = |(_, world_from_shape): &(u32, Transform)| world_from_shape.moved(-origin);
        let places = instances.iter().copied().zip(world.places.iter().map(moved)).collect();
        let cameras = world.cameras.iter();
        let cameras = cameras.filter_map(|camera| camera.in_world(contents, origin).transpose());
        let cameras = cameras.collect::<Result<_, _>>()?;
        scene
            .add_places(places, cameras)
            .map_err(|error| FileError::meaning(&contents.path, "", error.to_string()))?;
    }
    Ok(())
}

/// Adds what a walk meets to a scene.
struct Builder<'w> {
    scene: Scene,
    /// True if every geometry becomes an instance of its own, which can move.
    is_movable: bool,
    /// The items of the walked contents that stand elsewhere in other worlds, and so become
    /// instances.
    moving_items: HashSet<u32>,
    moving_instances: Vec<u32>,
    /// The shapes of the rows of the walked contents, which move into the scene.
    rows: VecDeque<RowShapes>,
    bodies: SceneBodies,
    warnings: &'w mut [Warning],
}

impl<'w> Builder<'w> {
    fn new(origin: DVec3, warnings: &'w mut [Warning]) -> Self {
        Self {
            scene: Scene::with_origin(origin),
            is_movable: false,
            moving_items: HashSet::new(),
            moving_instances: Vec::new(),
            rows: VecDeque::new(),
            bodies: SceneBodies::default(),
            warnings,
        }
    }

    /// The scene, in which further additions belong to no node.
    fn ended(mut self) -> Scene {
        self.scene.begin_node(&Transform::IDENTITY);
        self.scene
    }

    fn add(
        &mut self,
        geometry: &Geometry,
        world_from_geometry: &Transform,
        is_movable: bool,
    ) -> Result<u32, ShapeError> {
        match is_movable {
            true => self.scene.add_movable(geometry, world_from_geometry),
            false => self.scene.add_transformed(geometry, world_from_geometry),
        }
    }
}

impl Builder<'_> {
    fn add_all_movable(
        &mut self,
        geometries: &[Geometry],
        world_from_geometries: &Transform,
    ) -> Result<Range<u32>, RowError> {
        let first = self.scene.geometry_count();
        for (row, geometry) in geometries.iter().enumerate() {
            let added = self.scene.add_movable(geometry, world_from_geometries);
            added.map_err(|error| RowError { row, error })?;
        }
        Ok(first..self.scene.geometry_count())
    }
}

impl Visitor for Builder<'_> {
    fn shape(&mut self, frame: &Frame<'_>, item: u32, shape: &GraphShape) -> Result<(), FileError> {
        let GraphShape { group, geometry, name, mask, appearance, integers, .. } = shape;
        let contents = frame.contents;
        let key = || shape.key();
        let name = frame.name_in(*group, name.as_ref(), key);
        let moves_in_worlds = !frame.is_used && self.moving_items.contains(&item);
        let is_movable = self.is_movable || moves_in_worlds;
        self.scene.begin_node(&frame.world_from(*group));
        let added = self.add(geometry, &frame.world_from_shape(shape), is_movable);
        let added = added.or_else(|shape_error| {
            let InvalidShapes::Emptied(warning) = contents.invalid_shapes else {
                return Err(shape_error);
            };
            let name = name.as_ref().map(ToString::to_string).unwrap_or_else(key);
            self.warnings[warning].add(|| format!("{name} ({shape_error})"));
            self.add(&Geometry::Empty, &Transform::IDENTITY, is_movable)
        });
        let id = added.map_err(|ShapeError { field, reason }| {
            let place = match contents.invalid_shapes {
                InvalidShapes::RefusedByField => field,
                InvalidShapes::Refused | InvalidShapes::Emptied(_) => {
                    let dot = if field.is_empty() { "" } else { "." };
                    let named =
                        name.as_ref().map(|name| format!(" (\"{name}\")")).unwrap_or_default();
                    // A native file holds the shapes of a node in one list.
                    let shape = match contents.is_native {
                        true => format!("shapes[{}]", shape.index),
                        false => key(),
                    };
                    format!("{}{shape}{dot}{field}{named}", contents.place_of(*group))
                }
            };
            FileError::meaning(&contents.path, place, reason)
        })?;
        self.bodies.add(id, contents, *group);
        if moves_in_worlds {
            self.moving_instances.push(self.scene.instances().len() as u32 - 1);
        }
        self.scene.set_mask(id, *mask);
        if let Some(name) = name {
            self.scene.set_name(id, name);
        }
        let inherited = frame.inherited(*group);
        self.scene.set_appearance(id, appearance.or(inherited.appearance));
        for (name, number) in inherited.integers.iter().chain(integers) {
            self.scene.set_integer(id, name, *number);
        }
        Ok(())
    }

    fn rows(&mut self, frame: &Frame<'_>, rows: &GraphRows) -> Result<(), FileError> {
        let GraphRows { group, count, place, shapes } = rows;
        let own = if frame.is_used { None } else { self.rows.pop_front() };
        let RowShapes { geometries, mut names, masks, mut appearances, mut integers } =
            own.unwrap_or_else(|| shapes.clone());
        // Most rows have only their types and ids as names.
        if frame.is_used || frame.name(*group).is_some() {
            for (row, geometry) in (0..*count).zip(&geometries) {
                let key = || geometry.numbered(row);
                names.extend(frame.name_in(*group, names.get(&row), key).map(|name| (row, name)));
            }
        }
        let InheritedTraits { appearance: of_group, integers: of_groups } = frame.inherited(*group);
        if *of_group != Appearance::NONE {
            for row in 0..*count {
                let own = appearances.entry(row).or_default();
                *own = own.or(*of_group);
            }
        }
        for (name, number) in of_groups.iter() {
            let column = integers.entry(name.clone()).or_default();
            column.resize(*count as usize, 0);
            column.iter_mut().filter(|own| **own == 0).for_each(|own| *own = *number);
        }
        let world_from_rows = frame.world_from(*group);
        self.scene.begin_node(&world_from_rows);
        let added = match self.is_movable {
            true => self.add_all_movable(&geometries, &world_from_rows),
            false => self.scene.add_all(geometries, &world_from_rows),
        };
        let ids = added.map_err(|error| place.refuse(&frame.contents.path, error))?;
        self.scene.set_names(ids.start, names);
        self.scene.set_appearances(ids.start, appearances);
        for (name, numbers) in &integers {
            self.scene.set_integers(ids.start, name, numbers);
        }
        masks.into_iter().for_each(|(row, mask)| self.scene.set_mask(ids.start + row, mask));
        Ok(())
    }

    fn instance(&mut self, instance: UsedDefinition<'_>) -> Result<(), ShapeError> {
        let UsedDefinition { definition, bodies, world_from_definition, name, inherited } =
            instance;
        let first_id = self.scene.geometry_count();
        let first = self.scene.instances().len() as u32;
        let InheritedTraits { appearance, integers } = inherited;
        self.scene.add_instance(definition, &world_from_definition, name, appearance)?;
        self.scene.set_instance_integers(first, &integers);
        self.bodies.add_used(bodies, first_id);
        Ok(())
    }

    fn begin_use(&mut self) {
        self.scene.begin_use();
        self.bodies.begin_use();
    }

    fn end_use(&mut self) {
        self.scene.end_use();
        self.bodies.end_use();
    }
}
