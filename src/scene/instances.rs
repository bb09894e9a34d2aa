//! The instances of a scene: where they are, and the numbers of what is in them.

use super::Scene;
use super::instance::{Instance, Position, PrimitiveRef, placement_of};
use crate::fields::ShapeError;
use crate::placement::Placement;
use crate::ray::NONE;
use crate::transform::Transform;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// The number of instances that one task compares: with fewer, threads cost more than they save.
const INSTANCES_A_TASK: usize = 1024;

impl Scene {
    /// Returns how many primitives and instances of its own the scene has, which devices number
    /// together.
    pub(super) fn numbered(&self) -> u64 {
        u64::from(self.primitive_ids().total()) + self.instances.len() as u64
    }

    /// Returns the place of an instance under another transform.
    pub(super) fn place_of(
        &self,
        instance: u32,
        exact: &Transform,
    ) -> Result<Placement, ShapeError> {
        let bounds = self.definitions.bounds(&self.instances[instance as usize]);
        placement_of(&exact.affine(), bounds)
    }

    /// Returns true if another scene differs from this one at most in the places of instances and
    /// in the [attributes](Self::says_the_same) of geometries.
    pub(crate) fn has_structure_of(&self, other: &Self) -> bool {
        let is_alike = |(own, other): (&Instance, &Instance)| {
            own.definition == other.definition && own.first_geometry == other.first_geometry
        };
        let is_equal = |(own, other): (&Arc<Self>, &Arc<Self>)| {
            Arc::ptr_eq(own, other) || own.has_geometries_of(other)
        };
        let instances = self.instances.par_iter().zip(&other.instances);
        self.origin == other.origin
            && self.instances.len() == other.instances.len()
            && self.definitions.len() == other.definitions.len()
            && instances.with_min_len(INSTANCES_A_TASK).all(is_alike)
            && self.definitions.iter().zip(other.definitions.iter()).all(is_equal)
            && self.has_geometries_of(other)
    }

    /// Returns true if geometries have the same attributes in a scene of the same structure: their
    /// appearances, labels and other numbers.
    pub(crate) fn says_the_same(&self, other: &Self) -> bool {
        let is_equal = |(own, other): (&Arc<Self>, &Arc<Self>)| {
            Arc::ptr_eq(own, other) || own.says_the_same(other)
        };
        let [own, others] = [&self.attributes, &other.attributes];
        own.appearances == others.appearances
            && own.integers == others.integers
            && own.instance_integers == others.instance_integers
            && self.label_names == other.label_names
            && self.definitions.iter().zip(other.definitions.iter()).all(is_equal)
    }

    fn has_geometries_of(&self, other: &Self) -> bool {
        let has_same =
            Arc::ptr_eq(&self.geometries, &other.geometries) || self.geometries == other.geometries;
        has_same && self.attributes.masks == other.attributes.masks
    }

    /// Returns the instances that are elsewhere in a scene of the same structure.
    pub(crate) fn moved_instances(&self, other: &Self) -> Vec<u32> {
        let pairs = (0..).zip(self.instances.iter().zip(&other.instances));
        let moved = pairs.filter(|(_, (own, other))| own.placement != other.placement);
        moved.map(|(index, _)| index).collect()
    }

    /// Takes over the places of all instances from a scene of the same structure, and returns those
    /// that moved.
    pub(crate) fn take_places(&mut self, other: &Self) -> Vec<u32> {
        let pairs = self.instances.par_iter_mut().zip(&other.instances).enumerate();
        let take = |(index, (own, other)): (usize, (&mut Instance, &Instance))| {
            if own.placement == other.placement {
                return None;
            }
            own.go_to(other.exact, other.placement);
            Some(index as u32)
        };
        pairs.with_min_len(INSTANCES_A_TASK).filter_map(take).collect()
    }

