//! A sampler: the rays to cast, by their numbers, and the sums to return of their answers.

use super::error::SampleError;
use super::fixed::{END, Unit};
use super::generator::RayGenerator;
use super::region::Region;
use super::tally::{Run, Tally};
use crate::fingerprint::Fingerprint;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::philox::{halves, philox};
use crate::ray::{Line, Ray};
use crate::scene::Scene;
use std::ops::Range;

/// The most geometries for which sums are possible.
const MOST_GEOMETRIES: u32 = 1 << 26;

const MOST_BINS: u32 = 1 << 20;

/// The rays of a generator and a seed, and the sums to return of their answers. It is made for one
/// scene in its current state: make a new one after the scene has moved.
#[derive(Clone, Debug)]
pub struct Sampler {
    generator: RayGenerator,
    interval: [f32; 2],
    seed: u64,
    run: Run,
    /// True for each geometry that has an inside.
    is_solid: Vec<bool>,
}

impl Sampler {
    /// Makes a sampler from a generator and a seed. The numbers of the generator are rounded to
    /// float32. A sphere grows so that it contains the original one.
    ///
    /// # Errors
    /// [`SampleError::Field`], [`SampleError::Views`] and [`SampleError::TooManyGeometries`].
    pub fn new(scene: &Scene, generator: RayGenerator, seed: u64) -> Result<Self, SampleError> {
        let geometries = scene.geometry_count();
        if geometries > MOST_GEOMETRIES {
            return Err(SampleError::TooManyGeometries { geometries, most: MOST_GEOMETRIES });
        }
        let generator = generator.rounded()?;
        let region = Region::of(&generator, scene);
        let mut is_solid = vec![false; geometries as usize];
        for (geometry_id, geometry, _) in scene.written_out() {
            is_solid[geometry_id as usize] = geometry.is_solid();
        }
        let mut sampler = Self {
            interval: [0.0, f32::INFINITY],
            seed,
            run: Run {
                scene: Fingerprint::of(scene).to_string(),
                rays: String::new(),
                unit_exponent: Unit::for_reach(region.reach).exponent,
                geometries,
                has_paths: false,
                edges: Vec::new(),
                volume_per_path: region.volume_per_path,
            },
            generator,
            is_solid,
        };
        sampler.run.rays = sampler.rays_in_words();
        Ok(sampler)
    }

    /// Limits all rays to an interval of `t`, the distance from the start of a ray.
    /// [`Tally::volume`] then returns `None`.
    ///
    /// # Errors
    /// [`SampleError::Field`], unless `0 <= t_min <= t_max` and `t_min` is finite.
    pub fn within(mut self, t_min: f32, t_max: f32) -> Result<Self, SampleError> {
        if !(t_min >= 0.0 && t_min <= t_max && t_min < f32::INFINITY) {
            return Err(SampleError::Field {
                field: "the interval of t",
                value: format!("{t_min}..{t_max}"),
                rule: "it must begin at a finite number of at least 0, and must not end before its start",
            });
        }
        self.interval = [t_min, t_max];
        if self.interval != [0.0, f32::INFINITY] {
            self.run.volume_per_path = None;
        }
        self.run.rays = self.rays_in_words();
        Ok(self)
    }

    /// Asks for the lengths of the rays' paths through each solid, from all crossings.
    pub fn with_paths(mut self) -> Self {
        self.run.has_paths = true;
        self
    }

