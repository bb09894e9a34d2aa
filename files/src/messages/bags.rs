//! Trajectories in ROS 2 bags: MCAP files with a sensor's poses as messages.

mod cdr_reader;
mod chunk;
mod frame_tree;
mod message_reader;
mod pose_topic;
mod stamped_poses;

pub use pose_topic::PoseTopic;

use crate::FileError;
use crate::trajectories::{COLUMNS, TrajectoryRows};
use frame_tree::FrameTree;
use message_reader::{BagMessage, each_message};
use stamped_poses::{StampedPose, odometry, pose_stamped, transforms};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The largest number of topics, or of frames of a topic, that an error lists.
const MOST_LISTED: usize = 30;

const TRANSFORMS: &str = "tf2_msgs/msg/TFMessage";
const ODOMETRY: &str = "nav_msgs/msg/Odometry";
const POSE_STAMPED: &str = "geometry_msgs/msg/PoseStamped";

/// The suffix of topics whose transforms never change. They complete those of the topic without the
/// suffix.
const STATIC: &str = "_static";

fn rows_of(path: &Path, topic: &str, poses: &[StampedPose]) -> Result<TrajectoryRows, FileError> {
    let frame = poses.first().map(|pose| pose.child.clone()).filter(|child| !child.is_empty());
    let mut rows = TrajectoryRows { frame, ..TrajectoryRows::default() };
    for (number, pose) in poses.iter().enumerate() {
        let fault = |reason: String| FileError::meaning(path, format!("{topic}[{number}]"), reason);
        if pose.parent != poses[0].parent {
            return Err(fault(format!(
                "its frame_id is {}, but that of earlier messages is {}: all poses of a trajectory must have one frame_id",
                pose.parent, poses[0].parent
            )));
        }
        if pose.child != poses[0].child {
            return Err(fault(format!(
                "its child_frame_id is {}, but that of earlier messages is {}: all poses of a trajectory must have one child_frame_id",
                pose.child, poses[0].child
            )));
        }
        let [x, y, z, qx, qy, qz, qw] = pose.numbers;
        let added = rows.add_row([pose.time, x, y, z, qx, qy, qz, qw]);
        added.map_err(|(column, reason)| fault(format!("{} {reason}", COLUMNS[column])))?;
    }
    Ok(rows)
}

enum PosesOfTopic {
    /// The poses of one object.
    Plain { kind: &'static str, poses: Vec<StampedPose> },
    /// The poses of frames relative to each other.
    Frames(FrameTree),
}

impl PosesOfTopic {
    /// The topic as errors list it: with its type, and the frames of `/tf`.
    fn listed(&self, topic: &str) -> Vec<String> {
        match self {
            Self::Plain { kind, .. } => vec![format!("{topic} ({kind})")],
            Self::Frames(tree) => {
                let frames = tree.moving_frames();
                let name = |frame: &str| format!("{topic}:{frame} ({TRANSFORMS})");
                frames.into_iter().map(name).collect()
            }
        }
    }
}

/// The poses in a bag, by topic.
#[derive(Default)]
pub struct Bag {
    path: PathBuf,
    topics: BTreeMap<String, PosesOfTopic>,
    /// The topics of transforms that never change, until they are part of the others' trees.
    static_transforms: BTreeMap<String, Vec<StampedPose>>,
    /// The types of all other topics.
    others: BTreeMap<String, String>,
}

impl Bag {
    /// Reads all poses of a bag.
    ///
    /// # Errors
    /// [`FileError`] for a damaged file, and for transforms that are not a motion of frames
    /// relative to each other.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let mut bag = Self { path: path.to_owned(), ..Self::default() };
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        each_message(path, |message| {
            let number = counts.entry(message.topic.to_owned()).or_default();
            let place = format!("{}[{number}]", message.topic);
            *number += 1;
            bag.add(message).map_err(|reason| FileError::meaning(path, place, reason))
        })?;
        for (topic, transforms) in std::mem::take(&mut bag.static_transforms) {
            let moving = topic.strip_suffix(STATIC).unwrap_or(&topic);
            let Some(PosesOfTopic::Frames(tree)) = bag.topics.get_mut(moving) else { continue };
            for pose in transforms {
                tree.add_static(&pose)
                    .map_err(|reason| FileError::meaning(path, topic.clone(), reason))?;
            }
        }
        Ok(bag)
    }

