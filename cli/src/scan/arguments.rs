//! The flags of `raytwin scan`.

use super::format_flag::{EACH_HELP, FormatFlag, each_help};
use super::intensity_flag::IntensityFlag;
use super::message_arguments::MessageArguments;
use super::named_link::link;
use crate::Failure;
use crate::cloud::FrameFlag;
use crate::color_by::ColorByArgument;
use crate::help::hidden;
use crate::hits_per::HitsPerArgument;
use crate::source::{
    InstrumentArguments, NamedMount, ReadScene, SceneArguments, SiteArgument, ViewArguments,
};
use crate::stages::has_extension;
use clap::Args;
use raytwin::camera::{Pose, Projection, View};
use raytwin::scene::Scene;
use raytwin_files::CoordinateSystem;
use raytwin_files::bags::PoseTopic;
use raytwin_files::clouds::CloudFormat;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    mut_arg("scene", |scene| scene.required(false).required_unless_present("list_lidars")),
    // The trajectory says where the sensor is.
    mut_args(hidden(&["view", "crop", "eye", "target", "up", "fov_y", "orthographic"])),
    override_usage = USAGE,
    before_help = EXAMPLES,
    after_long_help = FRAMES,
    next_help_heading = "Output"
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(super) scene: SceneArguments,
    /// Cast from each pose of this .csv, .npy, .txt, .tum or .mcap.
    ///
    /// The trajectory is a .csv with a column time and the columns x y z qx qy qz qw, or with
    /// columns named as a robot's joints, or with both; an .npy of (N, 8) in the order time x y z
    /// qx qy qz qw; a .txt or .tum of such lines; or an .mcap, the bag of a robot with ROS 2. A joint that floats has the columns NAME.x
    /// NAME.y NAME.z NAME.qx NAME.qy NAME.qz NAME.qw, and one like a ball the last four. Without a
    /// trajectory, each row of --qpos is a pose, one second after the other; and without these, or
    /// stations or legs, the sensor stands where the scene's file has it and scans once, at time 0.
    #[arg(long, value_name = "TRAJECTORY", help_heading = "Trajectory")]
    pub(super) poses: Option<PathBuf>,
    /// Take the poses of this topic of a bag, such as /tf:lidar.
    ///
    /// It is a nav_msgs/msg/Odometry, a geometry_msgs/msg/PoseStamped, or a tf2_msgs/msg/TFMessage
    /// with the frame whose poses are taken: in the root of its tree, by /tf and /tf_static. It may
    /// be left out if there is only one.
    #[arg(long, value_name = "TOPIC[:FRAME]", requires = "poses", hide_short_help = true)]
    #[arg(help_heading = "Trajectory")]
    pub(super) poses_topic: Option<PoseTopic>,
    /// Take the rows of --poses as poses of this link of the robot.
    ///
    /// The sensor, by --camera, --link or --site, rides on the link as the file and the joints have
    /// it. By default the rows are poses of the sensor, or of the link that a bag says they are of:
    /// by the child_frame_id of an Odometry, or by the frame of /tf. A link is one of a .urdf or
    /// .sdf, or a body of MJCF; the last part of a path is enough.
    #[arg(long, value_name = "LINK", requires = "poses")]
    #[arg(help_heading = "Trajectory")]
    pub(super) poses_of: Option<String>,
    /// Begin so many sweeps in a second along --poses.
    ///
    /// Without it each row begins one, or the sensor's file gives the rate, as the update_rate of
    /// Gazebo's. It is for poses that move the sensor alone.
    #[arg(long, value_name = "HZ", allow_hyphen_values = true, value_parser = rate)]
    #[arg(help_heading = "Trajectory", hide_short_help = true)]
    pub(super) rate: Option<f64>,
    /// Stand at each of these stations in turn, level and still.
    ///
    /// They are a .csv with the columns x y z and, if wanted, heading_degrees, counter-clockwise
    /// from +x about +z, and name. Each has the time of its number, from 0.
    #[arg(long, value_name = "STATIONS.csv", help_heading = "Trajectory")]
    #[arg(conflicts_with_all = ["poses", "qpos", "link", "site", "sweep"])]
    pub(super) stations: Option<PathBuf>,
    /// Fly along these legs, level and ahead.
    ///
    /// They are a .csv of waypoints with the columns x y speed, and either z or altitude, which is
    /// above the ground. A leg goes from each row to the next, or to the next of the same strip if
    /// there is a column strip; see below.
    #[arg(long, value_name = "LEGS.csv", help_heading = "Trajectory")]
    #[arg(conflicts_with_all = ["poses", "stations", "qpos", "link", "site"])]
    pub(super) legs: Option<PathBuf>,
    /// The shapes that are the ground below --legs.
    ///
    /// Their altitudes are above these shapes, which are chosen as by --ignore. By default these
    /// are all heightfields, or all planes if there are none.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', requires = "legs")]
    #[arg(help_heading = "Trajectory", hide_short_help = true)]
    pub(super) ground: Vec<String>,
    /// Mount the sensor on this link of the robot that moves.
    ///
    /// The sensor's frame is the link's. A trajectory of joints moves the link; one of poses moves
    /// the whole robot, so that the link is where they have the sensor, or as --poses-of says. The
    /// last part of a path is enough, base for robot/base, if no other link ends in it.
    #[arg(long, value_name = "NAME", help_heading = "Trajectory", conflicts_with = "site")]
    pub(super) link: Option<String>,
    /// Leave what carries the sensor where it stands.
    ///
    /// By default poses, stations and legs move the robot on which the scene has the sensor: the
    /// model of an .sdf, or the body of an MJCF with all that it hangs on.
    #[arg(long, help_heading = "Trajectory")]
    pub(super) fixed: bool,
    /// The seconds in which a lidar sweeps over its columns.
    ///
    /// It sweeps from left to right; each row of the trajectory begins a sweep, and poses between
    /// rows are interpolated. Column c of N is cast when (c + 0.5) / N of the sweep has passed. By
    /// default it is the camera's own; 0 casts all columns at once.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = seconds)]
    #[arg(help_heading = "Trajectory")]
    pub(super) sweep: Option<f64>,
    #[arg(
        short,
        long = "out",
        visible_alias = "output",
        value_name = "FILE|DIR/",
        required_unless_present = "list_lidars",
        help = OUT_HELP,
        long_help = out_help()
    )]
    pub(super) output: Option<PathBuf>,
    #[arg(long, value_parser = FormatFlag::parser(), value_name = "FORMAT", value_delimiter = ',')]
    #[arg(hide_possible_values = true, help = EACH_HELP, long_help = each_help())]
    pub(super) each: Vec<FormatFlag>,
    /// Write depths as a 16-bit PNG for each pose, times SCALE.
    ///
    /// Each goes to the folder and holds round(z * SCALE), or 0 where nothing was hit.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    #[arg(value_parser = crate::render::scale)]
    pub(super) depth_png: Option<f64>,
    /// Give each point of a cloud its normal.
    #[arg(long)]
    pub(super) cloud_normals: bool,
    /// Give each point its intensity, raw and normalized.
    ///
    /// Beside them are its number among the returns of its beam, how many these are, and its angle
    /// of incidence in degrees. A .las or .laz has them in any case, and so has a lidar with a beam
    /// or rules for returns. A LaserScan has intensities. A .las or .laz stores one of the two:
    /// normalized, which is 65535 for a perpendicular surface of reflectance 1 at any distance, or
    /// raw on a logarithmic scale, whose two numbers are in the file.
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1)]
    #[arg(default_missing_value = "normalized", hide_possible_values = true)]
    pub(super) intensity: Option<IntensityFlag>,
    /// Give each point of a cloud its label.
    ///
    /// It is 0 where the shape has none. The arrays of --each npz get label_ids.
    #[arg(long)]
    pub(super) label_ids: bool,
    /// Give each point its shape's number in this column, such as tree_id.
    ///
    /// It is a column of the scene's table. A point of a cloud whose shape has no number gets 0. May
    /// be several, separated by commas.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(super) keep: Vec<String>,
    #[command(flatten)]
    pub(super) color_by: ColorByArgument,
    #[command(flatten)]
    pub(super) hits_per: HitsPerArgument,
    /// The space of the points.
    ///
    /// By default it is the world in clouds; messages always have the sensor's, which is that of
    /// each point's own time.
    #[arg(long, value_enum)]
    pub(super) frame: Option<FrameFlag>,
    #[command(flatten)]
    pub(super) messages: MessageArguments,
    /// Name the coordinate system of a .las or .laz.
    ///
    /// It is that of the points: a code such as EPSG:25832, or a file of well-known text (WKT).
    #[arg(long, value_name = "EPSG:N|FILE.wkt")]
    pub(super) crs: Option<CoordinateSystem>,
    /// Go on from where an earlier run ended.
    ///
    /// What is cast is kept in NAME.partial, beside the output NAME, until all is there. If a run
    /// ends early, the same command goes on from it and gives the bytes of an uninterrupted run. It
    /// works for a cloud and for a folder.
    #[arg(long)]
    pub(super) resume: bool,
    /// Give the same bits on every device.
    ///
    /// They are those of --device cpu, as query's --canonical gives them.
    #[arg(long, help_heading = "Device")]
    pub(super) canonical: bool,
    // It is nearly the last, because its heading would be that of what follows, too.
    #[command(flatten, next_help_heading = "Sensor")]
    pub(super) view: ViewArguments,
    #[command(flatten, next_help_heading = "Sensor")]
    pub(super) site: SiteArgument,
    #[command(flatten, next_help_heading = "Sensor")]
    instrument: InstrumentArguments,
    /// List the lidars that --lidar knows.
    ///
    /// Each is listed with the source of its numbers.
    #[arg(long, help_heading = "Sensor")]
    pub(super) list_lidars: bool,
}

