//! What is asked of each ray, and the answers to that.

use crate::answers::{AllHits, Hits};

/// What is asked of each ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// The first surface that it meets.
    Closest {
        /// Which face of the shape that is, too.
        faces: bool,
    },
    /// Whether it meets one at all.
    Any,
    /// How many surfaces it crosses.
    Count,
    /// Which those are, in the order of `t`.
    All,
}

impl Query {
    /// Its name in flags and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Closest { .. } => "closest",
            Self::Any => "any",
            Self::Count => "count",
            Self::All => "all",
        }
    }

    /// The answers to no rays at all.
    pub fn unanswered(self) -> Answers {
        match self {
            Self::Closest { .. } => Answers::Closest(Hits::default()),
            Self::Any => Answers::Any(Vec::new()),
            Self::Count => Answers::Count(Vec::new()),
            Self::All => Answers::All(AllHits::default()),
        }
    }
}

/// The answers to a batch of rays, in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Answers {
    /// To [`Query::Closest`].
    Closest(Hits),
    /// To [`Query::Any`]: whether each ray is stopped.
    Any(Vec<bool>),
    /// To [`Query::Count`]: how many surfaces each ray crosses.
    Count(Vec<u32>),
    /// To [`Query::All`].
    All(AllHits),
}

impl Answers {
    /// How many rays they answer.
    pub fn rays(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.len(),
            Self::Any(occluded) => occluded.len(),
            Self::Count(intersections) => intersections.len(),
            Self::All(crossings) => crossings.ray_count(),
        }
    }

    /// How many of these rays meet something.
    pub fn hits(&self) -> usize {
        match self {
            Self::Closest(hits) => hits.hit_count(),
            Self::Any(occluded) => occluded.iter().filter(|&&is_stopped| is_stopped).count(),
            Self::Count(intersections) => intersections.iter().filter(|&&count| count > 0).count(),
            Self::All(crossings) => {
                crossings.ray_splits.windows(2).filter(|ends| ends[0] < ends[1]).count()
            }
        }
    }

    /// How many surfaces these rays cross; `None` where that was not asked.
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
        for query in [Query::Closest { faces: true }, Query::Any, Query::Count, Query::All] {
            assert_eq!(query.unanswered().rays(), 0, "{}", query.name());
        }
    }
}
