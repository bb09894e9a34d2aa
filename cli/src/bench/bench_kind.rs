//! The kinds of query that can be measured: queries of rays, and of the points at which the rays start.

use clap::ValueEnum;
use raytwin::query::{Batch, PointAnswer, PointHit, Query, TracedAnswers};
use raytwin::ray::Ray;
use raytwin::tracer::{TraceError, Tracer};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchKind {
    /// Find the closest hit of each ray.
    Closest,
    /// Tell whether each ray hits anything.
    Any,
    /// Count the crossings of each ray.
    Count,
    /// List all crossings of each ray.
    All,
    /// Find the solids that contain the point at which each ray starts, and its nearest surface.
    Points,
}

/// The answers of a tracer to either kind of query.
pub enum BenchAnswers {
    Rays(TracedAnswers),
    Points(Vec<PointHit>),
}

impl BenchKind {
    /// Returns the query of rays; `None` for points.
    fn query(self) -> Option<Query> {
        match self {
            Self::Closest => Some(Query::CLOSEST),
            Self::Any => Some(Query::Any),
            Self::Count => Some(Query::Count),
            Self::All => Some(Query::All),
            Self::Points => None,
        }
    }

    /// Returns its name in flags and results.
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
