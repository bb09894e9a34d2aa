//! Warnings about the parts of a document that are not in the scene.

use crate::Warning;
use crate::mesh_warnings::{MORPHED, MeshWarnings, UNKNOWN_EXTENSIONS};
use crate::warning::warnings;

warnings! {
    /// The warnings of a document, by their cause.
    Warnings() {
        meshes = Warning::unread("meshes"),
        shapes = Warning::unread("shapes"),
        points = Warning::new(
            "meshes of points were left out, because points have no size: set a point radius",
        ),
        corners = Warning::about_read(
            "primitives end with corners that do not make a whole triangle or line; these corners were left out",
        ),
        nodes = Warning::new("nodes were left out; their shapes keep their ids, but no ray can hit them"),
        instances = Warning::new(
            "nodes have instances that could not be read; later ids will change when they can be read",
        ),
        cameras = Warning::new("cameras could not be read"),
        colors = Warning::of_colors(),
        colliders = Warning::new(
            "documents have no visible geometry, but have colliders: read the collision geometry",
        ),
        unread_colliders = Warning::new(
            "documents have no visible geometry, and none of their colliders could be read",
        ),
        extensions = Warning::new(UNKNOWN_EXTENSIONS),
        morphs = Warning::about_read(MORPHED),
    }
}

impl Warnings {
    /// Adds the warnings about a document that is read as one mesh to those about other files, with
    /// the name of its file before each item.
    pub fn add_to(self, all: &mut MeshWarnings, file: &str) {
        let Self {
            meshes, shapes, mut points, corners, nodes, instances, extensions, morphs, ..
        } = self;
        let in_file = |mut warning: Warning| {
            warning.names.iter_mut().for_each(|name| *name = format!("{file}: {name}"));
            warning
        };
        points.names.iter_mut().for_each(|name| name.push_str(" (points have no surface)"));
        for parts in [meshes, shapes, points, corners, nodes, instances] {
            all.parts.merge(in_file(parts));
        }
        all.extensions.merge(in_file(extensions));
        all.morphs.merge(in_file(morphs));
    }
}
