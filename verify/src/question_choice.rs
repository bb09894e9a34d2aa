//! The questions of a comparison, about rays that are given or that a seed aims at a scene. The
//! program and the wheel choose by it, and where they differ a field says so. The program alone
//! asks about scenes besides: after an update, and as a camera sees it that hides shapes.

use super::seeded::{ray_questions, seeded_points};
use super::world_images::images_of_worlds;
use raytwin::camera::{CameraError, View};
use raytwin::query::{Query, Rays};
use raytwin::question::{Question, QuestionKind, RayQuestion};
use raytwin::scene::Scene;
use std::sync::Arc;

/// Images are asked of at most so many worlds.
const WORLDS_SEEN: u32 = 2;

/// The choice of what a comparison asks.
#[derive(Clone, Debug)]
pub struct QuestionChoice {
    /// The queries of rays.
    pub queries: Vec<Query>,
    /// True if points are asked about, too.
    pub has_points: bool,
    /// True if solids are treated as solid, and nothing is asked that does not treat them so.
    pub is_solid: bool,
    /// The number of rays, and that of points, which are aimed at the scene.
    pub count: usize,
    /// The seed by which they are aimed.
    pub seed: u64,
    /// True if a lone world is seen in one image, which a report keeps as a picture, not in two.
    pub has_picture: bool,
}

impl QuestionChoice {
    /// The [count](Self::count) that is chosen if nobody chooses.
    pub const COUNT: usize = 14_000;
    /// The [seed](Self::seed) likewise.
    pub const SEED: u64 = 1;
    /// The most images that are asked.
    pub const MOST_IMAGES: usize = 2 * WORLDS_SEEN as usize;

    /// Asks queries with rays that are given. Crossings are those of surfaces, however solids are
    /// treated.
    pub fn of_rays(
        &self,
        name: &'static str,
        queries: &[Query],
        rays: &Arc<Rays>,
    ) -> impl Iterator<Item = Question> {
        queries.iter().map(move |&query| {
            let (is_solid, rays) = (self.is_solid && query.takes_solids(), Arc::clone(rays));
            Question::Rays(RayQuestion { name, query, is_solid, rays })
        })
    }

    /// Asks for the images of a view, in two worlds where there are several.
    ///
    /// # Errors
    /// [`CameraError`], never for a scene that has worlds.
    pub fn of_images(&self, view: &View, scene: &Scene) -> Result<Question, CameraError> {
        let views = match self.has_picture && scene.world_count() == 1 {
            true => view.into(),
            false => images_of_worlds(view, scene, WORLDS_SEEN)?,
        };
        Ok(Question::Image(Box::new(views)))
    }

    /// Asks with rays and points that are aimed at the scene. Returns the questions, and the kind
    /// that cannot be asked because there are several worlds, which points know nothing of.
    pub fn seeded(&self, scene: &Scene) -> (Vec<Question>, Option<QuestionKind>) {
        let mut of_rays = ray_questions(scene, &self.queries, self.count, self.seed);
        of_rays.retain(|question| question.is_solid || !self.is_solid);
        let mut questions: Vec<Question> = of_rays.into_iter().map(Question::Rays).collect();
        let has_points = self.has_points && self.count > 0;
        if has_points && scene.world_count() == 1 {
            questions.push(Question::Points(seeded_points(scene, self.count, self.seed)));
            return (questions, None);
        }
        (questions, has_points.then_some(QuestionKind::Points))
    }
}
