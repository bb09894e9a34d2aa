//! The visibility of a scene's parts: hidden, transparent, or shown alone.

use raytwin::Scene;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The mask bit of transparent parts. Rays without this bit pass through them. A scene's own masks
/// rarely use the last bit.
const GLASS: u32 = 1 << 31;

/// The mask of rays that pass through transparent parts.
pub const OPAQUE: u32 = !GLASS;

/// The visible parts. Each text chooses geometries as `raytwin --ignore` does.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parts {
    hidden: Vec<String>,
    /// The only visible parts. If empty, all parts are visible.
    only: Vec<String>,
    glass: Vec<String>,
}

impl Parts {
    /// Returns true if any part is transparent.
    pub fn has_glass(&self) -> bool {
        !self.glass.is_empty()
    }

    /// Returns the scene with only its visible parts. Ids do not change.
    pub fn of(&self, whole: &Arc<Scene>) -> Arc<Scene> {
        if self.hidden.is_empty() && self.only.is_empty() && self.glass.is_empty() {
            return Arc::clone(whole);
        }
        let chosen = |texts: &[String]| -> BTreeSet<u32> {
            texts.iter().flat_map(|text| whole.select(text)).collect()
        };
        let mut scene = Scene::clone(whole);
        for id in chosen(&self.glass) {
            if whole.mask(id) != 0 {
                scene.set_mask(id, GLASS);
            }
        }
        if !self.only.is_empty() {
            let seen = self.only.iter().flat_map(|text| whole.select_ranges(text));
            scene.show_only(seen.collect());
        }
        scene.hide_all(&chosen(&self.hidden).into_iter().collect::<Vec<_>>());
        Arc::new(scene)
    }
}
