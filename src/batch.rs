//! Rays to cast, and what each of them may meet.

use crate::geometry::PrimitiveIds;
use crate::ray::{NONE, Ray};
use bytemuck::{Pod, Zeroable};
use std::ops::Range;
use thiserror::Error;

/// Why a batch cannot be cast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BatchError {
    /// Another number of masks or ids than of rays.
    #[error("there are {given} {what} for {rays} rays: give one for each ray, or none at all")]
    Count {
        /// Masks, or ids to ignore.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there should be.
        rays: usize,
    },
    /// An id to ignore that no geometry has.
    #[error(
        "ray {ray} ignores geometry {geometry_id}, and the scene has {geometries}, numbered from 0: \
         give one of these, or 4294967295 for none"
    )]
    Ignored {
        /// Its place in the batch.
        ray: usize,
        /// What it should ignore.
        geometry_id: u32,
        /// How many there are.
        geometries: u32,
    },
}

/// Rays to cast, with what each of them may meet: everything, unless said otherwise.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Batch, CpuTracer, NONE, PackedScene, Ray, Scene, Sphere, Tracer};
///
/// let mut scene = Scene::new();
/// let sensor = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
/// let wall = scene.add(Sphere { center: DVec3::X * 9.0, radius: 2.0 })?;
/// let packed = PackedScene::new(&scene)?;
/// let tracer = CpuTracer::new(&scene, &packed);
/// let rays = [Ray::new([0.0; 3], [1.0, 0.0, 0.0]); 2];
///
/// // The second ray does not see the housing that it starts in.
/// let hits = tracer.closest(Batch::new(&rays).ignoring(&[NONE, sensor])?)?;
/// assert_eq!([hits[0].geometry_id, hits[1].geometry_id], [sensor, wall]);
/// // As a solid, the housing stops the first at once.
/// assert_eq!(tracer.closest(Batch::new(&rays).solid())?[0].t, 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    rays: &'a [Ray],
    masks: Option<&'a [u32]>,
    ignored: Option<&'a [u32]>,
    is_solid: bool,
}

impl<'a> Batch<'a> {
    /// Rays that see every geometry, each as a surface.
    pub fn new(rays: &'a [Ray]) -> Self {
        Self { rays, masks: None, ignored: None, is_solid: false }
    }

    /// Each ray sees those geometries only with whose mask its own, a number of 32 bits, has one in common.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn with_masks(self, masks: &'a [u32]) -> Result<Self, BatchError> {
        self.one_each("masks", masks)?;
        Ok(Self { masks: Some(masks), ..self })
    }

    /// Each ray passes through the geometry of that id, such as the one that it starts from;
    /// [`NONE`] for none.
    ///
    /// # Errors
    /// [`BatchError::Count`]; of ids that no geometry has the tracer tells.
    pub fn ignoring(self, geometry_ids: &'a [u32]) -> Result<Self, BatchError> {
        self.one_each("ids to ignore", geometry_ids)?;
        Ok(Self { ignored: Some(geometry_ids), ..self })
    }

    /// Solids are met where a ray begins, at a finite `t_min`, if that point lies in or on them: of several the
    /// lowest `geometry_id`, with `primitive_id` 0. For [`closest`](crate::Tracer::closest) and
    /// [`any`](crate::Tracer::any); crossings are those of surfaces all the same.
    pub fn solid(self) -> Self {
        Self { is_solid: true, ..self }
    }

    /// The same rays, which meet solids as surfaces.
    #[cfg(feature = "gpu")]
    pub(crate) fn surfaces(self) -> Self {
        Self { is_solid: false, ..self }
    }

    /// The rays.
    pub fn rays(&self) -> &'a [Ray] {
        self.rays
    }

    /// How many rays there are.
    pub fn len(&self) -> usize {
        self.rays.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rays.is_empty()
    }

    /// Whether solids are met from inside at once.
    pub fn is_solid(&self) -> bool {
        self.is_solid
    }

    /// Whether some rays may see less than others.
    pub fn is_filtered(&self) -> bool {
        self.masks.is_some() || self.ignored.is_some()
    }

    /// With which masks a ray sees a geometry.
    pub fn mask(&self, ray: usize) -> u32 {
        self.masks.map_or(u32::MAX, |masks| masks[ray])
    }

    /// Which geometry a ray passes through, [`NONE`] for none.
    pub fn ignored(&self, ray: usize) -> u32 {
        self.ignored.map_or(NONE, |ids| ids[ray])
    }

    /// Some of its rays.
    pub fn slice(&self, rays: Range<usize>) -> Self {
        Self {
            rays: &self.rays[rays.clone()],
            masks: self.masks.map(|masks| &masks[rays.clone()]),
            ignored: self.ignored.map(|ids| &ids[rays]),
            is_solid: self.is_solid,
        }
    }

    /// An error that names the first ray which ignores what a scene of so many geometries does not have.
    pub(crate) fn check(&self, geometries: u32) -> Result<(), BatchError> {
        let is_unknown = |&id: &u32| id >= geometries && id != NONE;
        let unknown = self.ignored.and_then(|ids| Some((ids, ids.iter().position(is_unknown)?)));
        match unknown {
            Some((ids, ray)) => Err(BatchError::Ignored { ray, geometry_id: ids[ray], geometries }),
            None => Ok(()),
        }
    }

    fn one_each(&self, what: &'static str, given: &[u32]) -> Result<(), BatchError> {
        if given.len() == self.rays.len() {
            return Ok(());
        }
        Err(BatchError::Count { what, given: given.len(), rays: self.rays.len() })
    }
}

/// What one ray may meet, as both tracers read it and `shaders/trace.wgsl` has it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct RayFilter {
    /// Geometries with whose mask this has a bit in common.
    pub mask: u32,
    /// The first part of the geometry that it passes through.
    pub first_ignored: u32,
    /// How many primitives that has.
    pub ignored: u32,
}

impl RayFilter {
    /// Everything.
    pub const ALL: Self = Self { mask: u32::MAX, first_ignored: 0, ignored: 0 };

    /// That of a ray of a batch that was checked.
    pub fn of(batch: &Batch<'_>, ray: usize, primitive_ids: &PrimitiveIds) -> Self {
        let ignored = match batch.ignored(ray) {
            NONE => 0..0,
            id => primitive_ids.of_geometry(id),
        };
        Self {
            mask: batch.mask(ray),
            first_ignored: ignored.start,
            ignored: ignored.end - ignored.start,
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
        assert_eq!(batch.check(6), Ok(()));
        let unknown = BatchError::Ignored { ray: 2, geometry_id: 5, geometries: 5 };
        assert_eq!(batch.check(5), Err(unknown));
        assert_eq!(batch.slice(1..3).ignored(1), 5);
        assert_eq!((batch.mask(0), Batch::new(&rays).ignored(0)), (u32::MAX, NONE));
    }
}
