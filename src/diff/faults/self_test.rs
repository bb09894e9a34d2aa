//! The self-test: every fault is planted in a scene that shows it, and must be caught by the judge or by the engine itself.

use super::fault::Fault;
use super::question::Question;
use super::test_scene::{Finding, TestScene};
use crate::gpu::{Gpu, GpuError, GpuTracer};
use rayon::prelude::*;

/// What was found of a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultFindings {
    /// The fault.
    pub fault: &'static Fault,
    /// What the answers to each question showed that can show the fault.
    pub findings: Vec<Finding>,
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
    /// The findings about the engine as it is, all of which must be clean.
    pub without_fault: Vec<Finding>,
    /// The findings about each fault that changed answers, all of which must be caught.
    pub faults: Vec<FaultFindings>,
    /// The faults that changed no answer so far: the scenes lack what they need, or show them to no ray.
    pub unshown: Vec<&'static Fault>,
}

impl SelfTest {
    /// Makes a test of these faults, in which none is planted yet.
    pub fn new(faults: impl Iterator<Item = &'static Fault>) -> Self {
        Self { without_fault: Vec::new(), faults: Vec::new(), unshown: faults.collect() }
    }

    /// Plants the faults that a scene may show and that no scene before has shown. The device without a fault is asked the
    /// same questions first.
    ///
    /// # Errors
    /// [`GpuError`], if the scene does not fit the device or if a fault's shader does not compile.
    pub fn plant(&mut self, gpu: &Gpu, scene: &TestScene) -> Result<(), GpuError> {
        let unshown = std::mem::take(&mut self.unshown).into_iter();
        let with_questions = unshown.map(|fault| (fault, scene.questions(fault)));
        let (planted, unshown): (Vec<_>, Vec<_>) =
            with_questions.partition(|(_, questions)| !questions.is_empty());
        self.unshown = unshown.into_iter().map(|(fault, _)| fault).collect();
        let mut questions: Vec<Question> =
            planted.iter().flat_map(|(_, questions)| questions).copied().collect();
        // An update, which is the last, leaves the tracer with another scene.
        questions.sort_unstable();
        questions.dedup();
        if questions.is_empty() {
            return Ok(());
        }
        let mut tracer = GpuTracer::new(gpu, scene.packed())?;
        let mut right = Vec::with_capacity(questions.len());
        for question in questions {
            let (finding, given) = scene.ask(question, &mut tracer);
            self.without_fault.push(finding);
            right.push((question, given));
        }
        let found = planted.into_par_iter().map(|(fault, questions)| {
            let mut tracer = GpuTracer::with_fault(gpu, scene.packed(), fault)?;
            let mut is_shown = false;
            let findings = questions.into_iter().map(|question| {
                let (finding, given) = scene.ask(question, &mut tracer);
                is_shown |= !right.contains(&(question, given));
                finding
            });
            let findings = findings.collect();
            Ok((FaultFindings { fault, findings }, is_shown))
        });
        for (found, is_shown) in found.collect::<Result<Vec<_>, GpuError>>()? {
            match is_shown {
                true => self.faults.push(found),
                false => self.unshown.push(found.fault),
            }
        }
        Ok(())
    }

    /// Iterates over the faults that changed answers and were not caught.
    pub fn passed(&self) -> impl Iterator<Item = &'static Fault> {
        self.faults.iter().filter(|found| !found.is_caught()).map(|found| found.fault)
    }

    /// Returns true if the device without a fault answers right and every fault that changed answers was caught.
    pub fn is_sound(&self) -> bool {
        self.without_fault.iter().all(Finding::is_clean) && self.passed().next().is_none()
    }
}
