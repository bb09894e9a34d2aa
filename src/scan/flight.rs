//! Surveys along straight legs, each with its ends and its speed.

use super::trajectory::{Trajectory, TrajectoryError};
use crate::camera::{CameraError, Pose};
use crate::math::radians;
use glam::{DQuat, DVec3};
use thiserror::Error;

/// The seconds between the end of a leg and the start of the next, in which nothing is cast.
const TURN_S: f64 = 1.0;

/// The steps in which the ground below a leg is followed, as a share of the altitude.
const GROUND_STEP: f64 = 1.0 / 50.0;

/// The most poses of a flight, which limits memory.
const MOST_POSES: f64 = (1 << 22) as f64;

/// A straight piece of a survey. The sensor heads along it at an even speed over the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// Its start and its end, which differ in x or y. The height z is the height in the scene, or
    /// above its ground.
    pub ends: [DVec3; 2],
    /// The speed over the ground, in scene units per second.
    pub speed: f64,
    /// The angle by which the sensor's x axis is tilted down from the heading; 90 points straight
    /// down.
    pub down_degrees: f64,
}

/// A row of a flight's trajectory at which a sweep begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepStart {
    /// The row.
    pub row: usize,
    /// The number of its leg, from 1: the point source id of LAS files.
    pub source: u32,
}

/// The motion of a sensor along legs, one after another, from time 0. On each leg, sweeps follow
/// one another without a pause. The rest of a leg after its last whole sweep is not flown. Turns
/// are not flown either: a leg begins one second after the leg before it ends.
///
/// ```
/// use raytwin::glam::DVec3;
/// use raytwin::{Flight, Leg};
///
/// let ends = [DVec3::new(0.0, 0.0, 40.0), DVec3::new(0.0, 9.0, 40.0)];
/// let flight = Flight::new(&[Leg { ends, speed: 4.0, down_degrees: 0.0 }], 0.5, false)?;
/// assert_eq!(flight.sweeps.len(), 4);
/// assert_eq!(flight.trajectory.times(), [0.0, 0.5, 1.0, 1.5, 2.0]);
/// assert_eq!(flight.trajectory.poses()[3].position, DVec3::new(0.0, 6.0, 40.0));
/// # Ok::<(), raytwin::FlightError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Flight {
    /// The poses. Each sweep begins at one of them.
    pub trajectory: Trajectory,
    /// The rows of the trajectory at which sweeps begin.
    pub sweeps: Vec<SweepStart>,
}

