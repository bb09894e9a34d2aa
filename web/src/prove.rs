//! The proof of the user's GPU, which the page runs step by step.

use crate::caster::Device;
use raytwin_verify::faults;
use raytwin_verify::proof::{Proof, ProofRun};
use raytwin_verify::reports::ArithmeticSummary;
use raytwin_verify::reports::proof::{ProofReport, Visit, summary_of};
use raytwin_verify::reports::side_view;
use raytwin_verify::{Limits, Outcome};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// The arithmetic of the user's GPU.
#[derive(Serialize)]
struct Arithmetic {
    holds: bool,
    lines: [String; 4],
}

/// The next part of the proof, as the page shows it.
#[derive(Serialize)]
struct Next<'a> {
    number: usize,
    scenes: usize,
    scene: &'a str,
    rays: &'static str,
    kind: &'static str,
}

/// A fault that a user may choose.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    about: &'static str,
}

/// Returns the faults that the proof can find, as JSON.
#[wasm_bindgen]
pub fn proof_faults() -> Result<String, JsError> {
    // This depends only on the scenes, and not on the number of rays.
    let proof = Proof::new(1)?;
    let shown = faults::all().filter(|fault| proof.shows(fault));
    let choices: Vec<Choice> =
        shown.map(|fault| Choice { name: fault.name, about: fault.about }).collect();
    Ok(serde_json::to_string(&choices)?)
}

/// Returns how a device computes, as JSON.
pub(crate) fn arithmetic_text(measured: &ArithmeticSummary) -> Result<String, JsError> {
    let arithmetic = Arithmetic { holds: measured.keeps_promises, lines: measured.lines() };
    Ok(serde_json::to_string(&arithmetic)?)
}

/// Draws the ray of the worst answer from the side, as PNG. Returns nothing if the answer is about a
/// point or is a miss.
pub(crate) fn worst_picture(proof: &Proof, outcome: &Outcome) -> Option<Vec<u8>> {
    let worst = outcome.worst().into_iter().next()?.1;
    side_view(proof.reference(worst)?, worst).ok()?
}

/// A run of the proof.
#[wasm_bindgen]
pub struct Prover(ProofRun);

#[wasm_bindgen]
impl Prover {
    /// Begins a run on a device, with the fault of this name if the name is not empty.
    pub async fn begin(device: &Device, fault: String) -> Result<Self, JsError> {
        let fault = match fault.as_str() {
            "" => None,
            name => {
                let known = faults::named(name);
                Some(known.ok_or_else(|| JsError::new(&format!("there is no fault '{name}'")))?)
            }
        };
        Ok(Self(ProofRun::begin(&device.0, Proof::new(Proof::RAYS)?, fault).await?))
    }

    /// Returns the next part, as JSON, or nothing if the proof is complete.
    pub fn next(&self) -> Result<Option<String>, JsError> {
        let scenes = self.0.proof().scenes().len();
        let next = self.0.next_part().map(|part| {
            serde_json::to_string(&Next {
                number: part.scene_number,
                scenes,
                scene: part.scene,
                rays: part.question.name(),
                kind: part.question.kind().name(),
            })
        });
        Ok(next.transpose()?)
    }

    /// Casts the next part on the GPU, which may have to compile kernels first.
    pub async fn cast(&mut self) -> Result<(), JsError> {
        Ok(self.0.cast().await?)
    }

    /// Checks the answers of this part.
    pub fn judge(&mut self) -> Result<(), JsError> {
        self.0.judge()?;
        Ok(())
    }

    /// Returns the number of rays and points so far, and their total.
    pub fn progress(&self) -> Vec<u32> {
        self.0.progress().map(|count| count as u32).to_vec()
    }

    /// Returns the summary of the answers so far, in the JSON format of `raytwin diff`.
    pub fn summary(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&summary_of(self.0.outcome(), &Limits::default()))?)
    }

    /// Returns how the device computes, as JSON.
    pub fn arithmetic(&self) -> Result<String, JsError> {
        arithmetic_text(&self.0.arithmetic().into())
    }

    /// Returns the hash of the device's canonical answers, and the hash of the float64 tracer's answers.
    pub fn hashes(&self) -> Vec<String> {
        self.0.canonical_hashes().map(ToString::to_string).to_vec()
    }

    /// Draws the ray of the worst answer from the side, as PNG. Returns nothing if the answer is about a
    /// point or is a miss.
    pub fn worst_picture(&self) -> Option<Vec<u8>> {
        worst_picture(self.0.proof(), self.0.outcome())
    }

    /// Returns the report of a finished run, as the text of its file.
    pub fn report(
        &self,
        adapter: String,
        browser: String,
        date: String,
        seconds: f64,
    ) -> Result<String, JsError> {
        let visit =
            Visit { adapter: Some(adapter), browser: Some(browser), date: Some(date), seconds };
        Ok(serde_json::to_string(&ProofReport::of_run(&self.0, visit)?)?)
    }
}
