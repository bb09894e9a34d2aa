//! Tallies as JSON, with exact whole numbers: sums may be larger than 2^64, which JSON and Python
//! allow.

use super::error::TallyError;
use super::tally::{PathTally, Run, Tally};
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// A tally in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TallyObject {
    raytwin_tally: u32,
    scene: String,
    /// The generator, the seed and the interval of the rays, in words.
    rays: String,
    /// The ranges of the rays' numbers, each with its end excluded.
    ranges: Vec<[u64; 2]>,
    /// The unit of distances is two to this power.
    unit_exponent: i32,
    misses: u64,
    invalid: u64,
    beyond: u64,
    hits: Vec<u64>,
    distances: Vec<u128>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paths: Option<PathObject>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    volume_per_path: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    histogram: Option<HistogramObject>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PathObject {
    rays: Vec<u64>,
    sums: Vec<u128>,
    squares: Vec<u128>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HistogramObject {
    /// The edges of the bins, in units.
    edges: Vec<u64>,
    /// The hits before the first bin, in each, and after the last.
    counts: Vec<u64>,
}

impl Tally {
    /// Returns it as one JSON object, which [`Self::from_json`] reads.
    ///
    /// # Errors
    /// [`TallyError::Text`], only if there is no memory for the text.
    pub fn to_json(&self) -> Result<String, TallyError> {
        let Self { run, paths, .. } = self.clone();
        let object = TallyObject {
            raytwin_tally: VERSION,
            scene: run.scene,
            rays: run.rays,
            ranges: self.ranges.iter().map(|range| [range.start, range.end]).collect(),
            unit_exponent: run.unit_exponent,
            misses: self.misses,
            invalid: self.invalid,
            beyond: self.beyond,
            hits: self.hits.clone(),
            distances: self.distances.clone(),
            paths: run.has_paths.then_some(PathObject {
                rays: paths.rays,
                sums: paths.sums,
                squares: paths.squares,
            }),
            volume_per_path: run.volume_per_path,
            histogram: (!run.edges.is_empty())
                .then(|| HistogramObject { edges: run.edges, counts: self.histogram.clone() }),
        };
        serde_json::to_string(&object).map_err(|error| TallyError::Text(error.to_string()))
    }

    /// Reads a tally from JSON.
    ///
    /// # Errors
    /// [`TallyError::Text`], if the text is not such an object, or if its numbers contradict each
    /// other.
    pub fn from_json(text: &str) -> Result<Self, TallyError> {
        let object: TallyObject =
            serde_json::from_str(text).map_err(|error| TallyError::Text(error.to_string()))?;
        object.check().map_err(|reason| TallyError::Text(reason.to_owned()))?;
        let (paths, has_paths) = match object.paths {
            Some(PathObject { rays, sums, squares }) => (PathTally { rays, sums, squares }, true),
            None => (PathTally::default(), false),
        };
        let (edges, histogram) =
            object.histogram.map_or_else(Default::default, |it| (it.edges, it.counts));
        Ok(Self {
            run: Run {
                scene: object.scene,
                rays: object.rays,
                unit_exponent: object.unit_exponent,
                geometries: object.hits.len() as u32,
                has_paths,
                edges,
                volume_per_path: object.volume_per_path,
            },
            ranges: object.ranges.into_iter().map(|[start, end]| start..end).collect(),
            misses: object.misses,
            invalid: object.invalid,
            beyond: object.beyond,
            hits: object.hits,
            distances: object.distances,
            paths,
            histogram,
        })
    }
}

impl TallyObject {
    /// Returns an error for sums that no run can have.
    fn check(&self) -> Result<(), &'static str> {
        let require = |is_met: bool, reason: &'static str| is_met.then_some(()).ok_or(reason);
        require(self.raytwin_tally == VERSION, "raytwin_tally must be 1")?;
        let ends: Vec<u64> = self.ranges.iter().copied().flatten().collect();
        require(ends.is_sorted_by(|a, b| a < b), "ranges must be disjoint and in ascending order")?;
        require(self.unit_exponent.abs() < 256, "unit_exponent is out of range")?;
        let geometries = self.hits.len();
        require(u32::try_from(geometries).is_ok(), "hits has too many rows")?;
        require(self.distances.len() == geometries, "distances and hits differ in length")?;
        let sum = |counts: &[u64]| counts.iter().map(|&count| u128::from(count)).sum::<u128>();
        let rays: u128 = self.ranges.iter().map(|&[start, end]| u128::from(end - start)).sum();
        let hits = sum(&self.hits);
        let others = u128::from(self.misses) + u128::from(self.invalid);
        require(hits + others == rays, "hits, misses and invalid rays do not add up to all rays")?;
        require(u128::from(self.beyond) <= hits, "beyond exceeds the hits")?;
        if let Some(PathObject { rays: passing, sums, squares }) = &self.paths {
            let lengths = [passing.len(), sums.len(), squares.len()];
            require(lengths == [geometries; 3], "paths and hits differ in length")?;
            let is_possible = passing.iter().all(|&count| u128::from(count) <= rays);
            require(is_possible, "paths has more rays than the run")?;
            let limit = |bits: u32| move |&sum: &u128| sum >> bits <= rays;
            let is_possible = sums.iter().all(limit(32)) && squares.iter().all(limit(64));
            require(is_possible, "paths has a sum that is larger than possible")?;
        }
        let is_possible = self.distances.iter().all(|&sum| sum >> 38 <= rays);
        require(is_possible, "distances has a sum that is larger than possible")?;
        if let Some(HistogramObject { edges, counts }) = &self.histogram {
            require(edges.len() >= 2, "the histogram has no bin")?;
            require(edges.is_sorted_by(|a, b| a < b), "the histogram's edges must increase")?;
            require(
                counts.len() == edges.len() + 1,
                "the histogram must have one count more than edges",
            )?;
            require(sum(counts) == hits, "the histogram's counts do not add up to all hits")?;
        }
        let is_number =
            self.volume_per_path.is_none_or(|factor| factor.is_finite() && factor > 0.0);
        require(is_number, "volume_per_path must be above 0")
    }
}
