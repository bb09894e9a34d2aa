//! Reports of Prove my GPU as links, which a page checks again.

use crate::prove::{arithmetic_text, worst_picture};
use js_sys::Function;
use raytwin_verify::Limits;
use raytwin_verify::proof::Proof;
use raytwin_verify::reports::proof::{JudgedProof, LINK, ProofReport, link};
use serde::Serialize;
use std::cell::Cell;
use std::path::Path;
use wasm_bindgen::prelude::*;

/// Returns the link to a report at a page's address, or nothing if the report does not fit in a link.
#[wasm_bindgen]
pub fn report_link(page: &str, report: &str) -> Result<Option<String>, JsError> {
    Ok(link(page, report)?)
}

/// The claims of a report about its run, which nobody can check.
#[derive(Serialize)]
struct RunFacts<'a> {
    adapter: &'a str,
    browser: Option<&'a str>,
    date: Option<&'a str>,
    seconds: f64,
    fault: Option<&'a str>,
    share: f64,
    hash: &'a str,
}

/// A report in a link. The page checks its answers with its own float64 tracer, and does not read its
/// verdicts.
#[wasm_bindgen]
pub struct LinkedReport {
    report: ProofReport,
    proof: Proof,
    judged: Option<JudgedProof>,
}

#[wasm_bindgen]
impl LinkedReport {
    /// Reads the report in a link.
    pub fn of_link(link: &str) -> Result<Self, JsError> {
        let report = ProofReport::of_link(link)?;
        let proof = Proof::new(report.rays_per_scene)?;
        Ok(Self { report, proof, judged: None })
    }

    /// Checks all answers. `progress` is called with the number of checked answers and their total.
    pub fn judge(&mut self, progress: &Function) -> Result<(), JsError> {
        let (judged, all) = (Cell::new(0), self.proof.len());
        let progress = |answers: usize| {
            judged.set(judged.get() + answers);
            // An exception of the page's own function does not affect the answers.
            let _ = progress.call2(&JsValue::NULL, &judged.get().into(), &all.into());
        };
        let limits = Limits::default();
        self.judged = Some(self.report.judge(&self.proof, Path::new(LINK), &limits, &progress)?);
        Ok(())
    }

    /// Returns the claims of the report about its run, as JSON.
    pub fn claims(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&RunFacts {
            adapter: &self.report.adapter,
            browser: self.report.visit.browser.as_deref(),
            date: self.report.visit.date.as_deref(),
            seconds: self.report.visit.seconds,
            fault: self.report.mutate.as_deref(),
            share: self.report.share(),
            hash: &self.report.canonical_hash,
        })?)
    }

    /// Returns how the device computes, according to the report, as JSON.
    pub fn arithmetic(&self) -> Result<String, JsError> {
        arithmetic_text(&self.report.arithmetic)
    }

    /// Returns the summary of the checked answers, in the JSON format of `raytwin diff`.
    pub fn summary(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&self.judgement()?.summary)?)
    }

    /// Returns the hash of the float64 tracer's canonical answers.
    pub fn exact_hash(&self) -> Result<String, JsError> {
        Ok(self.judgement()?.exact_hash.clone())
    }

    /// Draws the ray of the worst answer from the side, as PNG. Returns nothing if the answer is about a
    /// point or is a miss.
    pub fn worst_picture(&self) -> Option<Vec<u8>> {
        worst_picture(&self.proof, &self.judged.as_ref()?.outcome)
    }

    fn judgement(&self) -> Result<&JudgedProof, JsError> {
        self.judged.as_ref().ok_or_else(|| JsError::new("the report was not checked yet"))
    }
}
