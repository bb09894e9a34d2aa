//! The scene into which rays are cast: geometries in world space and instances of definitions,
//! numbered from 0, and cameras.

mod adding;
mod adjacency;
mod appearance;
mod attributes;
mod bounds;
mod coarse_rounding;
mod definition;
mod definitions;
mod fitted_camera;
mod instance;
mod instanced_counts;
mod instances;
mod integer_columns;
mod integers;
mod label_counts;
mod movable_node;
mod moved_worlds;
mod name;
mod node_ranges;
mod nodes;
mod other_world;
mod path_name;
mod patterns;
mod properties;
mod reread;
mod rows;
mod scene_size;
mod selection;
mod source_nodes;
mod state;
mod use_ranges;
mod uses;
mod world_ids;
mod world_numbers;
mod worlds;
mod worlds_of_nodes;

pub use adjacency::Adjacency;
pub use appearance::Appearance;
pub use definition::Definition;
pub use instance::Instance;
pub(crate) use instance::{Position, PrimitiveRef};
pub use movable_node::NodeId;
pub(crate) use moved_worlds::MovedItem;
pub use name::Name;
pub use path_name::{PathNameError, ends_in, number_of_path};
pub use rows::RowError;
pub use state::StateError;
pub use worlds::WorldError;

use crate::camera::{Camera, UpAxis};
use crate::fields::ShapeError;
use crate::geometry::{Geometry, Primitive, PrimitiveIds, type_names};
use crate::math::Similarity;
use crate::placement::Placement;
use crate::shapes::PlacedShape;
use crate::transform::{Affine, Transform};
use attributes::GeometryAttributes;
use definitions::Definitions;
use glam::DVec3;
use instanced_counts::InstancedCounts;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Geometries, each with a `geometry_id`, numbered in the order of adding.
///
/// Every geometry in a scene is valid and has float32 numbers. The scene's own geometries are in
/// world space, and those of an instance are in the space of its definition. Adding an invalid
/// geometry is an error. In a scene without instances, the id of a geometry is its index.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Shared with clones, for example in a tracer, until a geometry is added.
    geometries: Arc<Vec<Geometry>>,
    primitive_ids: PrimitiveIds,
    instances: Vec<Instance>,
    instanced: InstancedCounts,
    definitions: Definitions<Self>,
    nodes: Vec<movable_node::MovableNode>,
    attributes: GeometryAttributes,
    adjacency: Adjacency,
    /// The geometries that [`Self::coarsely_rounded`] returns.
    coarse: Vec<u32>,
    /// The point that is subtracted from every geometry. It is the origin of world space.
    origin: DVec3,
    /// The ranges of geometries that come from one use each.
    uses: use_ranges::Uses,
    /// The worlds, except the first.
    worlds: Arc<Vec<other_world::OtherWorld>>,
    /// The numbers of the geometries, if this is the scene of all worlds of another scene.
    world_ids: Option<Arc<world_ids::WorldIds>>,
    /// The names of the labels that have one.
    pub label_names: BTreeMap<u16, String>,
    /// The cameras of the file, in its order.
    pub cameras: Vec<Camera>,
    /// The axis that points upwards, for a camera that raytwin chooses.
    pub up: UpAxis,
    /// True if the scene floats freely, such as a molecule. Its pictures then have no floor.
    pub floats: bool,
}

impl Scene {
    /// Returns an empty scene.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty scene with an origin.
    ///
    /// The origin is subtracted in float64 from every added geometry, before its numbers are
    /// rounded. Rays, points and cameras are then relative to it.
    pub fn with_origin(origin: DVec3) -> Self {
        Self { origin, ..Self::default() }
    }

    /// Returns the point that was subtracted from every geometry; zero unless [`Self::about`] or a
    /// file gave another.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Returns which geometries belong together.
    pub fn adjacency(&self) -> &Adjacency {
        &self.adjacency
    }

    /// Sets which geometries belong together.
    pub fn set_adjacency(&mut self, adjacency: Adjacency) {
        self.adjacency = adjacency;
    }

    /// Adds a shape, a mesh, lines or a heightfield whose numbers are in world space, rounds them
    /// to float32, and returns its `geometry_id`.
    ///
    /// # Errors
    /// A [`ShapeError`] that names the field, if the geometry is invalid.
    pub fn add(&mut self, geometry: impl Into<Geometry>) -> Result<u32, ShapeError> {
        self.add_moved(&geometry.into(), &Similarity::IDENTITY)
    }

