//! Reports of Prove my GPU as links, which a page judges anew.

use crate::prove::{arithmetic_text, worst_picture};
use js_sys::Function;
use raytwin_verify::Limits;
use raytwin_verify::proof::Proof;
use raytwin_verify::reports::proof::{JudgedProof, LINK, ProofReport, link};
use serde::Serialize;
use std::cell::Cell;
use std::path::Path;
use wasm_bindgen::prelude::*;

/// Returns the link to a report at a page's address; nothing if it does not fit in one.
#[wasm_bindgen]
pub fn report_link(page: &str, report: &str) -> Result<Option<String>, JsError> {
    Ok(link(page, report)?)
}

/// What a report says of its run, and nobody can check.
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

/// A report that came as a link. Its answers are judged by the page's own float64 tracer, and its
/// verdicts are not read.
#[wasm_bindgen]
pub struct LinkedReport {
    report: ProofReport,
    proof: Proof,
    judged: Option<JudgedProof>,
}

#[wasm_bindgen]
impl LinkedReport {
    /// Reads the report that a link holds.
    pub fn of_link(link: &str) -> Result<Self, JsError> {
        let report = ProofReport::of_link(link)?;
        let proof = Proof::new(report.rays_per_scene)?;
        Ok(Self { report, proof, judged: None })
    }

    /// Judges all answers. `progress` is called with how many were judged and how many there are.
    pub fn judge(&mut self, progress: &Function) -> Result<(), JsError> {
        let (judged, all) = (Cell::new(0), self.proof.len());
        let progress = |answers: usize| {
            judged.set(judged.get() + answers);
            // What the page's own function throws concerns no answer.
            let _ = progress.call2(&JsValue::NULL, &judged.get().into(), &all.into());
        };
        let limits = Limits::default();
        self.judged = Some(self.report.judge(&self.proof, Path::new(LINK), &limits, &progress)?);
        Ok(())
    }

    /// Returns what the report says of its run, as JSON.
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

    /// Returns how the device computes, as the report says, as JSON.
    pub fn arithmetic(&self) -> Result<String, JsError> {
        arithmetic_text(&self.report.arithmetic)
    }

    /// Returns what the judged answers amount to, as `raytwin diff` prints it as JSON.
    pub fn summary(&self) -> Result<String, JsError> {
        Ok(serde_json::to_string(&self.judgement()?.summary)?)
    }

    /// Returns the hash of the float64 tracer's canonical answers.
    pub fn exact_hash(&self) -> Result<String, JsError> {
        Ok(self.judgement()?.exact_hash.clone())
    }

    /// Draws the worst answer's ray from its side, as PNG; nothing if it is about a point or hits
    /// nothing.
    pub fn worst_picture(&self) -> Option<Vec<u8>> {
        worst_picture(&self.proof, &self.judged.as_ref()?.outcome)
    }

    fn judgement(&self) -> Result<&JudgedProof, JsError> {
        self.judged.as_ref().ok_or_else(|| JsError::new("the report was not judged yet"))
    }
}
