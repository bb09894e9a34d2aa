//! The columns of a trajectory that move joints. A joint that a single number moves has one column.
//! A free joint or a ball joint has several, which are named after it.

use crate::failure::Failure;
use raytwin_formats::JointValue;
use std::collections::{HashMap, HashSet};

/// The suffixes of a joint's name in the columns of its numbers, in order. A ball joint has only
/// the quaternion.
const PARTS: [&str; 7] = [".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"];
const QUATERNION: usize = 3;

/// The joints that a trajectory moves.
pub(super) struct JointColumns {
    /// Each joint's name, and the columns of its numbers.
    joints: Vec<(String, Vec<usize>)>,
}

impl JointColumns {
    /// Finds the joints of the columns, in the order of their first columns.
    ///
    /// # Errors
    /// A [`Failure`] if a joint lacks some of its columns.
    pub fn find(names: &[String]) -> Result<Self, Failure> {
        let of_name: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let mut joints: Vec<(String, Vec<usize>)> = Vec::new();
        let mut of_several = HashSet::new();
        for (column, name) in names.iter().enumerate() {
            let joint = PARTS.iter().find_map(|part| name.strip_suffix(part)).unwrap_or(name);
            if of_several.contains(joint) && name != joint {
                continue;
            }
            let at = |part: &&str| of_name.get(format!("{joint}{part}").as_str()).copied();
            let parts = PARTS.each_ref().map(at);
            let has = |index: usize| parts[index].is_some();
            // The name of a joint may end like a part. It is a name if no quaternion belongs to it.
            if !(QUATERNION..PARTS.len()).any(has) {
                joints.push((name.clone(), vec![column]));
                continue;
            }
            if name == joint {
                return Err(Failure::input(format!(
                    "--poses: the joint {joint} has a column of its own and also columns of its parts: leave one of the two out"
                )));
            }
            let first = if (0..QUATERNION).any(has) { 0 } else { QUATERNION };
            let columns: Option<Vec<usize>> = parts[first..].iter().copied().collect();
            let columns = columns.ok_or_else(|| {
                let wanted: Vec<_> =
                    PARTS[first..].iter().map(|part| format!("{joint}{part}")).collect();
                Failure::input(format!(
                    "--poses: the joint {joint} needs the columns {}",
                    wanted.join(" ")
                ))
            })?;
            joints.push((joint.to_owned(), columns));
            of_several.insert(joint);
        }
        Ok(Self { joints })
    }

    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// Returns the names of the joints.
    pub fn names(&self) -> Vec<String> {
        self.joints.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns the value of each joint in a row.
    pub fn values(&self, row: &[f64]) -> Vec<(String, JointValue)> {
        let value = |(name, columns): &(String, Vec<usize>)| {
            let value = match columns[..] {
                [column] => JointValue::Plain(row[column]),
                _ => JointValue::Several(columns.iter().map(|&column| row[column]).collect()),
            };
            (name.clone(), value)
        };
        self.joints.iter().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(text: &str) -> Result<JointColumns, Failure> {
        let names: Vec<String> = text.split(' ').map(str::to_owned).collect();
        JointColumns::find(&names)
    }

    #[test]
    fn a_joint_has_a_column_of_its_name_or_those_of_its_parts() {
        let found = columns(
            "pan base.z base.qw base.x base.y base.qx base.qy base.qz arm.x wrist.qx wrist.qy wrist.qz wrist.qw",
        );
        let found = found.ok().unwrap();
        assert_eq!(found.names(), ["pan", "base", "arm.x", "wrist"]);
        let row: Vec<f64> = (0..13_u8).map(f64::from).collect();
        let values: Vec<JointValue> = found.values(&row).into_iter().map(|(_, v)| v).collect();
        assert_eq!(
            values,
            [
                JointValue::Plain(0.0),
                JointValue::Several(vec![3.0, 4.0, 1.0, 2.0, 5.0, 6.0, 7.0]),
                JointValue::Plain(8.0),
                JointValue::Several(vec![12.0, 9.0, 10.0, 11.0]),
            ]
        );
    }

    #[test]
    fn a_joint_that_lacks_a_part_or_has_two_values_is_refused() {
        for (text, reason) in [
            ("base.x base.qw base.qx base.qy base.qz", "the joint base needs the columns"),
            ("base.qw base.qx base.qy", "the joint base needs the columns"),
            ("base.qw base.qx base base.qy base.qz", "the joint base has a column of its own"),
            ("base base.qw base.qx base.qy base.qz", "the joint base has a column of its own"),
        ] {
            let message = columns(text).err().unwrap().message;
            assert!(message.contains(reason), "{message}");
        }
    }
}
