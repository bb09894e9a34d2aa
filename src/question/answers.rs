//! The answers to a question.

use super::kind::QuestionKind;
use crate::query::{Answers, Hits, PointHit};
use crate::ray::Ray;

/// The answers of a tracer to a question, or to a piece of it.
#[derive(Clone, Debug, PartialEq)]
pub enum QuestionAnswers {
    /// Those to an image.
    Image {
        /// The rays that the tracer generated for the pixels.
        rays: Vec<Ray>,
        /// Their closest hits. Those of a tracer have t and ids.
        hits: Hits,
    },
    /// Those to a query of rays.
    Rays(Answers),
    /// Those to points.
    Points(Vec<PointHit>),
}

impl QuestionAnswers {
    /// Returns the kind of the question that they answer.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Image { .. } => QuestionKind::Image,
            Self::Rays(answers) => QuestionKind::Rays(answers.query()),
            Self::Points(_) => QuestionKind::Points,
        }
    }

    /// Returns how many pixels, rays or points are answered.
    pub fn len(&self) -> usize {
        match self {
            Self::Image { hits, .. } => hits.len(),
            Self::Rays(answers) => answers.rays(),
            Self::Points(hits) => hits.len(),
        }
    }

    /// Returns true if nothing is answered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rays that the tracer generated; none unless it is an image that they answer.
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
