//! The flags for a point cloud.

use super::Failure;
use super::color_by::heights_text;
use super::console::Console;
use clap::{Args, ValueEnum};
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
use raytwin_files::Outputs;
use raytwin_files::clouds::{
    CloudFormat, CloudFrame, CloudLayout, CloudPoint, CloudWriter, Survey,
};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct CloudArguments {
    #[arg(long, value_name = "CLOUD", value_parser = cloud_name, help_heading = "Output")]
    #[arg(help = CLOUD_HELP, long_help = cloud_help())]
    cloud: Option<PathBuf>,
    /// Write the normal of each point of the cloud.
    #[arg(long, requires = "cloud", help_heading = "Output", hide_short_help = true)]
    cloud_normals: bool,
}

/// The short help for the file of a cloud.
const CLOUD_HELP: &str = "Also write the hit points to this file, such as hits.ply";

/// Returns the help for the file of a cloud, which lists all formats.
fn cloud_help() -> String {
    format!(
        "{CLOUD_HELP}.\n\nThe file is a {}. Each point has its geometry_id, and its ring (row) and column, or for query its ray_id. An .xyz has only x y z. Positions are float32 in a .pcd, scaled integers in a .las or .laz, and float64 in the other formats.",
        CloudFormat::listed(&[])
    )
}

/// The frame of a cloud.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum FrameFlag {
    /// The axes of the scene.
    World,
    /// The axes of the sensor: x forward, y left, z up for a lidar; x right, y down, z forward for
    /// other cameras.
    Sensor,
}

impl From<FrameFlag> for CloudFrame {
    fn from(frame: FrameFlag) -> Self {
        match frame {
            FrameFlag::World => Self::World,
            FrameFlag::Sensor => Self::Sensor,
        }
    }
}

/// Warns about a `.pcd` in the world frame of a scene that has an origin.
pub(super) fn warn_of_rounding(output: &str, scene_origin: DVec3, console: &Console) {
    if scene_origin != DVec3::ZERO {
        console.warn(&format!(
            "{output}: float32 numbers round points this far from the world's origin: give another format"
        ));
    }
}

/// Returns the error for a flag that adds columns when no file has any.
pub(super) fn positions_alone(flag: &str) -> Failure {
    Failure::usage(format!("{flag}: an .xyz has only x y z: leave {flag} out, or write a .csv"))
}

fn cloud_name(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match CloudFormat::of(&path) {
        Ok(_) => Ok(path),
        Err(_) => Err(format!("'{text}' must be the name of a {} file", CloudFormat::listed(&[]))),
    }
}

impl CloudArguments {
    /// Returns the file, if the flag is given.
    pub fn path(&self) -> Option<&PathBuf> {
        self.cloud.as_ref()
    }

    /// Warns that a cloud of float32 numbers in the world frame loses the precision that the origin
    /// of the scene preserves.
    pub fn warn_of_rounding(&self, scene_origin: DVec3, console: &Console) {
        if let (Some(path), true) = (&self.cloud, self.format().is_some_and(|it| it.rounds)) {
            warn_of_rounding(&format!("--cloud {}", path.display()), scene_origin, console);
        }
    }

    /// Returns the format of the cloud.
    pub fn format(&self) -> Option<&'static CloudFormat> {
        CloudFormat::of(self.cloud.as_ref()?).ok()
    }

    /// Returns an error if a flag adds columns to a cloud that has only positions. `flags` are
    /// flags for the cloud, each with true if it is given.
    pub fn refuse_columns(&self, flags: &[(&str, bool)]) -> Result<(), Failure> {
        let holds_columns = self.format().is_none_or(|format| format.has_columns);
        let normals = ("--cloud-normals", self.cloud_normals);
        let mut given = flags.iter().chain([&normals]).filter(|(_, is_given)| *is_given);
        match given.next() {
            Some((flag, _)) if !holds_columns => Err(positions_alone(flag)),
            _ => Ok(()),
        }
    }

    /// Prepares to write the cloud of a scene, if the flag is given. A flag adds normals.
    pub fn output(&self, layout: CloudLayout, scene: &Scene) -> Result<CloudOutput, Failure> {
        let layout = CloudLayout { has_normals: self.cloud_normals, ..layout };
        let writer = self.cloud.as_ref().map(|path| CloudWriter::new(path, &layout)).transpose()?;
        let survey = Survey { label_names: scene.label_names.clone(), ..Survey::default() };
        let writer = writer.map(|writer| writer.with_survey(survey));
        Ok(CloudOutput { writer, layout, path: self.cloud.clone() })
    }
}

/// A cloud that is being written, or nothing.
pub(super) struct CloudOutput {
    writer: Option<CloudWriter>,
    layout: CloudLayout,
    path: Option<PathBuf>,
}

impl CloudOutput {
    pub fn is_asked(&self) -> bool {
        self.writer.is_some()
    }

    /// Adds the points that `points` returns. It is called only if there is a cloud.
    pub fn add(
        &mut self,
        scene: &Scene,
        points: impl FnOnce() -> Result<Vec<CloudPoint>, Failure>,
    ) -> Result<(), Failure> {
        match &mut self.writer {
            Some(writer) => {
                let mut points = points()?;
                self.layout.complete(&mut points, scene);
                Ok(writer.add(&points)?)
            }
            None => Ok(()),
        }
    }

    /// Completes the cloud, which appears with these outputs. Returns its file and the number of
    /// its points.
    pub fn complete(
        self,
        outputs: &mut Outputs,
        say: impl Fn(&str),
    ) -> Result<Option<(PathBuf, u64)>, Failure> {
        let Some(writer) = self.writer else { return Ok(None) };
        let heights = self.path.as_ref().and_then(|path| heights_text(path, &writer));
        heights.iter().for_each(|text| say(text));
        let (count, cloud) = writer.complete()?;
        outputs.join(cloud);
        Ok(self.path.map(|path| (path, count)))
    }
}