    /// Adds a message. An error is the reason why it cannot be read.
    fn add(&mut self, message: &BagMessage<'_>) -> Result<(), String> {
        let topic = message.topic.to_owned();
        let kind = [TRANSFORMS, ODOMETRY, POSE_STAMPED].into_iter().find(|it| *it == message.kind);
        let Some(kind) = kind.filter(|_| message.encoding == "cdr") else {
            self.others.entry(topic).or_insert_with(|| match message.encoding {
                "cdr" => message.kind.to_owned(),
                encoding => format!("{} in the encoding {encoding}", message.kind),
            });
            return Ok(());
        };
        if kind == TRANSFORMS {
            let transforms = transforms(message.data)?;
            if topic.ends_with(STATIC) {
                self.static_transforms.entry(topic).or_default().extend(transforms);
                return Ok(());
            }
            let empty = || PosesOfTopic::Frames(FrameTree::default());
            if let PosesOfTopic::Frames(tree) = self.topics.entry(topic).or_insert_with(empty) {
                return transforms.iter().try_for_each(|pose| tree.add(pose));
            }
            return Err("the topic has messages of several types".to_owned());
        }
        let pose = if kind == ODOMETRY { odometry } else { pose_stamped }(message.data)?;
        let empty = || PosesOfTopic::Plain { kind, poses: Vec::new() };
        match self.topics.entry(topic).or_insert_with(empty) {
            PosesOfTopic::Plain { kind: other, poses } if *other == kind => poses.push(pose),
            _ => return Err("the topic has messages of several types".to_owned()),
        }
        Ok(())
    }

    /// Returns the poses of a topic that [`Self::chosen`] has found. Times are those of headers. A
    /// frame of `/tf` is followed up to the root of its tree, including the static transforms of
    /// `/tf_static` on the way. Its rows are at the times of all moving transforms on the way, and
    /// each transform is interpolated in between.
    ///
    /// # Errors
    /// [`FileError::Meaning`] for poses that are not a trajectory.
    pub fn rows(&self, chosen: &PoseTopic) -> Result<TrajectoryRows, FileError> {
        let PoseTopic { topic, frame } = chosen;
        match self.topics.get(topic) {
            Some(PosesOfTopic::Plain { poses, .. }) => rows_of(&self.path, topic, poses),
            Some(PosesOfTopic::Frames(tree)) => tree
                .rows(frame.as_deref().unwrap_or_default())
                .map_err(|reason| FileError::meaning(&self.path, chosen.to_string(), reason)),
            None => Ok(TrajectoryRows::default()),
        }
    }

    /// Chooses the topic, and the frame of `/tf`, whose poses are used: the requested one, or
    /// otherwise the only one.
    ///
    /// # Errors
    /// The reason why there is no such topic, or several, with a list of them.
    pub fn chosen(&self, wanted: Option<&PoseTopic>) -> Result<PoseTopic, String> {
        let candidates: Vec<PoseTopic> = self.topics.iter().flat_map(PoseTopic::all_of).collect();
        if candidates.is_empty() {
            let others = self.others.iter().map(|(topic, kind)| format!("{topic} ({kind})"));
            return Err(format!(
                "has no moving poses: raytwin reads {TRANSFORMS}, {ODOMETRY} and {POSE_STAMPED} in the encoding cdr, and the topics are {}",
                list(others.collect())
            ));
        }
        let meant = match wanted {
            Some(wanted) => wanted.among(&candidates),
            None => candidates.iter().collect(),
        };
        if let [one] = meant[..] {
            return Ok(one.clone());
        }
        let all = self.topics.iter().flat_map(|(topic, poses)| poses.listed(topic)).collect();
        Err(match (wanted, meant.len()) {
            (Some(wanted), 0) => {
                format!("has no poses at {wanted}: there are poses at {}", list(all))
            }
            (Some(wanted), _) => {
                let listed = self.topics[&wanted.topic].listed(&wanted.topic);
                format!("has several frames at {wanted}: choose one of {}", list(listed))
            }
            (None, _) => format!("has several poses: choose one of {}", list(all)),
        })
    }
}

impl PoseTopic {
    /// All topics and frames that can be requested.
    fn all_of((topic, poses): (&String, &PosesOfTopic)) -> Vec<Self> {
        let named = |frame: Option<&str>| Self::new(topic, frame);
        match poses {
            PosesOfTopic::Plain { .. } => vec![named(None)],
            PosesOfTopic::Frames(tree) => {
                tree.moving_frames().into_iter().map(|frame| named(Some(frame))).collect()
            }
        }
    }
}

fn list(mut names: Vec<String>) -> String {
    let more = names.len().saturating_sub(MOST_LISTED);
    names.truncate(MOST_LISTED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests;
