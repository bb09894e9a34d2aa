//! Questions: everything that a tracer can answer about a scene, in one type, for code that asks,
//! answers, judges or saves.

mod answers;
mod kind;
mod traits;

pub use answers::QuestionAnswers;
pub use kind::QuestionKind;
pub use traits::{Circumstance, QuestionTraits};

use crate::query::{Batch, BatchError, Query, Rays};
use crate::scan::Views;
use std::sync::Arc;

/// A question about a scene. [`Tracer::answer`](crate::Tracer::answer) answers it piece by piece.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{DeviceChoice, Question, Scene, Sphere, Tracer};
///
/// let mut scene = Scene::new();
/// scene.add(Sphere { center: DVec3::ZERO, radius: 1.0 })?;
/// let question = Question::Points(vec![[0.0; 3], [9.0, 0.0, 0.0]]);
/// let answers = DeviceChoice::Cpu.tracer(scene)?.answer(&question, 0..question.len())?;
/// assert_eq!((answers.len(), answers.hits()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum Question {
    /// The closest hits of the rays of a view, from one pose or many, each in a world.
    Image(Box<Views>),
    /// A query of rays.
    Rays(RayQuestion),
    /// The nearest surface to points, and the solids that contain them.
    Points(Vec<[f32; 3]>),
}

/// Rays, and a query about them.
#[derive(Clone, Debug)]
pub struct RayQuestion {
    /// The name of the rays.
    pub name: &'static str,
    /// The query.
    pub query: Query,
    /// True if solids are treated as solid.
    pub is_solid: bool,
    /// The rays with their filters, which several questions can share.
    pub rays: Arc<Rays>,
}

impl RayQuestion {
    /// Returns the batch that casts its rays, with their filters, and with solids treated as solid
    /// if the question does so.
    ///
    /// # Errors
    /// [`BatchError::Count`], if an array has another length than the rays.
    pub fn batch(&self) -> Result<Batch<'_>, BatchError> {
        let batch = self.rays.batch()?;
        Ok(if self.is_solid { batch.solid() } else { batch })
    }
}

impl Question {
    /// Returns the number of its pixels, rays or points.
    pub fn len(&self) -> usize {
        match self {
            Self::Image(views) => views.pixels(),
            Self::Rays(question) => question.rays.len(),
            Self::Points(points) => points.len(),
        }
    }

    /// Returns true if it has no pixels, rays or points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the name of its rays or points in reports. An image and points have the name of
    /// their kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Image(_) | Self::Points(_) => self.kind().name(),
            Self::Rays(question) => question.name,
        }
    }

    /// Returns its kind.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Image(_) => QuestionKind::Image,
            Self::Rays(question) => QuestionKind::Rays(question.query.kind()),
            Self::Points(_) => QuestionKind::Points,
        }
    }

    /// Returns the traits that decide which faults its answers show. They do not include an update,
    /// which depends on the scene.
    pub fn traits(&self) -> QuestionTraits {
        let traits = QuestionTraits::new(self.kind());
        let [is_solid, has_masks, has_worlds] = match self {
            Self::Rays(RayQuestion { is_solid, rays, .. }) => {
                [*is_solid, rays.masks.is_some(), rays.worlds.is_some()]
            }
            Self::Image(views) => [false, views.mask() != u32::MAX, views.has_worlds()],
            Self::Points(_) => [false; 3],
        };
        [
            (is_solid, Circumstance::Solids),
            (has_masks, Circumstance::Masks),
            (has_worlds, Circumstance::Worlds),
        ]
        .into_iter()
        .filter(|(is_there, _)| *is_there)
        .fold(traits, |traits, (_, circumstance)| traits.under(circumstance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::HitArrays;

    fn of_rays(query: Query) -> RayQuestion {
        RayQuestion { name: "some", query, is_solid: false, rays: Arc::default() }
    }

    #[test]
    fn every_kind_of_question_has_a_name_of_its_own_and_is_found_by_it() {
        for kind in QuestionKind::ALL {
            let others = QuestionKind::ALL.into_iter().filter(|other| other.name() == kind.name());
            assert_eq!(others.count(), 1, "{}", kind.name());
        }
        for query in Query::KINDS {
            assert!(QuestionKind::ALL.contains(&Question::Rays(of_rays(query)).kind()));
        }
        let with_faces = of_rays(Query::Closest(HitArrays::ALL));
        assert_eq!(Question::Rays(with_faces).kind(), QuestionKind::Rays(Query::CLOSEST));
    }

    #[test]
    fn its_traits_show_what_its_answers_depend_on() {
        let rays = Rays { masks: Some(Vec::new()), worlds: Some(Vec::new()), ..Rays::default() };
        let question = RayQuestion { is_solid: true, rays: Arc::new(rays), ..of_rays(Query::Any) };
        assert_eq!(Question::Rays(question).traits().to_string(), "any, solid, masks, worlds");
        // Answers about points depend on solids by their nature, and no name says so.
        let points = Question::Points(vec![[0.0; 3]]);
        assert!(points.traits().is_under(Circumstance::Solids));
        assert_eq!((points.traits().to_string().as_str(), points.name()), ("points", "points"));
    }
}
