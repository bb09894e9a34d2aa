//! Finds the shapes that a text names, and suggests similar names if there are none.

use raytwin::scene::{Scene, ends_in};
use raytwin_files::nearest;
use std::collections::BTreeSet;
use std::ops::Range;

/// The most candidates that a message lists.
const LISTED: usize = 8;

/// The most shapes among whose paths a similar one is searched for a misspelt path.
const LOOKED_THROUGH: u32 = 1_000_000;

/// Returns the ids that a text chooses as [`Scene::select_ranges`] does, or else the id of the only
/// shape whose path ends in it, after a slash. If there is none, the reason suggests similar paths.
pub(super) fn chosen(scene: &Scene, text: &str) -> Result<Vec<Range<u32>>, String> {
    let chosen = scene.select_ranges(text);
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    let ids = ending(scene, text);
    match ids.len() {
        1 => Ok(ids.into_iter().map(|id| id..id + 1).collect()),
        _ => Err(format!("the scene has no such shape{}", alike(scene, text, &ids))),
    }
}

/// Lists the first of these paths, and the number of the others.
pub(super) fn listed(mut paths: impl ExactSizeIterator<Item = String>) -> String {
    let first: Vec<String> = paths.by_ref().take(LISTED).collect();
    let more = match paths.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join(", ") + &more
}

/// Returns the shapes whose paths end in a text, after a slash.
pub(super) fn ending(scene: &Scene, text: &str) -> Vec<u32> {
    let is_id = text.parse::<u32>().is_ok();
    if scene.geometry_count() > LOOKED_THROUGH || text.is_empty() || is_id {
        return Vec::new();
    }
    (0..scene.geometry_count()).filter(|id| ends_in(&scene.path(*id), text)).collect()
}

/// Returns the end of a message about a path that no shape has: the paths that begin or end in the
/// same way, or the path with the most similar letters.
fn alike(scene: &Scene, text: &str, ending: &[u32]) -> String {
    let advice = || {
        let last = scene.geometry_count().saturating_sub(1);
        format!(": give an id from 0 to {last}, or a path as pick and info --geometries print it")
    };
    let is_pattern_or_id = text.contains(['*', '?']) || text.parse::<u32>().is_ok();
    if scene.geometry_count() > LOOKED_THROUGH || text.is_empty() || is_pattern_or_id {
        return advice();
    }
    let paths: Vec<String> = (0..scene.geometry_count()).map(|id| scene.path(id)).collect();
    let begin: Vec<u32> =
        (0..).zip(&paths).filter(|(_, path)| path.starts_with(text)).map(|(id, _)| id).collect();
    for candidates in [&begin[..], ending] {
        if !candidates.is_empty() {
            let paths = candidates.iter().map(|&id| paths[id as usize].clone());
            return format!("; it has {}", listed(paths));
        }
    }
    // A group is the beginning of the paths in it.
    let groups = paths.iter().flat_map(|path| path.match_indices('/').map(|(end, _)| &path[..end]));
    let known: BTreeSet<&str> = paths.iter().map(String::as_str).chain(groups).collect();
    let known: Vec<&str> = known.into_iter().collect();
    nearest(text, &known).map_or_else(advice, |near| format!("; did you mean {near}?"))
}
