//! Judges answers that were saved.

use super::comparison_scene::ComparisonScene;
use crate::Failure;
use raytwin::scene::Scene;
use raytwin_files::SavedAnswers;
use raytwin_verify::Outcome;

/// Judges the answers of a file or folder to all questions.
pub(super) fn compare(
    outcome: &mut Outcome,
    scenes: &[ComparisonScene],
    scene: &Scene,
    saved: &mut SavedAnswers,
) -> Result<(), Failure> {
    for asked in scenes {
        outcome.set_altered(asked.is_altered());
        for question in &asked.questions {
            let answers = saved.answers(question, scene)?;
            let verdicts = outcome.add(&asked.judge, question, 0..question.len(), &answers)?;
            outcome.explain(&asked.judge, question, (&answers, &verdicts))?;
        }
    }
    Ok(())
}
