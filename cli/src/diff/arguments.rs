//! The flags of `raytwin diff`.

use crate::Failure;
use crate::folders::folder_parser;
use crate::help::hidden;
use crate::kinds::kind_parser;
use crate::numbers::count;
use crate::source::{SceneArguments, ViewArguments};
use clap::{ArgGroup, Args};
use raytwin::Query;
use raytwin_verify::reports::proof::is_link;
use raytwin_verify::reports::report_files;
use raytwin_verify::{Limits, QuestionChoice, SurfaceTolerance};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    mut_arg("scene", |scene| scene.index(1).required(false)),
    mut_args(hidden(&["view", "crop", "up", "fov_y", "orthographic"])),
    override_usage = USAGE,
    group = ArgGroup::new("judged").args(JUDGED).multiple(true).required(true),
    before_help = EXAMPLES,
    next_help_heading = "Answers"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) scene: SceneArguments,
    /// The rays to cast (default: rays of an image, and seeded rays).
    ///
    /// Without a file of rays or points, raytwin casts the rays of a camera's image, and aims
    /// seeded rays and points at the scene.
    #[arg(index = 2, help_heading = "Input")]
    pub(super) rays: Option<PathBuf>,
    /// Check only these kinds of query.
    ///
    /// Separate several with commas. Default: closest for a file of rays, the stored answers for
    /// --against, and everything for seeded rays.
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    #[arg(value_parser = kind_parser(Query::KINDS, Query::name, None))]
    pub(super) kinds: Vec<Query>,
    /// Let a ray that starts in or on a solid hit it there.
    #[arg(long)]
    pub(super) solid: bool,
    /// Check the answers to the points of this file.
    ///
    /// raytwin asks which solids contain each point, and which surface is nearest.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) points: Option<PathBuf>,
    /// Aim about this many rays and points at the scene.
    #[arg(long, value_name = "NUMBER", default_value_t = QuestionChoice::COUNT)]
    #[arg(value_parser = count::<usize>)]
    #[arg(conflicts_with_all = ["rays", "points", "against"])]
    pub(super) random: usize,
    /// Generate these rays and points from this seed.
    ///
    /// The same seed gives the same rays on every machine.
    #[arg(long, value_name = "NUMBER", default_value_t = QuestionChoice::SEED)]
    #[arg(conflicts_with_all = ["rays", "points", "against"])]
    pub(super) seed: u64,
    /// Check the answers in this file instead of a device's.
    ///
    /// Any program may have written them: an .npz, a .parquet, a folder of .npy files, an .npy
    /// named after its array, or the render.npz of an image. Distances alone or ids alone are
    /// enough.
    ///
    /// Or check a report of the button Prove my GPU on raytwin's web page: raytwin-proof.json, a
    /// link to a report, or a .txt file that contains the link. A report has its own scenes and
    /// rays, and needs no SCENE.
    #[arg(long, value_name = "ANSWERS", conflicts_with = "mutate", help_heading = "Input")]
    pub(super) against: Option<PathBuf>,
    /// Set the percentage of wrong answers to allow.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percent)]
    #[arg(allow_hyphen_values = true, help_heading = "Limits")]
    pub(super) fail_percent: f64,
    /// Fail if an error of t exceeds this fraction of its bound.
    ///
    /// By default, an error above the bound counts as a wrong answer, and there is no other limit.
    #[arg(long, value_name = "FRACTION", value_parser = fraction, help_heading = "Limits")]
    #[arg(allow_hyphen_values = true)]
    pub(super) hard_limit: Option<f64>,
    /// Allow surfaces to be off by this distance.
    ///
    /// Use it for answers of other programs that promise less than raytwin. The tolerance applies
    /// if it is larger than raytwin's bound. t may then be off by the tolerance divided by the
    /// cosine of the angle between ray and normal. In scene units.
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.0, value_parser = tolerance)]
    #[arg(allow_hyphen_values = true, conflicts_with = "self_test", help_heading = "Limits")]
    pub(super) tolerance_abs: f64,
    /// Allow surfaces to be off by this share of distance.
    ///
    /// The distance is that of the surface from the ray's origin. This tolerance adds to
    /// --tolerance-abs.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = tolerance)]
    #[arg(allow_hyphen_values = true, conflicts_with = "self_test", help_heading = "Limits")]
    pub(super) tolerance_rel: f64,
    /// Write a report to this folder.
    ///
    /// The report has report.html, report.json, junit.xml, pictures, worst.npy with the rays of the
    /// worst answers, and mismatches.npz with the numbers of all rays and points that have wrong
    /// answers.
    #[arg(short = 'o', long, visible_aliases = ["out", "output"], value_name = "DIR")]
    #[arg(value_parser = folder_parser("the files of a report"), help_heading = "Output")]
    pub(super) report: Option<PathBuf>,
    /// Plant a deliberate fault in the engine, to see the check fail.
    #[arg(long, value_name = "NAME", help_heading = "Faults")]
    pub(super) mutate: Option<String>,
    /// List the faults that --mutate accepts.
    ///
    /// Each line states what the scene must have for the fault to show.
    #[arg(long, conflicts_with_all = ["mutate", "self_test"], help_heading = "Faults")]
    pub(super) list_faults: bool,
    /// Plant each fault in turn, and fail if one goes undetected.
    ///
    /// raytwin plants them in SCENE, or else in small built-in scenes that show all of them.
    #[arg(long, conflicts_with_all = ["mutate", "report", "rays", "points", "against", "kinds",
          "solid", "random", "seed", "fail_percent", "hard_limit"], help_heading = "Faults")]
    pub(super) self_test: bool,
    // It is the last field, because its heading also applies to the fields after it.
    #[command(flatten, next_help_heading = "Camera")]
    pub(super) view: ViewArguments,
}

