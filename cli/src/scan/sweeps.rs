//! The sweeps of a scan: their view, their trajectory and its rows.

use super::Arguments;
use super::legs;
use super::mounting::Mounting;
use super::pose_rows::read_rows;
use super::sensor_poses::MountedSensor;
use super::stage::Stage;
use super::sweep_rate::{rate_source, rate_text, sweep_rate, with_starts};
use super::target::ScanTarget;
use crate::console::Console;
use crate::device::DeviceFlag;
use crate::failure::Failure;
use raytwin::camera::{CameraError, View};
use raytwin::glam::DVec3;
use raytwin::scan::{PosedView, SweepStart, Trajectory};
use raytwin_files::CoordinateSystem;
use raytwin_files::legs::read_legs;
use raytwin_files::messages::LinkFrame;
use raytwin_files::stations::{Station, read_stations};
use raytwin_files::trajectories::TrajectoryRows;

pub(super) struct Sweeps {
    pub view: View,
    pub trajectory: Trajectory,
    pub starts: Vec<SweepStart>,
    /// The number of rows at the end at which no sweep begins.
    pub left_out: usize,
    /// The stations of the sensor.
    stations: Option<Vec<Station>>,
    /// True if the sensor does not move during a sweep: at stations, at its pose in the scene file,
    /// or with joints, which have one state for each sweep.
    stands: bool,
    /// The shapes that move with the sensor.
    mounting: Option<Mounting>,
    /// The robot's links, which messages publish.
    pub links: Vec<LinkFrame>,
}