    /// Moves a geometry from a space of its own into the world, then adds it as [`Self::add`] does.
    ///
    /// # Errors
    /// A [`ShapeError`] that names the field, also if only the transform makes the geometry
    /// invalid.
    pub fn add_moved(
        &mut self,
        geometry: &Geometry,
        world_from_geometry: &Similarity,
    ) -> Result<u32, ShapeError> {
        self.add_placed(geometry.placed(&self.relative(world_from_geometry))?)
    }

    /// Adds a geometry with any transform.
    ///
    /// If the transformed geometry is again one of the shapes, that shape is added, rounded once to
    /// float32. Otherwise the geometry and the transform are added, each rounded once.
    ///
    /// # Errors
    /// As [`Self::add_moved`], and for a transform that is singular, too uneven or not finite.
    pub fn add_transformed(
        &mut self,
        geometry: &Geometry,
        world_from_geometry: &Transform,
    ) -> Result<u32, ShapeError> {
        let affine = match world_from_geometry {
            Transform::Similarity(similarity) => return self.add_moved(geometry, similarity),
            Transform::Affine(affine) => affine,
        };
        affine.check()?;
        let relative = Affine { translation: affine.translation - self.origin, ..*affine };
        // The numbers are checked before anything is derived from them.
        geometry.check()?;
        match geometry.image(&relative) {
            Some(image) => self.add_placed(image.placed(&Similarity::IDENTITY)?),
            None => self.add_placed_apart(geometry.clone(), world_from_geometry),
        }
    }

    /// Adds a geometry as an instance of its own, so that [`Tracer::update`](crate::Tracer::update)
    /// can move it.
    ///
    /// [`Self::node_of`] returns the node to move. The geometry and its transform are each rounded
    /// once to float32.
    ///
    /// ```
    /// use raytwin::math::Similarity;
    /// use raytwin::{DeviceChoice, Ray, Scene, Sphere, Transform, glam::DVec3};
    ///
    /// let mut scene = Scene::new();
    /// let sphere = Sphere { center: DVec3::ZERO, radius: 1.0 };
    /// let ball = scene.add_movable(&sphere.into(), &Transform::IDENTITY)?;
    /// let node = scene.node_of(ball)?;
    /// let mut tracer = DeviceChoice::Cpu.tracer(scene.clone())?;
    /// let ray = [Ray::new([0.0, 0.0, -9.0], [0.0, 0.0, 1.0])];
    /// assert_eq!(tracer.cast(&ray)?.t_hit, [8.0]);
    /// scene.set_transform(node, &Similarity { translation: DVec3::Z, ..Similarity::IDENTITY }.into())?;
    /// tracer.update(&scene)?;
    /// assert_eq!(tracer.cast(&ray)?.t_hit, [9.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::add_transformed`].
    #[doc(alias("move", "dynamic"))]
    pub fn add_movable(
        &mut self,
        geometry: &Geometry,
        world_from_geometry: &Transform,
    ) -> Result<u32, ShapeError> {
        if let Transform::Affine(affine) = world_from_geometry {
            affine.check()?;
        }
        self.add_placed_apart(geometry.clone(), world_from_geometry)
    }

    /// Returns the transform relative to the origin.
    fn relative(&self, world_from_geometry: &Similarity) -> Similarity {
        let translation = world_from_geometry.translation - self.origin;
        Similarity { translation, ..*world_from_geometry }
    }

    fn add_placed(&mut self, placed: PlacedShape<Geometry>) -> Result<u32, ShapeError> {
        let id = self.push(placed.shape)?;
        if placed.coarse {
            self.coarse.push(id);
        }
        Ok(id)
    }

    /// Stores a geometry as one of the scene's own, and returns its `geometry_id`.
    fn push(&mut self, geometry: Geometry) -> Result<u32, ShapeError> {
        let own = self.primitive_ids.push(&geometry).ok_or_else(|| ShapeError {
            field: String::new(),
            reason: "is too much: a scene can have at most 2^32 - 2 shapes, triangles and segments"
                .to_owned(),
        })?;
        Arc::make_mut(&mut self.geometries).push(geometry);
        Ok(self.id_of_own(own))
    }

