//! The echoes of a beam, which a tracer may answer in place of hits.

use crate::ray::Hit;

/// Hits of a beam's rays that lie so close to each other that the instrument reports one distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// The mean distance of the hits, weighted by their intensities.
    pub distance: f64,
    /// The sum of their intensities.
    pub intensity: f64,
    /// The share of the beam's light that met them.
    pub weight: f64,
    /// The ray of the beam whose hit is the strongest, the first of several.
    pub strongest: usize,
    /// That hit.
    pub hit: Hit,
}
