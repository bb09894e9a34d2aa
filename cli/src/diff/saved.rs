//! Judges answers that were saved.

use super::questions::QuestionSet;
use super::{Console, Failure};
use raytwin::diff::{Judge, Outcome};
use raytwin::io::SavedAnswers;
use raytwin::query::TracedAnswers;
use raytwin::scene::Scene;
use raytwin::tracer::TraceError;
use std::path::Path;

/// Judges the answers of a file or folder to the one question.
pub(super) fn compare(
    judge: &Judge,
    scene: &Scene,
    questions: &[QuestionSet],
    path: &Path,
    (outcome, console): (&mut Outcome, &Console),
) -> Result<(), Failure> {
    let [question] = questions else {
        return Err(Failure::usage(
            "--against compares the answers to one query: give one file of rays with one --kind, or one file of points, or neither for an image",
        ));
    };
    let saved = SavedAnswers::open(path)?;
    let unjudged = saved.unjudged();
    if !unjudged.is_empty() {
        console.warn(&format!(
            "{}: {} follow from ids and t and are not judged",
            path.display(),
            unjudged.join(", ")
        ));
    }
    match question {
        QuestionSet::Image(view) => {
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
