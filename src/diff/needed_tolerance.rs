//! The tolerance under which wrong answers would be right, so that whoever judges a caster of less
//! precision can choose one.

use super::{Class, Judge, SurfaceTolerance, Verdict};
use crate::math::U;
use crate::parallel::mapped;
use crate::query::BatchError;
use crate::question::{Question, QuestionAnswers};
use crate::ray::{Hit, Ray};
use crate::tracer::TraceError;
use glam::Vec3;

/// At most so many wrong answers of a question are tried, which lie evenly among all.
const MOST_TRIED: usize = 1 << 10;

/// No tolerance beyond this share of the length that a ray spans is tried: a surface that lies so
/// far elsewhere is another one.
const WIDEST: f64 = 0.01;

/// Each tolerance that is tried is wider than the last by this factor, until one suffices.
const STEP: f64 = 4.0;

/// The least one is known as precisely as this.
const PRECISION: f64 = 1.005;

/// The tolerances that wrong answers need: for each answer that was tried the least one of each kind
/// under which it is right, and infinity where it is wrong under any that is not absurdly wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeededTolerances {
    absolute: Vec<f64>,
    relative: Vec<f64>,
    wrong: usize,
}

impl NeededTolerances {
    /// Finds what the wrong ones among the answers to a question need, each with its verdict, and
    /// adds it.
    ///
    /// # Errors
    /// Those of [`Judge::judge_answers`].
    pub fn add(
        &mut self,
        judge: &Judge,
        question: &Question,
        answers: &QuestionAnswers,
        verdicts: &[Verdict],
    ) -> Result<(), TraceError> {
        let is_wrong = |index: &usize| verdicts[*index].class == Class::Mismatch;
        let wrong: Vec<usize> = (0..verdicts.len()).filter(is_wrong).collect();
        self.wrong += wrong.len();
        let every = wrong.len().div_ceil(MOST_TRIED).max(1);
        let tried: Vec<usize> = wrong.into_iter().step_by(every).collect();
        let needed = |index: usize| -> Result<[f64; 2], TraceError> {
            let index = tried[index];
            let answer = answers
                .at(index)
                .ok_or(BatchError::Answers { given: answers.len(), asked: question.len() })?;
            let is_right = |tolerance| -> Result<bool, TraceError> {
                let judge = judge.clone().with_tolerance(tolerance);
                let verdicts = judge.judge_answers(question, index..index + 1, &answer)?;
                Ok(verdicts.iter().all(|verdict| verdict.class != Class::Mismatch))
            };
            let exact = verdicts[index].exact.hit();
            let span = match question {
                Question::Image(_) => span(judge, &answers.generated_rays()[index], exact),
                Question::Rays(question) => span(judge, &question.batch()?.ray(index), exact),
                Question::Points(points) => judge.reach(Vec3::from(points[index]).as_dvec3()),
            };
            let absolute = |absolute| is_right(SurfaceTolerance { absolute, relative: 0.0 });
            let relative = |relative| is_right(SurfaceTolerance { absolute: 0.0, relative });
            Ok([least(absolute, U * span, WIDEST * span)?, least(relative, U, WIDEST)?])
        };
        let needed = mapped(tried.len(), 1, needed).into_iter();
        for [absolute, relative] in needed.collect::<Result<Vec<_>, _>>()? {
            self.absolute.push(absolute);
            self.relative.push(relative);
        }
        self.absolute.sort_by(f64::total_cmp);
        self.relative.sort_by(f64::total_cmp);
        Ok(())
    }

    /// Returns how many wrong answers there are.
    pub fn wrong(&self) -> usize {
        self.wrong
    }

    /// Returns how many of them were tried: all, or 1,024 of a question.
    pub fn tried(&self) -> usize {
        self.absolute.len()
    }

    /// Returns the least absolute tolerance under which so many percent of the answers that were
    /// tried are right; infinity if there is none.
    pub fn absolute(&self, percent: f64) -> f64 {
        percentile(&self.absolute, percent)
    }

    /// Returns the least relative tolerance under which so many percent of them are right; infinity
    /// if there is none.
    pub fn relative(&self, percent: f64) -> f64 {
        percentile(&self.relative, percent)
    }
}

/// Returns the length that a ray spans: to the farthest part of the scene's bounded shapes, or to
/// its hit.
fn span(judge: &Judge, ray: &Ray, exact: Hit) -> f64 {
    let line = ray.line();
    let reach = judge.reach(line.origin);
    match exact.is_hit() {
        true => reach.max(f64::from(exact.t) * line.direction.length()),
        false => reach,
    }
}

/// Returns the least of the tolerances from `first` to `widest` that suffices, by steps and then by
/// halving the last; infinity if the widest does not.
fn least(
    suffices: impl Fn(f64) -> Result<bool, TraceError>,
    first: f64,
    widest: f64,
) -> Result<f64, TraceError> {
    let (mut too_narrow, mut wide) = (first, first);
    while !suffices(wide)? {
        if wide >= widest {
            return Ok(f64::INFINITY);
        }
        (too_narrow, wide) = (wide, (STEP * wide).min(widest));
    }
    while wide > PRECISION * too_narrow {
        let middle = (wide * too_narrow).sqrt();
        match suffices(middle)? {
            true => wide = middle,
            false => too_narrow = middle,
        }
    }
    Ok(wide)
}

fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let wanted = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted.get(wanted.saturating_sub(1)).copied().unwrap_or(0.0)
}
