//! Asks devices, and judges what they answer.

use super::asked_scene::AskedScene;
use super::questions::QuestionSet;
use super::{Console, Failure};
use crate::compiling::CastTimes;
use raytwin::diff::faults::Fault;
use raytwin::diff::{Judge, Outcome, Trial};
use raytwin::gpu::Gpu;
use raytwin::query::{PointHit, TracedAnswers};
use raytwin::ray::Hit;
use raytwin::tracer::{TraceError, Tracer};
use std::ops::Range;

/// How many answers are judged at a time. Their verdicts fit into a processor's cache; those of a longer stride take twice as
/// long to judge.
const STRIDE: usize = 1 << 16;

/// A device under test.
pub(super) struct Device {
    /// The GPU; `None` for the float64 tracer.
    pub gpu: Option<Gpu>,
    pub tracer: Box<dyn Tracer>,
    pub outcome: Outcome,
    pub times: CastTimes,
}

/// The differences between the answers of two devices.
pub(super) struct Difference {
    /// The indices of the devices.
    pub devices: [usize; 2],
    pub answers: usize,
    /// The number of answers that differ in any bit.
    pub unequal: usize,
    /// The number of answers that differ in more than t.
    pub otherwise_unequal: usize,
}

/// Asks all devices the same, judges their answers and compares them with each other. The devices have tracers of the first
/// scene.
pub(super) fn compare(
    devices: &mut [Device],
    scenes: &[AskedScene],
    fault: Option<&Fault>,
    console: &Console,
) -> Result<Vec<Difference>, Failure> {
    let mut differences = Vec::new();
    for second in 1..devices.len() {
        for first in 0..second {
            let devices = [first, second];
            differences.push(Difference { devices, answers: 0, unequal: 0, otherwise_unequal: 0 });
        }
    }
    let all: usize = scenes.iter().flat_map(|scene| &scene.questions).map(QuestionSet::len).sum();
    let bar = console.bar("diff", "answers", all * devices.len());
    console.casting(&bar, || -> Result<(), Failure> {
        for (index, scene) in scenes.iter().enumerate() {
            for device in &mut *devices {
                if index > 0 {
                    device.tracer = scene.tracer(device.gpu.as_ref(), fault)?;
                }
                device.outcome.set_altered(scene.is_altered());
            }
            for question in &scene.questions {
                let length = question.len();
                for device in &mut *devices {
                    device.times.begin_question();
                }
                for start in (0..length).step_by(STRIDE) {
                    let range = start..length.min(start + STRIDE);
                    let mut answers = Vec::new();
                    for device in &mut *devices {
                        answers.push(device.ask(&scene.judge, question, range.clone())?);
                        bar.inc(range.len() as u64);
                    }
                    for difference in &mut differences {
                        let [first, second] = difference.devices.map(|index| &answers[index]);
                        difference.add(first, second);
                    }
                }
            }
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(differences)
}

/// The answers of one device to a stride.
enum Answered {
    Rays(TracedAnswers),
    Points(Vec<PointHit>),
}

impl Device {
    pub fn new(
        gpu: Option<Gpu>,
        first: &AskedScene,
        fault: Option<&Fault>,
        outcome: Outcome,
    ) -> Result<Self, Failure> {
        let tracer = first.tracer(gpu.as_ref(), fault)?;
        Ok(Self { gpu, tracer, outcome, times: CastTimes::default() })
    }

    fn ask(
        &mut self,
        judge: &Judge,
        question: &QuestionSet,
        range: Range<usize>,
    ) -> Result<Answered, Failure> {
        let Self { tracer, outcome, times, .. } = self;
        let first = range.start..range.start + 1;
        match question {
            QuestionSet::Image(view) => {
                let hits = times.measure(
                    || tracer.render(view, first).map(drop),
                    || tracer.render(view, range.clone()),
                )?;
                let rays = tracer.camera_rays(view, range)?;
                outcome.add_pixels(judge, view, &rays, hits.clone())?;
                Ok(Answered::Rays(TracedAnswers::Closest(hits)))
            }
            QuestionSet::Rays(trial) => {
                let batch = trial.batch().map_err(TraceError::from)?;
                let Trial { name, query, .. } = trial;
                let answers = times.measure(
                    || tracer.ask(*query, batch.slice(first)).map(drop),
                    || tracer.ask(*query, batch.slice(range.clone())),
                )?;
                outcome.add_rays(judge, name, batch.slice(range), &answers)?;
                Ok(Answered::Rays(answers))
            }
            QuestionSet::Points(points) => {
                let points = &points[range];
                let hits = times
                    .measure(|| tracer.points(&points[..1]).map(drop), || tracer.points(points))?;
                outcome.add_points(judge, "points", points, &hits)?;
                Ok(Answered::Points(hits))
            }
        }
    }
}

impl Difference {
    fn add(&mut self, first: &Answered, second: &Answered) {
        use TracedAnswers::{All, Any, Closest, Count};
        let of_hits = |a: &Hit, b: &Hit| (bits(a) != bits(b), ids(a) != ids(b));
        match (first, second) {
            (Answered::Rays(Closest(a)), Answered::Rays(Closest(b))) => {
                self.add_pairs(a, b, of_hits)
            }
            (Answered::Rays(Any(a)), Answered::Rays(Any(b))) => self.add_pairs(a, b, unequal),
            (Answered::Rays(Count(a)), Answered::Rays(Count(b))) => self.add_pairs(a, b, unequal),
            (Answered::Points(a), Answered::Points(b)) => self.add_pairs(a, b, unequal),
            (Answered::Rays(All(a)), Answered::Rays(All(b))) => {
                for ray in 0..a.ray_count() {
                    let [a, b] = [a, b].map(|all| all.of_ray(ray).collect::<Vec<Hit>>());
                    let by = |of: fn(&Hit) -> [u32; 3]| !a.iter().map(of).eq(b.iter().map(of));
                    self.add_one(by(bits), by(|hit| [0, hit.geometry_id, hit.primitive_id]));
                }
            }
            // Both devices were asked the same.
            _ => {}
        }
    }

    fn add_pairs<T>(&mut self, a: &[T], b: &[T], compare: impl Fn(&T, &T) -> (bool, bool)) {
        for (a, b) in a.iter().zip(b) {
            let (is_unequal, is_otherwise_unequal) = compare(a, b);
            self.add_one(is_unequal, is_otherwise_unequal);
        }
    }

    fn add_one(&mut self, is_unequal: bool, is_otherwise_unequal: bool) {
        self.answers += 1;
        self.unequal += usize::from(is_unequal);
        self.otherwise_unequal += usize::from(is_otherwise_unequal);
    }
}

fn bits(hit: &Hit) -> [u32; 3] {
    [hit.t.to_bits(), hit.geometry_id, hit.primitive_id]
}

fn ids(hit: &Hit) -> [u32; 2] {
    [hit.geometry_id, hit.primitive_id]
}

fn unequal<T: PartialEq>(a: &T, b: &T) -> (bool, bool) {
    (a != b, a != b)
}
