//! Judges misses in place of all answers. Settings under which these pass judge nothing.

use super::{Class, Judge};
use raytwin::parallel::mapped;
use raytwin::query::{AllHits, Answers, Hits};
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::{Hit, NONE};
use raytwin::tracer::{TraceError, Tracer};
use std::ops::Range;

/// The number of answers that are judged at a time.
const STRIDE: usize = 1 << 12;

/// The largest tolerance is searched with at most this many of the answers that are hits, and first
/// with `FEW` of them. They are spread evenly over all.
const MOST_ASKED: usize = 1 << 12;
const FEW: usize = 256;

/// The factor between one tried share of a tolerance and the next.
const STEP: f64 = 4.0;

/// The precision of the largest share, as a factor.
const PRECISION: f64 = 1.005;

/// Misses in place of all exact answers to some questions: rays hit nothing, and no solid contains
/// a point.
#[derive(Debug)]
pub struct Misses<'a>(Vec<(&'a Judge, &'a Question)>);

/// One item of a question, with the judge of its answer.
#[derive(Clone, Copy)]
struct Item<'a> {
    judge: &'a Judge,
    question: &'a Question,
    index: usize,
}

impl<'a> Misses<'a> {
    /// Makes misses in place of the answers to these questions, each with its judge.
    pub fn new(asked: impl IntoIterator<Item = (&'a Judge, &'a Question)>) -> Self {
        Self(asked.into_iter().collect())
    }

    /// Returns the largest share of the judges' tolerances under which a miss in place of a hit is
    /// wrong; 1 if there is one under the whole tolerances. `None` if nothing is hit, or if no miss
    /// is wrong even by raytwin's bound.
    ///
    /// # Errors
    /// [`TraceError`], if a question does not fit its scene.
    pub fn judging_share(&self) -> Result<Option<f64>, TraceError> {
        let total: usize = self.0.iter().map(|(_, question)| question.len()).sum();
        // A few items show that most tolerances are useful, and a few hits show it for most others.
        let of_few = rise(self.items(total.div_ceil(FEW)), self.first_share())?;
        if of_few.least == 1.0 {
            return Ok(Some(1.0));
        }
        let all = self.hits()?;
        let of_few = rise(some_of(&all, FEW), self.first_share())?;
        let hits = wrong(&some_of(&all, MOST_ASKED), of_few.least)?;
        if hits.is_empty() {
            return Ok(None);
        }
        let ShareBounds { mut hits, mut least, mut most } = match of_few.least {
            0.0 => ShareBounds { hits, least: 0.0, most: of_few.most },
            least => rise(hits, least)?,
        };
        while least > 0.0 && most > PRECISION * least {
            let share = (least * most).sqrt();
            let left = wrong(&hits, share)?;
            match left.is_empty() {
                true => most = share,
                false => (hits, least) = (left, share),
            }
        }
        Ok(Some(least))
    }

    /// Returns the number of wrong misses. Stops counting when there are more than `most`.
    ///
    /// # Errors
    /// As [`Self::judging_share`].
    pub fn count_wrong(&self, most: u64) -> Result<u64, TraceError> {
        let mut count = 0;
        for &(judge, question) in &self.0 {
            for piece in pieces(question) {
                let exact = judge.reference().answer(question, piece.clone())?;
                let verdicts = judge.judge_answers(question, piece, &without_hits(exact).0)?;
                let wrong = verdicts.iter().filter(|verdict| verdict.class == Class::Mismatch);
                count += wrong.count() as u64;
                if count > most {
                    return Ok(count);
                }
            }
        }
        Ok(count)
    }

    /// Returns the first share, under which no tolerance is much wider than raytwin's bound.
    fn first_share(&self) -> f64 {
        self.0.iter().map(|(judge, _)| judge.share_of_rounding()).fold(1.0, f64::min)
    }

    fn items(&self, every: usize) -> Vec<Item<'a>> {
        let of_question = |&(judge, question): &(&'a Judge, &'a Question)| {
            (0..question.len()).step_by(every.max(1)).map(move |index| Item {
                judge,
                question,
                index,
            })
        };
        self.0.iter().flat_map(of_question).collect()
    }

    /// Returns the items whose exact answers are hits.
    fn hits(&self) -> Result<Vec<Item<'a>>, TraceError> {
        let mut hits = Vec::new();
        for &(judge, question) in &self.0 {
            for piece in pieces(question) {
                let exact = judge.reference().answer(question, piece.clone())?;
                let are_hits = without_hits(exact).1.into_iter();
                let of_piece = piece.zip(are_hits).filter(|(_, is_hit)| *is_hit);
                hits.extend(of_piece.map(|(index, _)| Item { judge, question, index }));
            }
        }
        Ok(hits)
    }
}

