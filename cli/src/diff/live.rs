//! Asks devices, and judges their answers.

use super::comparison_scene::ComparisonScene;
use crate::compiling::CastTimes;
use crate::{Console, Failure};
use raytwin::gpu::Gpu;
use raytwin::query::Answers;
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::Hit;
use raytwin::tracer::Tracer;
use raytwin_verify::faults::Fault;
use raytwin_verify::{Judge, Outcome};
use std::ops::Range;
use std::time::Instant;

/// The number of answers to judge at a time. Their verdicts fit into a processor's cache; those of
/// a longer stride take twice as long to judge.
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

/// Asks all devices the same questions, judges their answers and compares them with each other. The
/// devices have tracers of the first scene.
pub(super) fn compare(
    devices: &mut [Device],
    scenes: &[ComparisonScene],
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
    let all: usize = scenes.iter().flat_map(|scene| &scene.questions).map(Question::len).sum();
    let bar = console.bar("diff", "answers", all * devices.len());
    console.casting(&bar, || -> Result<(), Failure> {
        devices.iter_mut().for_each(|device| device.prepare(scenes, fault));
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
                    let piece = start..length.min(start + STRIDE);
                    let mut answers = Vec::new();
                    for device in &mut *devices {
                        answers.push(device.ask(&scene.judge, question, piece.clone())?);
                        bar.inc(piece.len() as u64);
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

impl Device {
    pub fn new(
        gpu: Option<Gpu>,
        first: &ComparisonScene,
        fault: Option<&Fault>,
        outcome: Outcome,
    ) -> Result<Self, Failure> {
        let tracer = first.tracer(gpu.as_ref(), fault)?;
        Ok(Self { gpu, tracer, outcome, times: CastTimes::default() })
    }

    /// Compiles the kernels of all questions at once. Otherwise each question would wait for its
    /// own.
    fn prepare(&mut self, scenes: &[ComparisonScene], fault: Option<&Fault>) {
        if let Some(gpu) = &self.gpu {
            let start = Instant::now();
            gpu.prepare(
                scenes.iter().flat_map(ComparisonScene::asked_of_tracers),
                fault.map(|fault| fault.site),
            );
            self.times.compile += start.elapsed();
        }
    }

    fn ask(
        &mut self,
        judge: &Judge,
        question: &Question,
        piece: Range<usize>,
    ) -> Result<QuestionAnswers, Failure> {
        let Self { tracer, outcome, times, .. } = self;
        let first = piece.start..piece.start + 1;
        let answers = times.measure(
            || tracer.answer(question, first).map(drop),
            || tracer.answer(question, piece.clone()),
        )?;
        outcome.add(judge, question, piece, &answers)?;
        Ok(answers)
    }
}

impl Difference {
    fn add(&mut self, first: &QuestionAnswers, second: &QuestionAnswers) {
        use Answers::{All, Any, Closest, Count};
        let of_hits = |a: &Hit, b: &Hit| (bits(a) != bits(b), ids(a) != ids(b));
        match (first, second) {
            (QuestionAnswers::Image { hits: a, .. }, QuestionAnswers::Image { hits: b, .. })
            | (QuestionAnswers::Rays(Closest(a)), QuestionAnswers::Rays(Closest(b))) => {
                let [a, b] = [a, b].map(|hits| hits.iter().collect::<Vec<Hit>>());
                self.add_pairs(&a, &b, of_hits);
            }
            (QuestionAnswers::Rays(Any(a)), QuestionAnswers::Rays(Any(b))) => {
                self.add_pairs(a, b, unequal)
            }
            (QuestionAnswers::Rays(Count(a)), QuestionAnswers::Rays(Count(b))) => {
                self.add_pairs(a, b, unequal)
            }
            (QuestionAnswers::Points(a), QuestionAnswers::Points(b)) => {
                self.add_pairs(a, b, unequal)
            }
            (QuestionAnswers::Rays(All(a)), QuestionAnswers::Rays(All(b))) => {
                for ray in 0..a.ray_count() {
                    let [a, b] = [a, b].map(|all| all.of_ray(ray).collect::<Vec<Hit>>());
                    let by = |of: fn(&Hit) -> [u32; 3]| !a.iter().map(of).eq(b.iter().map(of));
                    self.add_one(by(bits), by(|hit| [0, hit.geometry_id, hit.primitive_id]));
                }
            }
            // Both devices got the same questions.
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
