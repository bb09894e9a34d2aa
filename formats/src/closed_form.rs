//! Closed forms as files describe them: a kind, and the sizes at the beginning of its row.

use raytwin::geometry::Geometry;
use raytwin::shapes::{ShapeType, unplaced};

/// Makes a closed form from the first numbers of its row; the others are defaults.
pub(super) fn closed_form(kind: &str, row: &[f64]) -> Result<Geometry, String> {
    let kind = ShapeType::named(kind).ok_or_else(|| format!("a {kind}"))?;
    let row: Vec<f64> = row.iter().copied().chain(kind.defaults().skip(row.len())).collect();
    unplaced(kind, &row).map(Geometry::from).map_err(|shape_error| shape_error.to_string())
}
