//! Writes a bulk scene: an `.npz` with an array for each type of shape, and one with the shapes'
//! ids.

use super::closed_forms::{closed_forms, types_of};
use raytwin::scene::Scene;
use raytwin_files::npz::NpzWriter;
use std::io::{self, Seek, Write};

/// Writes all closed forms as float32, numbered in their order. Leaves out trailing fields that
/// have their defaults in all shapes of a type.
pub(super) fn write(scene: &Scene, file: impl Write + Seek) -> io::Result<()> {
    let mut archive = NpzWriter::new(file);
    for kind in types_of(scene) {
        let of_kind = || {
            let all = (0..).zip(closed_forms(scene));
            all.filter(|(_, (_, shape))| shape.shape_type().name == kind.name)
        };
        let defaults: Vec<f64> = kind.defaults().collect();
        let is_whole = |&columns: &usize| {
            of_kind().all(|(_, (_, shape))| shape.row()[columns..] == defaults[columns..])
        };
        let columns = kind.column_counts().into_iter().find(is_whole).unwrap_or(kind.columns());
        let (mut rows, mut ids): (Vec<f32>, Vec<u32>) = Default::default();
        for (id, (_, shape)) in of_kind() {
            rows.extend(shape.row().into_iter().take(columns).map(|number| number as f32));
            ids.push(id);
        }
        archive.array(kind.name, &[ids.len(), columns], &rows)?;
        archive.array(&format!("{}_ids", kind.name), &[ids.len()], &ids)?;
    }
    archive.finish()
}
