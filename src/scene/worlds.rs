//! Worlds: variants of one scene that differ in the transforms of its instances and share
//! everything else.
//!
//! Rays are cast into one scene of all worlds. It contains the geometries that do not move once,
//! and those that move once for each world. Its tree is a forest (`bvh/forest.rs`), and a traversal
//! selects a world only with the root at which it begins.

use super::other_world::{MovedInstances, OtherWorld};
use super::world_ids::WorldIds;
use super::{Appearance, Position, Scene};
use crate::camera::Camera;
use crate::fields::ShapeError;
use crate::geometry::{Geometry, Primitive, SurfacePart};
use crate::math::Similarity;
use crate::placement::Placement;
use crate::ray::{Line, NONE};
use crate::shapes::PlacedShape;
use crate::transform::Transform;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// The reason why a scene cannot have another world.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// A world differs in more than the transforms of instances.
    #[error(
        "world {0} differs from the others in more than the transforms of its instances: give the same scene with other transforms"
    )]
    Structure(u32),
    /// A geometry without bounds moves.
    #[error(
        "world {world} moves '{path}', which has no bounds: a plane without edges must not move between worlds, so give it edges or leave it where it is"
    )]
    Unbounded {
        /// The number of the world.
        world: u32,
        /// The path of the geometry.
        path: String,
    },
    /// The place of an instance in a world is invalid.
    #[error("world {world}: '{path}' {error}")]
    Place {
        /// The number of the world.
        world: u32,
        /// The path of the instance's first geometry.
        path: String,
        /// The reason.
        error: ShapeError,
    },
    /// The worlds have too many primitives in all.
    #[error(
        "{0} worlds are too many for this scene: its moving parts may have at most 2^32 - 2 geometries, instances and primitives in all worlds together"
    )]
    Large(u32),
}

/// An instance in a world, as rays are cast into it.
pub(super) enum InstanceInWorld {
    /// A shape of the world's own.
    Shape(Geometry),
    /// Its definition at a place.
    Placed(Placement),
}

impl Scene {
    /// Adds a world with the instances and cameras where another scene has them, and returns its
    /// number.
    ///
    /// The other scene must differ from this one only in these places. The scene itself is world 0.
    /// Worlds of the other scene are ignored. An instance at the same place as in world 0 is
    /// shared, and moves in both when [`Self::set_transforms`] moves it in world 0. A
    /// [`Batch`](crate::Batch) sets the world in which each ray is cast. The ids of answers are the
    /// same in all worlds.
    ///
    /// Definitions, and everything except instances, need memory once for all worlds. A shape that
    /// moves needs about 90 bytes of device memory in each world.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::math::Similarity;
    /// use raytwin::{Batch, Definition, DeviceChoice, Ray, Scene, Sphere, Tracer, Transform};
    ///
    /// let mut ball = Scene::new();
    /// ball.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let mut scene = Scene::new();
    /// let node = scene.add_node(None, &Transform::IDENTITY, Some("ball"))?;
    /// scene.add_instance_at(node, &Definition::new(ball), None)?;
    /// let mut other = scene.clone();
    /// other.set_transform(node, &Similarity { translation: DVec3::Z, ..Similarity::IDENTITY }.into())?;
    /// assert_eq!(scene.add_world(&other)?, 1);
    ///
    /// let tracer = DeviceChoice::Cpu.tracer(scene)?;
    /// let rays = [Ray::new([0.0, 0.0, -9.0], [0.0, 0.0, 1.0]); 2];
    /// let hits = tracer.closest(Batch::new(&rays).in_worlds(&[0, 1])?)?;
    /// assert_eq!([hits[0].t, hits[1].t], [8.0, 9.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A [`WorldError`]. The scene is then unchanged.
    pub fn add_world(&mut self, other: &Self) -> Result<u32, WorldError> {
        let world = self.world_count();
        if !self.has_structure_of(other) {
            return Err(WorldError::Structure(world));
        }
        let moved = self.moved_instances(other);
        let place = |&index: &u32| (index, other.instances[index as usize].transform());
        self.add_places(moved.iter().map(place).collect(), other.cameras.clone())
    }

