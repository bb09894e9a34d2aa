//! The frames of a robot's links, which messages publish in addition to the sensor's frame.

use super::Arguments;
use super::mounting::Mounting;
use raytwin::camera::{Pose, View};
use raytwin_files::messages::{LinkFrame, LinkMotion};
use raytwin_formats::Mount;
use std::collections::HashMap;

/// Returns the frames of links that do not move relative to each other. The links of the carrier
/// move with the sensor, and the others do not move.
pub(super) fn still_links(
    links: &HashMap<String, Mount>,
    mounting: Option<&Mounting>,
) -> Vec<LinkFrame> {
    let motion = |link: &Mount| match mounting {
        Some(mounting) if mounting.has(link) => {
            LinkMotion::WithSensor(mounting.mount(0).inverse().then_inner(&link.pose))
        }
        _ => LinkMotion::Still(link.pose),
    };
    sorted(links.iter().map(|(name, link)| (name, motion(link))))
}

/// Returns the frames of links that have another pose in each row. `sensor_poses` are the poses of
/// the sensor in the rows.
pub(super) fn moving_links(
    rows: &[HashMap<String, Mount>],
    mounting: Option<&Mounting>,
    sensor_poses: &[Pose],
) -> Vec<LinkFrame> {
    let pose = |row: usize, name: &String| {
        let link = rows[row].get(name)?;
        Some(match mounting {
            Some(mounting) if mounting.has(link) => {
                let world_from_scene = sensor_poses[row].then_inner(&mounting.mount(row).inverse());
                world_from_scene.then_inner(&link.pose)
            }
            _ => link.pose,
        })
    };
    let names = rows.first().into_iter().flat_map(HashMap::keys);
    sorted(names.filter_map(|name| {
        let poses: Option<Vec<Pose>> = (0..rows.len()).map(|row| pose(row, name)).collect();
        Some((name, LinkMotion::Rows(poses?)))
    }))
}

/// Removes the link that the sensor is mounted on, if its frame is the sensor's.
pub(super) fn without_own(
    mut links: Vec<LinkFrame>,
    arguments: &Arguments,
    view: &View,
) -> Vec<LinkFrame> {
    if arguments.link.is_some() && !arguments.messages.name_frame() {
        links.retain(|link| Some(&link.name) != view.camera.sensor.frame_id.as_ref());
    }
    links
}

fn sorted<'a>(links: impl Iterator<Item = (&'a String, LinkMotion)>) -> Vec<LinkFrame> {
    let frame = |(name, motion): (&String, LinkMotion)| LinkFrame { name: name.clone(), motion };
    let mut frames: Vec<LinkFrame> = links.map(frame).collect();
    frames.sort_by(|one, other| one.name.cmp(&other.name));
    frames
}
