//! The parts of a scene that a visitor sees: hidden ones, ones that are looked through, or one alone.

use raytwin::Scene;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The bit of the mask of what is looked through. Rays without it pass such parts by; a scene's own
/// masks rarely use the last bit.
const GLASS: u32 = 1 << 31;

/// The mask of rays that pass by what is looked through.
pub const OPAQUE: u32 = !GLASS;

/// Which parts are seen. Each text chooses geometries as `raytwin --ignore` does.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parts {
    hidden: Vec<String>,
    /// The parts that alone are seen; all if there are none.
    only: Vec<String>,
    glass: Vec<String>,
}

impl Parts {
    /// Returns true if anything is looked through.
    pub fn has_glass(&self) -> bool {
        !self.glass.is_empty()
    }

    /// Returns the scene as it is seen. Ids stay as they are.
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
            scene.hide_all_but(seen.collect());
        }
        scene.hide_all(&chosen(&self.hidden).into_iter().collect::<Vec<_>>());
        Arc::new(scene)
    }
}
