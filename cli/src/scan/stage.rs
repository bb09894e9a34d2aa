//! The scene of a scan with its tracer: one for all poses, or one for each if the scene has as many
//! states.

use super::Arguments;
use super::joint_columns::JointColumns;
use super::states::States;
use crate::command_flags::CommandFlags;
use crate::compiling::CastTimes;
use crate::console::Console;
use crate::device::DeviceFlag;
use crate::failure::Failure;
use crate::source::{Loaded, ReadScene, SceneArguments, hide_from};
use crate::summary::Times;
use raytwin::CanonicalTracer;
use raytwin::camera::{Camera, Pose, View};
use raytwin::cpu::CpuTracer;
use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, GpuTracer};
use raytwin::packed::PackedScene;
use raytwin::scan::Trajectory;
use raytwin::scene::Scene;
use raytwin::tracer::Tracer;
use raytwin_files::trajectories::TrajectoryRows;
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The scene with its tracer.
pub(super) struct Stage<'a> {
    loaded: Loaded,
    tracer: Box<dyn Tracer>,
    /// The time taken to read and build all scenes.
    load_time: Duration,
    /// The motion of the scene, if it moves.
    motion: Option<Motion<'a>>,
}

/// The states of a scene, and which one is cast at.
struct Motion<'a> {
    scene: &'a SceneArguments,
    states: States,
    /// The row at which the loaded scene is.
    row: usize,
    camera: Camera,
    /// The open GPU; `None` if the device is the CPU.
    gpu: Option<Gpu>,
    is_canonical: bool,
}

impl<'a> Stage<'a> {
    /// Reads the scene, and the pose of the sensor at each row of the trajectory. Without one, the
    /// scene's states are numbered seconds apart.
    pub fn new(
        arguments: &'a Arguments,
        rows: Option<TrajectoryRows>,
        device: &str,
        console: &Console,
    ) -> Result<(Self, View, Trajectory), Failure> {
        let device = DeviceFlag::new(device);
        let has_trajectory = rows.is_some();
        let TrajectoryRows { times, poses, joints, joint_values } = rows.unwrap_or_default();
        let start = Instant::now();
        let columns = JointColumns::find(&joints)?;
        let Some(states) = States::read(arguments, &columns, &joint_values, console)? else {
            if !has_trajectory {
                return Err(Failure::usage(
                    "--poses: the scene has one state alone, so a trajectory must tell from where it is scanned",
                ));
            }
            let (stage, view) = Self::still(arguments, &device, console)?;
            return Ok((stage, view, trajectory(times, poses.unwrap_or_default())?));
        };
        let count = states.count();
        let times = match has_trajectory {
            true => times,
            false => (0..count).map(|row| row as f64).collect(),
        };
        if times.len() != count {
            return Err(Failure::input(format!(
                "--poses has {} rows, and --qpos {count}: give as many, or leave one of the two out",
                times.len()
            )));
        }
        let (view, poses) = sensor_poses(arguments, &states, poses, console)?;
        let loaded = scene_at(&arguments.scene, &states, 0, &view.camera, console)?;
        let load_time = start.elapsed();
        let (gpu, reason) = device.open()?;
        let is_canonical = arguments.canonical;
        let tracer = tracer(&loaded, gpu.as_ref(), is_canonical)?;
        console.say(&format!("device: {} ({reason})", tracer.device()));
        let camera = view.camera.clone();
        let motion = Motion { scene: &arguments.scene, states, row: 0, camera, gpu, is_canonical };
        let stage = Self { loaded, tracer, load_time, motion: Some(motion) };
        Ok((stage, view, trajectory(times, poses)?))
    }

    /// Reads a scene that does not move.
    pub fn still(
        arguments: &'a Arguments,
        device: &DeviceFlag,
        console: &Console,
    ) -> Result<(Self, View), Failure> {
        let (loaded, view) = arguments.scene.load_with_view(&arguments.view, console)?;
        let tracer = match arguments.canonical {
            true => device.canonical_tracer(&loaded, console)?,
            false => device.tracer(&loaded, console)?,
        };
        let load_time = loaded.load_time;
        Ok((Self { loaded, tracer, load_time, motion: None }, view))
    }

    /// Takes the scene to its state in a row of the trajectory, and returns the scene and its tracer.
    pub fn at(&mut self, row: usize, console: &Console) -> Result<(&Scene, &dyn Tracer), Failure> {
        if let Some(motion) = &mut self.motion
            && motion.row != row
        {
            let start = Instant::now();
            let Motion { scene, states, camera, .. } = motion;
            self.loaded = scene_at(scene, states, row, camera, console)?;
            self.tracer = tracer(&self.loaded, motion.gpu.as_ref(), motion.is_canonical)?;
            motion.row = row;
            self.load_time += start.elapsed();
        }
        Ok((&self.loaded.scene, self.tracer.as_ref()))
    }

