//! The self-test: every fault is planted in a scene that shows it, and must be caught by the judge or by the engine itself.

use super::fault::Fault;
use super::question::Question;
use super::trial::{Finding, Trial};
use crate::gpu::{Gpu, GpuError, GpuTracer};
use rayon::prelude::*;

/// What was found of a fault.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultTrial {
    /// The fault.
    pub fault: &'static Fault,
    /// What the answers to each question showed that can show the fault.
    pub findings: Vec<Finding>,
}

impl FaultTrial {
    /// Returns true if answers were wrong, or if the engine reported an error.
    pub fn is_caught(&self) -> bool {
        !self.findings.iter().all(Finding::is_clean)
    }
}

/// A test of the judge and of a device: each fault is planted in the first scene that can show it.
#[derive(Clone, Debug)]
pub struct SelfTest {
    /// The findings about the engine as it is, all of which must be clean.
    pub without_fault: Vec<Finding>,
    /// The findings about each fault, all of which must be caught.
    pub faults: Vec<FaultTrial>,
    /// The faults that no scene could show so far.
    pub waiting: Vec<&'static Fault>,
}

impl SelfTest {
    /// Makes a test of these faults, in which none is planted yet.
    pub fn new(faults: impl Iterator<Item = &'static Fault>) -> Self {
        Self { without_fault: Vec::new(), faults: Vec::new(), waiting: faults.collect() }
    }

    /// Plants the faults that a trial can show and that no trial before could. The device without a fault is asked the same
    /// questions first.
    ///
    /// # Errors
    /// [`GpuError`], if the scene does not fit the device or if a fault's shader does not compile.
    pub fn plant(&mut self, gpu: &Gpu, trial: &Trial) -> Result<(), GpuError> {
        let mut planted = Vec::new();
        self.waiting.retain(|fault| {
            let questions = trial.questions(fault);
            let is_shown = !questions.is_empty();
            if is_shown {
                planted.push((*fault, questions));
            }
            !is_shown
        });
        let mut questions: Vec<Question> =
            planted.iter().flat_map(|(_, questions)| questions).copied().collect();
        // An update, which is the last, leaves the tracer with another scene.
        questions.sort_unstable();
        questions.dedup();
        if questions.is_empty() {
            return Ok(());
        }
        let mut tracer = GpuTracer::new(gpu, trial.packed())?;
        self.without_fault
            .extend(questions.iter().map(|question| trial.ask(*question, &mut tracer)));
        let found = planted.into_par_iter().map(|(fault, questions)| {
            let mut tracer = GpuTracer::with_fault(gpu, trial.packed(), fault)?;
            let ask = |question: &Question| trial.ask(*question, &mut tracer);
            Ok(FaultTrial { fault, findings: questions.iter().map(ask).collect() })
        });
        self.faults.extend(found.collect::<Result<Vec<_>, GpuError>>()?);
        Ok(())
    }

    /// Iterates over the faults that were planted and not caught.
    pub fn passed(&self) -> impl Iterator<Item = &'static Fault> {
        self.faults.iter().filter(|trial| !trial.is_caught()).map(|trial| trial.fault)
    }

    /// Returns true if the device without a fault answers right and every planted fault was caught.
    pub fn is_sound(&self) -> bool {
        self.without_fault.iter().all(Finding::is_clean) && self.passed().next().is_none()
    }
}