    /// Adds a world from the transforms of the instances that move in it, sorted by number, and its
    /// cameras.
    ///
    /// # Errors
    /// [`WorldError`], if an instance does not exist, if the numbers do not ascend, if a place is
    /// invalid, or if an unbounded shape moves. The scene is then unchanged.
    pub fn add_places(
        &mut self,
        moved: MovedInstances,
        cameras: Vec<Camera>,
    ) -> Result<u32, WorldError> {
        let world = self.world_count();
        let ascends = moved.is_sorted_by(|(before, _), (after, _)| before < after);
        if !ascends || moved.last().is_some_and(|(last, _)| *last as usize >= self.instances.len())
        {
            return Err(WorldError::Structure(world));
        }
        for (index, transform) in &moved {
            let first = self.instances[*index as usize].first_geometry();
            if let Some(local) = self.definition_of(*index).unbounded().first() {
                return Err(WorldError::Unbounded { world, path: self.path(first + local) });
            }
            if let Err(error) = self.place_of(*index, transform) {
                return Err(WorldError::Place { world, path: self.path(first), error });
            }
        }
        if world == NONE {
            return Err(WorldError::Large(world));
        }
        Arc::make_mut(&mut self.worlds).push(OtherWorld { moved, cameras });
        Ok(world)
    }

    /// Returns the number of worlds: this scene, and those that were [added](Self::add_world).
    pub fn world_count(&self) -> u32 {
        self.worlds.len() as u32 + 1
    }

    /// Returns how many instances have another place in a scene of the same structure and as many
    /// worlds, counted in each world.
    pub(crate) fn moved_in_worlds(&self, other: &Self) -> usize {
        let has_moved = |world: u32, instance: u32| {
            self.transform_in(world, instance) != other.transform_in(world, instance)
        };
        let instances = 0..self.instances.len() as u32;
        let in_world = |world| instances.clone().filter(|&it| has_moved(world, it)).count();
        (0..self.world_count()).map(in_world).sum()
    }

    /// Returns the transforms of the instances that move, for each world except the first, sorted
    /// by the number of the instance.
    pub(crate) fn transforms_in_worlds(&self) -> impl Iterator<Item = &MovedInstances> {
        self.worlds.iter().map(|world| &world.moved)
    }

    /// Returns the scene of only one of its worlds, with the same ids, as rays are cast into it.
    /// `None` if there is no such world.
    ///
    /// # Errors
    /// A [`ShapeError`], if a place in that world is invalid.
    pub fn in_world(&self, world: u32) -> Result<Option<Self>, ShapeError> {
        if world >= self.world_count() {
            return Ok(None);
        }
        if self.worlds.is_empty() {
            return Ok(Some(self.clone()));
        }
        let mut alone = self.spread(world..world + 1)?;
        for id in 0..self.geometry_count() {
            if let Some(Position::Own(own)) = alone.position(id) {
                alone.attributes.names.extend(self.name(id).map(|name| (own, name)));
                let appearance = self.appearance(id);
                if appearance != Appearance::NONE {
                    alone.attributes.appearances.insert(own, appearance);
                }
            }
        }
        let own = (0..self.geometry_count())
            .filter(|&id| matches!(alone.position(id), Some(Position::Own(_))))
            .collect::<Vec<u32>>();
        alone.take_integers(self, own.into_iter().map(|id| [id, id]));
        alone.origin = self.origin;
        alone.coarse.clone_from(&self.coarse);
        alone.uses = self.uses.clone();
        alone.adjacency = self.adjacency.clone();
        alone.cameras.clone_from(self.cameras_in(world));
        Ok(Some(alone))
    }

