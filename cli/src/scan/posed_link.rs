//! The link whose poses the rows of a trajectory are, in place of the sensor's.

use super::Arguments;
use super::named_link::link;
use crate::console::Console;
use crate::failure::Failure;
use crate::source::ReadScene;
use raytwin::camera::{Pose, View};
use raytwin::scene::number_of_path;
use raytwin_formats::Mount;
use std::collections::HashMap;

/// A link of the robot that the sensor is mounted on, whose poses a trajectory has. The sensor
/// rides on it as the scene has both.
pub(super) struct PosedLink {
    name: String,
}

impl PosedLink {
    /// Finds the link that a flag names, or else the one of the frame that a bag names. A frame is a
    /// link only if the sensor's robot has it, and else the sensor's own.
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
                    "--poses-of {wanted}: camera {} is not mounted on the robot that {name} is a part of: choose a sensor of it with --camera, or mount one with --link or --site",
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
                "the rows are taken as poses of the sensor, and the bag calls them those of {frame}, which no link of its robot is called: if one is meant, name it with --poses-of"
            ));
            return Ok(None);
        };
        console.say(&format!(
            "the rows are poses of {name}, as the bag says, on which camera {} is mounted",
            camera.name
        ));
        Ok(Some(Self { name: name.to_owned() }))
    }

    /// Returns the pose of a sensor in the frame of the link, given its pose in a state of the scene
    /// that has these links.
    pub fn link_from_sensor(&self, links: &HashMap<String, Mount>, sensor: &Pose) -> Pose {
        // All states have the same links.
        links[&self.name].pose.inverse().then_inner(sensor)
    }
}
