//! A proof of a device: fixed scenes of every kind of primitive, and fixed questions about them,
//! whose answers anyone can judge again.
//!
//! The scenes, rays and points follow from a seed and are the same on every machine. A [`ProofRun`]
//! asks a device part by part, without blocking, so that a web page can show the progress. It keeps
//! all answers of the device as words. The reader of a report can therefore judge every answer
//! again and need not trust the page.
//!
//! The *canonical answers* of the proof are the closest hits of all its rays as a
//! [`CanonicalTracer`](raytwin::CanonicalTracer) completes them. Their bits, and so their hash, are
//! the same on every device that keeps its bounds.

mod canonical_hash;
mod run;
mod scene;
mod scenes;
#[cfg(test)]
mod tests;
mod words;

pub use canonical_hash::CanonicalHash;
pub use run::{NextPart, ProofRun, ProofRunError};
pub use scene::ProofScene;
pub use words::{most_words, restored};

use super::Worst;
use super::self_test::TestSceneError;
use crate::faults::Fault;
use raytwin::cpu::CpuTracer;
use raytwin::question::Question;

/// The scenes and questions of the proof.
#[derive(Debug)]
pub struct Proof {
    rays: usize,
    scenes: Vec<ProofScene>,
}

impl Proof {
    /// The number of the definition of scenes, rays and questions. It changes with any of them, and
    /// with the encoding of answers, because a report contains only the answers.
    pub const DEFINITION: u32 = 2;

    /// The number of rays that the whole proof aims at each scene. Each ray is asked about in nine
    /// ways, so that all parts together cast more than 10⁶.
    pub const RAYS: usize = 3605;

    /// Makes the scenes, each with about the given number of rays; at most [`Self::RAYS`].
    ///
    /// # Errors
    /// [`TestSceneError`], only for a defect of a scene.
    pub fn new(rays: usize) -> Result<Self, TestSceneError> {
        let rays = rays.clamp(1, Self::RAYS);
        Ok(Self { rays, scenes: scenes::scenes(rays)? })
    }

    /// Returns the number of rays that are aimed at each scene, which is at most [`Self::RAYS`].
    pub fn rays_per_scene(&self) -> usize {
        self.rays
    }

    /// Returns the scenes, in the order in which they are asked about.
    pub fn scenes(&self) -> &[ProofScene] {
        &self.scenes
    }

    /// Iterates over its parts, in the order in which they are asked: each scene with each of its
    /// questions.
    pub fn parts(&self) -> impl Iterator<Item = (&ProofScene, &Question)> {
        self.scenes
            .iter()
            .flat_map(|scene| scene.questions().iter().map(move |question| (scene, question)))
    }

    /// Returns the number of rays and points in all questions.
    pub fn len(&self) -> usize {
        self.parts().map(|(_, question)| question.len()).sum()
    }

    /// Returns true if there are no questions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the float64 tracer of the scene of an answer; `None` if the scene does not belong to
    /// the proof.
    pub fn reference(&self, worst: &Worst) -> Option<&CpuTracer> {
        let scene =
            self.scenes.iter().find(|scene| Some(scene.name()) == worst.scene.as_deref())?;
        Some(scene.judge().reference())
    }

    /// Returns true if the answers of a device with this fault show it.
    pub fn shows(&self, fault: &Fault) -> bool {
        self.scenes.iter().any(|scene| scene.shows(fault))
    }
}
