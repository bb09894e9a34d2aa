//! The answers to a question.

use super::kind::QuestionKind;
use crate::query::{AllHits, Answers, Hits, PointHit};
use crate::ray::Ray;

/// The answers of a tracer to a question, or to a piece of it.
#[derive(Clone, Debug, PartialEq)]
pub enum QuestionAnswers {
    /// The answers to an image.
    Image {
        /// The rays that the tracer generated for the pixels.
        rays: Vec<Ray>,
        /// Their closest hits. A tracer returns t and ids.
        hits: Hits,
    },
    /// The answers to a query of rays.
    Rays(Answers),
    /// The answers to points.
    Points(Vec<PointHit>),
}

impl QuestionAnswers {
    /// Returns the kind of the answered question.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Image { .. } => QuestionKind::Image,
            Self::Rays(answers) => QuestionKind::Rays(answers.query()),
            Self::Points(_) => QuestionKind::Points,
        }
    }

    /// Returns the number of answered pixels, rays or points.
    pub fn len(&self) -> usize {
        match self {
            Self::Image { hits, .. } => hits.len(),
            Self::Rays(answers) => answers.rays(),
            Self::Points(hits) => hits.len(),
        }
    }

    /// Returns the answer to one of the pixels, rays or points, with the available arrays of a
    /// closest hit; `None` if the index is out of range.
    pub fn at(&self, index: usize) -> Option<Self> {
        (index < self.len()).then(|| match self {
            Self::Image { rays, hits } => {
                Self::Image { rays: row(rays, index), hits: hits_at(hits, index) }
            }
            Self::Points(hits) => Self::Points(row(hits, index)),
            Self::Rays(answers) => Self::Rays(match answers {
                Answers::Closest(hits) => Answers::Closest(hits_at(hits, index)),
                Answers::Any(hits) => Answers::Any(row(hits, index)),
                Answers::Count(counts) => Answers::Count(row(counts, index)),
                Answers::All(all) => {
                    let mut of_ray = AllHits::default();
                    of_ray.push(all.of_ray(index));
                    Answers::All(of_ray)
                }
            }),
        })
    }

    /// Returns true if there are no answers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rays that the tracer generated; empty unless the question is an image.
    pub fn generated_rays(&self) -> &[Ray] {
        match self {
            Self::Image { rays, .. } => rays,
            Self::Rays(_) | Self::Points(_) => &[],
        }
    }

    /// Returns how many rays hit something, or how many points are in solids.
    pub fn hits(&self) -> usize {
        match self {
            Self::Image { hits, .. } => hits.hit_count(),
            Self::Rays(answers) => answers.hits(),
            Self::Points(hits) => hits.iter().filter(|hit| hit.contains > 0).count(),
        }
    }
}

/// Returns a row of an array, which may have none.
fn row<T: Copy>(rows: &[T], index: usize) -> Vec<T> {
    rows.get(index).copied().into_iter().collect()
}

/// Returns the parts of a closest hit that were given.
fn hits_at(hits: &Hits, index: usize) -> Hits {
    Hits {
        t_hit: row(&hits.t_hit, index),
        geometry_ids: row(&hits.geometry_ids, index),
        primitive_ids: row(&hits.primitive_ids, index),
        ..Hits::default()
    }
}
