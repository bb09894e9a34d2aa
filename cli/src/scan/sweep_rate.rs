//! Sweeps at a fixed rate, instead of one at each row of a trajectory.

use super::Arguments;
use crate::failure::Failure;
use raytwin::camera::View;
use raytwin::scan::Trajectory;

/// The most rows of a trajectory with the starts of its sweeps, which are in memory.
const MOST_ROWS: f64 = (1 << 22) as f64;

/// Times that differ by less than this share are the same time, rounded twice.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Finds the rate of sweeps along a trajectory: that of the flag, or else of the sensor's file;
/// `None` if each row begins a sweep. Only a trajectory of poses in a scene with one state can have
/// a rate, because other rows are states of the scene.
pub(super) fn sweep_rate(
    arguments: &Arguments,
    view: &View,
    has_poses_alone: bool,
) -> Result<Option<f64>, Failure> {
    match (arguments.rate, has_poses_alone) {
        (Some(_), false) => {
            Err(Failure::usage("--rate is for --poses without joints and --qpos: leave it out"))
        }
        (None, false) => Ok(None),
        (given, true) => Ok(given.or(view.camera.sensor.update_rate_hz)),
    }
}

/// Returns the name of the flag or file that sets the rate.
pub(super) fn rate_source(arguments: &Arguments, view: &View) -> String {
    match arguments.rate {
        Some(_) => "--rate".to_owned(),
        None => format!("the file of camera {}", view.camera.name),
    }
}

/// Returns a line with the number of sweeps, and of the trajectory's own rows at which none begins.
pub(super) fn rate_text(
    rate: f64,
    source: &str,
    own_times: &[f64],
    begun: impl Iterator<Item = f64>,
) -> String {
    let (mut sweeps, mut at_rows) = (0, 0);
    for time in begun {
        sweeps += 1;
        at_rows += usize::from(own_times.binary_search_by(|own| own.total_cmp(&time)).is_ok());
    }
    format!(
        "{sweeps} sweeps from {} rows, {rate} per second by {source}; no sweep begins at {} of the rows",
        own_times.len(),
        own_times.len() - at_rows
    )
}

/// Adds the poses at which sweeps of this rate begin to a trajectory, from its first time on.
/// Returns the trajectory and the rows of these poses.
pub(super) fn with_starts(
    trajectory: &Trajectory,
    rate: f64,
) -> Result<(Trajectory, Vec<usize>), Failure> {
    let own = trajectory.times();
    let [first, last] = [own[0], own[own.len() - 1]];
    let sweeps = ((last - first) * rate * (1.0 + ROUNDING)).floor();
    if own.len() as f64 + sweeps >= MOST_ROWS {
        return Err(Failure::usage(format!(
            "{rate} sweeps per second are {sweeps} sweeps in the {} s of the trajectory, and at most {MOST_ROWS} rows are allowed: give a lower --rate or a shorter trajectory, with times in seconds",
            last - first
        )));
    }
    let (mut times, mut poses, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    let mut next_own = 0;
    for number in 0..=sweeps as usize {
        let start = first + number as f64 / rate;
        let rounding = ROUNDING * start.abs().max(last.abs());
        while next_own < own.len() && own[next_own] < start - rounding {
            times.push(own[next_own]);
            poses.push(trajectory.poses()[next_own]);
            next_own += 1;
        }
        let Some(mut pose) = trajectory.at(start) else { break };
        let mut time = start;
        if let Some(&near) = own.get(next_own).filter(|near| **near <= start + rounding) {
            (time, pose) = (near, trajectory.poses()[next_own]);
            next_own += 1;
        }
        starts.push(times.len());
        times.push(time);
        poses.push(pose);
    }
    times.extend_from_slice(&own[next_own..]);
    poses.extend_from_slice(&trajectory.poses()[next_own..]);
    let trajectory =
        Trajectory::new(times, poses).map_err(|error| Failure::input(error.to_string()))?;
    Ok((trajectory, starts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raytwin::camera::Pose;
    use raytwin::glam::DVec3;

    #[test]
    fn sweeps_begin_at_their_rate_between_the_rows_and_at_them() {
        let pose = |x: f64| Pose { position: DVec3::X * x, ..Pose::IDENTITY };
        let times = vec![0.1, 0.3, 1.0, 1.05];
        let poses = [1.0, 3.0, 10.0, 10.5].map(pose).to_vec();
        let trajectory = Trajectory::new(times, poses).unwrap();
        let (with, starts) = with_starts(&trajectory, 5.0).ok().unwrap();
        let at =
            |rows: &[usize]| -> Vec<f64> { rows.iter().map(|row| with.times()[*row]).collect() };
        for (found, wanted) in at(&starts).into_iter().zip([0.1, 0.3, 0.5, 0.7, 0.9]) {
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
        assert_eq!((starts.len(), with.len()), (5, 7));
        for (time, pose) in with.times().iter().zip(with.poses()) {
            assert!((pose.position.x - 10.0 * time).abs() < 1e-12);
        }
        // The rows are the trajectory's own to the bit.
        assert_eq!([with.times()[1], with.times()[6]], [0.3, 1.05]);
        let many = with_starts(&trajectory, 1e9).err().unwrap().message;
        assert!(many.contains("in seconds"), "{many}");
    }
}
