//! Finds the tolerance under which wrong answers would be right, so that users who judge a less
//! precise caster can choose one.

use super::{Class, Judge, SurfaceTolerance, Verdict};
use glam::Vec3;
use raytwin::math::U;
use raytwin::parallel::mapped;
use raytwin::query::BatchError;
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::{Hit, Ray};
use raytwin::tracer::TraceError;

/// The tolerance is found for at most this many wrong answers of a question, spread evenly over
/// all.
const MOST_TRIED: usize = 1 << 10;

/// The widest tolerance that is tried, as a share of the length that a ray spans: a surface that is
/// farther away is another surface.
const WIDEST: f64 = 0.01;

/// The factor between one tried tolerance and the next, until one suffices.
const STEP: f64 = 4.0;

/// The precision of the least sufficient tolerance, as a factor.
const PRECISION: f64 = 1.005;

/// The tolerances that wrong answers need. A tolerance is infinite if the answer is wrong under all
/// that are not absurdly wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NeededTolerances {
    absolute: Needs,
    relative: Needs,
    wrong: usize,
}

/// The tolerances of one kind that wrong answers need.
#[derive(Clone, Debug, Default, PartialEq)]
struct Needs {
    /// The tolerance that each of some evenly spread answers needs, in order.
    of_some: Vec<f64>,
    /// The tolerance that all of them need.
    of_all: f64,
}

impl NeededTolerances {
    /// Finds the tolerances that the wrong answers to a question need, each with its verdict, and
    /// adds them.
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
        let trial = |index: usize| Trial::new(judge, question, (answers, verdicts), index);
        type Kind = fn(f64) -> SurfaceTolerance;
        let absolute: Kind = |absolute| SurfaceTolerance { absolute, relative: 0.0 };
        let relative: Kind = |relative| SurfaceTolerance { absolute: 0.0, relative };
        for (needs, kind) in [(&mut self.absolute, absolute), (&mut self.relative, relative)] {
            let need = |index: usize| {
                let trial = trial(index)?;
                // A relative tolerance is a share of the span.
                let span = if kind(1.0).relative > 0.0 { 1.0 } else { trial.span };
                least(|size| trial.is_right(kind(size)), U * span, WIDEST * span)
            };
            let needed = mapped(wrong.len().div_ceil(every), 1, |place| need(wrong[every * place]));
            let needed = needed.into_iter().collect::<Result<Vec<f64>, TraceError>>()?;
            needs.of_all = needed.iter().copied().fold(needs.of_all, f64::max);
            needs.of_some.extend(needed);
            needs.of_some.sort_by(f64::total_cmp);
            if every == 1 || needs.of_all.is_infinite() {
                continue;
            }
            // Of the other answers, only those that need more count.
            let of_all = needs.of_all;
            let need_of_other = |place: usize| {
                let index = wrong[place];
                let suffices =
                    place.is_multiple_of(every) || trial(index)?.is_right(kind(of_all))?;
                if suffices { Ok(of_all) } else { need(index) }
            };
            let needed = mapped(wrong.len(), 1, need_of_other).into_iter();
            for size in needed.collect::<Result<Vec<f64>, TraceError>>()? {
                needs.of_all = needs.of_all.max(size);
            }
        }
        Ok(())
    }

    /// Returns the number of wrong answers.
    pub fn wrong(&self) -> usize {
        self.wrong
    }

    /// Returns the number of wrong answers whose tolerance is known: all, or 1,024 of a question.
    pub fn tried(&self) -> usize {
        self.absolute.of_some.len()
    }

    /// Returns the least absolute tolerance under which the given percentage of the wrong answers
    /// are right, of all or of those that were tried; infinity if there is none.
    pub fn absolute(&self, percent: f64) -> f64 {
        self.absolute.percentile(percent)
    }

    /// Returns the least relative tolerance in the same way.
    pub fn relative(&self, percent: f64) -> f64 {
        self.relative.percentile(percent)
    }
}

impl Needs {
    fn percentile(&self, percent: f64) -> f64 {
        if percent >= 100.0 {
            return self.of_all;
        }
        let wanted = (percent / 100.0 * self.of_some.len() as f64).ceil() as usize;
        self.of_some.get(wanted.saturating_sub(1)).copied().unwrap_or(0.0)
    }
}

/// An answer that is judged by several tolerances.
struct Trial<'a> {
    judge: &'a Judge,
    question: &'a Question,
    index: usize,
    answer: QuestionAnswers,
    span: f64,
}

impl<'a> Trial<'a> {
    fn new(
        judge: &'a Judge,
        question: &'a Question,
        (answers, verdicts): (&QuestionAnswers, &[Verdict]),
        index: usize,
    ) -> Result<Self, TraceError> {
        let answer = answers
            .at(index)
            .ok_or(BatchError::Answers { given: answers.len(), asked: question.len() })?;
        let exact = verdicts[index].exact.hit();
        let span = match question {
            Question::Image(_) => span(judge, &answers.generated_rays()[index], exact),
            Question::Rays(question) => span(judge, &question.batch()?.ray(index), exact),
            Question::Points(points) => judge.reach(Vec3::from(points[index]).as_dvec3()),
        };
        Ok(Self { judge, question, index, answer, span })
    }

    fn is_right(&self, tolerance: SurfaceTolerance) -> Result<bool, TraceError> {
        let judge = self.judge.clone().with_tolerance(tolerance);
        let piece = self.index..self.index + 1;
        let verdicts = judge.judge_answers(self.question, piece, &self.answer)?;
        Ok(verdicts.iter().all(|verdict| verdict.class != Class::Mismatch))
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

/// Returns the least sufficient tolerance from `first` to `widest`, by steps and then by halving
/// the last step; infinity if the widest does not suffice.
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
