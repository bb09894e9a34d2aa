//! Judges answers that were saved.

use super::Failure;
use super::asked_scene::AskedScene;
use super::questions::QuestionSet;
use raytwin::diff::Outcome;
use raytwin::io::SavedAnswers;
use raytwin::query::TracedAnswers;
use raytwin::scene::Scene;
use raytwin::tracer::TraceError;

/// Judges the answers of a file or folder to all questions.
pub(super) fn compare(
    outcome: &mut Outcome,
    scenes: &[AskedScene],
    scene: &Scene,
    saved: &mut SavedAnswers,
) -> Result<(), Failure> {
    for asked in scenes {
        outcome.set_altered(asked.is_altered());
        for question in &asked.questions {
            judge(outcome, asked, question, scene, saved)?;
        }
    }
    Ok(())
}

fn judge(
    outcome: &mut Outcome,
    AskedScene { judge, .. }: &AskedScene,
    question: &QuestionSet,
    scene: &Scene,
    saved: &mut SavedAnswers,
) -> Result<(), Failure> {
    match question {
        QuestionSet::Image(view) => {
            saved.refuse_other_size([view.width, view.height])?;
            let pixels = view.pixels();
            let answers = saved.of_rays(raytwin::Query::CLOSEST, pixels, scene)?;
            let rays: Vec<raytwin::Ray> = (0..pixels).map(|pixel| view.ray(pixel)).collect();
            if let TracedAnswers::Closest(hits) = answers {
                outcome.add_pixels(judge, view, &rays, hits)?;
            }
        }
        QuestionSet::Rays(trial) => {
            let batch = trial.batch().map_err(TraceError::from)?;
            let answers = saved.of_rays(trial.query, batch.len(), scene)?;
            outcome.add_rays(judge, trial.name, batch, &answers)?;
        }
        QuestionSet::Points(points) => {
            let hits = saved.of_points(points.len(), scene)?;
            outcome.add_points(judge, "points", points, &hits)?;
        }
    }
    Ok(())
}
