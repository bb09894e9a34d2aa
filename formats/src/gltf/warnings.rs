//! Warnings of the parts of a document that are not in the scene.

use crate::Warning;

/// The warnings of a document, by their cause.
pub(super) struct Warnings {
    pub meshes: Warning,
    pub shapes: Warning,
    pub points: Warning,
    pub nodes: Warning,
    pub instances: Warning,
    pub cameras: Warning,
    pub colliders: Warning,
    pub extensions: Warning,
    pub morphs: Warning,
}

impl Warnings {
    pub fn new() -> Self {
        Self {
            meshes: Warning::unread("meshes"),
            shapes: Warning::unread("shapes"),
            points: Warning::new(
                "meshes of points were left out, because points have no size: give them a radius",
            ),
            nodes: Warning::new("nodes were left out, and no ray meets the ids of what is in them"),
            instances: Warning::new(
                "nodes have instances that could not be read; later ids will shift once they can be",
            ),
            cameras: Warning::new("cameras could not be read"),
            colliders: Warning::new(
                "documents show nothing, but have colliders: ask for the collision geometry",
            ),
            extensions: Warning::new(
                "extensions are required by the document and not known, so what they change is left out",
            ),
            morphs: Warning::about_read(
                "meshes have morph targets in use, and are shown without them",
            ),
        }
    }

    /// Returns those of parts whose triangles are missing.
    pub fn of_triangles(self) -> impl Iterator<Item = Warning> {
        let Self { meshes, shapes, nodes, instances, extensions, .. } = self;
        [meshes, shapes, nodes, instances, extensions]
            .into_iter()
            .filter(|warning| warning.count > 0)
    }

    /// Returns those that there are.
    pub fn raised(self) -> impl Iterator<Item = Warning> {
        let Self {
            meshes,
            shapes,
            points,
            nodes,
            instances,
            cameras,
            colliders,
            extensions,
            morphs,
        } = self;
        let all =
            [meshes, shapes, points, nodes, instances, cameras, colliders, extensions, morphs];
        all.into_iter().filter(|warning| warning.count > 0)
    }
}
