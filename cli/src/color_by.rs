//! The flag that chooses what the colours of points stand for.

use super::Failure;
use super::hits_per::require_columns;
use clap::Args;
use raytwin::scene::Scene;
use raytwin_files::clouds::{CloudWriter, ColorBy};
use std::path::Path;

#[derive(Debug, Args)]
pub(super) struct ColorByArgument {
    /// Colour points by label, height or a column, such as tree_id.
    ///
    /// COLUMN is a column of whole numbers in the scene's table. Neighbouring labels or numbers
    /// have different colours, and 0 is grey. height is a point's z, from the lowest in the file
    /// (dark) to the highest (light); raytwin prints both to stderr. The colours are the columns
    /// red, green and blue, rgb in a .pcd, or those of point format 7 in a .las or .laz. render
    /// also paints shaded.png by label or column.
    #[arg(long, value_name = "label|height|COLUMN", value_parser = clap::value_parser!(ColorBy))]
    #[arg(help_heading = "Output", hide_short_help = true)]
    color_by: Option<ColorBy>,
}

impl ColorByArgument {
    pub fn color_by(&self) -> Option<&ColorBy> {
        self.color_by.as_ref()
    }

    /// Returns an error if the scene has no labels or no column for the colours.
    pub fn refuse_unknown(&self, scene: &Scene) -> Result<(), Failure> {
        match &self.color_by {
            Some(ColorBy::Column(name)) => {
                require_columns("--color-by", std::slice::from_ref(name), scene).map_err(
                    |failure| {
                        let message = format!("{}; or give label or height", failure.message);
                        Failure { message, ..failure }
                    },
                )
            }
            Some(ColorBy::Label) if !(0..scene.geometry_count()).any(|id| scene.label(id) > 0) => {
                let columns: Vec<&str> = scene.integer_names().into_iter().collect();
                Err(Failure::input(format!(
                    "--color-by label: no shape of the scene has a label: label shapes with --labels, or give one of {}",
                    [&columns[..], &["height"]].concat().join(", ")
                )))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Returns the sRGB colours of all geometries, if each geometry has a single colour.
    pub fn of_geometries(&self, scene: &Scene) -> Option<Vec<[f32; 3]>> {
        let color_by = self.color_by.as_ref()?;
        let color = |id| {
            let color = color_by.of_geometry(scene, id)?;
            Some(color.map(|level| f32::from(level) / 255.0))
        };
        (0..scene.geometry_count()).map(color).collect()
    }
}

/// Returns a line with the lowest and the highest height, if the colours of a cloud stand for
/// heights.
pub(super) fn heights_text(path: &Path, cloud: &CloudWriter) -> Option<String> {
    let [lowest, highest] = cloud.height_range()?;
    Some(format!(
        "{}: colours range from z = {lowest:.3} (dark) to {highest:.3} (light)",
        path.display()
    ))
}
