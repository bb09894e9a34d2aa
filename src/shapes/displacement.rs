//! How far float32 may have moved a surface.

use crate::math::U;
use glam::DVec3;

/// The factor in the bound on how far float32 moves a surface, δ = `DELTA` u max(D, R).
pub const DELTA: f64 = 16.0;

/// Returns how far float32 may have moved a surface for rays from `origin`: δ = [`DELTA`] u max(D,
/// R), times the type's allowance.
pub(crate) fn delta(allowance: f64, origin: DVec3, center: DVec3, radius: f64) -> f64 {
    allowance * DELTA * U * (origin - center).length().max(radius)
}