    /// Returns the scene's own geometries. In a scene without instances the index is the
    /// `geometry_id`.
    pub fn geometries(&self) -> &[Geometry] {
        &self.geometries
    }

    /// Returns the number of geometries, including those of instances.
    pub fn geometry_count(&self) -> u32 {
        self.geometries.len() as u32 + self.instanced.geometries
    }

    /// Returns the number of primitives, including those of instances.
    pub fn primitive_count(&self) -> u64 {
        u64::from(self.primitive_ids.total()) + self.instanced.primitives
    }

    /// Returns the geometry with this `geometry_id`, in world space or in the space of its
    /// [`Self::placement`].
    pub fn geometry(&self, geometry_id: u32) -> Option<&Geometry> {
        match self.position(geometry_id)? {
            Position::Own(own) => self.geometries.get(own as usize),
            Position::In(instance, local) => {
                self.definition_of(instance).geometries.get(local as usize)
            }
        }
    }

    /// Returns the placement of a geometry in an instance; `None` for a geometry in world space.
    pub fn placement(&self, geometry_id: u32) -> Option<&Placement> {
        match self.position(geometry_id)? {
            Position::Own(_) => None,
            Position::In(instance, _) => Some(self.instances[instance as usize].placement()),
        }
    }

    pub(crate) fn definition_of(&self, instance: u32) -> &Self {
        &self.definitions[self.instances[instance as usize].definition()]
    }

    /// Returns every geometry with its id, and its placement if it is in an instance.
    pub fn written_out(&self) -> impl Iterator<Item = (u32, &Geometry, Option<&Placement>)> {
        let mut own_end = 0;
        let own = |range: Range<usize>| {
            range.map(|own| (self.id_of_own(own as u32), &self.geometries[own], None))
        };
        let before_instances = self.instances.iter().flat_map(move |instance| {
            let before = own_end..instance.own_before() as usize;
            own_end = before.end;
            let definition = &self.definitions[instance.definition()];
            let placed = move |(id, geometry)| {
                (instance.first_geometry() + id, geometry, Some(instance.placement()))
            };
            own(before).chain((0..).zip(definition.geometries()).map(placed))
        });
        let last = self.instances.last().map_or(0, |instance| instance.own_before() as usize);
        before_instances.chain(own(last..self.geometries.len()))
    }

    /// Returns the primitive with this `geometry_id` and `primitive_id`, in world space; in a scene
    /// with several [worlds](Self::add_world), that of world 0.
    pub fn primitive(&self, geometry_id: u32, primitive_id: u32) -> Option<Primitive> {
        self.primitive_in(0, geometry_id, primitive_id)
    }

    /// Returns the `geometry_id` and the `primitive_id` of one of the scene's own primitives, given
    /// its number in a device's answer. The numbers count through the primitives of all geometries,
    /// in the order of `geometry_id`.
    pub fn ids_of_primitive(&self, primitive: u32) -> [u32; 2] {
        self.ids_of(PrimitiveRef::own(primitive))
    }

    /// Returns how the primitives of the scene's own geometries are numbered.
    pub(crate) fn primitive_ids(&self) -> &PrimitiveIds {
        &self.primitive_ids
    }

    /// Returns those of the scene's own geometries that a ray can hit, because their mask has a bit
    /// set, with their indices.
    pub(crate) fn own_visible(&self) -> impl Iterator<Item = (u32, &Geometry)> {
        (0..).zip(self.geometries()).filter(|(own, _)| self.is_visible(*own))
    }

    /// Returns those of the scene's own visible geometries that are not single shapes, without a
    /// loop over all shapes.
    pub(crate) fn own_visible_compounds(&self) -> impl Iterator<Item = (u32, &Geometry)> {
        let compounds = self.primitive_ids.compounds().filter(|own| self.is_visible(*own));
        compounds.map(|own| (own, &self.geometries[own as usize]))
    }

    /// Returns true if the mask of one of the scene's own geometries has a bit set.
    pub(crate) fn is_visible(&self, own: u32) -> bool {
        self.attributes.masks.is_empty() || self.own_mask(own) != 0
    }

