//! The questions of a comparison, about given rays or about rays that a seed aims at a scene. The
//! program and the wheel both use this choice; a field describes each difference. Only the program
//! also asks about scenes after an update, and about scenes of which a camera hides shapes.

use super::seeded::{ray_questions, seeded_points};
use super::world_images::images_of_worlds;
use raytwin::camera::{CameraError, View};
use raytwin::query::{Query, Rays};
use raytwin::question::{Question, QuestionKind, RayQuestion};
use raytwin::scene::Scene;
use std::sync::Arc;

/// The largest number of worlds that images are asked of.
const WORLDS_SEEN: u32 = 2;

/// What a comparison asks.
#[derive(Clone, Debug)]
pub struct QuestionChoice {
    /// The queries of the rays.
    pub queries: Vec<Query>,
    /// True to ask about points, too.
    pub has_points: bool,
    /// True to treat solids as solid, and to ask nothing that treats them otherwise.
    pub is_solid: bool,
    /// The number of rays, and of points, that are aimed at the scene.
    pub count: usize,
    /// The seed that aims them.
    pub seed: u64,
    /// True to ask for one image of a single world, which a report keeps as a picture, instead of
    /// two.
    pub has_picture: bool,
}

impl QuestionChoice {
    /// The default of [`count`](Self::count).
    pub const COUNT: usize = 14_000;
    /// The default of [`seed`](Self::seed).
    pub const SEED: u64 = 1;
    /// The largest number of images.
    pub const MOST_IMAGES: usize = 2 * WORLDS_SEEN as usize;

    /// Asks queries with given rays. Crossings are those of surfaces, however solids are treated.
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

    /// Asks for the images of a view, in two worlds if there are several.
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
    /// that cannot be asked because there are several worlds, to which points do not apply.
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
