//! Frames relative to each other, as in `/tf`: each has a pose in its parent, which moves or does
//! not move.

use super::stamped_poses::StampedPose;
use crate::trajectories::{COLUMNS, TrajectoryRows, pose};
use raytwin::camera::Pose;
use raytwin::scan::Trajectory;
use std::collections::BTreeMap;

/// The frames of a topic, by name. An error of its methods is the reason why poses do not form a
/// tree.
#[derive(Default)]
pub(super) struct FrameTree {
    edges: BTreeMap<String, Edge>,
}

/// The edge from a frame to its parent.
struct Edge {
    parent: String,
    motion: Motion<TrajectoryRows>,
}

/// The motion of a frame in its parent.
enum Motion<M> {
    Still(Pose),
    Moving(M),
}

impl FrameTree {
    /// Adds a transform for its time. A repeated one is ignored, as in tf2.
    pub fn add(&mut self, stamped: &StampedPose) -> Result<(), String> {
        let frame = stamped.child.as_str();
        let edge = self.edge(stamped, || Motion::Moving(TrajectoryRows::default()))?;
        let Motion::Moving(rows) = &mut edge.motion else { return Ok(()) };
        let [x, y, z, qx, qy, qz, qw] = stamped.numbers;
        if rows.times.last() == Some(&stamped.time)
            && let Ok(pose) = pose(stamped.numbers)
            && rows.poses.iter().flatten().next_back() == Some(&pose)
        {
            return Ok(());
        }
        let added = rows.add_row([stamped.time, x, y, z, qx, qy, qz, qw]);
        added.map_err(|(column, reason)| format!("{frame}: {} {reason}", COLUMNS[column]))
    }

    /// Adds a transform for all times.
    pub fn add_static(&mut self, stamped: &StampedPose) -> Result<(), String> {
        let frame = stamped.child.as_str();
        let pose = pose(stamped.numbers)
            .map_err(|(column, reason)| format!("{frame}: {} {reason}", COLUMNS[column]))?;
        let edge = self.edge(stamped, || Motion::Still(pose))?;
        match &mut edge.motion {
            // The last published one counts.
            Motion::Still(before) => *before = pose,
            Motion::Moving(_) => {
                return Err(format!("{frame} has both moving transforms and a static one"));
            }
        }
        Ok(())
    }

    /// The edge of a frame, which has this motion if it is new.
    fn edge(
        &mut self,
        stamped: &StampedPose,
        motion: impl FnOnce() -> Motion<TrajectoryRows>,
    ) -> Result<&mut Edge, String> {
        let StampedPose { parent, child, .. } = stamped;
        let edge = self.edges.entry(child.clone());
        let edge = edge.or_insert_with(|| Edge { parent: parent.clone(), motion: motion() });
        match edge.parent == *parent {
            true => Ok(edge),
            false => Err(format!(
                "{child} has two parents, {} and {parent}: frames must form a tree",
                edge.parent
            )),
        }
    }

    /// The frames that move, in the root of their tree.
    pub fn moving_frames(&self) -> Vec<&str> {
        let moves = |frame: &&String| {
            self.chain(frame).is_ok_and(|chain| chain.iter().any(|edge| edge.moves()))
        };
        self.edges.keys().filter(moves).map(String::as_str).collect()
    }

    /// The edges from a frame up to the root of its tree.
    fn chain(&self, frame: &str) -> Result<Vec<&Edge>, String> {
        let mut chain = Vec::new();
        let mut at = frame;
        while let Some(edge) = self.edges.get(at) {
            if chain.len() == self.edges.len() {
                return Err(format!("the transforms above {frame} form a circle"));
            }
            chain.push(edge);
            at = &edge.parent;
        }
        Ok(chain)
    }

    /// The poses of a frame in the root of its tree, at the times of all transforms that move it,
    /// as far as all of them are known.
    pub fn rows(&self, frame: &str) -> Result<TrajectoryRows, String> {
        let mut motions: Vec<Motion<Trajectory>> = Vec::new();
        let mut times = Vec::new();
        let mut known = [f64::NEG_INFINITY, f64::INFINITY];
        for edge in self.chain(frame)? {
            motions.push(match &edge.motion {
                Motion::Still(pose) => Motion::Still(*pose),
                Motion::Moving(rows) => {
                    let poses = rows.poses.clone().unwrap_or_default();
                    let motion = Trajectory::new(rows.times.clone(), poses);
                    let motion = motion.map_err(|error| error.to_string())?;
                    known[0] = known[0].max(motion.times()[0]);
                    known[1] = known[1].min(motion.times()[motion.len() - 1]);
                    times.extend_from_slice(motion.times());
                    Motion::Moving(motion)
                }
            });
        }
        times.retain(|time| (known[0]..=known[1]).contains(time));
        times.sort_by(f64::total_cmp);
        times.dedup();
        let pose_at = |time: f64| {
            motions.iter().try_fold(Pose::IDENTITY, |inner, motion| {
                Some(match motion {
                    Motion::Still(pose) => pose.then_inner(&inner),
                    Motion::Moving(motion) => motion.at(time)?.then_inner(&inner),
                })
            })
        };
        let poses: Option<Vec<Pose>> = times.iter().map(|time| pose_at(*time)).collect();
        match poses.filter(|poses| !poses.is_empty()) {
            Some(poses) => {
                let frame = Some(frame.to_owned());
                let rows = TrajectoryRows { times, frame, ..TrajectoryRows::default() };
                Ok(TrajectoryRows { poses: Some(poses), ..rows })
            }
            None => {
                Err(format!("there is no time at which all transforms that move {frame} are known"))
            }
        }
    }
}

impl Edge {
    fn moves(&self) -> bool {
        matches!(self.motion, Motion::Moving(_))
    }
}
