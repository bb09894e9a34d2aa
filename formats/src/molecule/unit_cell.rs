//! The cell of a crystal, in which a file gives atoms as fractions of its edges.

use glam::{DMat3, DVec3};
use raytwin::math::radians;

/// Returns the matrix from fractions to ångström for a cell with these edges and the angles alpha,
/// beta and gamma in degrees: the first edge is along x, the second in the plane of x and y
/// (International Tables for Crystallography B, section 3.3.1). `None` if there is no such cell.
pub(super) fn orthogonal_from_fractions(edges: DVec3, angles_degrees: DVec3) -> Option<DMat3> {
    let DVec3 { x: a, y: b, z: c } = edges;
    // The cosine of a right angle is exactly 0, so that a rectangular cell stays one.
    let cosine = |degrees: f64| if degrees == 90.0 { 0.0 } else { libm::cos(radians(degrees)) };
    let [alpha, beta, gamma] = angles_degrees.to_array().map(cosine);
    let sine_gamma = (1.0 - gamma * gamma).sqrt();
    let rise = (alpha - beta * gamma) / sine_gamma;
    let height = (1.0 - beta * beta - rise * rise).sqrt();
    let matrix = DMat3::from_cols(
        DVec3::new(a, 0.0, 0.0),
        DVec3::new(b * gamma, b * sine_gamma, 0.0),
        DVec3::new(c * beta, c * rise, c * height),
    );
    // A comparison with NaN, the root of a negative number, is false.
    let has_volume = edges.min_element() > 0.0 && matrix.z_axis.z > 0.0 && matrix.y_axis.y > 0.0;
    (has_volume && matrix.is_finite()).then_some(matrix)
}
