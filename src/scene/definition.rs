//! Definitions: parts of a scene that are used many times.

use super::scene_size::SceneSize;
use super::{Appearance, Name, Scene};
use crate::transform::Transform;
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A part of a definition: geometries with consecutive ids that are placed together.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub scene: Arc<Scene>,
    pub size: SceneSize,
    definition_from_part: Option<Transform>,
    pub name: Option<Name>,
    pub appearance: Appearance,
    /// The whole numbers for its geometries without numbers of their own, by the names of their
    /// columns.
    pub integers: Vec<(String, i32)>,
}

/// A part of a scene that is used many times: the geometries of another scene, relative to that
/// scene's origin. Clones share them.
#[derive(Clone, Debug)]
pub struct Definition {
    parts: Arc<Vec<Part>>,
    geometries: u64,
    primitives: u64,
}

impl Definition {
    /// Makes a definition from everything in a scene. Its instances become instances of the scene
    /// that uses it, so trees are never nested more than twice.
    pub fn new(scene: Scene) -> Self {
        let [geometries, primitives] = [scene.geometry_count().into(), scene.primitive_count()];
        let parts = if scene.instances().is_empty() {
            vec![Part::own(scene)]
        } else {
            let mut parts = Vec::new();
            let mut own_end = 0;
            let own =
                |range: Range<u32>| (!range.is_empty()).then(|| Part::own(scene.own_range(range)));
            for (index, instance) in (0..).zip(scene.instances()) {
                parts.extend(own(own_end..instance.own_before()));
                own_end = instance.own_before();
                parts.push(Part {
                    scene: Arc::clone(&scene.definitions()[instance.definition()]),
                    size: scene.definitions.size(instance.definition()),
                    definition_from_part: Some(instance.transform()),
                    name: instance.name().cloned(),
                    appearance: instance.appearance(),
                    integers: scene.instance_integers(index),
                });
            }
            parts.extend(own(own_end..scene.geometries().len() as u32));
            parts
        };
        Self { parts: Arc::new(parts), geometries, primitives }
    }

    /// Returns its parts, in the order of their geometries.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }

    pub(super) fn part_count(&self) -> u64 {
        self.parts.len() as u64
    }

    /// Returns the definition moved by a transform. It shares its geometries with this one.
    pub fn moved(&self, outer_from_definition: &Transform) -> Self {
        let part = |part: &Part| Part {
            definition_from_part: Some(part.world_from_part(outer_from_definition)),
            ..part.clone()
        };
        Self { parts: Arc::new(self.parts.iter().map(part).collect()), ..*self }
    }

    pub(super) fn part_transforms(&self) -> impl Iterator<Item = Option<Transform>> {
        self.parts.iter().map(|part| part.definition_from_part)
    }

    /// Iterates over the centres of its parts in the world.
    pub fn middles(&self, world_from_definition: &Transform) -> impl Iterator<Item = DVec3> {
        self.parts.iter().map(|part| {
            part.world_from_part(world_from_definition).point(part.size.bounds.center())
        })
    }

    /// Returns how many geometries it has.
    pub fn geometry_count(&self) -> u64 {
        self.geometries
    }

    /// Returns how many primitives it has.
    pub fn primitive_count(&self) -> u64 {
        self.primitives
    }
}

impl Part {
    /// Returns the part that is a scene without instances.
    fn own(scene: Scene) -> Self {
        Self {
            size: scene.size(),
            scene: Arc::new(scene),
            definition_from_part: None,
            name: None,
            appearance: Appearance::NONE,
            integers: Vec::new(),
        }
    }

    pub fn world_from_part(&self, world_from_definition: &Transform) -> Transform {
        match self.definition_from_part {
            Some(definition_from_part) => world_from_definition.then_inner(&definition_from_part),
            None => *world_from_definition,
        }
    }
}

/// Joins the path of an instance and that of what is in it.
pub(super) fn path_of(outer: Option<&Name>, inner: Option<&Name>) -> Option<Name> {
    match (outer, inner) {
        (Some(outer), Some(inner)) => Some(outer.joined(inner)),
        (outer, inner) => outer.or(inner).cloned(),
    }
}
