//! The interface of every tracer.

mod posed_render;

pub(crate) use posed_render::nearer_hits;

use crate::camera::View;
use crate::packed::{Update, UpdateError};
use crate::query::{
    AllHits, Answers, Batch, BatchError, Containment, Echo, HitArrays, Hits, PathRule, PointHit,
    Query, SolidPaths,
};
use crate::question::{Question, QuestionAnswers};
use crate::ray::{Hit, Ray};
use crate::sample::{SampleError, Sampler, Tally};
use crate::scan::{PosedView, Views};
use crate::scene::Scene;
use std::ops::Range;
use thiserror::Error;

/// The reason why rays could not be cast.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The batch does not fit the scene.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// The tracer cannot be updated to a scene.
    #[error(transparent)]
    Update(#[from] UpdateError),
    /// The rays cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The GPU could not answer.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Gpu(#[from] crate::gpu_error::GpuError),
}

/// A tracer: it casts rays into the scene for which it was made.
///
/// The answers do not depend on how rays are split into batches, to the bit. Split a long batch to
/// show progress. Threads may share a tracer.
pub trait Tracer: Send + Sync {
    /// Returns the scene into which it casts, with its instances where the last update moved them.
    fn scene(&self) -> &Scene;

    /// Moves the instances to where they are in another scene, and returns what changed.
    ///
    /// The scene must differ from the tracer's only in the places of instances. Only the changes
    /// are copied to a device. The tree over the instances is refitted. It is rebuilt, and copied as
    /// a whole, when its surface-area cost exceeds that of the last build by half, or when other
    /// instances move between worlds than before.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::math::Similarity;
    /// use raytwin::{Definition, DeviceChoice, Ray, Scene, Sphere, Tracer, Transform};
    ///
    /// let mut ball = Scene::new();
    /// ball.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let mut scene = Scene::new();
    /// let node = scene.add_node(None, &Transform::IDENTITY, Some("ball"))?;
    /// scene.add_instance_at(node, &Definition::new(ball), None)?;
    ///
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
    /// [`TraceError::Update`], if the scene differs in more. The tracer is then unchanged.
    /// [`TraceError::Gpu`], if the device fails. All casts then fail until an update succeeds.
    fn update(&mut self, scene: &Scene) -> Result<Update, TraceError>;

    /// Returns the closest hit of each ray, in order: [`Hit::MISS`] for a ray that hits nothing,
    /// and [`Hit::INVALID`] for an invalid ray.
    ///
    /// # Errors
    /// [`TraceError`], if the batch ignores an id or uses a world that the scene does not have, or
    /// if a device fails.
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError>;

    /// Returns true for each ray that hits anything; false for an invalid ray. This is faster than
    /// finding the closest hit.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError>;

    /// Returns the number of crossings of each ray; 0 for an invalid ray. A ray crosses a solid
    /// where it enters and where it leaves, and twice at one place if it only touches it.
    /// [`Batch::solid`] has no effect.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError>;

    /// Returns all crossings of each ray, sorted by t as the tracer computes it, and at equal t by
    /// ids.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError>;

    /// Returns the ids of the solids that contain each point, and of the nearest surface.
    ///
    /// [`PointAnswer::all`](crate::PointAnswer::all) adds the nearest point and its distance. A
    /// device selects the nearest surface from float32 distances. If the distances of two surfaces
    /// differ by less than 8 u times their distances and sizes (u = 2⁻²⁴), it may return either.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError>;

