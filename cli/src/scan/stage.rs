//! The scene of a scan with its tracer: one for all poses, or one for each pose if the scene has
//! several states.

use super::Arguments;
use super::joint_columns::JointColumns;
use super::link_frames::{still_links, without_own};
use super::mounting::Mounting;
use super::posed_link::PosedLink;
use super::sensor_poses::{MountedSensor, sensor_poses};
use super::states::States;
use crate::compiling::CastTimes;
use crate::console::Console;
use crate::device::OpeningDevice;
use crate::failure::Failure;
use crate::source::{LoadedScene, SceneArguments, hide_from};
use crate::summary::Times;
use raytwin::CanonicalTracer;
use raytwin::camera::{Camera, Pose};
use raytwin::cpu::CpuTracer;
use raytwin::glam::DVec3;
use raytwin::gpu::{Gpu, GpuTracer};
use raytwin::packed::PackedScene;
use raytwin::scan::{Carrier, Trajectory};
use raytwin::scene::Scene;
use raytwin::tracer::Tracer;
use raytwin_files::trajectories::TrajectoryRows;
use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The scene with its tracer.
pub(super) struct Stage<'a> {
    loaded: LoadedScene,
    tracer: Box<dyn Tracer>,
    /// The time taken to read and build all scenes.
    load_time: Duration,
    /// The motion of the scene, if it moves.
    motion: Option<Motion<'a>>,
}

/// The states of a scene, and the current one.
struct Motion<'a> {
    scene: &'a SceneArguments,
    states: States,
    /// The row of the loaded scene.
    row: usize,
    /// The scenes of the following rows, which were made at the same time.
    ahead: VecDeque<(usize, Result<LoadedScene, Failure>)>,
    camera: Camera,
    /// The ids of the geometries that move with the sensor.
    carrier: Option<Range<u32>>,
    /// The open GPU; `None` if the device is the CPU.
    gpu: Option<Gpu>,
    is_canonical: bool,
}

impl<'a> Stage<'a> {
    /// Reads the scene, and the pose of the sensor at each row of the trajectory. Without a
    /// trajectory, the scene's states are one second apart.
    pub fn new(
        arguments: &'a Arguments,
        rows: Option<TrajectoryRows>,
        device: OpeningDevice,
        console: &Console,
    ) -> Result<(Self, MountedSensor, Trajectory), Failure> {
        let has_trajectory = rows.is_some();
        let TrajectoryRows { times, poses, joints, joint_values, frame } = rows.unwrap_or_default();
        let start = Instant::now();
        let columns = JointColumns::find(&joints)?;
        let Some(states) = States::read(arguments, &columns, &joint_values, console)? else {
            let motion = has_trajectory.then_some(frame.as_deref());
            let (stage, sensor, link_from_sensor) =
                Self::still(arguments, motion, device, console)?;
            if !has_trajectory {
                let pose = arguments.own_pose(stage.scene(), &sensor.view)?;
                return Ok((stage, sensor, trajectory(vec![0.0], vec![pose])?));
            }
            let mut poses = poses.unwrap_or_default();
            if let Some(link_from_sensor) = link_from_sensor {
                poses.iter_mut().for_each(|pose| *pose = pose.then_inner(&link_from_sensor));
            }
            return Ok((stage, sensor, trajectory(times, poses)?));
        };
        let count = states.count();
        let times = match has_trajectory {
            true => times,
            false => (0..count).map(|row| row as f64).collect(),
        };
        if times.len() != count {
            return Err(Failure::input(format!(
                "--poses has {} rows, and --qpos {count}: give the same number, or leave one of the two out",
                times.len()
            )));
        }
        let (sensor, poses) = sensor_poses(arguments, &states, poses, frame.as_deref(), console)?;
        let (scene, camera) = (&arguments.scene, sensor.view.camera.clone());
        let carrier = sensor.mounting.as_ref().map(Mounting::geometry_ids);
        let first = || scene_at(scene, &states, 0, &camera, carrier.as_ref());
        let phase = format!("building the tree of {}", scene.name());
        let loaded = console.phase(&phase, first)?;
        let load_time = start.elapsed();
        let (gpu, reason) = device.wait()?;
        let is_canonical = arguments.canonical;
        let tracer = tracer(&loaded, gpu.as_ref(), is_canonical)?;
        console.say(&format!("device: {} ({reason})", tracer.device()));
        let (row, ahead) = (0, VecDeque::new());
        let motion = Motion { scene, states, row, ahead, camera, carrier, gpu, is_canonical };
        let stage = Self { loaded, tracer, load_time, motion: Some(motion) };
        Ok((stage, sensor, trajectory(times, poses)?))
    }

