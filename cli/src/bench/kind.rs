//! What is asked of rays while the clock runs, or of the points that they begin at.

use clap::ValueEnum;
use raytwin::answers::{AllHits, PointAnswer, PointHit};
use raytwin::batch::Batch;
use raytwin::ray::{Hit, NONE, Ray};
use raytwin::tracer::{TraceError, Tracer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The first surface that a ray meets.
    Closest,
    /// Whether it meets one.
    Any,
    /// How many it crosses.
    Count,
    /// All of those crossings.
    All,
    /// What is around the point that it begins at.
    Points,
}

/// What was answered.
pub enum Answers {
    Closest(Vec<Hit>),
    Any(Vec<bool>),
    Count(Vec<u32>),
    All(AllHits),
    Points(Vec<PointHit>),
}

impl Kind {
    /// As flags and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest => "closest",
            Self::Any => "any",
            Self::Count => "count",
            Self::All => "all",
            Self::Points => "points",
        }
    }

    /// Where the rays begin, if that is what is asked about.
    pub fn points(self, rays: &[Ray]) -> Vec<[f32; 3]> {
        match self {
            Self::Points => rays.iter().map(|ray| ray.origin).collect(),
            _ => Vec::new(),
        }
    }

    /// How many rays, or points, cannot be asked about.
    pub fn invalid(self, rays: &[Ray]) -> usize {
        let is_valid = |ray: &&Ray| match self {
            Self::Points => PointAnswer::exist_at(ray.origin),
            _ => ray.is_valid(),
        };
        rays.len() - rays.iter().filter(is_valid).count()
    }

    pub fn ask(
        self,
        tracer: &dyn Tracer,
        rays: &[Ray],
        points: &[[f32; 3]],
    ) -> Result<Answers, TraceError> {
        let batch = Batch::new(rays);
        Ok(match self {
            Self::Closest => Answers::Closest(tracer.closest(batch)?),
            Self::Any => Answers::Any(tracer.any(batch)?),
            Self::Count => Answers::Count(tracer.count(batch)?),
            Self::All => Answers::All(tracer.all(batch)?),
            Self::Points => Answers::Points(tracer.points(points)?),
        })
    }
}

impl Answers {
    /// How many rays met something, or how many points lie in solids.
    pub fn hits(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.iter().filter(|hit| hit.geometry_id != NONE).count(),
            Self::Any(are_hits) => are_hits.iter().filter(|is_hit| **is_hit).count(),
            Self::Count(counts) => counts.iter().filter(|&&count| count > 0).count(),
            Self::All(all) => all.ray_splits.windows(2).filter(|ends| ends[0] < ends[1]).count(),
            Self::Points(around) => around.iter().filter(|own| own.contains > 0).count(),
        }
    }
}
