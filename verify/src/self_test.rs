//! The self-test plants every fault in a scene that shows it; the judge or the engine must detect
//! it. The scenes are [built in](BuiltInScene), or yours. A fault that changes answers must be
//! caught. If a fault changes no answer, the scene does not show it.

mod built_in;
mod built_in_shapes;
mod test_scene;

pub use built_in::BuiltInScene;
pub(crate) use built_in::balls_in_worlds;
pub(crate) use built_in_shapes::{geometry, stretch, vector};
pub use test_scene::{Finding, TestScene, TestSceneError};

use crate::faults::Fault;
use rayon::prelude::*;
use raytwin::gpu::{Gpu, GpuError, GpuTracer};
use raytwin::question::{Question, QuestionAnswers, QuestionTraits};

/// The findings about a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultFindings {
    /// The fault.
    pub fault: &'static Fault,
    /// The findings of each question that was asked. If any question catches the fault, it is the
    /// last one.
    pub findings: Vec<Finding>,
}

/// The trial of a fault in a scene.
struct Trial {
    found: FaultFindings,
    /// The traits of the questions that may show it there.
    traits: Vec<QuestionTraits>,
    /// True if it changed an answer.
    is_shown: bool,
}

impl Trial {
    fn new(fault: &'static Fault, traits: Vec<QuestionTraits>) -> Self {
        let found = FaultFindings { fault, findings: Vec::new() };
        Self { found, traits, is_shown: false }
    }

    /// Returns true if the fault was caught, or if no question is left after this number of them.
    fn is_done(&self, asked: usize) -> bool {
        self.is_shown && self.found.is_caught() || asked == self.traits.len()
    }
}

impl FaultFindings {
    /// Returns true if answers were wrong, or if the engine reported an error.
    pub fn is_caught(&self) -> bool {
        !self.findings.iter().all(Finding::is_clean)
    }
}

/// A test of the judge and of a device: each fault is planted in the first scene that shows it.
#[derive(Clone, Debug)]
pub struct SelfTest {
    /// The findings about the engine without a fault, all of which must be clean.
    pub without_fault: Vec<Finding>,
    /// The findings about each fault that changed answers, all of which must be caught.
    pub faults: Vec<FaultFindings>,
    /// The faults that changed no answer so far: the scenes lack what they need, or no ray shows
    /// it.
    pub unshown: Vec<&'static Fault>,
}

impl SelfTest {
    /// Makes a test of these faults, none of which is planted yet.
    pub fn new(faults: impl Iterator<Item = &'static Fault>) -> Self {
        Self { without_fault: Vec::new(), faults: Vec::new(), unshown: faults.collect() }
    }

    /// Plants the faults that this scene may show and no earlier scene has shown, and asks the
    /// questions that show each fault until one catches it. The device without a fault gets the
    /// same questions first.
    ///
    /// # Errors
    /// [`GpuError`], if the scene does not fit into the device's memory or a fault's shader does
    /// not compile.
    pub fn plant(&mut self, gpu: &Gpu, scene: &TestScene) -> Result<(), GpuError> {
        let unshown = std::mem::take(&mut self.unshown).into_iter();
        let mut trials: Vec<Trial> =
            unshown.map(|fault| Trial::new(fault, scene.traits(fault))).collect();
        let mut right = Vec::new();
        for round in 0.. {
            for done in trials.extract_if(.., |trial| trial.is_done(round)) {
                match done.is_shown {
                    true => self.faults.push(done.found),
                    false => self.unshown.push(done.found.fault),
                }
            }
            if trials.is_empty() {
                break;
            }
            let traits = trials.iter().map(|trial| trial.traits[round]).collect();
            self.ask_without_fault(traits, gpu, scene, &mut right)?;
            trials.par_iter_mut().try_for_each(|Trial { found, traits, is_shown }| {
                let mut tracer = GpuTracer::with_fault(gpu, scene.packed(), found.fault.site)?;
                let (finding, answers) = scene.ask(traits[round], &mut tracer);
                found.findings.push(finding);
                *is_shown |= !right.contains(&(traits[round], answers));
                Ok::<(), GpuError>(())
            })?;
        }
        Ok(())
    }

    /// Asks the device without a fault those questions of these traits that have no right answers
    /// yet.
    fn ask_without_fault(
        &mut self,
        mut traits: Vec<QuestionTraits>,
        gpu: &Gpu,
        scene: &TestScene,
        right: &mut Vec<(QuestionTraits, Option<QuestionAnswers>)>,
    ) -> Result<(), GpuError> {
        // An update leaves the tracer with another scene, and these questions are the last in
        // order.
        traits.sort_unstable();
        traits.dedup();
        traits.retain(|traits| right.iter().all(|(asked, _)| asked != traits));
        if traits.is_empty() {
            return Ok(());
        }
        let asked: Vec<Question> =
            traits.iter().filter_map(|traits| scene.question(*traits)).collect();
        gpu.prepare(asked.iter().map(|question| (scene.packed(), question)), None);
        let mut tracer = GpuTracer::new(gpu, scene.packed())?;
        for traits in traits {
            let (finding, answers) = scene.ask(traits, &mut tracer);
            self.without_fault.push(finding);
            right.push((traits, answers));
        }
        Ok(())
    }

    /// Iterates over the faults that changed answers and were not caught.
    pub fn passed(&self) -> impl Iterator<Item = &'static Fault> {
        self.faults.iter().filter(|found| !found.is_caught()).map(|found| found.fault)
    }

    /// Returns true if the device without a fault answers right and every fault that changed
    /// answers was caught.
    pub fn is_sound(&self) -> bool {
        self.without_fault.iter().all(Finding::is_clean) && self.passed().next().is_none()
    }
}