/// The result of raising the share of a tolerance.
struct ShareBounds<'a> {
    /// The items at which a miss is wrong under the largest of the tried shares.
    hits: Vec<Item<'a>>,
    /// That share; 0 if no miss is wrong under the first one.
    least: f64,
    /// A share under which no miss is wrong.
    most: f64,
}

/// Raises the share from a first one while a miss is wrong at some item. Judging by a wide
/// tolerance takes long, so no share that is much too wide is tried.
fn rise<'a>(hits: Vec<Item<'a>>, first: f64) -> Result<ShareBounds<'a>, TraceError> {
    let mut risen = ShareBounds { hits, least: 0.0, most: first };
    while risen.least < 1.0 {
        let left = wrong(&risen.hits, risen.most)?;
        if left.is_empty() {
            break;
        }
        let least = risen.most;
        risen = ShareBounds { hits: left, least, most: (STEP * least).min(1.0) };
    }
    Ok(risen)
}

/// Returns at most the given number of items, spread evenly over all.
fn some_of<'a>(items: &[Item<'a>], most: usize) -> Vec<Item<'a>> {
    items.iter().copied().step_by(items.len().div_ceil(most).max(1)).collect()
}

fn pieces(question: &Question) -> impl Iterator<Item = Range<usize>> {
    let length = question.len();
    (0..length).step_by(STRIDE).map(move |start| start..length.min(start + STRIDE))
}

/// Returns those items at which a miss is wrong under a share of the judge's tolerance.
fn wrong<'a>(items: &[Item<'a>], share: f64) -> Result<Vec<Item<'a>>, TraceError> {
    let is_wrong = |index: usize| items[index].is_miss_wrong(share);
    let are_wrong =
        mapped(items.len(), 1, is_wrong).into_iter().collect::<Result<Vec<bool>, _>>()?;
    let wrong = items.iter().zip(are_wrong).filter(|(_, is_wrong)| *is_wrong);
    Ok(wrong.map(|(item, _)| *item).collect())
}

impl Item<'_> {
    fn is_miss_wrong(&self, share: f64) -> Result<bool, TraceError> {
        let &Self { judge, question, index } = self;
        let piece = index..index + 1;
        let exact = judge.reference().answer(question, piece.clone())?;
        let (miss, is_hit) = without_hits(exact);
        if !is_hit[0] {
            return Ok(false);
        }
        let verdicts =
            judge.with_share_of_tolerance(share).judge_answers(question, piece, &miss)?;
        Ok(verdicts.iter().any(|verdict| verdict.class == Class::Mismatch))
    }
}

/// Replaces hits by misses, and returns for each answer whether it was a hit. Answers to invalid
/// rays and points stay. The surface nearest to a point also stays, because it is not a hit.
fn without_hits(answers: QuestionAnswers) -> (QuestionAnswers, Vec<bool>) {
    match answers {
        QuestionAnswers::Image { rays, hits } => {
            let (hits, are_hits) = missed(&hits);
            (QuestionAnswers::Image { rays, hits }, are_hits)
        }
        QuestionAnswers::Points(mut hits) => {
            let are_hits = hits.iter().map(|hit| hit.contains > 0).collect();
            for hit in &mut hits {
                (hit.contains, hit.containing_id) = (0, NONE);
            }
            (QuestionAnswers::Points(hits), are_hits)
        }
        QuestionAnswers::Rays(answers) => {
            let (answers, are_hits) = match answers {
                Answers::Closest(hits) => {
                    let (hits, are_hits) = missed(&hits);
                    (Answers::Closest(hits), are_hits)
                }
                Answers::Any(hits) => (Answers::Any(vec![false; hits.len()]), hits),
                Answers::Count(counts) => {
                    let are_hits = counts.iter().map(|count| *count > 0).collect();
                    (Answers::Count(vec![0; counts.len()]), are_hits)
                }
                Answers::All(all) => {
                    let rays = 0..all.ray_count();
                    let are_hits: Vec<bool> = rays.map(|ray| all.of_ray(ray).len() > 0).collect();
                    let mut none = AllHits::default();
                    are_hits.iter().for_each(|_| none.push([]));
                    (Answers::All(none), are_hits)
                }
            };
            (QuestionAnswers::Rays(answers), are_hits)
        }
    }
}

fn missed(hits: &Hits) -> (Hits, Vec<bool>) {
    let are_hits: Vec<bool> = hits.iter().map(|hit| hit.is_hit()).collect();
    let misses = hits.iter().map(|hit| if hit.is_hit() { Hit::MISS } else { hit });
    (Hits::of(&misses.collect::<Vec<Hit>>()), are_hits)
}
