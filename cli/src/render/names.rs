//! The shapes whose names a picture shows.

use crate::console::Console;
use crate::failure::Failure;
use crate::shape_names::ending;
use raytwin::scene::Scene;
use raytwin_files::image::{RenderFiles, RenderOptions};
use std::ops::Range;

/// Returns the ids of the shapes that texts choose; `None` for no text.
pub(super) fn ids(scene: &Scene, texts: &[String]) -> Result<Option<Vec<Range<u32>>>, Failure> {
    if texts.is_empty() {
        return Ok(None);
    }
    let mut ids = Vec::new();
    for text in texts {
        let chosen = chosen(scene, text);
        if chosen.is_empty() {
            return Err(Failure::input(format!(
                "--names {text}: the scene has no such shape: give a path as info --geometries prints it, the end of a path, a pattern, or a type such as sphere"
            )));
        }
        ids.extend(chosen);
    }
    Ok(Some(ids))
}

/// Returns the ids that a text chooses: as for `--ignore`, by the end of paths, or by type.
fn chosen(scene: &Scene, text: &str) -> Vec<Range<u32>> {
    let chosen = scene.select_ranges(text);
    if !chosen.is_empty() {
        return chosen;
    }
    let by_end = ending(scene, text);
    if !by_end.is_empty() {
        return by_end.into_iter().map(|id| id..id + 1).collect();
    }
    let geometries = scene.written_out();
    let of_type = geometries.filter(|(_, geometry, _)| geometry.type_name() == text);
    of_type.map(|(id, ..)| id..id + 1).collect()
}

/// Prints the number of names in the picture, and of names left out because they would overlap.
pub(super) fn print(options: &RenderOptions, written: &RenderFiles, console: &Console) {
    if options.named.is_some() {
        let left_out = match written.unnamed {
            0 => String::new(),
            count => format!(
                ", and {count} left out because they would overlap others: give a larger --size"
            ),
        };
        console.say(&format!("named.png: {} names{left_out}", written.named));
    }
}
