//! Finds shapes of a table whose positions are far from the origin and would be rounded too much.

use super::contents::{GraphContents, GraphItem};
use super::rows::RowPlace;
use raytwin::fields::FieldKind;
use raytwin::geometry::Geometry;
use raytwin::shapes::Shape;
use raytwin_files::{FileError, needs_origin};

impl GraphContents {
    /// Rejects the contents of a table that are far from zero and have decimals.
    pub(crate) fn refuse_coarse_rows(&self) -> Result<(), FileError> {
        for item in &self.items {
            let GraphItem::Rows(rows) = item else { continue };
            if !matches!(rows.place, RowPlace::Row) {
                continue;
            }
            for (row, geometry) in rows.shapes.geometries.iter().enumerate() {
                let Geometry::Shape(shape) = geometry else { continue };
                if let Some((field, reason)) = coarse_field(shape) {
                    return Err(FileError::meaning(
                        &self.path,
                        format!("row {row}.{field}"),
                        reason,
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The field of a shape's position that would be rounded too much, with the reason.
fn coarse_field(shape: &Shape) -> Option<(&'static str, String)> {
    let row = shape.row();
    let mut rest = &row[..];
    for field in shape.shape_type().fields {
        let (numbers, after) = rest.split_at_checked(field.kind.columns())?;
        rest = after;
        if matches!(field.kind, FieldKind::Position | FieldKind::Corners)
            && let Some(reason) = numbers.iter().find_map(|number| needs_origin(*number))
        {
            return Some((field.name, reason));
        }
    }
    None
}
