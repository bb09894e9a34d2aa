//! A column of diameters in place of one of radii.

use super::cell::Cell;
use raytwin_files::RowFault;

/// The name of the column, and that of the field that its halves are.
pub(super) const DIAMETER: &str = "diameter";
pub(super) const RADIUS: &str = "radius";

/// Names the column of diameters after the field, and returns its index.
pub(super) fn diameters(names: &mut [String]) -> Result<Option<usize>, RowFault> {
    let Some(column) = names.iter().position(|name| name == DIAMETER) else { return Ok(None) };
    if names.iter().any(|name| name == RADIUS) {
        let reason = "is a column beside radius: leave one of the two out".to_owned();
        return Err(RowFault { column: Some(column), reason });
    }
    names[column] = RADIUS.to_owned();
    Ok(Some(column))
}

/// Puts the radius in place of a diameter.
pub(super) fn halve(cell: &mut Cell<'_>) -> Result<(), String> {
    if cell.is_unused() {
        return Ok(());
    }
    let diameter = cell.number()?;
    // A message about the radius would give half of what the file says.
    if diameter.is_nan() || diameter <= 0.0 {
        return Err(format!("is {diameter}: it must be greater than 0"));
    }
    *cell = Cell::Number(0.5 * diameter);
    Ok(())
}
