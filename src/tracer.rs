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
    /// The tracer cannot go on with a scene.
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

/// Casts rays into the scene that it was made for.
///
/// The answers to a batch do not depend on its size, to the bit: cut a long one up to show
/// progress. Threads may share a tracer.
pub trait Tracer: Send + Sync {
    /// Returns the scene that it casts into, with its instances where the last update took them.
    fn scene(&self) -> &Scene;

    /// Moves the instances to where they are in a scene that differs from the tracer's in their
    /// places alone, and returns what changed. Only that crosses the bus, but of a scene in several
    /// worlds everything. The tree over the instances is refitted, or built anew when its
    /// surface-area cost exceeds that of the last build by half.
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
    /// [`TraceError::Update`], if the scene differs in more; the tracer is as it was then.
    /// [`TraceError::Gpu`], if the device fails; the tracer refuses to cast then until an update
    /// succeeds.
    fn update(&mut self, scene: &Scene) -> Result<Update, TraceError>;

    /// Returns the closest hit of each ray, in their order: [`Hit::MISS`] for one that hits
    /// nothing, and [`Hit::INVALID`] for an invalid ray.
    ///
    /// # Errors
    /// [`TraceError`], if the batch ignores an id that the scene has not, or if a device fails.
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError>;

    /// Returns true for each ray that hits anything, which takes less time than to find the closest
    /// hit; false for an invalid ray.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError>;

    /// Returns how many crossings each ray has; 0 for an invalid ray. A solid is crossed where the
    /// ray enters and where it leaves, twice at one place if it only touches. [`Batch::solid`]
    /// changes nothing.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError>;

    /// Returns all of those crossings, in the order of t as precisely as the tracer knows it, and
    /// at equal t of ids.
    ///
    /// # Errors
    /// As [`Self::closest`].
    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError>;

    /// Returns the solids that contain each point, and the nearest surface, by ids;
    /// [`PointAnswer::all`](crate::PointAnswer::all) completes them with the nearest point and its
    /// distance. A device chooses the nearest surface by float32 distances: of two whose distances
    /// differ by less than 8 u of their distances and sizes it may return either.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError>;

    /// Returns the solids that contain each point, as [`Self::points`] does. A tracer that need not
    /// search for the nearest surface takes a small part of the time.
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

    /// Returns the solid of least volume that contains each point, of equal ones that of the lowest
    /// `geometry_id`; [`NONE`](crate::NONE) where there is none, and for an invalid point. Half-spaces
    /// have no volume. Every tracer answers in float64 on the host.
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
    /// No tracer of this library has one here.
    fn innermost(&self, points: &[[f32; 3]]) -> Result<Vec<u32>, TraceError>;

    /// Returns the length of each ray in the solids that it crosses, in the scene's units, from
    /// `t_min` to `t_max`, also of a ray that starts inside; none for an invalid ray. Half-spaces
    /// and surfaces that bound no solid have none, and [`Batch::solid`] changes nothing. Every tracer
    /// answers in float64 on the host.
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
    /// [`TraceError`], if the scene has not the world of an image, if the images have fewer pixels, or if
    /// a device fails.
    fn rays_of_views(&self, views: &Views, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError>;

    /// Returns the closest hit of each of those rays, which do not travel between host and device.
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

    /// Returns the closest hit of each of those rays, which do not travel between host and device.
    ///
    /// # Errors
    /// As [`Self::rays_of_views`].
    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        self.render_views(&view.into(), pixels)
    }

    /// Returns the echoes of the beam of each of these pixels, the nearest first, where this tracer
    /// makes the beams' rays on a device and finds the echoes there, so that neither rays nor hits
    /// cross the bus; `None` where it does not. [`cast_beams`](crate::returns::cast_beams) makes
    /// returns of them, or casts the rays from the host.
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
    /// tallies of parts of a run add up to that of the whole, to the bit.
    ///
    /// A tracer on a device generates the rays there and adds up there, so neither rays nor answers
    /// cross the bus. Others cast the float64 rays of the sampler, rounded once.
    ///
    /// # Errors
    /// [`TraceError::Sample`], if the sampler is for another scene or has not so many rays; and if
    /// a device fails.
    fn sample(&self, sampler: &Sampler, numbers: Range<u64>) -> Result<Tally, TraceError> {
        sample_on_host(self, sampler, numbers)
    }

    /// Returns the rays of a sampler with these numbers, as this tracer makes them.
    ///
    /// # Errors
    /// The same errors as [`Self::sample`].
    fn sampled_rays(&self, sampler: &Sampler, numbers: Range<u64>) -> Result<Vec<Ray>, TraceError> {
        sampler.check(self.scene(), &numbers)?;
        Ok(sampler.rays(numbers))
    }

    /// Returns one line that describes the device.
    fn device(&self) -> String;

    /// Measures how the device that casts computes; `None` for a tracer that casts in float64.
    ///
    /// # Errors
    /// [`TraceError`], only if a device fails.
    #[cfg(feature = "gpu")]
    fn measure_arithmetic(&self) -> Result<Option<crate::arithmetic::Arithmetic>, TraceError> {
        Ok(None)
    }

    /// Answers a query of any kind: of closest hits t and ids, to which [`Answers::complete`] adds
    /// what else is asked for.
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

    /// Answers a piece of a question: of an image, of rays or of points. The pixels of an image are
    /// counted row by row from the top left.
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

    /// Casts rays and returns their closest hits as arrays, with all arrays but labels.
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
        let arrays = HitArrays::USUAL.and(HitArrays::FACES).and(HitArrays::INSTANCE_IDS);
        self.append_hits(Batch::new(rays), arrays, &mut hits)?;
        Ok(hits)
    }

    /// Appends the closest hits of a batch to arrays: t and ids, and of the others those that are
    /// asked for. They are written where they stay, so [reserve](Hits::try_reserve) memory for a
    /// batch that is cast in parts.
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
    /// As [`Self::closest`]; the arrays are as they were then.
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

/// Casts the rays of a sampler with these numbers by a tracer's queries, and adds up their answers
/// on the host.
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
