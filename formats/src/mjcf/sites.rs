//! Places the sites of a model in the world.

use super::tree::{BodyTree, Site};
use raytwin::camera::Pose;
use raytwin::math::Similarity;

impl Site<'_> {
    /// Its name in the whole model. Sites without one are not kept.
    fn name(&self) -> String {
        let own = self.element.attribute("name").unwrap_or_default();
        format!("{}{own}{}", self.prefix, self.suffix)
    }
}

/// The names and the frames of the sites of a model, given those of its bodies in the world.
pub(super) fn sites(tree: &BodyTree<'_>, world_from_bodies: &[Similarity]) -> Vec<(String, Pose)> {
    let placed = |site: &Site<'_>| {
        let frame = world_from_bodies[site.body].then_inner(&site.body_from_site);
        (site.name(), Pose { position: frame.translation, rotation: frame.rotation })
    };
    tree.sites.iter().map(placed).collect()
}
