//! A run of the proof on a device, part by part.

use super::Proof;
use super::canonical_hash::{CanonicalHash, canonical};
use super::words::differences;
use crate::Outcome;
use crate::faults::Fault;
use crate::self_test::TestSceneError;
use raytwin::canonical::CanonicalTracer;
use raytwin::gpu::{Arithmetic, Gpu, GpuError, GpuTracer};
use raytwin::question::{Question, QuestionAnswers};
use raytwin::ray::Hit;
use raytwin::tracer::{TraceError, Tracer};
use thiserror::Error;

/// The reason why a run of the proof cannot go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProofRunError {
    /// A scene cannot be made.
    #[error(transparent)]
    Scene(#[from] TestSceneError),
    /// The device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// Rays could not be cast.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// The next part of a run.
#[derive(Clone, Copy, Debug)]
pub struct NextPart<'a> {
    /// The number of its scene, from 1.
    pub scene_number: usize,
    /// The name of its scene.
    pub scene: &'a str,
    /// The question.
    pub question: &'a Question,
}

/// The answers of a device to a part.
#[derive(Debug)]
struct CastPart {
    answers: QuestionAnswers,
    /// The canonical answers, if those to this question belong to the proof.
    canonical: Option<Vec<Hit>>,
}

/// A run of the proof on a device.
#[derive(Debug)]
pub struct ProofRun {
    gpu: Gpu,
    fault: Option<&'static Fault>,
    arithmetic: Arithmetic,
    proof: Proof,
    /// The indices of the next scene and of its next question.
    next: [usize; 2],
    tracer: Option<CanonicalTracer>,
    /// The answers of the device to the next part, once it is cast.
    cast: Option<CastPart>,
    /// The number of rays and points that were asked about.
    asked: usize,
    outcome: Outcome,
    canonical: CanonicalHash,
    exact: CanonicalHash,
    /// The answers to each part, as words.
    answers: Vec<Vec<u32>>,
}

impl ProofRun {
    /// Begins a run; a deliberate fault, if given, must make it fail. Measures the device's
    /// arithmetic first.
    ///
    /// # Errors
    /// [`ProofRunError::Gpu`].
    pub async fn begin(
        gpu: &Gpu,
        proof: Proof,
        fault: Option<&'static Fault>,
    ) -> Result<Self, ProofRunError> {
        Ok(Self {
            arithmetic: gpu.measure_arithmetic_async().await?,
            gpu: gpu.clone(),
            fault,
            proof,
            next: [0; 2],
            tracer: None,
            cast: None,
            asked: 0,
            outcome: Outcome::default(),
            canonical: CanonicalHash::default(),
            exact: CanonicalHash::default(),
            answers: Vec::new(),
        })
    }

    /// Runs a whole proof, and blocks until it is done.
    ///
    /// # Errors
    /// [`ProofRunError`]: the device failed, which may be the effect of a fault.
    ///
    /// ```
    /// use raytwin::gpu::{AdapterChoice, Gpu};
    /// use raytwin_verify::Limits;
    /// use raytwin_verify::proof::{Proof, ProofRun};
    ///
    /// let gpu = Gpu::open(&AdapterChoice::Any)?;
    /// let run = ProofRun::to_the_end(&gpu, Proof::new(7)?, None)?;
    /// assert!(run.outcome().failures(&Limits::default()).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_the_end(
        gpu: &Gpu,
        proof: Proof,
        fault: Option<&'static Fault>,
    ) -> Result<Self, ProofRunError> {
        pollster::block_on(async {
            let mut run = Self::begin(gpu, proof, fault).await?;
            while run.step().await? {}
            Ok(run)
        })
    }

    /// Asks the next part and judges the answers; returns false if no part is left.
    ///
    /// # Errors
    /// [`ProofRunError`]: the device failed, which may be the effect of a fault.
    pub async fn step(&mut self) -> Result<bool, ProofRunError> {
        self.cast().await?;
        self.judge()
    }

    /// Returns the next part; `None` if no part is left.
    pub fn next_part(&self) -> Option<NextPart<'_>> {
        let [index, of_scene] = self.next;
        let scene = self.proof.scenes().get(index)?;
        let question = scene.questions().get(of_scene)?;
        Some(NextPart { scene_number: index + 1, scene: scene.name(), question })
    }

    /// Casts the next part on the device, which may have to compile its kernels first. Does nothing
    /// if no part is left.
    ///
    /// # Errors
    /// [`ProofRunError`]: the device failed, which may be the effect of a fault.
    pub async fn cast(&mut self) -> Result<(), ProofRunError> {
        let [index, of_scene] = self.next;
        let Some(scene) = self.proof.scenes().get(index) else { return Ok(()) };
        let Some(question) = scene.questions().get(of_scene) else { return Ok(()) };
        let tracer = match self.tracer.take() {
            Some(tracer) => tracer,
            None => {
                let fault = self.fault.filter(|fault| scene.shows(fault)).map(|fault| fault.site);
                CanonicalTracer::new(GpuTracer::new_async(&self.gpu, scene.packed(), fault).await?)
            }
        };
        let answers = tracer.proposer().answer_async(question, 0..question.len()).await?;
        let canonical = match canonical(question) {
            Some(question) => {
                let batch = question.batch().map_err(TraceError::from)?;
                Some(tracer.closest_async(batch).await?)
            }
            None => None,
        };
        self.cast = Some(CastPart { answers, canonical });
        // A device that was lost since the last part was opened again.
        self.gpu = tracer.proposer().gpu();
        if of_scene + 1 < scene.questions().len() {
            self.tracer = Some(tracer);
        }
        Ok(())
    }

    /// Judges the answers to the part that was cast; returns false if none was.
    ///
    /// # Errors
    /// [`ProofRunError::Trace`], only for a defect of a scene.
    pub fn judge(&mut self) -> Result<bool, ProofRunError> {
        let Some(CastPart { answers, canonical: completed }) = self.cast.take() else {
            return Ok(false);
        };
        let [index, of_scene] = self.next;
        let scene = &self.proof.scenes()[index];
        let question = &scene.questions()[of_scene];
        let reference = scene.judge().reference();
        if let (Some(question), Some(completed)) = (canonical(question), completed) {
            self.canonical.add(&completed);
            self.exact.add(&reference.closest(question.batch().map_err(TraceError::from)?)?);
        }
        self.answers.push(differences(question, &answers, reference)?);
        scene.add_to(&mut self.outcome, question, &answers)?;
        self.asked += question.len();
        self.next = match of_scene + 1 < scene.questions().len() {
            true => [index, of_scene + 1],
            false => [index + 1, 0],
        };
        Ok(true)
    }

    /// Returns the number of rays and points that were asked about so far, and the number of all.
    pub fn progress(&self) -> [usize; 2] {
        [self.asked, self.proof.len()]
    }

    /// Returns the proof.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// Returns the arithmetic of the device.
    pub fn arithmetic(&self) -> &Arithmetic {
        &self.arithmetic
    }

    /// Returns the outcome of the answers so far.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the hash of the device's canonical answers so far, and the hash of the float64
    /// tracer's.
    pub fn canonical_hashes(&self) -> [&CanonicalHash; 2] {
        [&self.canonical, &self.exact]
    }

    /// Returns the answers to each asked part, as words: see [`restored`](super::restored).
    pub fn answers(&self) -> &[Vec<u32>] {
        &self.answers
    }

    /// Returns the device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Returns the fault that was planted in the engine.
    pub fn fault(&self) -> Option<&'static Fault> {
        self.fault
    }
}
