//! The hash of the proof's canonical answers.

use super::Proof;
use raytwin::query::Query;
use raytwin::question::{Question, RayQuestion};
use raytwin::ray::Hit;
use raytwin::tracer::{TraceError, Tracer};

/// Returns the question if its canonical answers belong to the proof: it asks for the closest hits
/// of rays that may hit all geometries of their world, as surfaces.
pub(super) fn canonical(question: &Question) -> Option<&RayQuestion> {
    let Question::Rays(question) = question else { return None };
    let has_filters = question.rays.masks.is_some() || question.rays.ignored.is_some();
    let is_closest = matches!(question.query, Query::Closest(_));
    (is_closest && !question.is_solid && !has_filters).then_some(question)
}

/// A hash (BLAKE3) of canonical answers, part by part and ray by ray: t and both ids as 32-bit
/// words, little-endian.
#[derive(Clone, Debug, Default)]
pub struct CanonicalHash(blake3::Hasher);

impl CanonicalHash {
    /// Returns the hash that every device has, from the float64 tracer.
    ///
    /// # Errors
    /// [`TraceError`], only for a defect of a scene.
    pub fn exact(proof: &Proof) -> Result<Self, TraceError> {
        let mut hash = Self::default();
        for (scene, question) in proof.parts() {
            if let Some(question) = canonical(question) {
                hash.add(&scene.judge().reference().closest(question.batch()?)?);
            }
        }
        Ok(hash)
    }

    /// Adds the canonical answers of the next part.
    pub fn add(&mut self, hits: &[Hit]) {
        let words =
            hits.iter().flat_map(|hit| [hit.t.to_bits(), hit.geometry_id, hit.primitive_id]);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        self.0.update(&bytes);
    }
}

impl std::fmt::Display for CanonicalHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.finalize().fmt(f)
    }
}