    /// Returns the scene of only one of its worlds, like [`Self::in_world`], but with all
    /// instances, so that they can still move. `None` if there is no such world.
    ///
    /// # Errors
    /// A [`ShapeError`], if the place of an instance in that world is invalid.
    pub fn moved_to_world(&self, world: u32) -> Result<Option<Self>, ShapeError> {
        if world >= self.world_count() {
            return Ok(None);
        }
        let mut alone = Self { worlds: Arc::default(), ..self.clone() };
        for (index, instance) in (0..).zip(&mut alone.instances) {
            let transform = self.transform_in(world, index);
            instance.place_at(transform, self.definitions.bounds(instance))?;
        }
        alone.cameras.clone_from(self.cameras_in(world));
        Ok(Some(alone))
    }

    /// Returns the scene of all worlds: the geometries that do not move once, and those that move
    /// once for each world.
    ///
    /// # Errors
    /// [`WorldError::Large`].
    pub(crate) fn all_worlds(&self) -> Result<Self, WorldError> {
        let count = self.world_count();
        self.spread(0..count).map_err(|_| WorldError::Large(count))
    }

    /// Returns a primitive as it is in a world.
    pub fn primitive_in(
        &self,
        world: u32,
        geometry_id: u32,
        primitive_id: u32,
    ) -> Option<Primitive> {
        let read = |geometry: &Geometry, placement: Option<&Placement>| {
            geometry.primitive(primitive_id).map(|primitive| primitive.placed(placement))
        };
        self.read_in(world, geometry_id, read)?
    }

    /// Reads a geometry as it is in a world, with its placement if it is not in world space; `None`
    /// if there is no such geometry.
    pub(crate) fn read_in<T>(
        &self,
        world: u32,
        geometry_id: u32,
        read: impl FnOnce(&Geometry, Option<&Placement>) -> T,
    ) -> Option<T> {
        let (instance, local) = match self.position(geometry_id)? {
            Position::Own(own) => return Some(read(self.geometries.get(own as usize)?, None)),
            Position::In(instance, local) => (instance, local as usize),
        };
        let geometry = self.definition_of(instance).geometries.get(local)?;
        if self.worlds.is_empty() {
            return Some(read(geometry, Some(self.instances[instance as usize].placement())));
        }
        match self.instance_in(world, instance).ok()? {
            InstanceInWorld::Shape(shape) => Some(read(&shape, None)),
            InstanceInWorld::Placed(placement) => Some(read(geometry, Some(&placement))),
        }
    }

    /// Returns the parts of a mesh or a heightfield in a world that a line may cross if each
    /// surface may be displaced by up to `delta`; `None` for other geometries.
    pub fn surface_parts_in(
        &self,
        world: u32,
        geometry_id: u32,
        primitive_ids: &[u32],
        line: &Line,
        delta: f64,
    ) -> Option<Vec<SurfacePart>> {
        let geometry = self.geometry(geometry_id)?;
        let Some(Position::In(instance, _)) = self.position(geometry_id) else {
            return geometry.surface_parts(primitive_ids, line, delta);
        };
        match self.instance_in(world, instance).ok()? {
            InstanceInWorld::Shape(_) => None,
            InstanceInWorld::Placed(placement) => {
                let line = placement.line_in_object(line);
                geometry.surface_parts(primitive_ids, &line, delta / placement.stretches()[1])
            }
        }
    }

    /// Returns a world other than the first, which is the scene itself.
    fn other_world(&self, world: u32) -> Option<&OtherWorld> {
        self.worlds.get(world.checked_sub(1)? as usize)
    }

    fn cameras_in(&self, world: u32) -> &Vec<Camera> {
        self.other_world(world).map_or(&self.cameras, |other| &other.cameras)
    }

    fn transform_in(&self, world: u32, instance: u32) -> Transform {
        let moved = self.other_world(world).and_then(|other| {
            let moved = &other.moved;
            let index = moved.binary_search_by_key(&instance, |(moved, _)| *moved).ok()?;
            Some(moved[index].1)
        });
        moved.unwrap_or_else(|| self.instances[instance as usize].transform())
    }

