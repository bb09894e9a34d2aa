//! The sums over the answers to sampled rays.

use super::error::TallyError;
use super::fixed::Unit;
use std::ops::Range;

/// The facts that the parts of a run have in common.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub scene: String,
    /// The generator with its seed and interval, in words.
    pub rays: String,
    pub unit_exponent: i32,
    pub geometries: u32,
    pub has_paths: bool,
    /// The edges of the histogram's bins, as multiples of the unit; none without a histogram.
    pub edges: Vec<u64>,
    pub volume_per_path: Option<f64>,
}

/// The paths through the geometries, each array with one number for each geometry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PathTally {
    /// The number of rays that pass through it.
    pub rays: Vec<u64>,
    /// The sum of the lengths, in units.
    pub sums: Vec<u128>,
    /// The sum of the squares of each ray's length, in units squared.
    pub squares: Vec<u128>,
}

/// The sums over the answers to some rays of a [`Sampler`](crate::Sampler), for each geometry in
/// the order of `geometry_id`s.
///
/// All sums are of whole numbers, so parts add up to the whole to the bit, in any order. A distance
/// is rounded to a [unit](Self::unit), a power of two below 2^-29 of the largest distance in the
/// scene. The unit depends only on the scene and the generator. No sum can overflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    pub(crate) run: Run,
    /// Disjoint ranges of the rays' numbers, in order, none of which ends where another begins.
    pub(crate) ranges: Vec<Range<u64>>,
    pub(crate) misses: u64,
    pub(crate) invalid: u64,
    pub(crate) beyond: u64,
    pub(crate) hits: Vec<u64>,
    pub(crate) distances: Vec<u128>,
    pub(crate) paths: PathTally,
    pub(crate) histogram: Vec<u64>,
}

impl Tally {
    pub(crate) fn empty(run: Run) -> Self {
        let geometries = run.geometries as usize;
        let of_paths = if run.has_paths { geometries } else { 0 };
        let bins = if run.edges.is_empty() { 0 } else { run.edges.len() + 1 };
        Self {
            ranges: Vec::new(),
            misses: 0,
            invalid: 0,
            beyond: 0,
            hits: vec![0; geometries],
            distances: vec![0; geometries],
            paths: PathTally {
                rays: vec![0; of_paths],
                sums: vec![0; of_paths],
                squares: vec![0; of_paths],
            },
            histogram: vec![0; bins],
            run,
        }
    }

    /// Adds the sums over other rays of the same run.
    ///
    /// # Errors
    /// [`TallyError::Other`], if the scenes, the rays or the kinds of sums differ;
    /// [`TallyError::Overlap`], if a ray is in both. Nothing is added then.
    pub fn add(&mut self, other: &Self) -> Result<(), TallyError> {
        self.run.check(&other.run)?;
        for range in &other.ranges {
            if let Some(common) = self.ranges.iter().find_map(|own| common(own, range)) {
                return Err(TallyError::Overlap { first: common.start, end: common.end });
            }
        }
        other.ranges.iter().for_each(|range| self.add_range(range.clone()));
        self.misses += other.misses;
        self.invalid += other.invalid;
        self.beyond += other.beyond;
        add_all(&mut self.hits, &other.hits);
        add_all(&mut self.distances, &other.distances);
        add_all(&mut self.histogram, &other.histogram);
        add_all(&mut self.paths.rays, &other.paths.rays);
        add_all(&mut self.paths.sums, &other.paths.sums);
        add_all(&mut self.paths.squares, &other.paths.squares);
        Ok(())
    }

    /// Adds a range of rays that it does not contain yet.
    pub(crate) fn add_range(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let at = self.ranges.partition_point(|own| own.start < range.start);
        self.ranges.insert(at, range);
        self.ranges.dedup_by(|next, before| {
            let is_continued = before.end == next.start;
            if is_continued {
                before.end = next.end;
            }
            is_continued
        });
    }

    /// Returns the numbers of its rays, as disjoint ranges in ascending order.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Returns how many rays it covers.
    pub fn rays(&self) -> u64 {
        self.ranges.iter().map(|range| range.end - range.start).sum()
    }

    /// Returns how many rays hit nothing.
    pub fn misses(&self) -> u64 {
        self.misses
    }

    /// Returns how many rays could not be cast, because they start at a coordinate above 1e9.
    pub fn invalid(&self) -> u64 {
        self.invalid
    }

    /// Returns how many distances of closest hits were limited to 2^38 units, which is at least 256
    /// times the largest distance in the scene. A ray that grazes a plane can have one.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Returns the unit of distances, in scene units.
    pub fn unit(&self) -> f64 {
        Unit { exponent: self.run.unit_exponent }.length()
    }

