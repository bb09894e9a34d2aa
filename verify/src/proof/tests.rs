//! The test that the proof stays the one that its number names.

use super::{CanonicalHash, Proof};
use raytwin::question::Question;

/// Returns a hash of all that is asked, and of the canonical answers, which follow from the scenes.
fn hash(proof: &Proof) -> String {
    let mut hash = blake3::Hasher::new();
    for (_, question) in proof.parts() {
        hash.update(question.traits().to_string().as_bytes());
        match question {
            Question::Rays(question) => {
                let rays = &question.rays;
                hash.update(bytemuck::cast_slice(&rays.rays));
                for column in [&rays.masks, &rays.ignored, &rays.worlds].into_iter().flatten() {
                    hash.update(bytemuck::cast_slice(column));
                }
            }
            Question::Points(points) => {
                hash.update(bytemuck::cast_slice(points));
            }
            Question::Image(view) => {
                let rays: Vec<_> = (0..view.pixels()).map(|pixel| view.ray(pixel)).collect();
                hash.update(bytemuck::cast_slice(&rays));
            }
        }
    }
    hash.update(CanonicalHash::exact(proof).unwrap().to_string().as_bytes());
    hash.finalize().to_string()
}

#[test]
fn another_proof_has_another_number() {
    // Whoever changes a scene, a ray or a question gives the proof the next number, and notes its
    // hash here.
    let known = (2, "9974bda4f7773ff26583237fa58c1571a2cff0b41dfb077e3e6c790d868a6b94");
    assert_eq!((Proof::DEFINITION, hash(&Proof::new(70).unwrap()).as_str()), known);
}
