//! The flags that choose how to generate rays.

use crate::Failure;
use crate::console::Console;
use crate::numbers::comma_separated;
use crate::source::{LoadedScene, SceneArguments, ViewArguments};
use clap::{Args, ValueEnum};
use raytwin::camera::View;
use raytwin::glam::DVec3;
use raytwin::{PosedView, RayGenerator, Scene, Trajectory};
use raytwin_files::trajectories::read_trajectory;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Kind {
    /// Uniform, isotropic lines through a sphere (default: the sphere around the scene).
    Lines,
    /// Isotropic rays from uniform points in a box (default: the box around the scene).
    Box,
    /// Rays from a round patch, with directions around its normal that follow the cosine law.
    Patch,
    /// The rays of a camera's pixels, from each pose if --poses is given.
    View,
}

/// The flags that choose how to generate rays.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rays")]
pub(super) struct GeneratorArguments {
    /// Choose how to generate rays.
    ///
    /// Default: lines. lines, box and patch generate random rays. view generates the rays of a
    /// camera.
    #[arg(long, value_enum, value_name = "KIND", default_value = "lines")]
    #[arg(hide_default_value = true)]
    generator: Kind,
    /// Set the centre of the sphere of lines, or of the patch.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    center: Option<DVec3>,
    /// Set the radius of the sphere of lines, or of the patch (0 by default).
    #[arg(long, value_name = "RADIUS", allow_hyphen_values = true)]
    radius: Option<f64>,
    /// Set the normal of the patch.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    normal: Option<DVec3>,
    /// Set the lowest corner of the box.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    #[arg(requires = "max")]
    min: Option<DVec3>,
    /// Set the highest corner of the box.
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = point)]
    #[arg(requires = "min")]
    max: Option<DVec3>,
    // It is one of the last fields, because its heading also applies to the fields after it.
    #[command(flatten, next_help_heading = "Camera")]
    view: ViewArguments,
    /// Cast the view's rays from each pose of this trajectory, as scan does.
    #[arg(long, value_name = "TRAJECTORY", help_heading = "Camera")]
    poses: Option<PathBuf>,
}

fn point(text: &str) -> Result<DVec3, String> {
    comma_separated(text).map(DVec3::from_array)
}

impl GeneratorArguments {
    /// Returns the files that are read in addition to those of the scene.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        self.poses.as_deref().into_iter().chain(self.view.lidar_file())
    }

    /// Reads and packs the scene, and makes the generator.
    pub fn load(
        &self,
        scene: &SceneArguments,
        console: &Console,
    ) -> Result<(LoadedScene, RayGenerator), Failure> {
        self.refuse_flags_of_others()?;
        if self.generator == Kind::View {
            let (loaded, view) = scene.load_with_view(&self.view, console)?;
            let views = match &self.poses {
                Some(poses) => posed(poses, &view, loaded.scene.origin())?,
                None => vec![view.into()],
            };
            return Ok((loaded, RayGenerator::Views(views)));
        }
        let loaded = scene.load(console)?;
        let generator = self.generator(&loaded.scene)?;
        Ok((loaded, generator))
    }

    /// Returns an error if a flag is for another kind of generator.
    fn refuse_flags_of_others(&self) -> Result<(), Failure> {
        let is_round = [Kind::Lines, Kind::Patch].contains(&self.generator);
        let flags = [
            ("--center", self.center.is_some(), is_round, "lines and patch"),
            ("--radius", self.radius.is_some(), is_round, "lines and patch"),
            ("--normal", self.normal.is_some(), self.generator == Kind::Patch, "patch"),
            ("--min and --max", self.min.is_some(), self.generator == Kind::Box, "box"),
            ("--poses", self.poses.is_some(), self.generator == Kind::View, "view"),
            ("the camera's flags", self.view.are_given(), self.generator == Kind::View, "view"),
        ];
        for (flag, is_given, is_used, kinds) in flags {
            if is_given && !is_used {
                return Err(Failure::usage(format!(
                    "{flag}: only for --generator {kinds}: choose that, or leave the flag out"
                )));
            }
        }
        Ok(())
    }

    fn generator(&self, scene: &Scene) -> Result<RayGenerator, Failure> {
        let near = |point: DVec3| point - scene.origin();
        let missing = || Failure::usage("--generator patch needs both --center and --normal");
        Ok(match (self.generator, self.center, self.radius) {
            (Kind::Box, ..) => match (self.min, self.max) {
                (Some(min), Some(max)) => RayGenerator::InBox { min: near(min), max: near(max) },
                _ => RayGenerator::in_bounds_of(scene),
            },
            (Kind::Patch, center, radius) => RayGenerator::Patch {
                center: near(center.ok_or_else(missing)?),
                normal: self.normal.ok_or_else(missing)?,
                radius: radius.unwrap_or(0.0),
            },
            (_, None, None) => RayGenerator::lines_through(scene),
            (_, Some(center), Some(radius)) => RayGenerator::Lines { center: near(center), radius },
            _ => {
                return Err(Failure::usage(
                    "--center and --radius: give both for a sphere of lines, or neither for the sphere around the scene",
                ));
            }
        })
    }
}

/// Returns the views from the poses of a trajectory whose sweeps end before the trajectory does.
fn posed(path: &Path, view: &View, origin: DVec3) -> Result<Vec<PosedView>, Failure> {
    let rows = read_trajectory(path)?;
    let Some(poses) = rows.poses.filter(|_| rows.joints.is_empty()) else {
        return Err(Failure::usage(
            "--poses: the trajectory must have poses and no joints: for a robot whose joints move, use scan",
        ));
    };
    let trajectory =
        Trajectory::new(rows.times, poses).map_err(|error| Failure::input(error.to_string()))?;
    let mut views = Vec::new();
    for row in 0..trajectory.len() {
        match PosedView::new(view, &trajectory, row, origin) {
            Ok(Some(view)) => views.push(view),
            Ok(None) => break,
            Err(error) => return Err(Failure::input(format!("row {row} of --poses: {error}"))),
        }
    }
    match views.is_empty() {
        true => Err(Failure::input("no sweep fits between the first time and the last of --poses")),
        false => Ok(views),
    }
}
