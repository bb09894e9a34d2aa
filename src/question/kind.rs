//! The kinds of questions.

use crate::query::Query;

/// A kind of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuestionKind {
    /// The rays of a view, and their closest hits.
    Image,
    /// A query of rays, one of [`Query::KINDS`].
    Rays(Query),
    /// The nearest surface to points, and the solids that contain them.
    Points,
}

impl QuestionKind {
    /// The kinds of questions about rays or points that are given.
    pub const OF_RAYS_AND_POINTS: [Self; Query::KINDS.len() + 1] = {
        let mut kinds = [Self::Points; Query::KINDS.len() + 1];
        let mut index = 0;
        while index < Query::KINDS.len() {
            kinds[index] = Self::Rays(Query::KINDS[index]);
            index += 1;
        }
        kinds
    };

    /// All kinds. The kinds that test the most of a device are first: closest hits, and images.
    pub const ALL: [Self; Self::OF_RAYS_AND_POINTS.len() + 1] = {
        let [closest, others @ ..] = Self::OF_RAYS_AND_POINTS;
        let mut kinds = [Self::Image; Self::OF_RAYS_AND_POINTS.len() + 1];
        kinds[0] = closest;
        let mut index = 0;
        while index < others.len() {
            kinds[index + 2] = others[index];
            index += 1;
        }
        kinds
    };

    /// Returns its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Rays(query) => query.name(),
            Self::Points => "points",
        }
    }
}