/// The flags that choose what to check, or that check nothing. One of them is required.
const JUDGED: [&str; 4] = ["scene", "against", "self_test", "list_faults"];

const USAGE: &str = "\
raytwin diff [OPTIONS] <SCENE> [RAYS]
       raytwin diff [OPTIONS] <--against <REPORT>|--self-test|--list-faults>";

const EXAMPLES: &str = "\
raytwin diff examples/scenes/detector.json examples/rays/tracks.npy --device cpu
raytwin diff examples/scenes/molecule.json --size 64x48 --random 1000 --device cpu -o report";

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse().ok().filter(|percent| (0.0..100.0).contains(percent));
    percent.ok_or_else(|| format!("'{text}' must be a number from 0 to less than 100"))
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction = text.parse().ok().filter(|&fraction: &f64| fraction >= 0.0);
    fraction.ok_or_else(|| format!("'{text}' must be a number of at least 0"))
}

fn tolerance(text: &str) -> Result<f64, String> {
    let tolerance = text.parse().ok().filter(|&tolerance: &f64| (0.0..=1e9).contains(&tolerance));
    tolerance.ok_or_else(|| format!("'{text}' must be a number from 0 to 1e9"))
}

impl Arguments {
    /// Returns the limits for the answers.
    pub(super) fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            fail_percent: self.fail_percent,
            hard_limit: self.hard_limit.unwrap_or(default.hard_limit),
        }
    }

    /// Returns an error if a report in one of these folders cannot be written, or would replace one
    /// of its inputs.
    pub(super) fn check_reports(
        &self,
        folders: impl IntoIterator<Item = PathBuf>,
    ) -> Result<(), Failure> {
        let outputs: Vec<PathBuf> =
            folders.into_iter().flat_map(|folder| report_files(&folder)).collect();
        // A link is not a file.
        let against = self.against.as_ref().filter(|path| !path.to_str().is_some_and(is_link));
        let inputs = [self.rays.as_ref(), self.points.as_ref(), against];
        let inputs = inputs.into_iter().flatten().map(PathBuf::as_path);
        self.scene.check_outputs(&outputs, inputs.chain(self.view.lidar_file()))
    }

    /// Returns the tolerance that applies where it is larger than raytwin's bound.
    pub(super) fn tolerance(&self) -> SurfaceTolerance {
        SurfaceTolerance { absolute: self.tolerance_abs, relative: self.tolerance_rel }
    }

    /// Returns true if no flag chooses the questions.
    pub(super) fn asks_everything(&self) -> bool {
        !self.has_files() && self.kinds.is_empty() && !self.solid && self.random > 0
    }
}
