//! A lidar whose beams a table lists.

use crate::Failure;
use crate::stages::has_extension;
use raytwin::camera::{BeamTable, Camera, Projection, ScanPattern};
use raytwin::glam::DVec3;
use raytwin_files::FileStore;
use raytwin_files::pattern_tables::{PatternTable, read_pattern_table};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A lidar whose beams a table lists. The table is read once for all states of a scene that moves.
#[derive(Clone, Debug)]
pub(crate) struct LidarFile {
    path: PathBuf,
    pulses_per_s: Option<f64>,
    beams: Arc<OnceLock<BeamTable>>,
}

impl LidarFile {
    /// Reads `FILE.csv` or `FILE.csv,PULSES_PER_S`; `None` if it is not the name of a table.
    pub fn named(text: &str) -> Result<Option<Self>, String> {
        let is_table = |name: &str| has_extension(Path::new(name), &["csv"]);
        let (name, pulses_per_s) = match text.rsplit_once(',') {
            Some((name, pace)) if !is_table(text) && is_table(name) => {
                let known = pace.parse().ok().filter(|pace| *pace > 0.0 && *pace <= 1e9);
                let pace: f64 = known.ok_or_else(|| {
                    format!(
                        "'{text}' must end in a number of beams per second, such as {name},200000"
                    )
                })?;
                (name, Some(pace))
            }
            _ => (text, None),
        };
        let file = || Self { path: name.into(), pulses_per_s, beams: Arc::default() };
        Ok(is_table(name).then(file))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directions, thinned out if the image has one row of fewer beams.
    pub fn projection(&self, size: Option<(u32, u32)>) -> Result<Projection, Failure> {
        let beams = self.beams()?;
        let thinned = match size {
            Some((width, 1)) => beams.thinned(width as usize),
            _ => None,
        };
        let beams = thinned.unwrap_or_else(|| beams.clone());
        let projection = Projection::Pattern(ScanPattern::Table(beams));
        // The rules for directions do not depend on the place.
        let anywhere = (DVec3::ZERO, DVec3::X);
        Camera::look_at(String::new(), anywhere.0, anywhere.1, None, projection.clone())
            .map_err(|error| Failure::input(format!("{}: {error}", self.path.display())))?;
        Ok(projection)
    }

    fn beams(&self) -> Result<&BeamTable, Failure> {
        if let Some(beams) = self.beams.get() {
            return Ok(beams);
        }
        let path = &self.path;
        let PatternTable { time_s, azimuth_degrees, elevation_degrees } =
            read_pattern_table(&FileStore::disk(), path)?;
        let beams = match (self.pulses_per_s, time_s) {
            (Some(pace), _) => BeamTable::paced(azimuth_degrees, elevation_degrees, pace),
            (None, Some(time_s)) => BeamTable::timed(time_s, azimuth_degrees, elevation_degrees),
            (None, None) => {
                let shown = path.display();
                return Err(Failure::input(format!(
                    "{shown}: has no times, or only row numbers as in Livox's tables: add the number of beams per second, such as --lidar {shown},200000"
                )));
            }
        };
        Ok(self.beams.get_or_init(|| beams))
    }
}
