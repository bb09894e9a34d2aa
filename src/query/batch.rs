//! Batches: rays with filters that limit what each may hit.

use super::batch_error::BatchError;
use super::filters::{Filters, RayFilter};
use super::ray_source::RaySource;
use crate::ray::Ray;
use crate::scene::Scene;
use std::ops::Range;

/// Rays to cast, with filters that limit what each may hit. Without filters a ray may hit every
/// geometry, as a surface.
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
    filters: Filters<'a>,
}

impl<'a> Batch<'a> {
    /// Makes a batch without filters.
    pub fn new(rays: &'a [Ray]) -> Self {
        Self::of(RaySource::Rays(rays))
    }

    /// Makes a batch without filters of rays in any layout.
    pub fn of(rays: RaySource<'a>) -> Self {
        Self { rays, filters: Filters::default() }
    }

    /// Gives each ray a mask of 32 bits: it hits only geometries whose mask has a bit in common
    /// with it.
    ///
    /// # Errors
    /// [`BatchError::Count`].
    pub fn with_masks(self, masks: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.with_masks(masks, self.len())?, ..self })
    }

    /// Gives each ray a geometry to ignore, such as the one that it starts from;
    /// [`NONE`](crate::NONE) for none.
    ///
    /// # Errors
    /// [`BatchError::Count`]. The tracer returns an error for an id that no geometry has.
    pub fn ignoring(self, geometry_ids: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.ignoring(geometry_ids, self.len())?, ..self })
    }

    /// Gives each ray the number of the world in which it is cast, in a scene with
    /// [several](Scene::add_world). By default all rays are cast in world 0, which is the scene
    /// itself.
    ///
    /// # Errors
    /// [`BatchError::Count`]. The tracer returns an error for a world that the scene does not have.
    pub fn in_worlds(self, worlds: &'a [u32]) -> Result<Self, BatchError> {
        Ok(Self { filters: self.filters.in_worlds(worlds, self.len())?, ..self })
    }

    /// Treats solids as solid: a ray that starts in or on a solid hits it at its start.
    ///
    /// The start is at `t_min`, which must be finite. Of several solids, the ray hits the one with
    /// the lowest `geometry_id`, with `primitive_id` 0. This applies to
    /// [`closest`](crate::Tracer::closest) and [`any`](crate::Tracer::any). Crossings are always
    /// those of surfaces.
    pub fn solid(self) -> Self {
        Self { filters: Filters { is_solid: true, ..self.filters }, ..self }
    }

    /// Treats solids as surfaces again.
    pub fn surfaces(self) -> Self {
        Self { filters: Filters { is_solid: false, ..self.filters }, ..self }
    }

    /// Returns the rays, in the order in which they are answered.
    pub fn rays(&self) -> RaySource<'a> {
        self.rays
    }

    /// Returns the batch with other rays, of the same number.
    pub(crate) fn with_rays(self, rays: &'a [Ray]) -> Self {
        Self { rays: RaySource::Rays(rays), ..self }
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

    /// Returns the filter of a ray, for the scene into which a tracer casts: that of
    /// [all worlds](crate::PackedScene::all_worlds).
    pub fn ray_filter(&self, ray: usize, scene: &Scene) -> RayFilter {
        RayFilter::new(&self.filters, ray, scene)
    }

    /// Returns the filters of the rays.
    pub(crate) fn filters(&self) -> &Filters<'a> {
        &self.filters
    }

    /// Returns true if solids are treated as solid.
    pub fn is_solid(&self) -> bool {
        self.filters.is_solid
    }

    /// Returns true if rays have masks, ids to ignore or worlds.
    pub fn is_filtered(&self) -> bool {
        self.filters.is_filtered()
    }

    /// Returns a ray's mask.
    pub fn mask(&self, ray: usize) -> u32 {
        self.filters.mask(ray)
    }

    /// Returns the geometry that a ray ignores, [`NONE`](crate::NONE) for none.
    pub fn ignored(&self, ray: usize) -> u32 {
        self.filters.ignored(ray)
    }

    /// Returns the number of the world in which a ray is cast. Default: 0, the scene itself.
    pub fn world(&self, ray: usize) -> u32 {
        self.filters.world(ray)
    }

    /// Returns some of its rays, with their filters.
    pub fn slice(&self, rays: Range<usize>) -> Self {
        Self { rays: self.rays.slice(rays.clone()), filters: self.filters.slice(rays) }
    }

    /// Checks that the scene has each geometry to ignore, and each world.
    ///
    /// # Errors
    /// [`BatchError::Ignored`] and [`BatchError::World`].
    pub fn check(&self, scene: &Scene) -> Result<(), BatchError> {
        self.filters.check(scene)
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
        let Filters { masks, ignored, worlds, is_solid } = batch.filters;
        Self {
            rays: rays.iter().map(|&ray| batch.ray(ray)).collect(),
            masks: masks.map(of_rays),
            ignored: ignored.map(of_rays),
            worlds: worlds.map(of_rays),
            is_solid,
        }
    }

    pub fn batch(&self) -> Batch<'_> {
        let filters = Filters {
            masks: self.masks.as_deref(),
            ignored: self.ignored.as_deref(),
            worlds: self.worlds.as_deref(),
            is_solid: self.is_solid,
        };
        Batch { rays: RaySource::Rays(&self.rays), filters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray::NONE;

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
