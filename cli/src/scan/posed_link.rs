//! The link whose poses a trajectory has, instead of those of the sensor.

use super::Arguments;
use super::named_link::link;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::ReadScene;
use raytwin::camera::{Pose, View};
use raytwin::scene::number_of_path;
use raytwin_formats::Mount;
use std::collections::HashMap;

/// A link of the sensor's robot, whose poses a trajectory has. The sensor moves with it as in the
/// scene.
pub(super) struct PosedLink {
    name: String,
}

impl PosedLink {
    /// Finds the link that a flag names, or else the link of the frame that a bag names. If the
    /// sensor's robot has no such link, the frame is the sensor's own.
    pub fn find(
        arguments: &Arguments,
        frame: Option<&str>,
        view: &View,
        read: &ReadScene,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let camera = &view.camera;
        if let Some(wanted) = &arguments.poses_of {
            let (name, mount) = link("--poses-of", &read.links, wanted)?;
            if mount.carrier != camera.carrier {
                return Err(Failure::usage(format!(
                    "--poses-of {wanted}: camera {} is not mounted on the robot of {name}: choose a sensor of this robot with --camera, or mount one with --link or --site",
                    camera.name
                )));
            }
            return Ok(Some(Self { name }));
        }
        let is_mounted = !camera.carrier.is_empty();
        let is_own = |frame: &&str| {
            *frame == camera.name || camera.sensor.frame_id.as_deref() == Some(*frame)
        };
        let Some(frame) = frame.filter(|frame| is_mounted && !is_own(frame)) else {
            return Ok(None);
        };
        let names: Vec<&str> = read.links.keys().map(String::as_str).collect();
        let found = number_of_path("link", names.iter().copied(), frame).ok();
        let found = found.map(|number| names[number]);
        let Some(name) = found.filter(|name| read.links[*name].carrier == camera.carrier) else {
            console.say(&format!(
                "raytwin reads the rows as poses of the sensor; the bag has them for {frame}, which is no link of the robot: if they are poses of a link, name it with --poses-of"
            ));
            return Ok(None);
        };
        console.say(&format!(
            "the rows are poses of {name}, according to the bag, and camera {} is mounted on it",
            camera.name
        ));
        Ok(Some(Self { name: name.to_owned() }))
    }

    /// Returns the pose of a sensor in the frame of the link, given its pose in a state of the
    /// scene with these links.
    pub fn link_from_sensor(&self, links: &HashMap<String, Mount>, sensor: &Pose) -> Pose {
        // All states have the same links.
        links[&self.name].pose.inverse().then_inner(sensor)
    }
}
