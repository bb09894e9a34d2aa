//! Instances: definitions in a scene, each with a placement. A definition needs memory once,
//! however often it is used.

use super::{Appearance, Name};
use crate::fields::{ShapeError, check_point};
use crate::math::Bounds;
use crate::placement::Placement;
use crate::ray::NONE;
use crate::transform::{Affine, Transform};

/// A definition with its placement in the world. Its geometries have consecutive ids.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Instance {
    /// The index of the definition among [`Scene::definitions`](super::Scene::definitions).
    pub(super) definition: u32,
    /// True if no other instance has that definition.
    pub(super) has_own_definition: bool,
    /// The `geometry_id` of the definition's first geometry.
    pub(super) first_geometry: u32,
    /// How many geometries of the scene's own have lower ids.
    pub(super) own_before: u32,
    /// The node that it moves with.
    pub(super) seat: Option<Seat>,
    /// The transform before its numbers were rounded, about the scene's origin.
    pub(super) exact: Transform,
    /// The placement, which follows from the transform. It is computed when the transform is read.
    #[serde(skip, default = "Placement::identity")]
    pub(super) placement: Placement,
    /// The path with which its geometries' paths begin.
    pub(super) name: Option<Name>,
    /// The appearance of geometries without one of their own.
    pub(super) appearance: Appearance,
}

impl Instance {
    /// Returns the index of its definition among [`Scene::definitions`](super::Scene::definitions).
    pub fn definition(&self) -> usize {
        self.definition as usize
    }

    /// Returns the `geometry_id` of its first geometry.
    pub fn first_geometry(&self) -> u32 {
        self.first_geometry
    }

    /// Returns how many geometries of the scene's own have lower ids.
    pub fn own_before(&self) -> u32 {
        self.own_before
    }

    /// Returns its placement in the world.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the transform about the scene's origin, before its numbers were rounded.
    pub(crate) fn transform(&self) -> Transform {
        self.exact
    }

    /// Moves it. Needs the bounds of its definition. If the new place is invalid, it does not move.
    #[inline]
    pub(super) fn place_at(&mut self, exact: Transform, bounds: &Bounds) -> Result<(), ShapeError> {
        (self.placement, self.exact) = (placement_of(&exact.affine(), bounds)?, exact);
        Ok(())
    }

    /// Moves it to a placement that is already computed.
    pub(super) fn go_to(&mut self, exact: Transform, placement: Placement) {
        (self.exact, self.placement) = (exact, placement);
    }

    /// Gives it another definition of as many geometries, of its own or one that others have too.
    pub(super) fn set_definition(&mut self, definition: u32, is_own: bool) {
        (self.definition, self.has_own_definition) = (definition, is_own);
    }

    /// Returns how geometries look of which nothing of their own is said.
    pub fn appearance(&self) -> Appearance {
        self.appearance
    }

    /// Returns the path of names that its geometries' paths begin with.
    pub fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }
}

/// The seat of an instance at a node.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Seat {
    pub node: u32,
    /// Its number among the node's instances.
    pub number: u32,
}

/// The position of a geometry in a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Position {
    /// Among the scene's own geometries.
    Own(u32),
    /// In an instance: its index, and the geometry's id in the definition.
    In(u32, u32),
}

/// A primitive, as tracers number it: one of the scene's own, or one of an instance's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PrimitiveRef {
    /// The instance; [`NONE`] for a primitive of the scene's own.
    pub instance: u32,
    /// The number of the primitive, among the scene's own or among those of the definition.
    pub primitive: u32,
}

impl PrimitiveRef {
    /// Returns a primitive of the scene's own.
    pub const fn own(primitive: u32) -> Self {
        Self { instance: NONE, primitive }
    }

    /// Returns the primitive that many numbers later.
    pub fn plus(self, count: u32) -> Self {
        Self { primitive: self.primitive + count, ..self }
    }
}

/// Finds the placement of a definition that has these bounds.
#[inline]
pub(super) fn placement_of(exact: &Affine, bounds: &Bounds) -> Result<Placement, ShapeError> {
    let placement = Placement::new(exact)?;
    let placed = placement.bounds_in_world(bounds);
    for corner in [placed.min, placed.max].into_iter().filter(|_| bounds.min.is_finite()) {
        check_point(corner, String::new)?;
    }
    Ok(placement)
}