    /// Returns how many rays hit each geometry first.
    pub fn hits(&self) -> &[u64] {
        &self.hits
    }

    /// Returns the sum of the distances of those hits, for each geometry, in [units](Self::unit).
    pub fn distances(&self) -> &[u128] {
        &self.distances
    }

    /// Returns the mean distance of a geometry's closest hits, in the scene's units; `None` if it
    /// has none.
    pub fn mean_distance(&self, geometry_id: u32) -> Option<f64> {
        let hits = *self.hits.get(geometry_id as usize)?;
        let sum = *self.distances.get(geometry_id as usize)?;
        (hits > 0).then(|| sum as f64 / hits as f64 * self.unit())
    }

    /// Returns true if paths were measured.
    pub fn has_paths(&self) -> bool {
        self.run.has_paths
    }

    /// Returns how many rays pass through each geometry; empty unless the sampler has paths.
    pub fn path_rays(&self) -> &[u64] {
        &self.paths.rays
    }

    /// Returns the sum of the lengths of all paths through each geometry, in [units](Self::unit);
    /// empty unless the sampler has paths. It is 0 for a geometry without an inside.
    pub fn path_sums(&self) -> &[u128] {
        &self.paths.sums
    }

    /// Returns the sum of the squares of each ray's path through each geometry, in
    /// [units](Self::unit) squared; empty unless the sampler has paths.
    pub fn path_squares(&self) -> &[u128] {
        &self.paths.squares
    }

    /// Returns the mean path of a ray through a geometry, over all valid rays, and its standard
    /// error, both in scene units; `None` unless the sampler has paths and there are at least two
    /// rays.
    pub fn mean_path(&self, geometry_id: u32) -> Option<[f64; 2]> {
        let sum = *self.paths.sums.get(geometry_id as usize)? as f64;
        let squares = *self.paths.squares.get(geometry_id as usize)? as f64;
        let rays = (self.rays() - self.invalid) as f64;
        if rays < 2.0 {
            return None;
        }
        let mean = sum / rays;
        // A rounding error may make the variance of equal lengths negative.
        let variance = ((squares - sum * mean) / (rays - 1.0)).max(0.0);
        Some([mean * self.unit(), (variance / rays).sqrt() * self.unit()])
    }

    /// Returns the volume of a solid, computed from its mean path, and its standard error.
    ///
    /// The mean path of uniform isotropic lines through a sphere of radius R is the volume divided
    /// by πR² (Cauchy, Crofton). Returns `None` unless the sampler has paths, the rays are [such
    /// lines](crate::RayGenerator::Lines) through a sphere around the whole scene, and their
    /// interval is not limited.
    pub fn volume(&self, geometry_id: u32) -> Option<[f64; 2]> {
        let volume_per_path = self.run.volume_per_path?;
        self.mean_path(geometry_id).map(|path| path.map(|length| length * volume_per_path))
    }

    /// Returns the edges of the histogram's bins in scene units, one more than there are bins;
    /// empty without a histogram.
    pub fn histogram_edges(&self) -> Vec<f64> {
        self.run.edges.iter().map(|&edge| edge as f64 * self.unit()).collect()
    }

    /// Returns how many closest hits are nearer than the histogram, in each of its bins, and at its
    /// end or farther; empty without a histogram.
    pub fn histogram(&self) -> &[u64] {
        &self.histogram
    }
}

impl Run {
    /// Returns an error for parts of another run.
    fn check(&self, other: &Self) -> Result<(), TallyError> {
        let words = |run: &Self| {
            let bins = run.edges.len().saturating_sub(1);
            [
                ("scenes", run.scene.clone()),
                ("rays", run.rays.clone()),
                ("geometries", run.geometries.to_string()),
                ("units", format!("2^{}", run.unit_exponent)),
                ("paths", if run.has_paths { "measured" } else { "left out" }.to_owned()),
                ("histograms", format!("{bins} bins")),
            ]
        };
        for ((what, one), (_, other)) in words(self).into_iter().zip(words(other)) {
            if one != other {
                return Err(TallyError::Other { what, one, other });
            }
        }
        if self == other {
            return Ok(());
        }
        let [one, other] = [self, other].map(|run| format!("{:?}", run.edges));
        Err(TallyError::Other { what: "histograms' bins", one, other })
    }
}

fn common(a: &Range<u64>, b: &Range<u64>) -> Option<Range<u64>> {
    let common = a.start.max(b.start)..a.end.min(b.end);
    (!common.is_empty()).then_some(common)
}

fn add_all<T: Copy + std::ops::AddAssign>(sums: &mut [T], others: &[T]) {
    sums.iter_mut().zip(others).for_each(|(sum, &other)| *sum += other);
}
