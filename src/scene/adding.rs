//! Adds instances, each as a whole or not at all.

use super::instance::{Instance, placement_of};
use crate::fields::ShapeError;
use crate::geometry::Geometry;
use crate::ray::NONE;
use crate::scene::definition::{Definition, path_of};
use crate::scene::scene_size::SceneSize;
use crate::scene::{Appearance, Name, Scene};
use crate::shapes::PointRounding;
use crate::transform::Transform;
use std::ops::Range;
use std::sync::Arc;

impl Scene {
    /// Adds an instance of a definition, and returns the ids of its geometries. Their paths begin
    /// with `name`. The definition's geometries and the transform are each rounded once to float32.
    ///
    /// # Errors
    /// A [`ShapeError`], if the transform is singular, too uneven or not finite, or moves
    /// geometries out of range.
    pub fn add_instance(
        &mut self,
        definition: &Definition,
        world_from_definition: &Transform,
        name: Option<Name>,
        appearance: impl Into<Appearance>,
    ) -> Result<Range<u32>, ShapeError> {
        let appearance = appearance.into();
        let first = self.geometry_count();
        // All parts are placed before any is added, so that an instance is added as a whole or not
        // at all.
        for part in definition.parts() {
            let exact = part.world_from_part(world_from_definition).moved(-self.origin());
            placement_of(&exact.affine(), &part.size.bounds)?;
        }
        let end = u64::from(first) + definition.geometry_count();
        if end >= u64::from(NONE) || self.numbered() + definition.part_count() >= u64::from(NONE) {
            return Err(too_many());
        }
        self.begin_use();
        let added = definition.parts().try_for_each(|part| {
            let world_from_part = part.world_from_part(world_from_definition);
            let name = path_of(name.as_ref(), part.name.as_ref());
            let appearance = part.appearance.or(appearance);
            self.add_part(&part.scene, part.size, &world_from_part, name, appearance)?;
            self.set_instance_integers(self.instances.len() as u32 - 1, &part.integers);
            Ok(())
        });
        self.end_use();
        added.map(|()| first..self.geometry_count())
    }

    /// Adds the geometries of a definition as this scene's own, as if they were written here, and
    /// returns their ids. A geometry whose image is not one of the shapes becomes an instance.
    ///
    /// # Errors
    /// The same errors as [`Self::add_instance`].
    pub fn write_out(
        &mut self,
        definition: &Definition,
        world_from_definition: &Transform,
        name: Option<Name>,
        appearance: impl Into<Appearance>,
    ) -> Result<Range<u32>, ShapeError> {
        let appearance = appearance.into();
        let first = self.geometry_count();
        self.begin_use();
        let added = definition.parts().try_for_each(|part| {
            let world_from_part = part.world_from_part(world_from_definition);
            let part_name = path_of(name.as_ref(), part.name.as_ref());
            for (id, geometry) in (0..).zip(part.scene.geometries()) {
                let part_from_node = part.scene.world_from_node(id);
                self.begin_node(&world_from_part.then_inner(&part_from_node));
                let added = self.add_transformed(geometry, &world_from_part)?;
                self.set_mask(added, part.scene.mask(id));
                if let Some(name) = path_of(part_name.as_ref(), part.scene.name(id).as_ref()) {
                    self.set_name(added, name);
                }
                let own = part.scene.appearance(id).or(part.appearance);
                self.set_appearance(added, own.or(appearance));
                for (name, number) in &part.integers {
                    self.set_integer(added, name, *number);
                }
                self.take_integers(&part.scene, [[id, added]].into_iter());
            }
            Ok(())
        });
        self.end_use();
        self.begin_node(&Transform::IDENTITY);
        added.map(|()| first..self.geometry_count())
    }

    /// Adds a geometry with a placement under which it is not one of the shapes.
    pub(super) fn add_placed_apart(
        &mut self,
        geometry: Geometry,
        world_from_geometry: &Transform,
    ) -> Result<u32, ShapeError> {
        let mut alone = Self::new();
        alone.add(geometry)?;
        let size = alone.size();
        self.add_alone(&Arc::new(alone), size, world_from_geometry)
    }

    /// Adds a scene of one geometry as an instance with a definition of its own.
    pub(super) fn add_alone(
        &mut self,
        alone: &Arc<Self>,
        size: SceneSize,
        world_from_geometry: &Transform,
    ) -> Result<u32, ShapeError> {
        let id = self.geometry_count();
        self.add_part(alone, size, world_from_geometry, None, Appearance::NONE)?;
        if let Some(instance) = self.instances.last_mut() {
            instance.has_own_definition = true;
        }
        Ok(id)
    }

    pub(super) fn add_part(
        &mut self,
        part: &Arc<Scene>,
        size: SceneSize,
        world_from_part: &Transform,
        name: Option<Name>,
        appearance: Appearance,
    ) -> Result<(), ShapeError> {
        let exact = world_from_part.moved(-self.origin());
        let affine = exact.affine();
        let placement = placement_of(&affine, &size.bounds)?;
        let first_geometry = self.geometry_count();
        let end = u64::from(first_geometry) + u64::from(part.geometry_count());
        if end >= u64::from(NONE) || self.numbered() + 1 >= u64::from(NONE) {
            return Err(too_many());
        }
        let definition = self.definitions.number_of(part, size);
        let smallest = placement.stretches()[0] * size.smallest;
        if PointRounding::of([affine.translation]).is_of_far_points(smallest) {
            self.coarse.push(first_geometry);
        }
        let own_before = self.geometries.len() as u32;
        self.instances.push(Instance {
            definition,
            has_own_definition: false,
            first_geometry,
            own_before,
            seat: None,
            exact,
            placement,
            name,
            appearance,
        });
        self.instanced.add(part.geometry_count(), part.primitive_count());
        Ok(())
    }
}

fn too_many() -> ShapeError {
    ShapeError {
        field: String::new(),
        reason: "is too much: a scene can have at most 2^32 - 2 geometries, instances and primitives of its own"
            .to_owned(),
    }
}
