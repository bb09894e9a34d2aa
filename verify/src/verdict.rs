//! The verdict on one answer, with the evidence for it.

use super::Class;
use raytwin::query::PointHit;
use raytwin::ray::{Hit, NONE};

/// An answer, as a comparison reports it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The closest hit of a ray.
    Closest(Hit),
    /// True if a ray hits anything.
    Any(bool),
    /// The number of a ray's crossings.
    Count(u32),
    /// All crossings of a ray, in order of t.
    All(Box<[Hit]>),
    /// The answer to a point.
    Point(PointHit),
    /// The given parts of the closest hit of a ray.
    Partial(PartialHit),
}

/// A closest hit without some of its parts, which are `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartialHit {
    /// The ray parameter; +∞ for a miss, NaN for an invalid ray.
    pub t: Option<f32>,
    /// The geometry that was hit; [`NONE`] for a miss.
    pub geometry_id: Option<u32>,
    /// The primitive of that geometry; [`NONE`] for a miss.
    pub primitive_id: Option<u32>,
}

impl PartialHit {
    /// Returns the hit, with NaN and [`NONE`] for the parts that were not given.
    pub fn hit(&self) -> Hit {
        let &Self { t, geometry_id, primitive_id } = self;
        Hit {
            t: t.unwrap_or(f32::NAN),
            geometry_id: geometry_id.unwrap_or(NONE),
            primitive_id: primitive_id.unwrap_or(NONE),
        }
    }
}

impl Answer {
    /// Returns the hit that represents the answer: the closest one; the first of all crossings;
    /// [`Hit::MISS`] if the answer has none; for a partial hit its given parts.
    pub fn hit(&self) -> Hit {
        match self {
            Self::Closest(hit) => *hit,
            Self::Partial(partial) => partial.hit(),
            Self::All(hits) => hits.first().copied().unwrap_or(Hit::MISS),
            Self::Any(_) | Self::Count(_) | Self::Point(_) => Hit::MISS,
        }
    }

    /// Returns the geometry that is hit first, or that is nearest to the point, if the answer names
    /// one.
    pub(super) fn geometry_id(&self) -> Option<u32> {
        let geometry_id = match self {
            Self::Point(point) => point.geometry_id,
            _ => self.hit().geometry_id,
        };
        (geometry_id != NONE).then_some(geometry_id)
    }

    pub(super) fn is_hit(&self) -> bool {
        match self {
            Self::Any(is_hit) => *is_hit,
            Self::Count(count) => *count > 0,
            _ => self.geometry_id().is_some(),
        }
    }
}

/// The reason why an answer is right although it is not the float64 answer, rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cause {
    /// The geometry whose surface is in doubt.
    pub geometry_id: u32,
    /// The primitive of that geometry.
    pub primitive_id: u32,
    /// The t of its crossing in float64; for a surface that is missed, the middle of the interval
    /// in which it may be crossed. For a point, the distance of the surface.
    pub t: f64,
    /// The least displacement of surfaces that gives this answer, as a fraction of δ. For an answer
    /// within its bound, the error as a fraction of that bound.
    pub displacement: f64,
}

/// The judgement of one answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Its class; for all crossings of a ray, the class of the worst one.
    pub class: Class,
    /// The type of the geometry that the ray hits first, or that is nearest to the point, by the
    /// exact answer or else by the given one. It is `none` if nothing is hit, `hit` if the query
    /// does not return the geometry, and `invalid` for an invalid ray or point.
    pub row: &'static str,
    /// The largest |t − t_exact| as a fraction of its bound, if both answers hit the same
    /// primitives. `None` for an exact answer, and for one that displaced surfaces explain, because
    /// no bound applies to it.
    pub error: Option<f64>,
    /// The largest |t − t_exact| |d| in the scene's unit of length, if there is an `error`; 0 for
    /// an exact answer that has hits.
    pub distance_error: Option<f64>,
    /// The reason why the answer is right, if it is neither exact nor a mismatch.
    pub cause: Option<Cause>,
    /// The answer that was judged.
    pub given: Answer,
    /// The exact answer.
    pub exact: Answer,
}
