//! Batches: rays with the filters of what each may hit.

use super::ray_source::RaySource;
use crate::ray::{NONE, Ray};
use crate::scene::{Position, Scene};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;
use thiserror::Error;

/// The reason why a batch cannot be cast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The numbers of masks or ids and of rays differ.
    #[error("there are {given} {what} for {rays} rays: give one for each ray, or none at all")]
    Count {
        /// The kind of array: masks, or ids to ignore.
        what: &'static str,
        /// How many numbers it has.
        given: usize,
        /// How many rays there are.
        rays: usize,
    },
    /// The number of answers differs from that of the rays or points that they are to be answers
    /// to.
    #[error("there are {given} answers to {asked} rays or points: give the answers to these alone")]
    Answers {
        /// How many answers there are.
        given: usize,
        /// How many rays or points there are.
        asked: usize,
    },
    /// No geometry has the id to ignore.
    #[error(
        "ray {ray} ignores geometry {geometry_id}, and the scene has {geometries}, numbered from 0: \
         give one of these, or 4294967295 for none"
    )]
    Ignored {
        /// The ray's index in the batch.
        ray: usize,
        /// The id to ignore.
        geometry_id: u32,
        /// How many geometries the scene has.
        geometries: u32,
    },
    /// The scene has no world of that number.
    #[error("ray {ray} is cast in world {world}, and the scene has {worlds}, numbered from 0")]
    World {
        /// The ray's index in the batch.
        ray: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
    /// The scene has no world of the number that an image is taken in.
    #[error("image {image} is taken in world {world}, and the scene has {worlds}, numbered from 0")]
    WorldOfImage {
        /// The image's index.
        image: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
}

/// Rays to cast, with filters of what each may hit. Without filters a ray may hit every geometry,
/// as a surface.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Batch, DeviceChoice, NONE, Ray, Scene, Sphere, Tracer};
///
/// let mut scene = Scene::new();
/// let sensor = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
/// let wall = scene.add(Sphere { center: DVec3::X * 9.0, radius: 2.0 })?;
/// let tracer = DeviceChoice::Cpu.tracer(scene)?;
/// let rays = [Ray::new([0.0; 3], [1.0, 0.0, 0.0]); 2];
///
/// // The second ray ignores the housing that it starts in.
/// let hits = tracer.closest(Batch::new(&rays).ignoring(&[NONE, sensor])?)?;
/// assert_eq!([hits[0].geometry_id, hits[1].geometry_id], [sensor, wall]);
/// // As a solid, the housing stops a ray at once.
/// assert_eq!(tracer.closest(Batch::new(&rays).solid())?[0].t, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    rays: RaySource<'a>,
    masks: Option<&'a [u32]>,
    ignored: Option<&'a [u32]>,
    worlds: Option<&'a [u32]>,
    is_solid: bool,
}

impl<'a> Batch<'a> {
    /// Makes a batch without filters.
    pub fn new(rays: &'a [Ray]) -> Self {
        Self::of(RaySource::Rays(rays))
    }

    /// Makes a batch without filters of rays in any layout.
    pub fn of(rays: RaySource<'a>) -> Self {
        Self { rays, masks: None, ignored: None, worlds: None, is_solid: false }
    }

    /// Gives each ray a mask of 32 bits: it hits only geometries whose mask has a bit in common
    /// with it.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn with_masks(self, masks: &'a [u32]) -> Result<Self, BatchError> {
        self.check_count("masks", masks)?;
        Ok(Self { masks: Some(masks), ..self })
    }

    /// Gives each ray a geometry to ignore, such as the one that it starts from; [`NONE`] for none.
    ///
    /// # Errors
    /// [`BatchError::Count`]. The tracer refuses ids that no geometry has.
    pub fn ignoring(self, geometry_ids: &'a [u32]) -> Result<Self, BatchError> {
        self.check_count("ids to ignore", geometry_ids)?;
        Ok(Self { ignored: Some(geometry_ids), ..self })
    }

    /// Casts each ray in the world of that number, of a scene that has [several](Scene::add_world).
    /// Without numbers all rays are cast in world 0, which is the scene itself.
    ///
    /// # Errors
    /// [`BatchError::Count`]. The tracer refuses worlds that the scene has not.
    pub fn in_worlds(self, worlds: &'a [u32]) -> Result<Self, BatchError> {
        self.check_count("numbers of worlds", worlds)?;
        Ok(Self { worlds: Some(worlds), ..self })
    }

    /// Treats solids as solid: a ray hits a solid at its start, a finite `t_min`, if that point
    /// lies in or on it; of several solids the one with the lowest `geometry_id`, with
    /// `primitive_id` 0. This concerns [`closest`](crate::Tracer::closest) and
    /// [`any`](crate::Tracer::any); crossings are those of surfaces all the same.
    pub fn solid(self) -> Self {
        Self { is_solid: true, ..self }
    }

    /// Treats solids as surfaces again.
    pub(crate) fn surfaces(self) -> Self {
        Self { is_solid: false, ..self }
    }

    /// Returns the rays, in the order in which they are answered.
    pub fn rays(&self) -> RaySource<'a> {
        self.rays
    }

    /// Returns a ray by its index.
    #[inline(always)]
    pub fn ray(&self, index: usize) -> Ray {
        self.rays.get(index)
    }

    /// Returns how many rays there are.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Returns true if there are no rays.
    pub fn is_empty(&self) -> bool {
        self.rays.is_empty()
    }

    /// Returns true if solids are treated as solid.
    pub fn is_solid(&self) -> bool {
        self.is_solid
    }

    /// Returns true if rays have masks, ids to ignore or worlds.
    pub fn is_filtered(&self) -> bool {
        self.masks.is_some() || self.ignored.is_some() || self.worlds.is_some()
    }

    /// Returns a ray's mask.
    pub fn mask(&self, ray: usize) -> u32 {
        self.masks.map_or(u32::MAX, |masks| masks[ray])
    }

    /// Returns the geometry that a ray ignores, [`NONE`] for none.
    pub fn ignored(&self, ray: usize) -> u32 {
        self.ignored.map_or(NONE, |ids| ids[ray])
    }

    /// Returns the number of the world in which a ray is cast: 0, the scene itself, if the batch
    /// gives none.
    pub fn world(&self, ray: usize) -> u32 {
        self.worlds.map_or(0, |worlds| worlds[ray])
    }

    /// Returns some of its rays, with their filters.
    pub fn slice(&self, rays: Range<usize>) -> Self {
        Self {
            rays: self.rays.slice(rays.clone()),
            masks: self.masks.map(|masks| &masks[rays.clone()]),
            ignored: self.ignored.map(|ids| &ids[rays.clone()]),
            worlds: self.worlds.map(|worlds| &worlds[rays]),
            is_solid: self.is_solid,
        }
    }

    /// Checks that each ray ignores a geometry that the scene has, if any, and is cast in such a
    /// world.
    ///
    /// # Errors
    /// [`BatchError::Ignored`] and [`BatchError::World`].
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

    fn check_count(&self, what: &'static str, given: &[u32]) -> Result<(), BatchError> {
        if given.len() == self.rays.len() {
            return Ok(());
        }
        Err(BatchError::Count { what, given: given.len(), rays: self.rays.len() })
    }
}