impl Sweeps {
    /// Reads the files that flags name, and makes the scene with its tracer and the sweeps.
    pub fn plan<'a>(
        arguments: &'a Arguments,
        target: &ScanTarget,
        device: &str,
        console: &Console,
    ) -> Result<(Stage<'a>, Self), Failure> {
        let poses = arguments.poses.as_deref();
        let rows = match poses {
            Some(poses) => {
                arguments.scene.refuse_swap(poses, "poses")?;
                let rows = read_rows(poses, arguments.poses_topic.as_ref(), console)?;
                arguments.refuse_two_places(rows.poses.is_some(), !rows.joints.is_empty())?;
                Some(rows)
            }
            None => None,
        };
        let stations = arguments.stations.as_deref().map(read_stations).transpose()?;
        let rows = match &stations {
            Some(stations) => Some(standing(stations, arguments)?),
            None => rows,
        };
        let has_rows = rows.is_some();
        let has_poses = rows.as_ref().is_some_and(|rows| rows.poses.is_some());
        let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
        let (stage, sensor, trajectory, flown) = match arguments.legs.as_deref() {
            Some(path) => {
                let legs = read_legs(path)?;
                arguments.refuse_two_places(true, false)?;
                let (stage, mut sensor, _) = Stage::still(arguments, Some(None), device, console)?;
                sensor.view = arguments.with_scan_flags(sensor.view)?;
                let (view, packed) = (&sensor.view, stage.packed());
                let flight = legs::flight(arguments, (path, &legs), view, packed, console)?;
                (stage, sensor, flight.trajectory, Some(flight.sweeps))
            }
            None => {
                let (stage, mut sensor, trajectory) = Stage::new(arguments, rows, device, console)?;
                sensor.view = arguments.with_scan_flags(sensor.view)?;
                (stage, sensor, trajectory, None)
            }
        };
        let MountedSensor { view, mounting, links } = sensor;
        let rate = sweep_rate(arguments, &view, poses.is_some() && stage.is_still())?;
        let own_times = rate.map(|_| trajectory.times().to_vec()).unwrap_or_default();
        let (trajectory, begins) = match rate {
            Some(rate) => with_starts(&trajectory, rate)?,
            None => {
                let begins = (0..trajectory.len()).collect();
                (trajectory, begins)
            }
        };
        let outputs = target.files(flown.as_ref().map_or(begins.len(), Vec::len));
        let inputs = [
            poses,
            arguments.stations.as_deref(),
            arguments.legs.as_deref(),
            arguments.view.lidar_file(),
            arguments.crs.as_ref().and_then(CoordinateSystem::file),
        ];
        arguments.scene.check_outputs(&outputs, inputs.into_iter().flatten())?;
        if stations.is_some() && !view.camera.projection.is_lidar() {
            return Err(Failure::usage(format!(
                "--stations is for lidars, and {} is not one: choose one with --camera or --lidar, or give --poses",
                view.camera.name
            )));
        }
        // Without a trajectory, several states are a motion, and one state is scanned from one
        // pose.
        let is_at_own_pose = !has_rows && flown.is_none() && trajectory.len() == 1;
        let has_states_alone = !stage.is_still() && !has_poses;
        if has_states_alone {
            refuse_time_in_states(arguments, &view, console)?;
        }
        let stands = stations.is_some() || is_at_own_pose || has_states_alone;
        let (starts, left_out) = (Vec::new(), 0);
        let mut sweeps =
            Self { view, trajectory, starts, left_out, stations, stands, mounting, links };
        match flown {
            Some(starts) => sweeps.starts = starts,
            None => {
                let starts = || sweeps.castable(&begins, stage.origin());
                sweeps.starts = console.phase("finding where sweeps begin", starts)?;
                sweeps.left_out = begins.len() - sweeps.starts.len();
                if let Some(rate) = rate {
                    let times = sweeps.trajectory.times();
                    let begun = sweeps.starts.iter().map(|start| times[start.row]);
                    let source = rate_source(arguments, &sweeps.view);
                    console.say(&rate_text(rate, &source, &own_times, begun));
                }
            }
        }
        Ok((stage, sweeps))
    }

    /// Returns true if the sensor does not move, so that a sweep casts all columns at once.
    pub fn stand(&self) -> bool {
        self.stands
    }

    /// Returns the names of the stations, if at least one has a name.
    pub fn station_names(&self) -> Option<Vec<String>> {
        let names = self.stations.as_ref()?.iter().map(|station| station.name.clone());
        let names: Vec<String> = names.collect();
        names.iter().any(|name| !name.is_empty()).then_some(names)
    }

    /// Returns the view of a sweep, in a scene with this origin.
    ///
    /// # Errors
    /// A [`Failure`], for example if the trajectory ends before the sweep does.
    pub fn posed(&self, sweep: &SweepStart, origin: DVec3) -> Result<PosedView, Failure> {
        let posed = self.posed_at(sweep.row, origin)?.ok_or_else(|| {
            let times = self.trajectory.times();
            Failure::input(format!(
                "the sweep at row {} lasts {} s from {} s on, and the motion after {} s is unknown: add a row for its end",
                sweep.row,
                self.view.camera.projection.sweep_s(),
                times[sweep.row],
                times[times.len() - 1]
            ))
        })?;
        Ok(match &self.mounting {
            Some(mounting) => mounting.carry(posed, sweep.row, origin)?,
            None => posed,
        })
    }

    /// Puts the view at a row of the trajectory, at rest or at the start of a sweep; `None` if the
    /// trajectory ends before the sweep does.
    fn posed_at(&self, row: usize, origin: DVec3) -> Result<Option<PosedView>, CameraError> {
        let Self { view, trajectory, .. } = self;
        if !self.stand() {
            return PosedView::new(view, trajectory, row, origin);
        }
        let (time, pose) = (trajectory.times()[row], &trajectory.poses()[row]);
        PosedView::standing(view, pose, time, row, origin).map(Some)
    }

    /// Finds the rows from which a sweep can be cast, among those at which one begins. The other
    /// rows are at the end.
    fn castable(&self, begins: &[usize], origin: DVec3) -> Result<Vec<SweepStart>, Failure> {
        let mut count = 0;
        for &row in begins {
            match self.posed_at(row, origin) {
                Ok(Some(_)) => count += 1,
                Ok(None) => break,
                Err(error) => return Err(Failure::input(format!("row {row} of --poses: {error}"))),
            }
        }
        if count == 0 {
            let times = self.trajectory.times();
            return Err(Failure::input(format!(
                "no sweep of {} s fits between the first time, {}, and the last, {}: add a row for its end, or cast all columns at once with --sweep 0",
                self.view.camera.projection.sweep_s(),
                times[0],
                times[times.len() - 1]
            )));
        }
        let cast = (1..).zip(&begins[..count]);
        Ok(cast.map(|(source, &row)| SweepStart { row, source }).collect())
    }
}

/// Returns an error if --sweep sets a duration, and prints a message if the sensor has one: each
/// row is one state of the scene, in which the sensor does not move either.
fn refuse_time_in_states(
    arguments: &Arguments,
    view: &View,
    console: &Console,
) -> Result<(), Failure> {
    if arguments.sweep.is_some_and(|seconds| seconds > 0.0) {
        return Err(Failure::usage(
            "--sweep: joints and --qpos have one state for each sweep, in which nothing moves: leave it out, or give the robot's poses with --poses-of",
        ));
    }
    if view.camera.projection.sweep_s() > 0.0 {
        console.say(
            "raytwin casts each sweep at once, because joints and --qpos have one state for each sweep: poses with --poses-of move the robot during a sweep",
        );
    }
    Ok(())
}

/// Returns the poses of a scanner at stations, a second apart.
fn standing(stations: &[Station], arguments: &Arguments) -> Result<TrajectoryRows, Failure> {
    if arguments.view.sets_camera() {
        return Err(Failure::usage(
            "--view, --eye, --target and --up: the stations place the sensor: leave them out",
        ));
    }
    let pose = |station: &Station| station.pose().map_err(Failure::input);
    Ok(TrajectoryRows {
        times: (0..stations.len()).map(|number| number as f64).collect(),
        poses: Some(stations.iter().map(pose).collect::<Result<_, _>>()?),
        ..TrajectoryRows::default()
    })
}
