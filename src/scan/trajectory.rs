//! The poses of a moving sensor over time.

use crate::camera::Pose;
use thiserror::Error;

/// Poses at increasing times. Between two poses, the position moves along a line and the rotation
/// turns about one axis, both at a constant speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    times: Vec<f64>,
    poses: Vec<Pose>,
}

/// The reason why poses do not form a trajectory.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// There is no pose.
    #[error("the trajectory has no pose: give at least one row")]
    Empty,
    /// The numbers of times and poses differ.
    #[error("there are {times} times for {poses} poses: give one for each")]
    Count {
        /// The number of times.
        times: usize,
        /// The number of poses.
        poses: usize,
    },
    /// A time is not finite, or not later than the one before it.
    #[error(
        "row {row} has the time {time}: times must be finite, and each must be later than the one before it"
    )]
    Time {
        /// The index of the row, counted from 0.
        row: usize,
        /// Its time.
        time: f64,
    },
}

impl Trajectory {
    /// Makes a trajectory.
    ///
    /// # Errors
    /// [`TrajectoryError`].
    pub fn new(times: Vec<f64>, poses: Vec<Pose>) -> Result<Self, TrajectoryError> {
        if times.len() != poses.len() {
            return Err(TrajectoryError::Count { times: times.len(), poses: poses.len() });
        }
        check_times(&times)?;
        Ok(Self { times, poses })
    }

    /// Returns the number of poses, which is at least one.
    #[expect(clippy::len_without_is_empty, reason = "a trajectory is never empty")]
    pub fn len(&self) -> usize {
        self.poses.len()
    }

    /// Returns the times of the poses, each later than the one before it.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Returns the poses, one for each of the times.
    pub fn poses(&self) -> &[Pose] {
        &self.poses
    }

    /// Returns the pose at a time; `None` before the first pose and after the last, because motion
    /// is not extrapolated. A time that is outside by no more than the rounding of such times
    /// counts as the time of the first or of the last pose.
    pub fn at(&self, time: f64) -> Option<Pose> {
        let [first, last] = [self.times[0], self.times[self.times.len() - 1]];
        // In decimal numbers, a sweep that starts at 2.9 and takes 0.1 ends at 3. In float64 the
        // start, the end and their sum are rounded, and the times of a flight are rounded quotients
        // of products.
        let rounding = 4.0 * f64::EPSILON * first.abs().max(last.abs());
        if !(first - rounding..=last + rounding).contains(&time) {
            return None;
        }
        let time = time.clamp(first, last);
        let next = self.times.partition_point(|&other| other <= time);
        let before = next - 1;
        if self.times[before] == time {
            return Some(self.poses[before]);
        }
        let [from, to] = [self.times[before], self.times[next]];
        Some(self.poses[before].toward(&self.poses[next], (time - from) / (to - from)))
    }
}

/// Returns an error unless there is a time, all are finite, and each is later than the one before
/// it.
fn check_times(times: &[f64]) -> Result<(), TrajectoryError> {
    if times.is_empty() {
        return Err(TrajectoryError::Empty);
    }
    let mut before = f64::NEG_INFINITY;
    for (row, &time) in times.iter().enumerate() {
        if !(time.is_finite() && time > before) {
            return Err(TrajectoryError::Time { row, time });
        }
        before = time;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DQuat, DVec3};

    fn pose(x: f64, degrees: f64) -> Pose {
        Pose { position: DVec3::X * x, rotation: DQuat::from_rotation_z(degrees.to_radians()) }
    }

    #[test]
    fn poses_lie_between_their_neighbours_in_time_and_nowhere_else() {
        let times = vec![-1.0, 0.0, 4.0];
        let poses = vec![pose(0.0, 0.0), pose(2.0, 90.0), pose(10.0, 90.0)];
        let trajectory = Trajectory::new(times, poses).unwrap();
        for (time, x, degrees) in [
            (-1.0, 0.0, 0.0),
            (-0.5, 1.0, 45.0),
            (0.0, 2.0, 90.0),
            (1.0, 4.0, 90.0),
            (4.0, 10.0, 90.0),
        ] {
            let found = trajectory.at(time).unwrap();
            assert!((found.position.x - x).abs() < 1e-15, "{time}: {found:?}");
            let expected = pose(x, degrees).rotation;
            assert!(1.0 - found.rotation.dot(expected).abs() < 1e-15, "{time}: {found:?}");
        }
        for time in [-1.001, 4.001, f64::NAN, f64::INFINITY] {
            assert_eq!(trajectory.at(time), None, "{time}");
        }
    }

    #[test]
    fn a_time_outside_by_rounding_alone_is_that_of_the_nearest_pose() {
        for (times, sum) in [
            ([0.0, 3.0], 2.9 + 0.1),
            ([1.7e9, 1.7e9 + 0.7], 1.7e9 + 0.7 + 3e-7),
            ([-0.3, 0.0], 5.6e-17),
            ([0.1 + 0.2, 0.4], 0.3),
        ] {
            let trajectory = Trajectory::new(times.to_vec(), vec![pose(0.0, 0.0), pose(1.0, 0.0)]);
            let found = trajectory.unwrap().at(sum).unwrap().position.x;
            assert_eq!(found, if sum > 0.5 * (times[0] + times[1]) { 1.0 } else { 0.0 }, "{sum}");
        }
        let still = Trajectory::new(vec![0.0], vec![pose(0.0, 0.0)]).unwrap();
        assert!(still.at(0.0).is_some() && still.at(1e-300).is_none());
    }

    #[test]
    fn times_that_stand_still_or_run_backwards_are_refused_with_their_row() {
        let of = |times: &[f64]| Trajectory::new(times.to_vec(), vec![pose(0.0, 0.0); times.len()]);
        assert_eq!(of(&[]), Err(TrajectoryError::Empty));
        for (times, row) in [
            (&[0.0, 1.0, 1.0][..], 2),
            (&[0.0, -1.0], 1),
            (&[f64::NAN], 0),
            (&[0.0, f64::INFINITY], 1),
        ] {
            let refused = of(times);
            assert!(matches!(refused, Err(TrajectoryError::Time { row: at, .. }) if at == row));
        }
        assert!(Trajectory::new(vec![0.0], Vec::new()).is_err());
    }
}
