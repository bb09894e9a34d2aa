//! The proof of the visitor's GPU, as the page drives it.

use crate::caster::Device;
use raytwin::diff::Limits;
use raytwin::diff::proof::{Proof, ProofRun};
use raytwin::faults;
use raytwin_files::ArithmeticSummary;
use raytwin_files::proof_report::{ProofReport, Visit, summary_of};
use raytwin_files::report::side_view;
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// The arithmetic of the visitor's GPU.
#[derive(Serialize)]
struct Arithmetic {
    holds: bool,
    lines: [String; 4],
}

/// A fault that a visitor may choose.
#[derive(Serialize)]
struct Choice {
    name: &'static str,
    about: &'static str,
}

/// Returns the faults that the proof shows, as JSON.
#[wasm_bindgen]
pub fn proof_faults() -> Result<String, JsError> {
    // The scenes alone tell, however many rays are cast into them.
    let proof = Proof::new(1)?;
    let shown = faults::all().filter(|fault| proof.shows(fault));
    let choices: Vec<Choice> =
        shown.map(|fault| Choice { name: fault.name, about: fault.about }).collect();
    Ok(serde_json::to_string(&choices)?)
}

/// A run of the proof.
#[wasm_bindgen]
pub struct Prover(ProofRun);

#[wasm_bindgen]
impl Prover {
    /// Begins a run on a device, with the fault of that name if it is not empty.
    pub async fn begin(device: &Device, fault: String) -> Result<Self, JsError> {
        let fault = match fault.as_str() {
            "" => None,
            name => {
                let known = faults::named(name);
                Some(known.ok_or_else(|| JsError::new(&format!("no fault is named '{name}'")))?)
            }
        };
        Ok(Self(ProofRun::begin(&device.0, Proof::new(Proof::RAYS)?, fault).await?))
    }

    /// Asks the next part and judges the answers; false if there is none left.
    pub async fn step(&mut self) -> Result<bool, JsError> {
        Ok(self.0.step().await?)
    }

    /// Returns how many rays and points were asked about so far, and how many there are in all.
    pub fn progress(&self) -> Vec<u32> {
        self.0.progress().map(|count| count as u32).to_vec()
    }

    /// Returns what the answers so far amount to, as `raytwin diff` prints it as JSON.
    pub fn summary(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&summary_of(self.0.outcome(), &Limits::default()))?)
    }

    /// Returns how the device computes, as JSON.
    pub fn arithmetic(&self) -> Result<String, JsError> {
        let measured = ArithmeticSummary::from(self.0.arithmetic());
        let arithmetic = Arithmetic { holds: measured.keeps_promises, lines: measured.lines() };
        Ok(serde_json::to_string(&arithmetic)?)
    }

    /// Returns the hash of the device's canonical answers, and that of the float64 tracer's.
    pub fn hashes(&self) -> Vec<String> {
        self.0.canonical_hashes().map(ToString::to_string).to_vec()
    }

    /// Draws the worst answer's ray from its side, as PNG; nothing if it is about a point or hits
    /// nothing.
    pub fn worst_picture(&self) -> Option<Vec<u8>> {
        let worst = self.0.outcome().worst().into_iter().next()?.1;
        side_view(self.0.proof().reference(worst)?, worst).ok()?
    }

    /// Returns the report on a finished run, as the text of its file.
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