    /// Returns an instance in a world.
    fn instance_in(&self, world: u32, instance: u32) -> Result<InstanceInWorld, ShapeError> {
        match self.worlds.is_empty() {
            true => Ok(InstanceInWorld::Placed(*self.instances[instance as usize].placement())),
            false => self.instance_at(instance, &self.transform_in(world, instance)),
        }
    }

    /// Returns an instance, for a scene of several worlds, under a transform. If the definition has
    /// only one shape whose image is again a shape, that shape is returned, because it needs less
    /// memory than an instance.
    pub(super) fn instance_at(
        &self,
        instance: u32,
        transform: &Transform,
    ) -> Result<InstanceInWorld, ShapeError> {
        if let [shape @ Geometry::Shape(_)] = &self.definition_of(instance).geometries[..] {
            let image = match transform {
                Transform::Similarity(similarity) => shape.placed(similarity).ok(),
                Transform::Affine(affine) => {
                    let image = shape.image(affine);
                    image.and_then(|image| image.placed(&Similarity::IDENTITY).ok())
                }
            };
            if let Some(PlacedShape { shape, .. }) = image {
                return Ok(InstanceInWorld::Shape(shape));
            }
        }
        self.place_of(instance, transform).map(InstanceInWorld::Placed)
    }

    /// Returns a scene of some of the worlds, without names and colours of the scene's own
    /// geometries.
    fn spread(&self, worlds: Range<u32>) -> Result<Self, ShapeError> {
        let is_moving = self.is_moving();
        let mut all = Self::new();
        let mut ids = WorldIds::default();
        let mut own_end = 0;
        for (index, instance) in (0..).zip(&self.instances) {
            self.spread_own(own_end..instance.own_before(), &mut all, &mut ids)?;
            own_end = instance.own_before();
            let geometries = self.instance_size(instance);
            // In one world everything is once.
            if worlds.len() > 1 && is_moving[index as usize] {
                ids.push(geometries, worlds.len() as u32);
                worlds
                    .clone()
                    .try_for_each(|world| self.spread_instance(world, index, &mut all))?;
            } else {
                ids.push(geometries, 1);
                self.spread_instance(worlds.start, index, &mut all)?;
            }
        }
        self.spread_own(own_end..self.geometries.len() as u32, &mut all, &mut ids)?;
        if worlds.len() > 1 {
            all.world_ids = Some(Arc::new(ids));
        }
        Ok(all)
    }

    /// Adds geometries of this scene's own to one of some worlds.
    fn spread_own(
        &self,
        range: Range<u32>,
        all: &mut Self,
        ids: &mut WorldIds,
    ) -> Result<(), ShapeError> {
        ids.push(range.len() as u32, 1);
        for own in range {
            all.begin_node(&self.attributes.node_ranges.transform_of(own));
            let id = all.push(self.geometries[own as usize].clone())?;
            all.set_mask(id, self.own_mask(own));
        }
        Ok(())
    }

    /// Adds an instance as it is in a world to a scene of some worlds.
    fn spread_instance(&self, world: u32, index: u32, all: &mut Self) -> Result<(), ShapeError> {
        let instance = &self.instances[index as usize];
        let (number, transform) = (instance.definition(), self.transform_in(world, index));
        let definition = &self.definitions[number];
        match self.instance_in(world, index)? {
            InstanceInWorld::Shape(shape) => {
                let world_from_definition = transform.moved(self.origin);
                all.begin_node(
                    &world_from_definition
                        .then_inner(&definition.attributes.node_ranges.transform_of(0)),
                );
                let id = all.push(shape)?;
                all.set_mask(id, definition.own_mask(0));
                Ok(())
            }
            InstanceInWorld::Placed(_) => {
                let (name, appearance) = (instance.name().cloned(), instance.appearance());
                all.add_part(
                    definition,
                    self.definitions.size(number),
                    &transform,
                    name,
                    appearance,
                )?;
                let last = all.instances.len() as u32 - 1;
                all.set_instance_integers(last, &self.instance_integers(index));
                Ok(())
            }
        }
    }
}
