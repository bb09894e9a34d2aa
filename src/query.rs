//! Queries about rays and points, and the arrays of their answers.

mod all_hits;
mod batch;
mod batch_error;
mod echo;
mod filters;
mod hit_arrays;
mod hits;
mod paths;
mod points;
mod proposal;
mod ray_list;
mod ray_source;
mod surface;

pub use all_hits::AllHits;
pub use batch::Batch;
#[cfg(any(test, feature = "gpu"))]
pub(crate) use batch::Selection;
pub use batch_error::BatchError;
pub use echo::Echo;
#[cfg(any(test, feature = "gpu"))]
pub(crate) use filters::Filters;
pub use filters::RayFilter;
pub use hit_arrays::HitArrays;
pub use hits::Hits;
pub(crate) use hits::KnownSurfaces;
pub use paths::{PathRule, SolidPaths};
pub use points::{Containment, PointAnswer, PointHit};
pub(crate) use proposal::{Proposal, ProposedQuery};
pub use ray_list::Rays;
pub use ray_source::RaySource;
pub(crate) use surface::{Surface, surface_at};

use crate::scene::Scene;

/// A question about each ray of a batch. [`Tracer::ask`](crate::Tracer::ask) answers every kind of
/// query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Query {
    /// The closest hit. The answers have these arrays.
    Closest(HitArrays),
    /// True or false: does the ray hit anything?
    Any,
    /// The number of crossings.
    Count,
    /// All crossings, sorted by `t`.
    All,
}

impl Query {
    /// The closest hit, with the usual arrays.
    pub const CLOSEST: Self = Self::Closest(HitArrays::DEFAULT);

    /// All kinds of queries, in the order of lists.
    pub const KINDS: [Self; 4] = [Self::CLOSEST, Self::Any, Self::Count, Self::All];

    /// Finds the kind with this exact [name](Self::name); `None` if there is no such kind.
    pub fn named(name: &str) -> Option<Self> {
        Self::KINDS.into_iter().find(|query| query.name() == name)
    }

    /// Returns its kind, with the usual arrays.
    pub fn kind(self) -> Self {
        match self {
            Self::Closest(_) => Self::CLOSEST,
            Self::Any | Self::Count | Self::All => self,
        }
    }

    /// Returns true if answers have this array of closest hits.
    pub fn asks_for(self, array: HitArrays) -> bool {
        matches!(self, Self::Closest(arrays) if arrays.has(array))
    }

    /// Returns the query with t and ids of closest hits added, which tracers return in any case.
    pub fn with_hits(self) -> Self {
        match self {
            Self::Closest(arrays) => Self::Closest(arrays.and(HitArrays::HIT)),
            Self::Any | Self::Count | Self::All => self,
        }
    }

    /// Returns its name in flags, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest(_) => "closest",
            Self::Any => "any",
            Self::Count => "count",
            Self::All => "all",
        }
    }

    /// Returns true if [solids](Batch::solid) change its answers, because it asks for the first
    /// hit. Crossings are always those of surfaces.
    pub fn takes_solids(self) -> bool {
        match self {
            Self::Closest(_) | Self::Any => true,
            Self::Count | Self::All => false,
        }
    }

    /// Returns the answers to a batch without rays.
    pub fn unanswered(self) -> Answers {
        match self {
            Self::Closest(_) => Answers::Closest(Hits::default()),
            Self::Any => Answers::Any(Vec::new()),
            Self::Count => Answers::Count(Vec::new()),
            Self::All => Answers::All(AllHits::default()),
        }
    }
}

/// The answers to a batch of rays, in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// The answer to [`Query::Closest`].
    Closest(Hits),
    /// The answer to [`Query::Any`]: true for each ray that hits something.
    Any(Vec<bool>),
    /// The answer to [`Query::Count`]: the number of crossings of each ray.
    Count(Vec<u32>),
    /// The answer to [`Query::All`].
    All(AllHits),
}

impl Answers {
    /// Returns the query that they answer, with the usual arrays of closest hits.
    pub fn query(&self) -> Query {
        match self {
            Self::Closest(_) => Query::CLOSEST,
            Self::Any(_) => Query::Any,
            Self::Count(_) => Query::Count,
            Self::All(_) => Query::All,
        }
    }

    /// Adds the given arrays of closest hits to t and ids. `batch` is the batch that was cast.
    /// Normals are computed in float64 from the shapes' own fields.
    pub fn complete(&mut self, scene: &Scene, batch: Batch<'_>, arrays: HitArrays) {
        if let Self::Closest(hits) = self {
            hits.complete(scene, batch, arrays);
        }
    }

    /// Returns the number of answered rays.
    pub fn rays(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.len(),
            Self::Any(occluded) => occluded.len(),
            Self::Count(intersections) => intersections.len(),
            Self::All(crossings) => crossings.ray_count(),
        }
    }

    /// Returns how many rays hit something.
    pub fn hits(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.hit_count(),
            Self::Any(occluded) => occluded.iter().filter(|&&is_hit| is_hit).count(),
            Self::Count(intersections) => intersections.iter().filter(|&&count| count > 0).count(),
            Self::All(crossings) => crossings.hit_count(),
        }
    }

    /// Returns how many crossings the rays have; `None` if the query does not count them.
    pub fn crossings(&self) -> Option<u64> {
        match self {
            Self::Closest(_) | Self::Any(_) => None,
            Self::Count(intersections) => {
                Some(intersections.iter().map(|&count| u64::from(count)).sum())
            }
            Self::All(crossings) => Some(crossings.len() as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ray::Hit;

    #[test]
    fn answers_are_counted_by_ray_and_by_crossing() {
        let hit = |t| Hit { t, geometry_id: 0, primitive_id: 0 };
        let mut all = AllHits::default();
        for crossings in [vec![hit(1.0), hit(2.0)], vec![], vec![hit(1.0)]] {
            all.push(crossings);
        }
        for (answers, crossings) in [
            (Answers::Any(vec![true, false, true]), None),
            (Answers::Count(vec![2, 0, 1]), Some(3)),
            (Answers::All(all), Some(3)),
        ] {
            assert_eq!((answers.rays(), answers.hits(), answers.crossings()), (3, 2, crossings));
        }
        for query in Query::KINDS {
            assert_eq!(query.unanswered().rays(), 0, "{}", query.name());
            assert_eq!(Query::named(query.name()), Some(query));
        }
        assert_eq!(Query::named("points"), None);
    }
}