    /// Asks for a histogram of the distances of closest hits, with `bins` bins from `near` to
    /// `far`.
    ///
    /// Both ends are rounded to the [unit](Tally::unit). A distance at the edge of two bins counts
    /// for the farther bin.
    ///
    /// # Errors
    /// [`SampleError::Field`], for no bins or more than 2^20, for bins that are narrower than the
    /// unit, and for a range that is not between 0 and 256 times the largest distance in the scene.
    pub fn with_histogram(mut self, near: f64, far: f64, bins: u32) -> Result<Self, SampleError> {
        let refuse = |rule: &'static str| {
            let value = format!("{near}..{far} in {bins} bins");
            Err(SampleError::Field { field: "the histogram", value, rule })
        };
        if !(1..=MOST_BINS).contains(&bins) {
            return refuse("it must have 1 to 2^20 bins");
        }
        let unit = self.unit().length();
        let [first, last] = [near, far].map(|edge| (edge / unit).round());
        if !(first >= 0.0 && last < END as f64) {
            return refuse("it must be between 0 and 256 times the largest distance in the scene");
        }
        let [first, last] = [first as u64, last as u64];
        if first + u64::from(bins) > last {
            return refuse(
                "it must end after it begins, and its bins must be wider than 1e-9 of the scene",
            );
        }
        // Below 2^58.
        let edge = |bin: u32| first + (last - first) * u64::from(bin) / u64::from(bins);
        self.run.edges = (0..=bins).map(edge).collect();
        Ok(self)
    }

    /// Returns the generator, with its numbers as they were rounded.
    pub fn generator(&self) -> &RayGenerator {
        &self.generator
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns how many rays there are; `None` if every number has a ray.
    pub fn ray_count(&self) -> Option<u64> {
        self.generator.ray_count()
    }

    /// Returns the line of a ray in float64, with a unit direction. For views, a number after the
    /// last pixel counts as the last pixel.
    pub fn line(&self, number: u64) -> Line {
        let number = self.ray_count().map_or(number, |count| number.min(count.saturating_sub(1)));
        self.generator.line(number, || self.words(number))
    }

    /// Returns the ray with this number: [its line](Self::line), rounded once to float32, with the
    /// interval of [`Self::within`].
    pub fn ray(&self, number: u64) -> Ray {
        let [t_min, t_max] = self.interval;
        Ray::along(&self.line(number)).within(t_min, t_max)
    }

    /// Returns the rays with these numbers, made on all cores.
    pub fn rays(&self, numbers: Range<u64>) -> Vec<Ray> {
        let count = numbers.end.saturating_sub(numbers.start) as usize;
        mapped(count, RAYS_A_TASK, |index| self.ray(numbers.start + index as u64))
    }

    /// Returns an empty tally, to which the tallies of this sampler can be added.
    pub fn tally(&self) -> Tally {
        Tally::empty(self.run.clone())
    }

    /// Returns an error for a scene of another size and for rays that do not exist.
    pub(crate) fn check(&self, scene: &Scene, numbers: &Range<u64>) -> Result<(), SampleError> {
        let (geometries, expected) = (scene.geometry_count(), self.run.geometries);
        if geometries != expected {
            return Err(SampleError::OtherScene { geometries, expected });
        }
        match self.ray_count() {
            Some(rays) if numbers.end > rays => {
                Err(SampleError::Range { first: numbers.start, end: numbers.end, rays })
            }
            _ => Ok(()),
        }
    }

    /// Splits rays so that all pixels of a part are of one view, and no part has more rays than
    /// `most`.
    pub(crate) fn by_view(
        &self,
        numbers: Range<u64>,
        most: u64,
    ) -> impl Iterator<Item = Range<u64>> + use<> {
        let pixels = match &self.generator {
            RayGenerator::Views(views) => {
                views.first().map_or(1, |view| view.view().pixels() as u64)
            }
            _ => u64::MAX,
        };
        let mut rest = numbers;
        std::iter::from_fn(move || {
            let end_of_view = (rest.start / pixels + 1).saturating_mul(pixels);
            let end = rest.end.min(rest.start.saturating_add(most)).min(end_of_view);
            let part = rest.start..end;
            rest.start = end;
            (!part.is_empty()).then_some(part)
        })
    }

    /// Returns `t_min` and `t_max` of its rays.
    pub fn interval(&self) -> [f32; 2] {
        self.interval
    }

    pub(crate) fn unit(&self) -> Unit {
        Unit { exponent: self.run.unit_exponent }
    }

    /// Returns true for each geometry that has an inside.
    pub(crate) fn is_solid(&self) -> &[bool] {
        &self.is_solid
    }

    pub(crate) fn has_paths(&self) -> bool {
        self.run.has_paths
    }

    /// Returns the edges of the histogram's bins, as multiples of the unit; none without a
    /// histogram.
    pub(crate) fn edges(&self) -> &[u64] {
        &self.run.edges
    }

    fn words(&self, number: u64) -> [u32; 8] {
        let [low, high] = halves(number);
        let block = |block: u32| philox([low, high, block, 0], halves(self.seed));
        let ([a, b, c, d], [e, f, g, h]) = (block(0), block(1));
        [a, b, c, d, e, f, g, h]
    }

    /// Returns a description of the rays, which is the same for all parts of one run.
    fn rays_in_words(&self) -> String {
        let [t_min, t_max] = self.interval;
        let generator = match &self.generator {
            RayGenerator::InBox { min, max } => {
                format!("from the box {:?} to {:?}", min.to_array(), max.to_array())
            }
            RayGenerator::Lines { center, radius } => {
                format!("lines through the sphere at {:?} of radius {radius:?}", center.to_array())
            }
            RayGenerator::Patch { center, normal, radius } => format!(
                "from the patch at {:?} of radius {radius:?} about {:?}",
                center.to_array(),
                normal.to_array()
            ),
            RayGenerator::Views(views) => views_in_words(views),
        };
        format!("{generator}, seed {}, t from {t_min:?} to {t_max:?}", self.seed)
    }
}

/// Returns the number and size of views, and what distinguishes them from others.
fn views_in_words(views: &[crate::scan::PosedView]) -> String {
    let (width, height) = views.first().map_or((0, 0), |it| (it.view().width, it.view().height));
    format!("{} views of {width}x{height} pixels, {}", views.len(), digest(&format!("{views:?}")))
}

/// Returns a text by which long ones are distinguished.
fn digest(text: &str) -> String {
    Fingerprint::of(&Scene::new()).with_word(text).to_string()
}