    /// Returns a scene of some of the scene's own geometries, given by their indices among these.
    pub(crate) fn own_range(&self, range: Range<u32>) -> Self {
        let mut part = Self::new();
        let geometries = &self.geometries[range.start as usize..range.end as usize];
        for geometry in geometries {
            part.primitive_ids.push(geometry);
        }
        part.geometries = Arc::new(geometries.to_vec());
        part.attributes = self.attributes.within(&range);
        part.coarse = self
            .coarse
            .iter()
            .filter_map(|id| id.checked_sub(self.id_of_own(range.start)))
            .filter(|id| *id < range.len() as u32)
            .collect();
        part
    }

    /// Returns how many geometries have an inside.
    pub fn solid_count(&self) -> u64 {
        let own = |scene: &Self| {
            scene.geometries.iter().filter(|geometry| geometry.is_solid()).count() as u64
        };
        let of_definitions = self.definitions.of_each(own);
        let instanced = self.instances.iter().map(|instance| of_definitions[instance.definition()]);
        own(self) + instanced.sum::<u64>()
    }

    /// Returns how many geometries there are of each type, in the order of [`type_names`]. Types
    /// without geometries are left out.
    pub fn type_counts(&self) -> Vec<(&'static str, usize)> {
        let mut counts: Vec<(&'static str, usize)> = type_names().map(|name| (name, 0)).collect();
        let mut add = |name: &str, times: usize| {
            if let Some((_, count)) = counts.iter_mut().find(|(counted, _)| *counted == name) {
                *count += times;
            }
        };
        let mut uses = vec![0; self.definitions.len()];
        self.instances.iter().for_each(|instance| uses[instance.definition()] += 1);
        self.geometries.iter().for_each(|geometry| add(geometry.type_name(), 1));
        for (definition, uses) in self.definitions.iter().zip(uses) {
            definition.geometries.iter().for_each(|geometry| add(geometry.type_name(), uses));
        }
        counts.retain(|(_, count)| *count > 0);
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Cuboid, Cylinder, Sphere};
    use glam::{DQuat, DVec3};

    fn row_of(scene: &Scene, geometry_id: u32) -> Vec<f64> {
        scene.primitive(geometry_id, 0).unwrap().shape().unwrap().row()
    }

    #[test]
    fn numbers_are_rounded_to_float32_once() {
        let mut scene = Scene::new();
        scene.add(Sphere { center: DVec3::splat(0.1), radius: 0.3 }).unwrap();
        assert_eq!(row_of(&scene, 0)[3], f64::from(0.3_f32));
        assert!(scene.coarsely_rounded().is_empty());
    }

    #[test]
    fn what_cannot_be_cast_at_is_refused_with_its_field() {
        let mut scene = Scene::new();
        let sphere = |radius| Sphere { center: DVec3::ZERO, radius };
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-30] {
            let shape_error = scene.add(sphere(radius)).unwrap_err();
            assert_eq!(shape_error.field, "radius", "{radius}");
        }
        let flat = Cuboid {
            center: DVec3::ZERO,
            half_extents: DVec3::new(1.0, 0.0, 1.0),
            rotation: DQuat::IDENTITY,
        };
        assert_eq!(scene.add(flat).unwrap_err().field, "half_extents[1]");
        let turned_nowhere = Cuboid {
            half_extents: DVec3::ONE,
            rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0),
            ..flat
        };
        assert_eq!(scene.add(turned_nowhere).unwrap_err().field, "rotation_xyzw");
        // The two ends are equal in float32.
        let point = Cylinder {
            start: DVec3::new(1e8, 0.0, 0.0),
            end: DVec3::new(1e8 + 1.0, 0.0, 0.0),
            radius: 1.0,
            inner_radius: 0.0,
        };
        assert_eq!(scene.add(point).unwrap_err().field, "end");
        assert!(scene.geometries().is_empty(), "nothing refused was kept");
    }

    #[test]
    fn a_unit_quaternion_of_float32_numbers_is_kept_to_the_bit() {
        let [x, y, z, w] =
            [0.182_574_19_f32, 0.365_148_37, 0.547_722_6, 0.730_296_73].map(f64::from);
        let rotation = DQuat::from_xyzw(x, y, z, w);
        let mut scene = Scene::new();
        scene.add(Cuboid { center: DVec3::ZERO, half_extents: DVec3::ONE, rotation }).unwrap();
        assert_eq!(row_of(&scene, 0)[6..], [x, y, z, w]);
    }
}
