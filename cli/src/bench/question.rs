//! The questions to measure: queries of rays, and questions about the points at which the rays
//! start.

use raytwin::query::{PointAnswer, Query, Rays};
use raytwin::question::{Question, QuestionKind, RayQuestion};
use std::sync::Arc;

/// The kinds to measure.
pub const KINDS: [QuestionKind; Query::KINDS.len() + 1] = QuestionKind::OF_RAYS_AND_POINTS;

/// The help for the kinds.
pub const KIND_HELP: [&str; KINDS.len()] = [
    "Find the closest hit of each ray",
    "Find whether each ray hits anything",
    "Count the crossings of each ray",
    "List all crossings of each ray",
    "Find the solids that contain the point at which each ray starts, and its nearest surface",
];

/// Makes the question of a kind about rays, or about the points at which they start.
pub fn question(kind: QuestionKind, rays: &Arc<Rays>) -> Question {
    match kind {
        QuestionKind::Rays(query) => {
            let rays = Arc::clone(rays);
            Question::Rays(RayQuestion { name: "rays", query, is_solid: false, rays })
        }
        _ => Question::Points(rays.rays.iter().map(|ray| ray.origin).collect()),
    }
}

/// Returns the number of invalid rays or points of a question.
pub fn invalid(question: &Question) -> usize {
    let valid = match question {
        Question::Rays(question) => question.rays.rays.iter().filter(|ray| ray.is_valid()).count(),
        Question::Points(points) => {
            points.iter().filter(|point| PointAnswer::is_valid_point(**point)).count()
        }
        _ => question.len(),
    };
    question.len() - valid
}
