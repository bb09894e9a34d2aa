//! Reads the colour of a visual's material.

use super::element::SdfElement;
use crate::checks::checked_color;

/// The colour of a visual, which is its diffuse or otherwise its ambient one, without alpha; `None`
/// if it has none. The error states why the colour cannot be read.
pub(super) fn color(visual: &SdfElement) -> Result<Option<[f32; 3]>, String> {
    let Some(material) = visual.child("material") else { return Ok(None) };
    let Some(color) = material.child("diffuse").or_else(|| material.child("ambient")) else {
        return Ok(None);
    };
    let numbers = color.numbers().map_err(|error| error.to_string())?;
    match numbers[..] {
        [red, green, blue] | [red, green, blue, _] => checked_color([red, green, blue])
            .map(Some)
            .map_err(|rule| color.refuse(rule).to_string()),
        _ => Err(color.refuse("a colour must be three or four numbers").to_string()),
    }
}
