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
    // The trajectory places the sensor.
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
    /// A .csv has the column time and the columns x y z qx qy qz qw, or columns named after a
    /// robot's joints, or both. A floating joint has the columns NAME.x NAME.y NAME.z NAME.qx
    /// NAME.qy NAME.qz NAME.qw, and a ball joint the last four. An .npy of shape (N, 8), and the
    /// lines of a .txt or .tum, have the order time x y z qx qy qz qw. An .mcap is a ROS 2 bag.
    ///
    /// Without --poses, each row of --qpos is a pose, at intervals of one second. With none of
    /// --poses, --stations, --legs and --qpos, the sensor stays where the scene file places it and
    /// scans once, at time 0.
    #[arg(long, value_name = "TRAJECTORY", help_heading = "Trajectory")]
    pub(super) poses: Option<PathBuf>,
    /// Read the poses of this topic of a bag, such as /tf:lidar.
    ///
    /// The topic has messages of nav_msgs/msg/Odometry, geometry_msgs/msg/PoseStamped or
    /// tf2_msgs/msg/TFMessage. For a TFMessage, add the frame whose poses raytwin reads. raytwin
    /// composes them from /tf and /tf_static, relative to the root of the tree of frames. If the
    /// bag has only one topic of poses, you can leave the flag out.
    #[arg(long, value_name = "TOPIC[:FRAME]", requires = "poses", hide_short_help = true)]
    #[arg(help_heading = "Trajectory")]
    pub(super) poses_topic: Option<PoseTopic>,
    /// Read the rows of --poses as poses of this robot link.
    ///
    /// The sensor of --camera, --link or --site moves with the link. The file and the joints
    /// determine its place on the robot. By default the rows are poses of the sensor, or of the
    /// link that a bag names: the child_frame_id of an Odometry, or the frame of /tf. LINK is a
    /// link of a .urdf or .sdf, or a body of a MuJoCo model. The last part of a path is enough.
    #[arg(long, value_name = "LINK", requires = "poses")]
    #[arg(help_heading = "Trajectory")]
    pub(super) poses_of: Option<String>,
    /// Begin this many sweeps per second along --poses.
    ///
    /// By default each row begins a sweep, unless the sensor's file has a rate, such as the
    /// update_rate of Gazebo. This works only for poses, not for columns of joints or --qpos.
    #[arg(long, value_name = "HZ", allow_hyphen_values = true, value_parser = rate)]
    #[arg(help_heading = "Trajectory", hide_short_help = true)]
    pub(super) rate: Option<f64>,
    /// Scan from each of these stations, level and at rest.
    ///
    /// The .csv has the columns x y z, and optionally heading_degrees (counter-clockwise from +x
    /// about +z) and name. The time of a station is its number, from 0.
    #[arg(long, value_name = "STATIONS.csv", help_heading = "Trajectory")]
    #[arg(conflicts_with_all = ["poses", "qpos", "link", "site", "sweep"])]
    pub(super) stations: Option<PathBuf>,
    /// Fly along these legs, level and facing forward.
    ///
    /// The .csv lists waypoints with the columns x y speed, and either z or altitude (above the
    /// ground). A leg goes from each row to the next. With the column strip, no leg goes from one
    /// strip to another. See the end of this help.
    #[arg(long, value_name = "LEGS.csv", help_heading = "Trajectory")]
    #[arg(conflicts_with_all = ["poses", "stations", "qpos", "link", "site"])]
    pub(super) legs: Option<PathBuf>,
    /// Use these shapes as the ground below --legs.
    ///
    /// Altitudes are above these shapes. Choose them as for --ignore. Default: all heightfields, or
    /// all planes if there are no heightfields.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', requires = "legs")]
    #[arg(help_heading = "Trajectory", hide_short_help = true)]
    pub(super) ground: Vec<String>,
    /// Mount the sensor on this link of the moving robot.
    ///
    /// The sensor has the frame of the link. Columns of joints move the link. Poses move the whole
    /// robot, so that this link, or the link of --poses-of, is at the given pose. The last part of
    /// a path is enough if no other link's path ends with it: base for robot/base.
    #[arg(long, value_name = "NAME", help_heading = "Trajectory", conflicts_with = "site")]
    pub(super) link: Option<String>,
    /// Do not move the robot that carries the sensor.
    ///
    /// By default, poses, stations and legs also move the robot on which the scene mounts the
    /// sensor: the model of an .sdf, or all connected bodies of a MuJoCo model.
    #[arg(long, help_heading = "Trajectory")]
    pub(super) fixed: bool,
    /// Set the duration of one sweep of a lidar, in seconds.
    ///
    /// A sweep goes over the columns from left to right. raytwin casts column c of N when (c + 0.5)
    /// / N of the sweep has passed. Each row of the trajectory begins a sweep, and poses between
    /// rows are interpolated. Default: the duration that the camera has. 0 casts all columns at
    /// once.
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
    /// Write depths times SCALE to a 16-bit PNG for each pose.
    ///
    /// The files go to the folder of -o. Each pixel is round(z * SCALE), or 0 for a miss.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true)]
    #[arg(value_parser = crate::render::scale)]
    pub(super) depth_png: Option<f64>,
    /// Write the normal of each point.
    #[arg(long)]
    pub(super) cloud_normals: bool,
    /// Write the intensity of each point, raw and normalized.
    ///
    /// Each point also gets its number among the returns of its beam, the number of these returns,
    /// and its angle of incidence in degrees. A .las or .laz always has these columns, and so has
    /// the cloud of a lidar with a beam or return rules. A LaserScan has intensities.
    ///
    /// A .las or .laz stores only one of the two intensities, which KIND selects. normalized (the
    /// default) is 65535 for a perpendicular surface of reflectance 1 at any distance. raw is on a
    /// logarithmic scale, whose two parameters are in the file.
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1)]
    #[arg(default_missing_value = "normalized", hide_possible_values = true)]
    pub(super) intensity: Option<IntensityFlag>,
    /// Write the label of each point.
    ///
    /// The label is 0 for a shape without one. The arrays of --each npz get label_ids.
    #[arg(long)]
    pub(super) label_ids: bool,
    /// Write this column of each point's shape, such as tree_id.
    ///
    /// It is a column of the scene's table. Points whose shapes have no number in it get 0. May be
    /// repeated, or separated by commas.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(super) keep: Vec<String>,
    #[command(flatten)]
    pub(super) color_by: ColorByArgument,
    #[command(flatten)]
    pub(super) hits_per: HitsPerArgument,
    /// Write points in this frame.
    ///
    /// Default: world for clouds. Messages always have the sensor frame at the time of each point.
    #[arg(long, value_enum)]
    pub(super) frame: Option<FrameFlag>,
    #[command(flatten)]
    pub(super) messages: MessageArguments,
    /// Store this coordinate system in a .las or .laz.
    ///
    /// Give the system of the points as a code such as EPSG:25832, or as a file of well-known text
    /// (WKT).
    #[arg(long, value_name = "EPSG:N|FILE.wkt")]
    pub(super) crs: Option<CoordinateSystem>,
    /// Continue where an earlier run stopped.
    ///
    /// A run keeps its results in NAME.partial, next to the output NAME, until the output is
    /// complete. If a run ends early, the same command continues, and writes the same bytes as an
    /// uninterrupted run. This works for a cloud and for a folder.
    #[arg(long)]
    pub(super) resume: bool,
    /// Return the same bits on every device.
    ///
    /// See --canonical in raytwin query --help.
    #[arg(long, help_heading = "Device")]
    pub(super) canonical: bool,
    // It is one of the last fields, because its heading also applies to the fields after it.
    #[command(flatten, next_help_heading = "Sensor")]
    pub(super) view: ViewArguments,
    #[command(flatten, next_help_heading = "Sensor")]
    pub(super) site: SiteArgument,
    #[command(flatten, next_help_heading = "Sensor")]
    instrument: InstrumentArguments,
    /// List the lidars that --lidar accepts.
    ///
    /// Each line names the source of the lidar's numbers.
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
const FRAMES: &str = "Poses: the position and quaternion of a row place the sensor's frame in the world. They replace the \
    camera's own eye, target and up. The frame is that of --frame sensor: x forward, y left, z up for a lidar, so that a \
    quaternion of 0 0 0 1 looks along +x; and x right, y down, z forward for other cameras. Times must increase. raytwin \
    does not cast a sweep that would end after the last row, because the motion there is unknown.\n\n\
    Legs: the sensor moves from one waypoint to the next. The column speed is its horizontal speed, in scene units per \
    second. Sweeps follow one another without a pause. raytwin does not cast a sweep that would end after its leg. It casts \
    nothing during turns: the next leg begins one second after the end of a leg. Times are seconds from the start. The x axis \
    of the sensor's frame points ahead, or down from there by down_degrees (an optional column): 90 looks straight down. With \
    altitudes, the sensor follows the ground: it is at its altitude at the start of each sweep, and at steps of at most a 50th \
    of the altitude. Between these places, it moves in a straight line.";

