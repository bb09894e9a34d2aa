//! The answers to a question of the proof as words, and the bits in which they differ from those of
//! the float64 tracer.
//!
//! Answers are columns of 32-bit words. Those to a query of rays are its columns in files, with one
//! word for true and false. A word is stored as its exclusive or with the word of the float64
//! tracer, and nearly all of these are zero or small.

use raytwin::cpu::CpuTracer;
use raytwin::query::{AllHits, Answers, BatchError, Hits, PointHit, Query};
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::{Hit, Ray};
use raytwin::tracer::{TraceError, Tracer};

/// The largest number of crossings that the answers to a question may claim.
const MOST_CROSSINGS: u64 = 1 << 21;

const RAY_WORDS: usize = 8;

/// Returns the words of the answers to a question, each as the bits that differ from the float64
/// tracer's.
///
/// # Errors
/// [`TraceError::Batch`], if the answers are not to this question.
pub(super) fn differences(
    question: &Question,
    answers: &QuestionAnswers,
    reference: &CpuTracer,
) -> Result<Vec<u32>, TraceError> {
    match (question, answers) {
        (Question::Rays(question), QuestionAnswers::Rays(Answers::All(given))) => {
            let exact = reference.all(question.batch()?)?;
            Ok(all_words(given, |ray, at| crossing(&exact, ray, at), &counts(&exact)))
        }
        (Question::Rays(question), QuestionAnswers::Rays(given)) => {
            let exact = reference.ask(question.query, question.batch()?)?;
            Ok(differing(words(given), words(&exact)))
        }
        (Question::Points(points), QuestionAnswers::Points(given)) => {
            let exact = reference.points(points)?;
            Ok(differing(point_words(given), point_words(&exact)))
        }
        (Question::Image(views), QuestionAnswers::Image { rays, hits }) => {
            let exact_rays: Vec<Ray> = (0..views.pixels()).map(|at| views.ray(at)).collect();
            let mut words = differing(ray_words(rays), ray_words(&exact_rays));
            let query = views.as_query(0..views.pixels(), rays.clone());
            let exact = reference.closest(query.batch()?)?;
            words.extend(differing(hit_words(hits), hit_words(&Hits::of(&exact))));
            Ok(words)
        }
        _ => Err(BatchError::Answers { given: answers.len(), asked: question.len() }.into()),
    }
}

/// Returns the largest number of words of the answers to a question.
pub fn most_words(question: &Question) -> u64 {
    let count = question.len() as u64;
    match question {
        Question::Rays(question) => match question.query {
            Query::Closest(_) => 3 * count,
            Query::Any | Query::Count => count,
            Query::All => count + 3 * MOST_CROSSINGS,
        },
        Question::Points(_) => 4 * count,
        Question::Image(_) => (RAY_WORDS as u64 + 3) * count,
    }
}

/// Restores answers from the bits in which they differ; `None` if these do not belong to answers to
/// such a question.
///
/// # Errors
/// [`TraceError`], only for a question that does not fit its scene.
pub fn restored(
    differences: &[u32],
    question: &Question,
    reference: &CpuTracer,
) -> Result<Option<QuestionAnswers>, TraceError> {
    Ok(match question {
        Question::Rays(question) if question.query == Query::All => {
            let exact = reference.all(question.batch()?)?;
            let all = restored_all(differences, &exact);
            all.map(|all| QuestionAnswers::Rays(Answers::All(all)))
        }
        Question::Rays(question) => {
            let exact = reference.ask(question.query, question.batch()?)?;
            let words = joined(differences, words(&exact));
            words.and_then(|words| answers_of(question.query, &words)).map(QuestionAnswers::Rays)
        }
        Question::Points(points) => {
            let words = joined(differences, point_words(&reference.points(points)?));
            words.map(|words| QuestionAnswers::Points(points_of(&words)))
        }
        Question::Image(views) => {
            let split = views.pixels() * RAY_WORDS;
            let Some((rays, hits)) = differences.split_at_checked(split) else {
                return Ok(None);
            };
            let exact_rays: Vec<Ray> = (0..views.pixels()).map(|at| views.ray(at)).collect();
            let Some(words) = joined(rays, ray_words(&exact_rays)) else { return Ok(None) };
            let rays = rays_of(&words);
            let query = views.as_query(0..views.pixels(), rays.clone());
            let exact = reference.closest(query.batch()?)?;
            let words = joined(hits, hit_words(&Hits::of(&exact)));
            words.map(|words| QuestionAnswers::Image { rays, hits: hits_of(&words) })
        }
    })
}

/// Returns the exclusive or of two rows of words of one length.
fn differing(given: Vec<u32>, exact: Vec<u32>) -> Vec<u32> {
    given.into_iter().zip(exact).map(|(given, exact)| given ^ exact).collect()
}

/// Reverses [`differing`]; `None` if the number of words differs from that of the exact answers.
fn joined(differences: &[u32], exact: Vec<u32>) -> Option<Vec<u32>> {
    (differences.len() == exact.len()).then(|| differing(differences.to_vec(), exact))
}

