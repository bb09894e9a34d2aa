//! The report on a run of the proof. It contains all answers, and its reader judges them again.

mod coding;
mod link;

pub use link::{LINK_CHARACTERS, is_link, link};

use super::arithmetic_summary::ArithmeticSummary;
use super::{AnswerTexts, OutcomeSummary, RayText};
use crate::faults::{self, Fault};
use crate::proof::{CanonicalHash, Proof, ProofRun, most_words, restored};
use crate::{Limits, Outcome};
use coding::{decoded, encoded};
use raytwin::ray::Ray;
use raytwin_files::{FileError, FileStore};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use thiserror::Error;

/// The most bytes of a report that are read.
const MOST_BYTES: u64 = 64 << 20;

/// The name of a link in messages.
pub const LINK: &str = "the link";

/// The circumstances of a run that only a web page knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// The adapter's name on the page, if the page knows more than the device does.
    #[serde(skip)]
    pub adapter: Option<String>,
    /// The browser, as it identifies itself; null for a program.
    pub browser: Option<String>,
    /// The date, as ISO 8601 writes it.
    pub date: Option<String>,
    /// The duration of the run in seconds.
    pub seconds: f64,
}

/// A report on a run of the proof. `O` is the page's own verdict, which is written and never read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProofReport<O = IgnoredAny> {
    /// The number of the proof's definition.
    pub raytwin_proof: u32,
    /// The version of the library.
    pub raytwin: String,
    /// The adapter's name, which may be empty.
    pub adapter: String,
    /// The graphics interface of the device.
    pub backend: String,
    /// The circumstances that only the page knows.
    #[serde(flatten)]
    pub visit: Visit,
    /// The arithmetic of the device.
    pub arithmetic: ArithmeticSummary,
    /// The fault that was planted in the engine.
    pub mutate: Option<String>,
    /// The number of rays that were aimed at each scene.
    pub rays_per_scene: usize,
    /// The hash of the canonical answers.
    pub canonical_hash: String,
    /// The summary of the answers.
    pub outcome: O,
    /// The answers of each part: the exclusive or of their words with those of the float64 tracer,
    /// deflated, in base 64.
    pub answers: Vec<String>,
}

/// The reason why no report is made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProofReportError {
    /// Parts of the proof were not asked.
    #[error("{left} parts of the proof were not asked yet: a report needs all parts")]
    Unfinished {
        /// The number of these parts.
        left: usize,
    },
    /// Answers cannot be packed.
    #[error("answers cannot be packed: {0}")]
    Coding(#[from] io::Error),
}

/// The fields of a report that decide whether the rest can be read.
#[derive(Deserialize)]
struct Heading {
    raytwin_proof: Option<u32>,
    raytwin: Option<String>,
}

/// The judgement of a report's answers.
#[derive(Debug)]
pub struct JudgedProof {
    /// The outcome of the new judgement of all answers.
    pub outcome: Outcome,
    /// Its summary; a different hash is a failure.
    pub summary: OutcomeSummary,
    /// The hash of the float64 tracer's canonical answers.
    pub exact_hash: String,
}

impl ProofReport<OutcomeSummary> {
    /// Makes the report on a finished run.
    ///
    /// # Errors
    /// A [`ProofReportError`].
    pub fn of_run(run: &ProofRun, visit: Visit) -> Result<Self, ProofReportError> {
        let proof = run.proof();
        let left = proof.parts().count() - run.answers().len();
        if left > 0 {
            return Err(ProofReportError::Unfinished { left });
        }
        let adapter = run.gpu().adapter();
        let name = adapter.map_or(run.gpu().name(), |adapter| &adapter.name);
        let answers = run.answers().iter().map(|words| encoded(words));
        Ok(Self {
            raytwin_proof: Proof::DEFINITION,
            raytwin: env!("CARGO_PKG_VERSION").to_owned(),
            adapter: visit.adapter.clone().unwrap_or_else(|| name.to_owned()),
            backend: adapter.map_or_else(String::new, |adapter| adapter.backend.clone()),
            visit,
            arithmetic: run.arithmetic().into(),
            mutate: run.fault().map(|fault| fault.name.to_owned()),
            rays_per_scene: proof.rays_per_scene(),
            canonical_hash: run.canonical_hashes()[0].to_string(),
            outcome: summary_of(run.outcome(), &Limits::default()),
            answers: answers.collect::<io::Result<_>>()?,
        })
    }
}