/// The short help for the output.
const OUT_HELP: &str = "Write a cloud, ROS 2 messages, or a file per pose";

/// Returns the help for the output, which lists the formats of clouds.
fn out_help() -> String {
    format!(
        "{OUT_HELP}.\n\nA {} gets the points of all poses, each with its time, distance, geometry_id, primitive_id, ring (row) and column. An .xyz gets only x y z. An .mcap gets ROS 2 messages. A folder gets files for each pose, with --each or --depth-png.\n\nMessages are PointCloud2 for a lidar, LaserScan for a lidar with a single level row and one return, and Image (of depths) with CameraInfo for another camera. The sensor's poses are on /tf.",
        CloudFormat::listed(&[])
    )
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0);
    seconds.ok_or_else(|| format!("'{text}' must be a number of seconds, 0 or more, such as 0.1"))
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
    rate.ok_or_else(|| {
        format!("'{text}' must be a number of sweeps per second above 0, such as 10")
    })
}

impl Arguments {
    /// Returns an error if flags place the sensor although a trajectory of poses or a link does.
    pub(super) fn refuse_two_places(
        &self,
        has_poses: bool,
        has_joints: bool,
    ) -> Result<(), Failure> {
        let refuse = |reason: &str| Err(Failure::usage(reason));
        match (&self.link, has_poses, has_joints) {
            (_, false, _) if self.poses_of.is_some() => refuse(
                "--poses-of is for rows with poses, and these rows have only joints: leave it out",
            ),
            (None, false, _) => Ok(()),
            _ if self.view.sets_camera() => refuse(
                "--view, --eye, --target and --up: the trajectory places the sensor: leave them out",
            ),
            _ => Ok(()),
        }
    }