const USAGE: &str = "\
raytwin scan [OPTIONS] <SCENE> [<--poses|--stations|--legs|--qpos> <FILE>] -o <FILE|DIR/>
       raytwin scan --list-lidars";

const EXAMPLES: &str = "\
raytwin scan examples/scenes/lidar.json --poses examples/trajectories/drive.csv -o cloud.ply
raytwin scan examples/scenes/posts.json --stations examples/trajectories/stations.csv -o posts.laz";

/// The part of the help that explains poses.
const FRAMES: &str = "Poses: a row's position and quaternion put the sensor's frame in the world, in place of the camera's \
    own eye, target and up. The frame is that of --frame sensor: x forward, y left, z up for a lidar, so a quaternion of \
    0 0 0 1 looks along +x; and x right, y down, z forward for other cameras. Times must increase. A sweep that would end \
    after the last row is not cast, because nothing is known of the motion there.\n\n\
    Legs: the sensor covers speed units of length a second over the ground, from a waypoint to the next. Sweeps follow one \
    another, and the rest of a leg after its last whole sweep is not flown. The x axis of its frame points ahead, or down by \
    down_degrees from there (a column that may be left out): 90 looks straight down. Times are seconds from the start; turns \
    are not flown, and the next leg begins one second after the end of a leg. With altitudes the sensor is above the ground \
    at the start of each sweep and at steps of a 50th of the altitude, and moves straight between these.";

