//! Places the sites of a model in the world.

use super::tree::{BodyTree, Site};
use crate::mount::Mount;
use raytwin::camera::Pose;
use raytwin::math::Similarity;
use std::ops::Range;

impl Site<'_> {
    /// Its name in the whole model. Sites without one are not kept.
    fn name(&self) -> String {
        let own = self.element.attribute("name").unwrap_or_default();
        format!("{}{own}{}", self.prefix, self.suffix)
    }
}

/// The names and the frames of the sites of a model, given the frames of its bodies in the world and
/// the geoms that carry each.
pub(super) fn sites(
    tree: &BodyTree<'_>,
    world_from_bodies: &[Similarity],
    carriers: &[Range<u32>],
) -> Vec<(String, Mount)> {
    let placed = |site: &Site<'_>| {
        let frame = world_from_bodies[site.body].then_inner(&site.body_from_site);
        let pose = Pose { position: frame.translation, rotation: frame.rotation };
        (site.name(), Mount { pose, carrier: carriers[site.body].clone() })
    };
    tree.sites.iter().map(placed).collect()
}