    /// Returns an error if --fixed is given and nothing would move the sensor's carrier.
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

    /// Returns an error if --qpos gives worlds, and a link or a site places the sensor in addition
    /// to poses, or a link does so without poses.
    pub(super) fn refuse_mount(&self, has_poses: bool) -> Result<(), Failure> {
        match (has_poses, &self.link) {
            (true, _) if self.link.is_some() || self.site.is_given() || self.poses_of.is_some() => {
                Err(Failure::usage(
                    "--link, --site and --poses-of: --poses places the sensor, and --qpos each body: leave them out",
                ))
            }
            (false, Some(link)) => Err(Failure::usage(format!(
                "--link {link}: the rows of --qpos place only geoms and sites: mount the sensor with --site, or give the joints as columns of --poses"
            ))),
            _ => Ok(()),
        }
    }

    /// Finds the link or the site on which the sensor is mounted, if a flag names one.
    pub(super) fn mount(&self, read: &ReadScene) -> Result<Option<NamedMount>, Failure> {
        let Some(wanted) = &self.link else { return self.site.mount(read.sites()) };
        let (name, mount) = link("--link", &read.links, wanted)?;
        Ok(Some(NamedMount { name, is_link: true, mount: mount.clone() }))
    }

    /// Returns the pose of the sensor in the scene file, for a sensor that does not move.
    pub(super) fn own_pose(&self, scene: &Scene, view: &View) -> Result<Pose, Failure> {
        if scene.cameras.is_empty() && !self.site.is_given() && self.link.is_none() {
            return Err(Failure::usage(
                "the scene has no camera, so no sensor has a pose: give --poses, --stations, --legs, --qpos, --site or --link, or add a camera to the scene",
            ));
        }
        self.refuse_two_places(false, false)?;
        self.refuse_fixed()?;
        match self.sweep {
            Some(_) => Err(Failure::usage(
                "--sweep is for a sensor that moves, and without --poses or --legs it does not: leave it out",
            )),
            None => Ok(view.camera.pose(scene.origin())),
        }
    }

    /// Returns an error for flags that do not work with --resume.
    pub(super) fn refuse_useless_resume(&self) -> Result<(), Failure> {
        match self.resume && self.hits_per.is_given() {
            true => Err(Failure::usage(
                "--hits-per cannot count hits of an earlier run: leave --resume out, or count the hits later",
            )),
            false => Ok(()),
        }
    }

    /// Returns a hash of everything that the output is made from. A resumed run must write the same
    /// bytes as an uninterrupted one, and the last bits depend on the device unless the answers are
    /// canonical.
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

    /// Applies the flags for the instrument and the sweep time to a view.
    pub(super) fn with_scan_flags(&self, view: View) -> Result<View, Failure> {
        let mut view = self.instrument.with_instrument_flags(view, self.view.lidar())?;
        match (self.sweep, &mut view.camera.projection) {
            (None, _) => {}
            (Some(seconds), Projection::Panoramic(panorama)) => panorama.sweep_s = seconds,
            (Some(_), Projection::Pattern(_)) => {
                return Err(Failure::usage(format!(
                    "--sweep: the pattern of {} sets the time of each beam: leave it out",
                    view.camera.name
                )));
            }
            (Some(_), _) => {
                return Err(Failure::usage(format!(
                    "--sweep is for panoramic cameras, and {} is not one: leave it out",
                    view.camera.name
                )));
            }
        }
        Ok(view)
    }
}
