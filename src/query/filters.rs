//! Filters that limit what each ray of a batch may hit.

use super::batch_error::BatchError;
use crate::ray::NONE;
use crate::scene::{Position, Scene};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;

/// Filters that limit what each ray of a batch may hit. Without filters it may hit every geometry,
/// as a surface. Each array has one number for each ray.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Filters<'a> {
    pub masks: Option<&'a [u32]>,
    pub ignored: Option<&'a [u32]>,
    pub worlds: Option<&'a [u32]>,
    pub is_solid: bool,
}

impl<'a> Filters<'a> {
    pub fn with_masks(self, masks: &'a [u32], rays: usize) -> Result<Self, BatchError> {
        Ok(Self { masks: Some(one_for_each("masks", masks, rays)?), ..self })
    }

    pub fn ignoring(self, ids: &'a [u32], rays: usize) -> Result<Self, BatchError> {
        Ok(Self { ignored: Some(one_for_each("ids to ignore", ids, rays)?), ..self })
    }

    pub fn in_worlds(self, worlds: &'a [u32], rays: usize) -> Result<Self, BatchError> {
        Ok(Self { worlds: Some(one_for_each("numbers of worlds", worlds, rays)?), ..self })
    }

    /// Returns true if rays have masks, ids to ignore or worlds.
    pub fn is_filtered(&self) -> bool {
        self.masks.is_some() || self.ignored.is_some() || self.worlds.is_some()
    }

    pub fn mask(&self, ray: usize) -> u32 {
        self.masks.map_or(u32::MAX, |masks| masks[ray])
    }

    pub fn ignored(&self, ray: usize) -> u32 {
        self.ignored.map_or(NONE, |ids| ids[ray])
    }

    pub fn world(&self, ray: usize) -> u32 {
        self.worlds.map_or(0, |worlds| worlds[ray])
    }

    /// Returns the filters of some of the rays.
    pub fn slice(&self, rays: Range<usize>) -> Self {
        Self {
            masks: self.masks.map(|masks| &masks[rays.clone()]),
            ignored: self.ignored.map(|ids| &ids[rays.clone()]),
            worlds: self.worlds.map(|worlds| &worlds[rays]),
            is_solid: self.is_solid,
        }
    }

    /// Checks that the scene has each geometry to ignore, and each world.
    pub fn check(&self, scene: &Scene) -> Result<(), BatchError> {
        let (geometries, worlds) = (scene.geometry_count(), scene.world_count());
        if let Some(numbers) = self.worlds
            && let Some(ray) = numbers.iter().position(|&world| world >= worlds)
        {
            return Err(BatchError::World { ray, world: numbers[ray], worlds });
        }
        let is_unknown = |&id: &u32| id >= geometries && id != NONE;
        let unknown = self.ignored.and_then(|ids| Some((ids, ids.iter().position(is_unknown)?)));
        match unknown {
            Some((ids, ray)) => Err(BatchError::Ignored { ray, geometry_id: ids[ray], geometries }),
            None => Ok(()),
        }
    }
}

fn one_for_each<'a>(
    what: &'static str,
    given: &'a [u32],
    rays: usize,
) -> Result<&'a [u32], BatchError> {
    if given.len() == rays {
        return Ok(given);
    }
    Err(BatchError::Count { what, given: given.len(), rays })
}

/// The filter of one ray, as both tracers read it; `shaders/trace.wgsl` has the same struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RayFilter {
    /// The ray hits only geometries whose mask has a bit in common with this.
    pub mask: u32,
    /// The first primitive of the geometry to ignore.
    pub first_ignored: u32,
    /// How many primitives that geometry has.
    pub ignored: u32,
    /// The instance that the geometry is in; [`NONE`] for one of the scene's own geometries.
    pub instance: u32,
    /// The number of the world in which the ray is cast.
    pub world: u32,
}

impl RayFilter {
    /// The filter of a ray that may hit everything.
    pub const ALL: Self =
        Self { mask: u32::MAX, first_ignored: 0, ignored: 0, instance: NONE, world: 0 };

    /// Returns the filter of a ray from checked filters, for a scene of all worlds.
    pub(crate) fn new(filters: &Filters<'_>, ray: usize, scene: &Scene) -> Self {
        let world = filters.world(ray);
        let ignored = match filters.ignored(ray) {
            NONE => NONE,
            id => scene.number_in(world, id),
        };
        let (instance, ignored) = match scene.position(ignored) {
            None => (NONE, 0..0),
            Some(Position::Own(own)) => (NONE, scene.primitive_ids().of_geometry(own)),
            Some(Position::In(instance, id)) => {
                (instance, scene.definition_of(instance).primitive_ids().of_geometry(id))
            }
        };
        Self {
            mask: filters.mask(ray),
            first_ignored: ignored.start,
            ignored: ignored.end - ignored.start,
            instance,
            world,
        }
    }
}
