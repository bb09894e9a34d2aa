//! Reads the label and the reflectance of a model or a shape.

use super::element::SdfElement;
use crate::shortened::shortened;

/// The suffixes of the names of Gazebo's label system.
const SYSTEMS: [&str; 2] = ["::systems::Label", "label-system"];

/// The label that the plugin of Gazebo's label system gives a model or a visual; `None` if there is
/// none. The error states why the label cannot be read.
pub(super) fn label(element: &SdfElement) -> Result<Option<u16>, String> {
    let is_of_labels = |plugin: &&SdfElement| {
        ["name", "filename"].into_iter().filter_map(|key| plugin.attribute(key)).any(|name| {
            let name = name.trim_end_matches(".so");
            SYSTEMS.iter().any(|system| name.ends_with(system))
        })
    };
    let Some(plugin) = element.children("plugin").find(is_of_labels) else { return Ok(None) };
    let text = plugin.text_of("label").unwrap_or_default();
    match text.parse() {
        Ok(label) => Ok(Some(label)),
        Err(_) => Err(format!(
            "its label is '{}': it must be a whole number from 0 to 65535",
            shortened(text)
        )),
    }
}

/// The meaning of a shape's `<laser_retro>`.
pub(super) enum LaserRetro {
    /// It is 0, which is its default, or missing.
    Unsaid,
    /// It is a share of light.
    Reflectance(f32),
    /// It is a number with another meaning, with which worlds distinguish objects.
    Other(f64),
}

/// Reads a shape's `<laser_retro>`. The error states why it cannot be read.
pub(super) fn laser_retro(item: &SdfElement) -> Result<LaserRetro, String> {
    let Some(retro) = item.child("laser_retro") else { return Ok(LaserRetro::Unsaid) };
    match retro.exactly() {
        Ok([0.0]) => Ok(LaserRetro::Unsaid),
        Ok([share]) if (0.0..=1.0).contains(&share) => Ok(LaserRetro::Reflectance(share as f32)),
        Ok([other]) => Ok(LaserRetro::Other(other)),
        Err(error) => Err(error.to_string()),
    }
}
