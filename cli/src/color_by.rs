//! The flag that says for what the colours of points stand.

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
    /// Labels and the whole numbers of a column of the scene's table have colours that differ from
    /// one to the next, and 0 is grey. height is a point's z: dark is the lowest of the file and
    /// light the highest, and both are printed to stderr. The colours are the columns red, green and
    /// blue, rgb in a .pcd, and those of point format 7 in a .las or .laz. render also paints
    /// shaded.png by labels and columns.
    #[arg(long, value_name = "label|height|COLUMN", value_parser = clap::value_parser!(ColorBy))]
    #[arg(help_heading = "Output", hide_short_help = true)]
    color_by: Option<ColorBy>,
}

impl ColorByArgument {
    pub fn color_by(&self) -> Option<&ColorBy> {
        self.color_by.as_ref()
    }

    /// Returns an error if the scene lacks what colours are to stand for.
    pub fn refuse_unknown(&self, scene: &Scene) -> Result<(), Failure> {
        match &self.color_by {
            Some(ColorBy::Column(name)) => {
                require_columns("--color-by", std::slice::from_ref(name), scene).map_err(
                    |failure| {
                        let message = format!("{}; label and height are others", failure.message);
                        Failure { message, ..failure }
                    },
                )
            }
            Some(ColorBy::Label) if !(0..scene.geometry_count()).any(|id| scene.label(id) > 0) => {
                let columns: Vec<&str> = scene.integer_names().into_iter().collect();
                Err(Failure::input(format!(
                    "--color-by label: no shape of the scene has a label; it has {}: give one of these, or label shapes with --labels",
                    [&columns[..], &["height"]].concat().join(", ")
                )))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The sRGB colours of all geometries, if points of one geometry have one colour.
    pub fn of_geometries(&self, scene: &Scene) -> Option<Vec<[f32; 3]>> {
        let color_by = self.color_by.as_ref()?;
        let color = |id| {
            let color = color_by.of_geometry(scene, id)?;
            Some(color.map(|level| f32::from(level) / 255.0))
        };
        (0..scene.geometry_count()).map(color).collect()
    }
}

/// Says between which heights the colours of a cloud run, if they stand for heights.
pub(super) fn heights_text(path: &Path, cloud: &CloudWriter) -> Option<String> {
    let [lowest, highest] = cloud.height_range()?;
    Some(format!(
        "{}: colours run from z = {lowest:.3} (dark) to {highest:.3} (light)",
        path.display()
    ))
}