/// Some rays of a batch, with their filters.
#[cfg(any(test, feature = "gpu"))]
pub(crate) struct Selection {
    rays: Vec<Ray>,
    masks: Option<Vec<u32>>,
    ignored: Option<Vec<u32>>,
    worlds: Option<Vec<u32>>,
    is_solid: bool,
}

#[cfg(any(test, feature = "gpu"))]
impl Selection {
    /// Selects rays by their indices.
    pub fn new(batch: &Batch<'_>, rays: &[usize]) -> Self {
        let of_rays = |numbers: &[u32]| rays.iter().map(|&ray| numbers[ray]).collect();
        Self {
            rays: rays.iter().map(|&ray| batch.ray(ray)).collect(),
            masks: batch.masks.map(of_rays),
            ignored: batch.ignored.map(of_rays),
            worlds: batch.worlds.map(of_rays),
            is_solid: batch.is_solid,
        }
    }

    pub fn batch(&self) -> Batch<'_> {
        Batch {
            rays: RaySource::Rays(&self.rays),
            masks: self.masks.as_deref(),
            ignored: self.ignored.as_deref(),
            worlds: self.worlds.as_deref(),
            is_solid: self.is_solid,
        }
    }
}

/// What one ray may hit, as both tracers read it; `shaders/trace.wgsl` has the same struct.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct RayFilter {
    /// The ray hits only geometries whose mask has a bit in common with this.
    pub mask: u32,
    /// The first primitive of the geometry to ignore.
    pub first_ignored: u32,
    /// How many primitives that geometry has.
    pub ignored: u32,
    /// The instance that the geometry is in; [`NONE`] for a geometry of the scene's own.
    pub instance: u32,
    /// The number of the world in which the ray is cast.
    pub world: u32,
}

impl RayFilter {
    /// The filter of a ray that may hit everything.
    pub const ALL: Self =
        Self { mask: u32::MAX, first_ignored: 0, ignored: 0, instance: NONE, world: 0 };

    /// Returns the filter of a ray of a checked batch, for a scene of all worlds.
    pub fn new(batch: &Batch<'_>, ray: usize, scene: &Scene) -> Self {
        let world = batch.world(ray);
        let ignored = match batch.ignored(ray) {
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
            mask: batch.mask(ray),
            first_ignored: ignored.start,
            ignored: ignored.end - ignored.start,
            instance,
            world,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_says_what_does_not_fit_it() {
        let rays = [Ray::new([0.0; 3], [1.0, 0.0, 0.0]); 3];
        let batch = Batch::new(&rays);
        let short = batch.with_masks(&[1, 2]).unwrap_err();
        assert_eq!(short, BatchError::Count { what: "masks", given: 2, rays: 3 });
        assert!(batch.ignoring(&[]).is_err());
        let ids = [NONE, 4, 5];
        let batch = batch.ignoring(&ids).unwrap();
        let mut scene = Scene::new();
        let ball = crate::Sphere { center: glam::DVec3::ZERO, radius: 1.0 };
        for _ in 0..5 {
            scene.add(ball).unwrap();
        }
        let unknown = BatchError::Ignored { ray: 2, geometry_id: 5, geometries: 5 };
        assert_eq!(batch.check(&scene), Err(unknown));
        let elsewhere = Batch::new(&rays).in_worlds(&[0, 2, 0]).unwrap();
        let unknown = BatchError::World { ray: 1, world: 2, worlds: 1 };
        assert_eq!(elsewhere.check(&scene), Err(unknown));
        assert_eq!(elsewhere.slice(1..2).world(0), 2);
        scene.add(ball).unwrap();
        assert_eq!(batch.check(&scene), Ok(()));
        assert_eq!(batch.slice(1..3).ignored(1), 5);
        assert_eq!((batch.mask(0), Batch::new(&rays).ignored(0)), (u32::MAX, NONE));
    }
}
