//! The value of a robot's joint, as a caller gives it.

use super::shortened::shortened;
use super::warning::Warning;
use glam::DVec3;
use raytwin::math::radians;
use raytwin_files::FileError;
use std::f64::consts::PI;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The value that a joint is set to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointValue {
    /// Radians if the joint turns, metres if it slides.
    Plain(f64),
    /// Degrees, for a joint that turns.
    Degrees(f64),
    /// The numbers of a joint with several numbers, such as the quaternion w, x, y, z of a ball
    /// joint.
    Several(Vec<f64>),
}

/// The motion that the numbers of a joint describe.
#[derive(Clone, Copy, Debug)]
pub(super) enum JointMotion {
    /// None.
    Fixed,
    /// An angle about this axis.
    Turn(DVec3),
    /// A distance along this axis.
    Slide(DVec3),
    /// A quaternion w, x, y, z.
    Ball,
    /// A position and a quaternion w, x, y, z.
    Free,
}

impl JointMotion {
    /// Returns true if a number is an angle.
    pub fn turns(self) -> bool {
        matches!(self, Self::Turn(_))
    }

    /// Returns how many numbers it takes.
    pub fn number_count(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Turn(_) | Self::Slide(_) => 1,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }
}

/// A joint with one number.
#[derive(Clone, Debug, PartialEq)]
pub struct JointState {
    /// The name with which a caller sets its value.
    pub name: String,
    /// True if it turns, and its value is in radians; false if it slides, and its value is in
    /// metres.
    pub turns: bool,
    /// The value that it has.
    pub value: f64,
    /// The limits of its value, if the file states them.
    pub limits: Option<[f64; 2]>,
}

impl JointValue {
    /// The number without its unit; `None` if there are several.
    pub(super) fn number(&self) -> Option<f64> {
        match *self {
            Self::Plain(number) | Self::Degrees(number) => Some(number),
            Self::Several(_) => None,
        }
    }

    /// The value in radians or metres; `None` if there are several.
    pub(super) fn in_radians_or_metres(&self) -> Option<f64> {
        match *self {
            Self::Plain(value) => Some(value),
            Self::Degrees(degrees) => Some(radians(degrees)),
            Self::Several(_) => None,
        }
    }
}

impl From<f64> for JointValue {
    fn from(value: f64) -> Self {
        Self::Plain(value)
    }
}

impl fmt::Display for JointValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(value) => write!(f, "{value}"),
            Self::Degrees(degrees) => write!(f, "{degrees}deg"),
            Self::Several(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
                f.write_str(&numbers.join(","))
            }
        }
    }
}

/// Reads a number such as `1.57`, degrees such as `90deg`, or several numbers such as `1,0,0,0`.
impl FromStr for JointValue {
    type Err = std::num::ParseFloatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.contains(',') {
            let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
            return numbers.map(Self::Several);
        }
        match text.strip_suffix("deg").or_else(|| text.strip_suffix('°')) {
            Some(degrees) => degrees.trim().parse().map(Self::Degrees),
            None => text.parse().map(Self::Plain),
        }
    }
}

/// Limits are often written with three digits, such as 1.57 for a right angle.
const LIMIT_ROUNDING: f64 = 1e-3;

/// Returns warnings about requested values that are probably mistakes: outside the limits of their
/// joint, whose motion and limits `find` returns by its name, or in the other unit of angles.
pub(super) fn doubts(
    requested: &[(String, JointValue)],
    find: impl Fn(&str) -> Option<(JointMotion, Option<[f64; 2]>)>,
) -> [Warning; 3] {
    let mut doubts = JointDoubts::new();
    for (name, value) in requested {
        if let Some((motion, limits)) = find(name) {
            doubts.check(name, value, motion.turns(), limits);
        }
    }
    [doubts.in_degrees, doubts.in_radians, doubts.beyond]
}

struct JointDoubts {
    beyond: Warning,
    in_degrees: Warning,
    in_radians: Warning,
}

impl JointDoubts {
    fn new() -> Self {
        Self {
            beyond: Warning::about_read("joints are set outside their limits"),
            in_degrees: Warning::about_read(
                "joint angles look like degrees, but are read as radians (write degrees as 90deg)",
            ),
            in_radians: Warning::about_read(
                "joint angles look like radians, but are given as degrees (write radians without deg)",
            ),
        }
    }