    /// Returns the solids that contain each point, as [`Self::points`] does. Without the search for
    /// the nearest surface, this needs a small part of the time.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{DeviceChoice, Scene, Sphere, Tracer};
    ///
    /// let mut scene = Scene::new();
    /// scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let tracer = DeviceChoice::Cpu.tracer(scene)?;
    /// let around = tracer.containment(&[[0.5, 0.0, 0.0], [0.0, 2.0, 0.0]])?;
    /// assert_eq!([around[0].contains, around[1].contains], [1, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    fn containment(&self, points: &[[f32; 3]]) -> Result<Vec<Containment>, TraceError> {
        Ok(self.points(points)?.iter().map(Containment::from).collect())
    }

    /// Returns, for each point, the solid of least volume that contains it.
    ///
    /// Of equal volumes, it is the solid with the lowest `geometry_id`. The result is
    /// [`NONE`](crate::NONE) if no solid contains the point, and for an invalid point. Half-spaces
    /// have no volume. Every tracer computes this in float64 on the host.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{DeviceChoice, Scene, Sphere, Tracer};
    ///
    /// let mut scene = Scene::new();
    /// let air = scene.add(Sphere { center: DVec3::ZERO, radius: 9.0 })?;
    /// let target = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let tracer = DeviceChoice::Cpu.tracer(scene)?;
    /// let points = [[0.5, 0.0, 0.0], [0.0, 2.0, 0.0]];
    /// assert_eq!(tracer.innermost(&points)?, [target, air]);
    /// assert_eq!(tracer.containment(&points)?[0].containing_id, air);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The tracers of this library return no error here.
    fn innermost(&self, points: &[[f32; 3]]) -> Result<Vec<u32>, TraceError>;

    /// Returns the length of each ray in the solids that it crosses, in scene units.
    ///
    /// Lengths count from `t_min` to `t_max`, also for a ray that starts inside. An invalid ray has
    /// none. Half-spaces and surfaces that bound no solid have no lengths. [`Batch::solid`] has no
    /// effect. Every tracer computes this in float64 on the host.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{Batch, DeviceChoice, PathRule, Ray, Scene, Sphere, Tracer};
    ///
    /// let mut scene = Scene::new();
    /// let air = scene.add(Sphere { center: DVec3::ZERO, radius: 9.0 })?;
    /// let target = scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
    /// let tracer = DeviceChoice::Cpu.tracer(scene)?;
    /// let rays = [Ray::new([-20.0, 0.0, 0.0], [2.0, 0.0, 0.0])];
    /// let each = tracer.paths(Batch::new(&rays), PathRule::Each)?;
    /// assert_eq!((each.path_geometry_ids, each.path_lengths), (vec![air, target], vec![18.0, 2.0]));
    /// let innermost = tracer.paths(Batch::new(&rays), PathRule::Innermost)?;
    /// assert_eq!(innermost.path_lengths, [16.0, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn paths(&self, batch: Batch<'_>, rule: PathRule) -> Result<SolidPaths, TraceError>;

    /// Returns the rays of `pixels` of images, as this tracer generates them.
    ///
    /// # Errors
    /// [`TraceError`], if the scene does not have the world of an image, if the images have fewer
    /// pixels, or if a device fails.
    fn rays_of_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError>;

    /// Returns the closest hit of each of the rays that [`Self::rays_of_views`] returns. They are
    /// generated on the device and not copied.
    ///
    /// # Errors
    /// As [`Self::rays_of_views`].
    fn render_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError>;

    /// Returns the rays of `pixels` of a view, counted row by row from the top left, as this tracer
    /// generates them.
    ///
    /// # Errors
    /// As [`Self::rays_of_views`].
    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        self.rays_of_views(&view.into(), pixels)
    }

    /// Returns the closest hit of each of the rays that [`Self::camera_rays`] returns. They are
    /// generated on the device and not copied.
    ///
    /// # Errors
    /// As [`Self::rays_of_views`].
    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        self.render_views(&view.into(), pixels)
    }

    /// Returns the echoes of the beams of pixels, the nearest first, if this tracer finds them on a
    /// device; otherwise `None`.
    ///
    /// The device generates the rays of the beams, so neither rays nor hits are copied.
    /// [`cast_beams`](crate::returns::cast_beams) makes returns from the echoes. For `None`, it
    /// generates the rays on the host and casts them.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    fn beam_echoes(
        &self,
        _posed: &PosedView,
        _pixels: Range<usize>,
    ) -> Result<Option<Vec<Vec<Echo>>>, TraceError> {
        Ok(None)
    }

    /// Casts the rays of a sampler with these numbers, and returns the sums over their answers. The
    /// tallies of the parts of a run add up to the tally of the whole, to the bit.
    ///
    /// A tracer on a device generates the rays and adds up the answers there, so neither are
    /// copied. Other tracers cast the float64 rays of the sampler, rounded once.
    ///
    /// # Errors
    /// [`TraceError::Sample`], if the sampler is for another scene or has fewer rays;
    /// [`TraceError::Gpu`], if a device fails.
    fn sample(&self, sampler: &Sampler, numbers: Range<u64>) -> Result<Tally, TraceError> {
        sample_on_host(self, sampler, numbers)
    }

    /// Returns the rays of a sampler with these numbers, as this tracer makes them.
    ///
    /// # Errors
    /// The same errors as [`Self::sample`].
    fn generate_rays(
        &self,
        sampler: &Sampler,
        numbers: Range<u64>,
    ) -> Result<Vec<Ray>, TraceError> {
        sampler.check(self.scene(), &numbers)?;
        Ok(sampler.rays(numbers))
    }

    /// The old name of [`Self::generate_rays`].
    ///
    /// # Errors
    /// Those of [`Self::generate_rays`].
    #[deprecated(since = "0.1.0", note = "use `Tracer::generate_rays`; 0.2 removes this name")]
    fn sampled_rays(&self, sampler: &Sampler, numbers: Range<u64>) -> Result<Vec<Ray>, TraceError> {
        self.generate_rays(sampler, numbers)
    }

    /// Returns a description of the device, in one line.
    fn device(&self) -> String;

    /// Measures the arithmetic of the device that casts; `None` for a tracer that casts in float64.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    #[cfg(feature = "gpu")]
    fn measure_arithmetic(&self) -> Result<Option<crate::arithmetic::Arithmetic>, TraceError> {
        Ok(None)
    }

    /// Answers a query of any kind. For closest hits it returns t and ids, to which
    /// [`Answers::complete`] adds the other arrays of the query.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn ask(&self, query: Query, batch: Batch<'_>) -> Result<Answers, TraceError> {
        Ok(match query {
            Query::Closest(_) => {
                let mut hits = Hits::default();
                self.append_hits(batch, HitArrays::HIT, &mut hits)?;
                Answers::Closest(hits)
            }
            Query::Any => Answers::Any(self.any(batch)?),
            Query::Count => Answers::Count(self.count(batch)?),
            Query::All => Answers::All(self.all(batch)?),
        })
    }

    /// Answers a piece of a question: pixels of an image, rays or points. Pixels are numbered row
    /// by row from the top left.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn answer(
        &self,
        question: &Question,
        piece: Range<usize>,
    ) -> Result<QuestionAnswers, TraceError> {
        Ok(match question {
            Question::Image(views) => {
                let hits = Hits::of(&self.render_views(views, piece.clone())?);
                QuestionAnswers::Image { rays: self.rays_of_views(views, piece)?, hits }
            }
            Question::Rays(question) => {
                QuestionAnswers::Rays(self.ask(question.query, question.batch()?.slice(piece))?)
            }
            Question::Points(points) => QuestionAnswers::Points(self.points(&points[piece])?),
        })
    }

    /// Casts rays and returns their closest hits, with all arrays except labels.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{DeviceChoice, Ray, Scene, Sphere, Tracer};
    ///
    /// let mut scene = Scene::new();
    /// scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
    /// let hits = DeviceChoice::Cpu.tracer(scene)?.cast(&[Ray::new([0.0; 3], [0.0, 0.0, 2.0])])?;
    /// assert_eq!((hits.t_hit[0], hits.primitive_normals[0]), (2.0, [0.0, 0.0, -1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    #[doc(alias("trace", "intersect", "raycast"))]
    fn cast(&self, rays: &[Ray]) -> Result<Hits, TraceError> {
        let mut hits = Hits::default();
        let arrays = HitArrays::DEFAULT.and(HitArrays::FACES).and(HitArrays::INSTANCE_IDS);
        self.append_hits(Batch::new(rays), arrays, &mut hits)?;
        Ok(hits)
    }

    /// Appends the closest hits of a batch to arrays: t and ids, and the other given arrays.
    /// [Reserve](Hits::try_reserve) memory first if you cast a batch in parts, so that the arrays
    /// need not move.
    ///
    /// ```
    /// use raytwin::glam::DVec3;
    /// use raytwin::{Batch, DeviceChoice, HitArrays, Hits, Ray, Scene, Sphere, Tracer};
    ///
    /// let mut scene = Scene::new();
    /// scene.add(Sphere { center: DVec3::new(0.0, 0.0, 5.0), radius: 1.0 })?;
    /// let tracer = DeviceChoice::Cpu.tracer(scene)?;
    /// let rays = [Ray::new([0.0; 3], [0.0, 0.0, 1.0]); 4];
    /// let mut hits = Hits::default();
    /// for part in rays.chunks(3) {
    ///     tracer.append_hits(Batch::new(part), HitArrays::HIT, &mut hits)?;
    /// }
    /// assert_eq!((hits.t_hit, hits.primitive_normals), (vec![4.0; 4], vec![]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::closest`]. The arrays are then unchanged.
    fn append_hits(
        &self,
        batch: Batch<'_>,
        arrays: HitArrays,
        hits: &mut Hits,
    ) -> Result<(), TraceError> {
        let found = self.closest(batch)?;
        hits.append(&found);
        hits.complete(self.scene(), batch, arrays);
        Ok(())
    }
}

/// The number of sampled rays that are made at a time on the host.
const PIECE: u64 = 1 << 15;

/// Casts the rays of a sampler with these numbers with a tracer's queries, and adds up their
/// answers on the host.
pub(crate) fn sample_on_host<T: Tracer + ?Sized>(
    tracer: &T,
    sampler: &Sampler,
    numbers: Range<u64>,
) -> Result<Tally, TraceError> {
    sampler.check(tracer.scene(), &numbers)?;
    let mut tally = sampler.tally();
    let mut first = numbers.start;
    while first < numbers.end {
        let end = numbers.end.min(first.saturating_add(PIECE));
        let rays = sampler.rays(first..end);
        tally.add_hits(&tracer.closest(Batch::new(&rays))?);
        if sampler.has_paths() {
            let endless: Vec<Ray> =
                rays.iter().map(|ray| ray.within(ray.t_min, f32::INFINITY)).collect();
            tally.add_paths(sampler, &tracer.all(Batch::new(&endless))?);
        }
        first = end;
    }
    tally.add_range(numbers);
    Ok(tally)
}