/// Returns the words of answers that have as many for each ray.
fn words(answers: &Answers) -> Vec<u32> {
    match answers {
        Answers::Closest(hits) => hit_words(hits),
        Answers::Any(occluded) => occluded.iter().copied().map(u32::from).collect(),
        Answers::Count(counts) => counts.clone(),
        Answers::All(all) => counts(all),
    }
}

fn answers_of(query: Query, words: &[u32]) -> Option<Answers> {
    Some(match query {
        Query::Any if words.iter().any(|&word| word > 1) => return None,
        Query::Any => Answers::Any(words.iter().map(|&word| word == 1).collect()),
        Query::Count => Answers::Count(words.to_vec()),
        _ => Answers::Closest(hits_of(words)),
    })
}

fn hit_words(hits: &Hits) -> Vec<u32> {
    let t: Vec<u32> = hits.t_hit.iter().map(|t| t.to_bits()).collect();
    [&t[..], &hits.geometry_ids, &hits.primitive_ids].concat()
}

fn hits_of(words: &[u32]) -> Hits {
    let (t, ids) = words.split_at(words.len() / 3);
    let (geometry_ids, primitive_ids) = ids.split_at(ids.len() / 2);
    Hits {
        t_hit: t.iter().map(|&bits| f32::from_bits(bits)).collect(),
        geometry_ids: geometry_ids.to_vec(),
        primitive_ids: primitive_ids.to_vec(),
        ..Hits::default()
    }
}

fn point_words(hits: &[PointHit]) -> Vec<u32> {
    let columns: [fn(&PointHit) -> u32; 4] = [
        |hit| hit.contains,
        |hit| hit.containing_id,
        |hit| hit.geometry_id,
        |hit| hit.primitive_id,
    ];
    columns.into_iter().flat_map(|column| hits.iter().map(column)).collect()
}

fn points_of(words: &[u32]) -> Vec<PointHit> {
    let count = words.len() / 4;
    let point = |at: usize| PointHit {
        contains: words[at],
        containing_id: words[count + at],
        geometry_id: words[2 * count + at],
        primitive_id: words[3 * count + at],
    };
    (0..count).map(point).collect()
}

/// Returns the numbers of rays, column by column.
fn ray_words(rays: &[Ray]) -> Vec<u32> {
    let numbers: &[[f32; RAY_WORDS]] = bytemuck::cast_slice(rays);
    (0..RAY_WORDS).flat_map(|column| numbers.iter().map(move |ray| ray[column].to_bits())).collect()
}

fn rays_of(words: &[u32]) -> Vec<Ray> {
    let count = words.len() / RAY_WORDS;
    let number = |column: usize, at: usize| f32::from_bits(words[column * count + at]);
    let ray = |at: usize| Ray {
        origin: [0, 1, 2].map(|column| number(column, at)),
        direction: [3, 4, 5].map(|column| number(column, at)),
        t_min: number(6, at),
        t_max: number(7, at),
    };
    (0..count).map(ray).collect()
}

fn counts(all: &AllHits) -> Vec<u32> {
    all.ray_splits.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect()
}

/// Returns a crossing of a ray as three words; zeros after the last crossing.
fn crossing(all: &AllHits, ray: usize, at: u32) -> [u32; 3] {
    let first = all.ray_splits[ray];
    let index = first + u64::from(at);
    if index >= all.ray_splits[ray + 1] {
        return [0; 3];
    }
    let index = index as usize;
    [all.t_hit[index].to_bits(), all.geometry_ids[index], all.primitive_ids[index]]
}

/// Returns the differences of the counts, and of the columns of the given crossings.
fn all_words(
    given: &AllHits,
    exact: impl Fn(usize, u32) -> [u32; 3],
    exact_counts: &[u32],
) -> Vec<u32> {
    let given_counts = counts(given);
    let mut words = differing(given_counts.clone(), exact_counts.to_vec());
    for column in 0..3 {
        for (ray, &count) in given_counts.iter().enumerate() {
            let word = |at| crossing(given, ray, at)[column] ^ exact(ray, at)[column];
            words.extend((0..count).map(word));
        }
    }
    words
}

fn restored_all(differences: &[u32], exact: &AllHits) -> Option<AllHits> {
    let (of_counts, columns) = differences.split_at_checked(exact.ray_count())?;
    let given_counts = joined(of_counts, counts(exact))?;
    let crossings: u64 = given_counts.iter().map(|&count| u64::from(count)).sum();
    if crossings > MOST_CROSSINGS || columns.len() as u64 != 3 * crossings {
        return None;
    }
    let crossings = crossings as usize;
    let mut all = AllHits::default();
    let mut next = 0;
    for (ray, &count) in given_counts.iter().enumerate() {
        let hits = (0..count).map(|at| {
            let index = next + at as usize;
            let [t, geometry_id, primitive_id] = crossing(exact, ray, at);
            Hit {
                t: f32::from_bits(t ^ columns[index]),
                geometry_id: geometry_id ^ columns[crossings + index],
                primitive_id: primitive_id ^ columns[2 * crossings + index],
            }
        });
        all.push(hits);
        next += count as usize;
    }
    Some(all)
}