    /// Checks the value of a joint that turns or slides, and that may have limits.
    fn check(&mut self, name: &str, value: &JointValue, turns: bool, limits: Option<[f64; 2]>) {
        let (Some(number), Some(in_unit)) = (value.number(), value.in_radians_or_metres()) else {
            return;
        };
        match value {
            JointValue::Plain(_) if turns && looks_like_degrees(number) => {
                self.in_degrees.add(|| format!("{name} ({number})"));
            }
            JointValue::Degrees(_) if looks_like_radians(number) => {
                self.in_radians.add(|| format!("{name} ({number}deg)"));
            }
            _ => {}
        }
        let is_beyond = |[lower, upper]: &[f64; 2]| {
            in_unit < lower - LIMIT_ROUNDING || in_unit > upper + LIMIT_ROUNDING
        };
        if let Some([lower, upper]) = limits.filter(is_beyond) {
            let unit = if turns { "rad" } else { "m" };
            self.beyond
                .add(|| format!("{name} ({in_unit} {unit}, its limits are {lower} and {upper})"));
        }
    }
}

/// The error for a joint of a native scene whose name does not begin with the path of a node with a
/// robot, or with a scene that may have robots.
pub(super) fn refuse_joint_of_no_robot(path: &Path, joint: &str, nodes: &[String]) -> FileError {
    const SHOWN: usize = 20;
    let joint = shortened(joint);
    if nodes.is_empty() {
        let reason = format!("has no robot, so it has no joint '{joint}'");
        return FileError::meaning(path, "", reason);
    }
    let shown = nodes[..nodes.len().min(SHOWN)].join(", ");
    let more = match nodes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let reason = format!(
        "has no robot with a joint '{joint}': put the path of the robot's node and a slash before the name of the joint; the nodes with robots are {shown}{more}"
    );
    FileError::meaning(path, "", reason)
}

/// Returns true if an angle that is read as radians is probably in degrees: it is more than a turn.
pub(super) fn looks_like_degrees(radians: f64) -> bool {
    radians.abs() > 2.0 * PI
}

/// Returns true if an angle that is read as degrees is probably in radians: it is a multiple of 15
/// degrees in radians, up to half a turn, written with two or more decimals, such as 0.785, 1.57 or
/// 3.1416.
pub fn looks_like_radians(degrees: f64) -> bool {
    let fifteen_degrees = PI / 12.0;
    let multiple = (degrees / fifteen_degrees).round();
    (1.0..=12.0).contains(&multiple.abs())
        && degrees.fract() != 0.0
        && (degrees - multiple * fifteen_degrees).abs() < 0.002
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_number_or_degrees() {
        for (text, value) in [
            ("1.57", JointValue::Plain(1.57)),
            (" -1e-3", JointValue::Plain(-1e-3)),
            ("90deg", JointValue::Degrees(90.0)),
            ("-45 deg", JointValue::Degrees(-45.0)),
            ("30°", JointValue::Degrees(30.0)),
            ("1, 0,0,-0.5", JointValue::Several(vec![1.0, 0.0, 0.0, -0.5])),
        ] {
            assert_eq!(text.parse(), Ok(value.clone()));
            assert_eq!(value.to_string().parse(), Ok(value));
        }
        for text in ["", "deg", "90degrees", "1.57rad", "a", "1,", "1,2deg"] {
            assert!(text.parse::<JointValue>().is_err(), "{text}");
        }
    }

    #[test]
    fn angles_in_the_other_unit_are_recognised() {
        for text in ["0.785", "1.57", "1.5708", "-3.14159", "0.524", "3.14", "0.26"] {
            let radians: f64 = text.parse().unwrap();
            assert!(looks_like_radians(radians) && !looks_like_degrees(radians), "{radians}");
        }
        for degrees in [0.0, 1.0, 1.5, 3.0, 0.5, 2.0, 40.0, 90.0, 0.2, 10.67, -15.0] {
            assert!(!looks_like_radians(degrees), "{degrees}");
        }
        assert!(looks_like_degrees(-45.0) && looks_like_degrees(90.0));
    }
}