/// The short help for the output.
const OUT_HELP: &str = "Write a cloud, ROS 2 messages, or a file per pose";

/// Returns the help for the output, which lists the formats of clouds.
fn out_help() -> String {
    format!(
        "{OUT_HELP}.\n\nThe points of all poses go to a {}, each with its time, distance, geometry_id, primitive_id, ring (row) and column, but for an .xyz, which has rows of x y z alone; or messages of ROS 2 to an .mcap; or files for each pose to a folder, with --each or --depth-png. Messages are PointCloud2 for a lidar, LaserScan for one of a single level row with one return, and Image (of depths) with CameraInfo for another camera, all with the sensor's poses on /tf.",
        CloudFormat::listed(&[])
    )
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("'{text}' must be a number of seconds from 0, such as 0.1"))
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| format!("'{text}' must be a number above 0 of sweeps a second, such as 10"))
}

impl Arguments {
    /// Returns an error if a trajectory of poses, or a link, places the sensor otherwise than flags do.
    pub(super) fn refuse_two_places(
        &self,
        has_poses: bool,
        has_joints: bool,
    ) -> Result<(), Failure> {
        let refuse = |reason: &str| Err(Failure::usage(reason));
        match (&self.link, has_poses, has_joints) {
            (_, false, _) if self.poses_of.is_some() => refuse(
                "--poses-of is for rows with poses, and these have joints alone: leave it out",
            ),
            (None, false, _) => Ok(()),
            _ if self.view.sets_camera() => refuse(
                "--view, --eye, --target and --up: the trajectory places the sensor, so leave them out",
            ),
            _ => Ok(()),
        }
    }

    /// Returns an error if what carries the sensor is to stay where nothing would move it.
    pub(super) fn refuse_fixed(&self) -> Result<(), Failure> {
        match self.fixed {
            true => Err(Failure::usage(
                "--fixed is for a sensor that --poses, --stations or --legs move: leave it out",
            )),
            false => Ok(()),
        }
    }