impl ProofReport {
    /// Reads a report from its file, or from a text file with the link to it. Does not check its
    /// answers.
    ///
    /// # Errors
    /// [`FileError`]: the file cannot be read, is not a report, or is a report on another
    /// definition of the proof.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let store = FileStore::disk();
        let length = store.length(path)?;
        if length > MOST_BYTES {
            let reason = format!(
                "{length} bytes are too many for a report of the proof, which has a few million"
            );
            return Err(FileError::meaning(path, "", reason));
        }
        let bytes = store.read(path)?;
        // A report may hold any text, but no link begins as it does.
        if bytes.trim_ascii_start().starts_with(b"{") {
            return Self::of_bytes(&bytes, path);
        }
        Self::of_linked(str::from_utf8(&bytes).unwrap_or_default(), path)
    }

    /// Reads a report from the link to it, as [`link()`] makes it. Does not check its answers.
    ///
    /// # Errors
    /// [`FileError`]: the link is damaged, contains no report, or contains one on another
    /// definition of the proof.
    pub fn of_link(text: &str) -> Result<Self, FileError> {
        Self::of_linked(text, Path::new(LINK))
    }

    fn of_linked(text: &str, path: &Path) -> Result<Self, FileError> {
        let bytes = link::unpacked(text, MOST_BYTES)
            .map_err(|reason| FileError::meaning(path, "", reason))?;
        Self::of_bytes(&bytes, path).map_err(|error| match error {
            // The text in a link has no lines to look up.
            FileError::Syntax { .. } => FileError::meaning(path, "", link::cut()),
            error => error,
        })
    }

    fn of_bytes(bytes: &[u8], path: &Path) -> Result<Self, FileError> {
        let refused = |reason: String| FileError::meaning(path, "", reason);
        let syntax = |error: serde_json::Error| match error.classify() {
            serde_json::error::Category::Data => refused(format!("{error}; download it again")),
            _ => FileError::parser(path, [error.line(), error.column()], error),
        };
        let no_report =
            || refused("this is not a report of Prove my GPU: it has no raytwin_proof".to_owned());
        let heading: Heading = match serde_json::from_slice(bytes) {
            Err(error) if error.is_data() => return Err(no_report()),
            heading => heading.map_err(syntax)?,
        };
        match heading.raytwin_proof {
            Some(Proof::DEFINITION) => {}
            Some(other) => {
                let version = heading.raytwin.unwrap_or_default();
                return Err(refused(format!(
                    "the report uses definition {other} of the proof, from raytwin {version}, and this program supports definition {}: judge it with that version of raytwin",
                    Proof::DEFINITION
                )));
            }
            None => return Err(no_report()),
        }
        let report: Self = serde_json::from_slice(bytes).map_err(syntax)?;
        if !(1..=Proof::RAYS).contains(&report.rays_per_scene) {
            let reason =
                format!("must be from 1 to {}, not {}", Proof::RAYS, report.rays_per_scene);
            return Err(FileError::meaning(path, "rays_per_scene", reason));
        }
        if report.fault().is_none()
            && let Some(name) = &report.mutate
        {
            return Err(FileError::meaning(
                path,
                "mutate",
                format!("there is no fault named '{name}'"),
            ));
        }
        Ok(report)
    }

    /// Returns the share of the proof's rays that were cast.
    pub fn share(&self) -> f64 {
        self.rays_per_scene as f64 / Proof::RAYS as f64
    }

    /// Returns the fault that was planted; `None` if there was none, or if this version has no
    /// fault of that name.
    pub fn fault(&self) -> Option<&'static Fault> {
        faults::named(self.mutate.as_deref()?)
    }

    /// Judges every answer again, against these limits. Calls `progress` with the number of answers
    /// of each part.
    ///
    /// # Errors
    /// [`FileError::Meaning`]: the answers are damaged, or do not belong to this proof.
    pub fn judge(
        &self,
        proof: &Proof,
        path: &Path,
        limits: &Limits,
        progress: &dyn Fn(usize),
    ) -> Result<JudgedProof, FileError> {
        let parts = proof.parts().count();
        if self.answers.len() != parts {
            let reason =
                format!("the report has {} parts, and the proof has {parts}", self.answers.len());
            return Err(FileError::meaning(path, "answers", reason));
        }
        let mut outcome = Outcome::default();
        for (index, ((scene, question), text)) in proof.parts().zip(&self.answers).enumerate() {
            let at = format!("answers[{index}]");
            let damaged = |reason: String| FileError::meaning(path, at.as_str(), reason);
            let failed = |error| damaged(format!("{error}"));
            let words = decoded(text, most_words(question)).map_err(damaged)?;
            let answers = restored(&words, question, scene.judge().reference());
            let answers = answers.map_err(failed)?.ok_or_else(|| {
                let name = scene.name();
                damaged(format!(
                    "these are not the answers to {} rays or points of {name}",
                    question.len()
                ))
            })?;
            scene.add_to(&mut outcome, question, &answers).map_err(failed)?;
            progress(question.len());
        }
        let exact_hash = CanonicalHash::exact(proof)
            .map_err(|error| FileError::meaning(path, "", error))?
            .to_string();
        let mut summary = summary_of(&outcome, limits);
        if exact_hash != self.canonical_hash {
            summary.sound = false;
            summary.failures.push(format!(
                "the hash of the canonical answers is {}, and must be {exact_hash}",
                self.canonical_hash
            ));
        }
        Ok(JudgedProof { outcome, summary, exact_hash })
    }
}

/// Returns the summary of the answers to a proof. Its scenes have no files, so it contains no
/// commands that cast a ray again.
pub fn summary_of(outcome: &Outcome, limits: &Limits) -> OutcomeSummary {
    let text = |ray: &Ray| {
        let numbers: &[f32; 8] = bytemuck::cast_ref(ray);
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        RayText { numbers: numbers.join(","), command: String::new() }
    };
    OutcomeSummary::new(outcome, limits, &AnswerTexts { ray: &text, path: &|_| None })
}
