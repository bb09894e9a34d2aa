//! Warnings about the mesh files of a scene.

use super::Warning;
use super::xml::Lapses;

/// The warnings about all mesh files that belong to one scene, by their cause.
#[derive(Debug)]
pub(crate) struct MeshWarnings {
    /// Parts of the files that are not in their meshes, each with its file and the reason.
    pub parts: Warning,
    /// Extensions that documents of glTF require, each with its file.
    pub extensions: Warning,
    /// Meshes with morph targets, each with its file.
    pub morphs: Warning,
    /// OBJ files with several objects. For MuJoCo models, only the first one is read, as in MuJoCo.
    pub objects: Warning,
    pub lapses: Lapses,
}

/// The fault of extensions that glTF documents require.
pub(crate) const UNKNOWN_EXTENSIONS: &str =
    "extensions are required by the document but not known, so their effects are left out";

/// The fault of meshes that morph targets deform.
pub(crate) const MORPHED: &str = "meshes have morph targets in use, and are read without them";

impl Default for MeshWarnings {
    fn default() -> Self {
        Self {
            parts: Warning::new("parts of mesh files could not be read, and were left out"),
            extensions: Warning::new(UNKNOWN_EXTENSIONS),
            morphs: Warning::about_read(MORPHED),
            objects: Warning::about_read(
                "meshes are read as in MuJoCo, which reads only the first object or group of an OBJ file",
            ),
            lapses: Lapses::default(),
        }
    }
}

impl MeshWarnings {
    /// Adds the warnings of another file.
    pub fn merge(&mut self, other: Self) {
        let Self { parts, extensions, morphs, objects, lapses } = other;
        self.parts.merge(parts);
        self.extensions.merge(extensions);
        self.morphs.merge(morphs);
        self.objects.merge(objects);
        self.lapses.merge(lapses);
    }

    /// Returns a warning for each cause that occurred.
    pub fn raised(self) -> impl Iterator<Item = Warning> {
        let Self { parts, extensions, morphs, objects, lapses } = self;
        let all = [parts, extensions, morphs, objects].into_iter().chain(lapses.warnings());
        all.filter(|warning| warning.count > 0)
    }
}