/// The reason why legs cannot be flown.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum FlightError {
    /// A leg ends before its first sweep does.
    #[error(
        "leg {leg} takes {leg_s} s, but a sweep takes {sweep_s} s: fly the leg more slowly, or sweep faster"
    )]
    Short {
        /// The number of the leg, from 1.
        leg: usize,
        /// The seconds that it takes.
        leg_s: f64,
        /// The seconds that a sweep takes.
        sweep_s: f64,
    },
    /// There are too many poses.
    #[error(
        "the legs up to leg {leg} have more than {MOST_POSES} poses, at least one for each sweep: fly faster or higher, sweep more slowly, or scan fewer legs at a time"
    )]
    TooMany {
        /// The number of the leg, from 1.
        leg: usize,
    },
    /// There is no ground below a pose.
    #[error(
        "leg {leg} has no ground below it at x = {x}, y = {y}: end the leg where the ground ends, and check that no flag and no camera leaves the ground out"
    )]
    NoGround {
        /// The number of the leg, from 1.
        leg: u32,
        /// The place in the world.
        x: f64,
        /// The place in the world.
        y: f64,
    },
    /// There are no legs, or their times are too large to differ.
    #[error(transparent)]
    Trajectory(#[from] TrajectoryError),
    /// A pose is out of range.
    #[error(transparent)]
    Pose(#[from] CameraError),
}

impl Flight {
    /// Flies along legs, and begins a sweep every `sweep_s` seconds, which must be above 0.
    ///
    /// To follow the ground, the sensor has more poses between sweeps: at least one each 50th of
    /// the lower altitude of the leg's ends. It moves along straight lines between them. So its
    /// altitude differs from the given one by at most 1 % if the ground rises or falls by at most
    /// 45 degrees, and by half or twice that if the steepest slope is half or twice as large.
    /// [`Self::above`] turns the altitudes into heights.
    ///
    /// # Errors
    /// [`FlightError`].
    pub fn new(legs: &[Leg], sweep_s: f64, follows_ground: bool) -> Result<Self, FlightError> {
        let (mut times, mut poses, mut sweeps) = (Vec::new(), Vec::new(), Vec::new());
        let mut start = 0.0;
        for (index, leg) in legs.iter().enumerate() {
            let [from, to] = leg.ends;
            let length = (to - from).truncate().length();
            let leg_s = length / leg.speed;
            let count = ((length + rounding(leg)) / (leg.speed * sweep_s)).floor();
            if count < 1.0 {
                return Err(FlightError::Short { leg: index + 1, leg_s, sweep_s });
            }
            let steps = match follows_ground {
                true => (leg.speed * sweep_s / (GROUND_STEP * from.z.min(to.z))).ceil().max(1.0),
                false => 1.0,
            };
            let rows = times.len() as f64 + count * steps;
            if rows.is_nan() || rows >= MOST_POSES {
                return Err(FlightError::TooMany { leg: index + 1 });
            }
            let rotation = leg.rotation();
            for step in 0..=(count * steps) as usize {
                let time = step as f64 * sweep_s / steps;
                let position = from + time / leg_s * (to - from);
                if step % steps as usize == 0 && (step as f64) < count * steps {
                    sweeps.push(SweepStart { row: poses.len(), source: index as u32 + 1 });
                }
                times.push(start + time);
                poses.push(Pose::new(position, rotation.to_array())?);
            }
            start += leg_s + TURN_S;
        }
        Ok(Self { trajectory: Trajectory::new(times, poses)?, sweeps })
    }

    /// Raises each pose by the height of the ground below it, given in the order of the
    /// trajectory's poses.
    ///
    /// # Errors
    /// [`FlightError::NoGround`], if there is no ground below a pose.
    pub fn above(self, ground: &[Option<f64>]) -> Result<Self, FlightError> {
        let mut poses = self.trajectory.poses().to_vec();
        for (row, (pose, height)) in poses.iter_mut().zip(ground).enumerate() {
            let Some(height) = height else {
                let after = self.sweeps.partition_point(|sweep| sweep.row <= row);
                let leg = self.sweeps[..after].last().map_or(1, |sweep| sweep.source);
                let [x, y, _] = pose.position.to_array();
                return Err(FlightError::NoGround { leg, x, y });
            };
            pose.position.z += height;
        }
        let trajectory = Trajectory::new(self.trajectory.times().to_vec(), poses)?;
        Ok(Self { trajectory, ..self })
    }
}

/// Returns the most that a leg's length by decimal numbers may be above that of the rounded ones,
/// with room for what its division into sweeps rounds: a leg of 24 sweeps has 24. The ends, which
/// may lie far from the origin of maps, are rounded before they are subtracted.
fn rounding(leg: &Leg) -> f64 {
    4.0 * f64::EPSILON * leg.ends.iter().map(|end| end.truncate().length()).sum::<f64>()
}

impl Leg {
    /// Returns the rotation of a sensor that heads along the leg: x ahead, y to the left and z up,
    /// tilted about y.
    fn rotation(&self) -> DQuat {
        let [from, to] = self.ends;
        let about = |axis: DVec3, angle: f64| {
            let axis = axis * libm::sin(0.5 * angle);
            DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(0.5 * angle))
        };
        let heading = libm::atan2(to.y - from.y, to.x - from.x);
        about(DVec3::Z, heading) * about(DVec3::Y, radians(self.down_degrees))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leg(from: [f64; 3], to: [f64; 3], speed: f64) -> Leg {
        Leg { ends: [from, to].map(DVec3::from_array), speed, down_degrees: 0.0 }
    }

    fn assert_near(found: DVec3, expected: [f64; 3]) {
        assert!((found - DVec3::from_array(expected)).length() < 1e-12, "{found} {expected:?}");
    }

    #[test]
    fn sweeps_follow_one_another_along_each_leg() {
        // The first leg takes 2.5 s, and the second, whose length is 5, takes 1.25 s and climbs.
        let legs = [
            leg([0.0, 0.0, 7.0], [10.0, 0.0, 7.0], 4.0),
            leg([1.0, 1.0, 0.0], [4.0, 5.0, 5.0], 4.0),
        ];
        let flight = Flight::new(&legs, 0.5, false).unwrap();
        let rows = |leg| flight.sweeps.iter().filter(move |it| it.source == leg).map(|it| it.row);
        assert!(rows(1).eq(0..5) && rows(2).eq(6..8));
        assert_eq!(flight.trajectory.times(), [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.5, 4.0, 4.5]);
        let poses = flight.trajectory.poses();
        assert_near(poses[3].position, [6.0, 0.0, 7.0]);
        assert_near(poses[5].position, [10.0, 0.0, 7.0]);
        // Half a second covers 2 of 5, and the last quarter of a second is not flown.
        assert_near(poses[7].position, [2.2, 2.6, 2.0]);
        assert_near(poses[8].position, [3.4, 4.2, 4.0]);
        assert_near(poses[3].rotation * DVec3::X, [1.0, 0.0, 0.0]);
        assert_near(poses[7].rotation * DVec3::X, [0.6, 0.8, 0.0]);
        assert_near(poses[7].rotation * DVec3::Y, [-0.8, 0.6, 0.0]);
        assert_near(poses[7].rotation * DVec3::Z, [0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_sensor_that_looks_down_has_its_up_ahead() {
        let down = Leg { down_degrees: 90.0, ..leg([0.0; 3], [0.0, -8.0, 0.0], 1.0) };
        let flight = Flight::new(&[down], 1.0, false).unwrap();
        let rotation = flight.trajectory.poses()[0].rotation;
        assert_near(rotation * DVec3::X, [0.0, 0.0, -1.0]);
        assert_near(rotation * DVec3::Y, [1.0, 0.0, 0.0]);
        assert_near(rotation * DVec3::Z, [0.0, -1.0, 0.0]);
    }

    #[test]
    fn altitudes_follow_the_ground_as_closely_as_is_said() {
        // The altitude falls from 20 to 10, so a step is at most 0.2, and a sweep of 2.9 has 15.
        let legs = [leg([0.0, 0.0, 20.0], [58.0, 0.0, 10.0], 29.0)];
        let flight = Flight::new(&legs, 0.1, true).unwrap();
        assert_eq!(flight.sweeps.len(), 20);
        assert!(flight.sweeps.iter().map(|it| it.row).eq((0..20).map(|sweep| 15 * sweep)));
        // Ridges at 45 degrees.
        let ground = |x: f64| (x.rem_euclid(7.3) - 3.65).abs();
        let places = flight.trajectory.poses().iter().map(|pose| pose.position.x);
        let heights: Vec<_> = places.map(|x| Some(ground(x))).collect();
        let flight = flight.above(&heights).unwrap();
        let mut worst: f64 = 0.0;
        for step in 0..=20_000 {
            let time = f64::from(step) * 1e-4;
            let position = flight.trajectory.at(time.min(1.999_999)).unwrap().position;
            let altitude = 20.0 - 10.0 * position.x / 58.0;
            worst = worst.max((position.z - ground(position.x) - altitude).abs());
        }
        assert!(worst > 0.05 && worst <= 0.1, "{worst}");
        for sweep in &flight.sweeps {
            let position = flight.trajectory.poses()[sweep.row].position;
            let altitude = 20.0 - 10.0 * position.x / 58.0;
            assert!((position.z - ground(position.x) - altitude).abs() < 1e-12);
        }
    }

    #[test]
    fn legs_that_cannot_be_flown_are_refused_with_their_number() {
        let good = leg([0.0, 0.0, 9.0], [10.0, 0.0, 9.0], 1.0);
        let refused = |second| Flight::new(&[good, second], 1.0, true).unwrap_err();
        let short = refused(Leg { speed: 11.0, ..good });
        assert!(matches!(short, FlightError::Short { leg: 2, .. }), "{short}");
        let many = refused(Leg { speed: 1e-7, ..good });
        assert_eq!(many, FlightError::TooMany { leg: 2 });
        let low = refused(leg([0.0, 0.0, 1e-7], [10.0, 0.0, 1e-7], 1.0));
        assert_eq!(low, FlightError::TooMany { leg: 2 });
        assert!(matches!(Flight::new(&[], 1.0, false), Err(FlightError::Trajectory(_))));
        let flight = Flight::new(&[good, good], 1.0, true).unwrap();
        let rows = flight.trajectory.len();
        let mut ground = vec![Some(0.0); rows];
        ground[rows - 1] = None;
        let error = flight.above(&ground).unwrap_err();
        assert_eq!(error, FlightError::NoGround { leg: 2, x: 10.0, y: 0.0 });
    }
}