    /// Returns the scene with each instance moved by an affine map of the world. `next_map` returns
    /// the map of one instance after another.
    ///
    /// # Errors
    /// A [`ShapeError`] without a field, if the new place of an instance is invalid.
    pub fn with_instances_moved(
        &self,
        mut next_map: impl FnMut() -> Transform,
    ) -> Result<Self, ShapeError> {
        let mut moved = self.clone();
        for instance in &mut moved.instances {
            let exact = next_map().then_inner(&instance.exact);
            instance.place_at(exact, self.definitions.bounds(instance))?;
        }
        Ok(moved)
    }

    /// Returns the definitions of the instances, each once.
    pub fn definitions(&self) -> &[Arc<Self>] {
        &self.definitions
    }

    /// Returns the instances, in the order of their ids.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    pub(super) fn instance_size(&self, instance: &Instance) -> u32 {
        self.definitions[instance.definition()].geometry_count()
    }

    /// Returns the ids of an instance's geometries.
    pub(super) fn ids_in(&self, instance: &Instance) -> Range<u32> {
        instance.first_geometry..instance.first_geometry + self.instance_size(instance)
    }

    /// Returns where a geometry is; `None` if no geometry has that id.
    pub(crate) fn position(&self, geometry_id: u32) -> Option<Position> {
        let after =
            self.instances.partition_point(|instance| instance.first_geometry <= geometry_id);
        let own = match after.checked_sub(1) {
            None => geometry_id,
            Some(index) => {
                let instance = &self.instances[index];
                let within = geometry_id - instance.first_geometry;
                match within.checked_sub(self.instance_size(instance)) {
                    None => return Some(Position::In(index as u32, within)),
                    Some(beyond) => instance.own_before + beyond,
                }
            }
        };
        ((own as usize) < self.geometries.len()).then_some(Position::Own(own))
    }

    /// Returns the `geometry_id` of a geometry of the scene's own, given its index among these.
    pub(crate) fn id_of_own(&self, own: u32) -> u32 {
        match self.instances.partition_point(|instance| instance.own_before <= own) {
            0 => own,
            after => {
                let instance = &self.instances[after - 1];
                instance.first_geometry + self.instance_size(instance) + (own - instance.own_before)
            }
        }
    }

    /// Compares two primitives by the order of their ids.
    pub(crate) fn order(&self, a: PrimitiveRef, b: PrimitiveRef) -> Ordering {
        let is_before = |own: u32, instance: u32| {
            self.primitive_ids().ids(own)[0] < self.instances[instance as usize].own_before
        };
        match (a.instance, b.instance) {
            (NONE, NONE) => a.primitive.cmp(&b.primitive),
            (NONE, instance) if is_before(a.primitive, instance) => Ordering::Less,
            (NONE, _) => Ordering::Greater,
            (instance, NONE) if is_before(b.primitive, instance) => Ordering::Greater,
            (_, NONE) => Ordering::Less,
            _ => (a.instance, a.primitive).cmp(&(b.instance, b.primitive)),
        }
    }

    /// Returns true if one primitive comes before another in the order of ids.
    #[inline(always)]
    pub(crate) fn precedes(&self, a: PrimitiveRef, b: PrimitiveRef) -> bool {
        match (a.instance, b.instance) {
            (NONE, NONE) => a.primitive < b.primitive,
            _ => self.order(a, b) == Ordering::Less,
        }
    }

    /// Returns the `geometry_id` and the `primitive_id` of a primitive, [`NONE`] for the number
    /// [`NONE`].
    pub(crate) fn ids_of(&self, primitive: PrimitiveRef) -> [u32; 2] {
        match primitive.instance {
            NONE if primitive.primitive == NONE => [NONE; 2],
            NONE => {
                let [own, primitive_id] = self.primitive_ids().ids(primitive.primitive);
                [self.id_of_number(self.id_of_own(own)), primitive_id]
            }
            instance => {
                let instance = &self.instances[instance as usize];
                let definition = &self.definitions[instance.definition()];
                let [local, primitive_id] = definition.primitive_ids().ids(primitive.primitive);
                [self.id_of_number(instance.first_geometry + local), primitive_id]
            }
        }
    }
}
