//! What a benchmark asks: a query of rays, or of the points that the rays start at.

use clap::ValueEnum;
use raytwin::query::{Batch, PointAnswer, PointHit, Query, TracedAnswers};
use raytwin::ray::Ray;
use raytwin::tracer::{TraceError, Tracer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The closest hit of each ray.
    Closest,
    /// Whether each ray hits anything.
    Any,
    /// The number of crossings of each ray.
    Count,
    /// All crossings of each ray.
    All,
    /// The solids that contain the point at which each ray starts, and its nearest surface.
    Points,
}

/// The answers of a tracer.
pub enum BenchAnswers {
    Rays(TracedAnswers),
    Points(Vec<PointHit>),
}

impl Kind {
    /// Returns the query of rays; `None` for points.
    fn query(self) -> Option<Query> {
        match self {
            Self::Closest => Some(Query::Closest { faces: false }),
            Self::Any => Some(Query::Any),
            Self::Count => Some(Query::Count),
            Self::All => Some(Query::All),
            Self::Points => None,
        }
    }

    /// Returns its name in flags and reports.
    pub fn name(self) -> &'static str {
        self.query().map_or("points", Query::name)
    }

    /// Returns the points at which the rays start, if they are asked about.
    pub fn points(self, rays: &[Ray]) -> Vec<[f32; 3]> {
        match self {
            Self::Points => rays.iter().map(|ray| ray.origin).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns how many rays or points are invalid.
    pub fn invalid(self, rays: &[Ray]) -> usize {
        let is_valid = |ray: &&Ray| match self {
            Self::Points => PointAnswer::is_valid_point(ray.origin),
            _ => ray.is_valid(),
        };
        rays.len() - rays.iter().filter(is_valid).count()
    }

    pub fn ask(
        self,
        tracer: &dyn Tracer,
        rays: &[Ray],
        points: &[[f32; 3]],
    ) -> Result<BenchAnswers, TraceError> {
        Ok(match self.query() {
            Some(query) => BenchAnswers::Rays(tracer.ask(query, Batch::new(rays))?),
            None => BenchAnswers::Points(tracer.points(points)?),
        })
    }
}

impl BenchAnswers {
    /// Returns how many rays hit something, or how many points are in solids.
    pub fn hits(&self) -> usize {
        match self {
            Self::Rays(answers) => answers.hits(),
            Self::Points(hits) => hits.iter().filter(|hit| hit.contains > 0).count(),
        }
    }
}
