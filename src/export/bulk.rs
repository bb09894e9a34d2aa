//! Writes a bulk scene: an `.npz` with an array for each type of shape, and one with the shapes' ids.

use super::{closed_forms, types_of};
use crate::io::npz::NpzWriter;
use crate::scene::Scene;
use std::io::{self, Seek, Write};

/// Writes all closed forms as float32, numbered in their order.
pub(super) fn write(scene: &Scene, file: impl Write + Seek) -> io::Result<()> {
    let mut archive = NpzWriter::new(file);
    for kind in types_of(scene) {
        let (mut rows, mut ids): (Vec<f32>, Vec<u32>) = Default::default();
        for (id, (_, shape)) in (0..).zip(closed_forms(scene)) {
            if shape.shape_type().name == kind.name {
                rows.extend(shape.row().into_iter().map(|number| number as f32));
                ids.push(id);
            }
        }
        archive.array(kind.name, &[ids.len(), kind.columns()], &rows)?;
        archive.array(&format!("{}_ids", kind.name), &[ids.len()], &ids)?;
    }
    archive.finish()
}
