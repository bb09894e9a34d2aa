//! Warnings of the parts of a document that are not in the scene.

use crate::Warning;
use crate::mesh_warnings::{MORPHED, MeshWarnings, UNKNOWN_EXTENSIONS};
use crate::warning::warnings;

warnings! {
    /// The warnings of a document, by their cause.
    Warnings() {
        meshes = Warning::unread("meshes"),
        shapes = Warning::unread("shapes"),
        points = Warning::new(
            "meshes of points were left out, because points have no size: give them a radius",
        ),
        corners = Warning::about_read(
            "primitives are read without the corners at their end that make no whole triangle or line",
        ),
        nodes = Warning::new("nodes were left out, and no ray meets the ids of what is in them"),
        instances = Warning::new(
            "nodes have instances that could not be read; later ids will shift once they can be",
        ),
        cameras = Warning::new("cameras could not be read"),
        colors = Warning::of_colors(),
        colliders = Warning::new(
            "documents show nothing, but have colliders: ask for the collision geometry",
        ),
        unread_colliders = Warning::new(
            "documents show nothing, and none of their colliders can be read",
        ),
        extensions = Warning::new(UNKNOWN_EXTENSIONS),
        morphs = Warning::about_read(MORPHED),
    }
}

impl Warnings {
    /// Adds those of a document that is read as one mesh to those of other files, with the name of
    /// its file before each item.
    pub fn add_to(self, all: &mut MeshWarnings, file: &str) {
        let Self {
            meshes, shapes, mut points, corners, nodes, instances, extensions, morphs, ..
        } = self;
        let in_file = |mut warning: Warning| {
            warning.names.iter_mut().for_each(|name| *name = format!("{file}: {name}"));
            warning
        };
        points.names.iter_mut().for_each(|name| name.push_str(" (points, which are no surface)"));
        for parts in [meshes, shapes, points, corners, nodes, instances] {
            all.parts.merge(in_file(parts));
        }
        all.extensions.merge(in_file(extensions));
        all.morphs.merge(in_file(morphs));
    }
}
