//! The echoes of a beam, which a tracer may return in place of hits.

use crate::ray::Hit;

/// Hits of a beam's rays that are so close together that the instrument reports one distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// The mean distance of the hits, weighted by their intensities.
    pub distance: f64,
    /// The sum of their intensities.
    pub intensity: f64,
    /// The share of the beam's light that made these hits.
    pub weight: f64,
    /// The ray of the beam with the strongest hit; of several, the first.
    pub strongest: usize,
    /// That hit.
    pub hit: Hit,
}