    /// The scene in the state that was cast at last.
    pub fn scene(&self) -> &Scene {
        &self.loaded.scene
    }

    /// The same scene with its tree.
    pub fn packed(&self) -> &PackedScene {
        &self.loaded.packed
    }

    pub fn origin(&self) -> DVec3 {
        self.loaded.scene.origin()
    }

    pub fn device(&self) -> String {
        self.tracer.device()
    }

    pub fn times(&self, casting: &CastTimes) -> Times {
        Times { load_s: self.load_time.as_secs_f64(), ..self.loaded.times(casting) }
    }
}

fn trajectory(times: Vec<f64>, poses: Vec<Pose>) -> Result<Trajectory, Failure> {
    Trajectory::new(times, poses).map_err(|error| Failure::input(error.to_string()))
}

fn scene_at(
    scene: &SceneArguments,
    states: &States,
    row: usize,
    camera: &Camera,
    console: &Console,
) -> Result<Loaded, Failure> {
    let start = Instant::now();
    let mut read = states.at(scene, row)?.scene;
    hide_from(&mut read, camera);
    scene.pack(read, start, console)
}

fn tracer(
    loaded: &Loaded,
    gpu: Option<&Gpu>,
    is_canonical: bool,
) -> Result<Box<dyn Tracer>, Failure> {
    Ok(match gpu {
        Some(gpu) => {
            let tracer = GpuTracer::new(gpu, &loaded.packed)?;
            if is_canonical { Box::new(CanonicalTracer::new(tracer)) } else { Box::new(tracer) }
        }
        None => Box::new(CpuTracer::new(&loaded.packed)),
    })
}

/// Finds the view, and the pose of the sensor at each row: the given ones, or those of the link
/// that it is mounted on, or those of the camera. The scene takes every state, so that no row
/// fails after others were cast.
fn sensor_poses(
    arguments: &Arguments,
    states: &States,
    given: Option<Vec<Pose>>,
    console: &Console,
) -> Result<(View, Vec<Pose>), Failure> {
    let quiet = Console::new("scan", CommandFlags::default(), false, true);
    let mut first: Option<(View, Pose)> = None;
    let mut poses = Vec::with_capacity(states.count());
    let mut warnings = Warnings::default();
    for row in 0..states.count() {
        let read = states.at(&arguments.scene, row);
        let in_row = |failure: Failure| failure.in_file(&format!("row {row} of the trajectory"));
        let read = read.map_err(in_row)?;
        let scene = &read.scene;
        warnings.add(row, &read.warnings, console);
        if first.is_none() {
            let view = arguments.view.view(scene, console)?;
            let pose = view.camera.pose(scene.origin());
            first = Some((view, pose));
        }
        let pose = match (&given, &arguments.link) {
            (Some(given), _) => given[row],
            (None, Some(link)) => pose_of_link(&read, link)?,
            // A camera that sees the whole scene would jump about as the robot moves. The pose is
            // the first row's, in the world: with an automatic origin each row has its own.
            (None, None) => match &first {
                Some((_, pose)) if row == 0 || scene.cameras.is_empty() => *pose,
                _ => arguments.view.view(scene, &quiet)?.camera.pose(scene.origin()),
            },
        };
        poses.push(pose);
    }
    warnings.tell_later(console);
    let (view, _) = first.ok_or_else(|| Failure::input("the trajectory has no row"))?;
    Ok((view, poses))
}

fn pose_of_link(ReadScene { links, .. }: &ReadScene, link: &str) -> Result<Pose, Failure> {
    links.get(link).copied().ok_or_else(|| {
        if links.is_empty() {
            return Failure::input(format!(
                "--link {link}: the scene has no links: choose one of its cameras with --camera"
            ));
        }
        let mut known: Vec<&str> = links.keys().map(String::as_str).collect();
        known.sort_unstable();
        Failure::input(format!(
            "--link {link}: the robot has no such link; it has {}",
            known.join(", ")
        ))
    })
}

/// The warnings of the rows. Those of the first are told at once; of what later rows add, the first
/// stands for all, because a joint beyond its limits is so in many rows, with another value each.
#[derive(Default)]
struct Warnings {
    told: HashSet<String>,
    /// The first warning of a later row that no row before had, with its row.
    first_later: Option<(usize, String)>,
    later_count: usize,
}

impl Warnings {
    fn add(&mut self, row: usize, warnings: &[String], console: &Console) {
        for warning in warnings {
            if !self.told.insert(warning.clone()) {
                continue;
            }
            if row == 0 {
                console.warn(warning);
                continue;
            }
            self.later_count += 1;
            self.first_later.get_or_insert_with(|| (row, warning.clone()));
        }
    }

    fn tell_later(self, console: &Console) {
        if let Some((row, warning)) = self.first_later {
            let more = match self.later_count - 1 {
                0 => String::new(),
                more => format!(" ({more} more in later rows)"),
            };
            console.warn(&format!("row {row} of the trajectory: {warning}{more}"));
        }
    }
}