    /// Reads a scene with one state, in which the sensor and its carrier may move. `motion` is the
    /// frame of the poses, if it is known. Also returns the pose of the sensor in the link, if the
    /// poses are those of a link.
    pub fn still(
        arguments: &'a Arguments,
        motion: Option<Option<&str>>,
        device: OpeningDevice,
        console: &Console,
    ) -> Result<(Self, MountedSensor, Option<Pose>), Failure> {
        let start = Instant::now();
        let (mut read, view) = arguments.scene.read_with_sensor(
            &arguments.view,
            |read| arguments.mount(read),
            console,
        )?;
        let posed = match motion {
            Some(frame) => PosedLink::find(arguments, frame, &view, &read, console)?,
            None => None,
        };
        let mounting = match motion {
            Some(_) => Mounting::find(arguments, &view, &read, posed.as_ref(), console)?,
            None => None,
        };
        let sensor = view.camera.pose(read.scene.origin());
        let link_from_sensor = posed.map(|link| link.link_from_sensor(&read.links, &sensor));
        let links = without_own(still_links(&read.links, mounting.as_ref()), arguments, &view);
        if let Some(mounting) = &mounting {
            Carrier::separate(&mut read.scene, mounting.geometry_ids());
        }
        let loaded = arguments.scene.pack(read.scene, start, console)?;
        let tracer = device.canonical(arguments.canonical).tracer(&loaded, console)?;
        let load_time = loaded.load_time;
        let stage = Self { loaded, tracer, load_time, motion: None };
        Ok((stage, MountedSensor { view, mounting, links }, link_from_sensor))
    }

    /// Moves the scene to its state in a row of the trajectory, and returns the scene and its
    /// tracer.
    pub fn at(&mut self, row: usize, console: &Console) -> Result<(&Scene, &dyn Tracer), Failure> {
        if let Some(motion) = &mut self.motion
            && motion.row != row
        {
            let start = Instant::now();
            self.loaded = motion.scene_at(row, &self.loaded.scene, console)?;
            self.tracer = tracer(&self.loaded, motion.gpu.as_ref(), motion.is_canonical)?;
            motion.row = row;
            self.load_time += start.elapsed();
        }
        Ok((&self.loaded.scene, self.tracer.as_ref()))
    }

    /// Returns true if the scene has one state.
    pub fn is_still(&self) -> bool {
        self.motion.is_none()
    }

    /// Returns the scene in its current state.
    pub fn scene(&self) -> &Scene {
        &self.loaded.scene
    }

    /// Returns the same scene with its tree.
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

impl Motion<'_> {
    fn scene_at(
        &mut self,
        row: usize,
        other: &Scene,
        console: &Console,
    ) -> Result<LoadedScene, Failure> {
        loop {
            while let Some((at, loaded)) = self.ahead.pop_front() {
                if at == row {
                    return loaded;
                }
            }
            let Self { scene, states, camera, carrier, .. } = &*self;
            let make = |row| scene_at(scene, states, row, camera, carrier.as_ref());
            let phase = format!("building the trees of {}", scene.name());
            let made = console.phase(&phase, || states.of_rows_from(row, other, make));
            self.ahead.extend((row..).zip(made));
        }
    }
}

fn scene_at(
    scene: &SceneArguments,
    states: &States,
    row: usize,
    camera: &Camera,
    carrier: Option<&Range<u32>>,
) -> Result<LoadedScene, Failure> {
    let start = Instant::now();
    let mut state = states.at(scene, row)?.scene;
    hide_from(&mut state, camera);
    if let Some(ids) = carrier {
        Carrier::separate(&mut state, ids.clone());
    }
    scene.packed(state, start)
}

fn tracer(
    loaded: &LoadedScene,
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
