//! Judges answers that were saved.

use super::Failure;
use super::questions::Asked;
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
    questions: &[Asked],
    path: &Path,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let [question] = questions else {
        return Err(Failure::usage(
            "--against compares the answers to one query: give one file of rays with one --kind, or one file of points, or neither for an image",
        ));
    };
    let saved = SavedAnswers::open(path)?;
    match question {
        Asked::Image(view) => {
            let pixels = view.pixels();
            let answers = saved.of_rays(raytwin::Query::CLOSEST, pixels, scene)?;
            let rays: Vec<raytwin::Ray> = (0..pixels).map(|pixel| view.ray(pixel)).collect();
            if let TracedAnswers::Closest(hits) = answers {
                outcome.add_pixels(judge, view, &rays, hits)?;
            }
        }
        Asked::Rays(trial) => {
            let batch = trial.batch().map_err(TraceError::from)?;
            let answers = saved.of_rays(trial.query, batch.len(), scene)?;
            outcome.add_rays(judge, trial.name, batch, &answers)?;
        }
        Asked::Points(points) => {
            let hits = saved.of_points(points.len(), scene)?;
            outcome.add_points(judge, "points", points, &hits)?;
        }
    }
    Ok(())
}
