//! A column of diameters instead of radii.

use super::cell::Cell;
use raytwin_files::RowFault;

/// The name of the column, and of the field with half of its values.
pub(super) const DIAMETER: &str = "diameter";
pub(super) const RADIUS: &str = "radius";

/// Renames the column of diameters to the field, and returns its index.
pub(super) fn diameters(names: &mut [String]) -> Result<Option<usize>, RowFault> {
    let Some(column) = names.iter().position(|name| name == DIAMETER) else { return Ok(None) };
    if names.iter().any(|name| name == RADIUS) {
        let reason = "is given together with radius: remove one of the two".to_owned();
        return Err(RowFault { column: Some(column), reason });
    }
    names[column] = RADIUS.to_owned();
    Ok(Some(column))
}

/// Replaces a diameter by the radius.
pub(super) fn halve(cell: &mut Cell<'_>) -> Result<(), String> {
    if cell.is_unused() {
        return Ok(());
    }
    let diameter = cell.number()?;
    // A message about the radius would show half of the number in the file.
    if diameter.is_nan() || diameter <= 0.0 {
        return Err(format!("is {diameter}: it must be greater than 0"));
    }
    *cell = Cell::Number(0.5 * diameter);
    Ok(())
}