    /// Returns true if the output is messages.
    pub(super) fn writes_messages(&self) -> bool {
        self.output.as_deref().is_some_and(|output| has_extension(output, &["mcap"]))
    }

    /// Returns an error if poses of the sensor say where it is and a link or a site does, too, in
    /// worlds that say where each body is.
    pub(super) fn refuse_mount(&self, has_poses: bool) -> Result<(), Failure> {
        match (has_poses, &self.link) {
            (true, _) if self.link.is_some() || self.site.is_given() || self.poses_of.is_some() => {
                Err(Failure::usage(
                    "--link, --site and --poses-of: --poses says where the sensor is, and --qpos where each body is: leave them out",
                ))
            }
            (false, Some(link)) => Err(Failure::usage(format!(
                "--link {link}: the rows of --qpos say where geoms and sites are: mount the sensor with --site, or give the joints as columns of --poses"
            ))),
            _ => Ok(()),
        }
    }

    /// Finds the link or the site at which the sensor is mounted, if flags name one.
    pub(super) fn mount(&self, read: &ReadScene) -> Result<Option<NamedMount>, Failure> {
        let Some(wanted) = &self.link else { return self.site.mount(read.sites()) };
        let (name, mount) = link("--link", &read.links, wanted)?;
        Ok(Some(NamedMount { name, is_link: true, mount: mount.clone() }))
    }

    /// Returns the pose of the sensor as the scene's file has it, at which it stands.
    pub(super) fn own_pose(&self, scene: &Scene, view: &View) -> Result<Pose, Failure> {
        if scene.cameras.is_empty() && !self.site.is_given() && self.link.is_none() {
            return Err(Failure::usage(
                "the scene has no camera that says from where it is scanned: give --poses, --stations, --legs, --qpos, --site or --link, or add a camera to it",
            ));
        }
        self.refuse_two_places(false, false)?;
        self.refuse_fixed()?;
        match self.sweep {
            Some(_) => Err(Failure::usage(
                "--sweep is for a sensor that moves, and without --poses or --legs it stands: leave it out",
            )),
            None => Ok(view.camera.pose(scene.origin())),
        }
    }

    /// Returns an error if what is asked for cannot be kept.
    pub(super) fn refuse_useless_resume(&self) -> Result<(), Failure> {
        match self.resume && self.hits_per.is_given() {
            true => Err(Failure::usage(
                "--hits-per counts no hits of kept points: leave --resume out, or count later",
            )),
            false => Ok(()),
        }
    }

    /// Returns a hash of all that the output is made from. A resumed run must give the same bytes as
    /// an uninterrupted one, and the last bits depend on the device unless they are canonical.
    pub(super) fn made_from(
        &self,
        scene: &Scene,
        view: &View,
        device: &str,
    ) -> Result<String, Failure> {
        let Self { each, depth_png, cloud_normals, intensity, label_ids, keep, frame, .. } = self;
        let colors = self.color_by.color_by();
        let formats = (each, depth_png, cloud_normals, intensity, label_ids, keep, frame, colors);
        let mounted = (&self.link, &self.site, self.fixed, &self.poses_of);
        let places = (&self.poses, &self.stations, &self.legs, &self.ground, mounted, &self.crs);
        let sensor = (&self.poses_topic, self.rate);
        let device = if self.canonical { "canonical" } else { device };
        let view = (&view.camera, view.width, view.height);
        let options =
            format!("{} {formats:?} {places:?} {sensor:?} {view:?}", env!("CARGO_PKG_VERSION"));
        let inputs = self.scene.fingerprint_with_inputs(scene)?;
        Ok(inputs.with_word(&options).with_word(device).to_string())
    }

    /// Returns the view with the changes to the instrument and the time of a sweep that flags give.
    pub(super) fn with_scan_flags(&self, view: View) -> Result<View, Failure> {
        let mut view = self.instrument.with_instrument_flags(view, self.view.lidar())?;
        match (self.sweep, &mut view.camera.projection) {
            (None, _) => {}
            (Some(seconds), Projection::Panoramic(panorama)) => panorama.sweep_s = seconds,
            (Some(_), Projection::Pattern(_)) => {
                return Err(Failure::usage(format!(
                    "--sweep: the pattern of {} says when each beam leaves, so leave it out",
                    view.camera.name
                )));
            }
            (Some(_), _) => {
                return Err(Failure::usage(format!(
                    "--sweep is for panoramic cameras, and {} is not: leave it out",
                    view.camera.name
                )));
            }
        }
        Ok(view)
    }
}
