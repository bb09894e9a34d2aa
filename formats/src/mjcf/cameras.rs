//! Places cameras and rangefinders in the world. A MuJoCo camera looks along its −z axis, with +y
//! upwards in the image.

use super::attributes::Attributes;
use super::camera_item::CameraMode;
use super::document::Element;
use super::geoms::GeomFrame;
use super::model::Model;
use super::tree::{BodyTree, Site};
use crate::Warning;
use crate::graph::{Aim, CameraPlace, GraphCamera};
use glam::DVec3;
use raytwin::camera::{Projection, Sensor};
use raytwin::math::Similarity;
use raytwin_files::FileError;
use std::collections::HashMap;
use std::ops::Range;

/// The largest number of geoms that all rangefinders may hide, which limits the memory of their
/// names.
const MAX_HIDDEN: usize = 1 << 20;

/// Finds the geoms that carry each body: those of all bodies below the same child of the world.
/// Nothing carries objects on the world itself.
pub(super) fn carriers(tree: &BodyTree<'_>, geom_frames: &[GeomFrame]) -> Vec<Range<u32>> {
    // The bodies below another follow it.
    let mut roots: Vec<usize> = Vec::with_capacity(tree.bodies.len());
    for (index, body) in tree.bodies.iter().enumerate() {
        roots.push(if body.parent == 0 { index } else { roots[body.parent] });
    }
    let before = |body: usize| geom_frames.partition_point(|geom| geom.body < body) as u32;
    let mut carriers = vec![0..0; roots.len()];
    for of_root in roots.chunk_by(|one, next| one == next) {
        let root = of_root[0];
        if root > 0 {
            let range = root..root + of_root.len();
            carriers[range.clone()].fill(before(range.start)..before(range.end));
        }
    }
    carriers
}

/// Makes the cameras of a model, given the frames of its bodies in the world, in the requested pose
/// and in the reference pose. The warning names cameras that follow a centre of mass, for which the
/// body's own origin is used.
pub(super) fn cameras(
    tree: &BodyTree<'_>,
    world_from_bodies: &[Similarity],
    reference: &[Similarity],
    carriers: &[Range<u32>],
) -> Result<(Vec<GraphCamera>, Warning), FileError> {
    let mut inexact = Warning::about_read(
        "cameras follow a centre of mass; they follow the origins of their bodies instead",
    );
    let bodies: HashMap<&str, usize> =
        (0..).zip(&tree.bodies).map(|(index, body)| (body.name.as_str(), index)).collect();
    let mut cameras = Vec::new();
    for (index, item) in tree.cameras.iter().enumerate() {
        let name = item.name.clone().unwrap_or_else(|| format!("cameras[{index}]"));
        let world_from_camera = world_from_bodies[item.body].then_inner(&item.body_from_camera);
        let mut eye = world_from_camera.translation;
        let mut rotation = world_from_camera.rotation;
        let mut forward = rotation * -DVec3::Z;
        let mut up = Some(rotation * DVec3::Y);
        let has_moved = world_from_bodies != reference;
        match item.mode {
            CameraMode::Fixed => {}
            CameraMode::Track | CameraMode::TrackMass => {
                let in_reference = reference[item.body].then_inner(&item.body_from_camera);
                let offset = in_reference.translation - reference[item.body].translation;
                eye = world_from_bodies[item.body].translation + offset;
                rotation = in_reference.rotation;
                forward = rotation * -DVec3::Z;
                up = Some(rotation * DVec3::Y);
                if item.mode == CameraMode::TrackMass && has_moved {
                    inexact.add(|| name.clone());
                }
            }
            CameraMode::Target | CameraMode::TargetMass => {
                if let Some(target) = &item.target {
                    let Some(&body) = bodies.get(target.as_str()) else {
                        let reason = format!("target=\"{target}\" is not a body of the model");
                        return Err(item.element.refuse(reason));
                    };
                    forward = world_from_bodies[body].translation - eye;
                    up = None;
                    if item.mode == CameraMode::TargetMass {
                        inexact.add(|| name.clone());
                    }
                }
            }
        }
        cameras.push(GraphCamera {
            name,
            eye,
            aim: Aim::Direction(forward),
            up,
            projection: item.projection.clone(),
            sensor: Sensor::default(),
            hidden: 0..0,
            carrier: carriers[item.body].clone(),
            parent: None,
            place: place_of(item.element),
        });
    }
    Ok((cameras, inexact))
}

fn place_of(element: &Element) -> CameraPlace {
    let (source, offset) = element.place();
    CameraPlace::Text(source, offset)
}

/// Makes a camera with one ray for each rangefinder at a site. Its ray follows the site's z axis
/// and ignores the geoms of the site's own body.
pub(super) fn rangefinders(
    model: &Model<'_>,
    tree: &BodyTree<'_>,
    geom_frames: &[GeomFrame],
    world_from_bodies: &[Similarity],
    carriers: &[Range<u32>],
) -> Result<Vec<GraphCamera>, FileError> {
    let mut sites: HashMap<&str, Vec<&Site<'_>>> = HashMap::new();
    for site in &tree.sites {
        sites.entry(site.element.attribute("name").unwrap_or_default()).or_default().push(site);
    }
    let mut cameras = Vec::new();
    let mut hidden = 0;
    let rangefinders = model.roots().into_iter().flat_map(|root| {
        let sections = root.children("sensor");
        sections.flat_map(|section| section.children("rangefinder")).map(move |it| (root, it))
    });
    for (index, (owner, sensor)) in rangefinders.enumerate() {
        let Some(wanted) = sensor.attribute("site") else { continue };
        let attributes = Attributes::of(sensor)?;
        let [cutoff] = attributes.numbers_or("cutoff", [0.0])?;
        let here = sites.get(wanted).into_iter().flatten();
        for site in here.filter(|site| std::ptr::eq(site.root, owner)) {
            let before = |most: usize| geom_frames.partition_point(|geom| geom.body < most);
            let geoms = before(site.body)..before(site.body + 1);
            hidden += geoms.len();
            if hidden > MAX_HIDDEN {
                let reason = format!(
                    "the bodies of rangefinders have more than {MAX_HIDDEN} geoms, which their rays must ignore"
                );
                return Err(sensor.refuse(reason));
            }
            let base = match sensor.attribute("name") {
                Some(name) => name.to_owned(),
                None => format!("rangefinder[{index}]"),
            };
            let frame = world_from_bodies[site.body].then_inner(&site.body_from_site);
            let [forward, up] = [DVec3::Z, DVec3::Y].map(|axis| frame.rotation * axis);
            let range_max = if cutoff > 0.0 { cutoff } else { f64::INFINITY };
            cameras.push(GraphCamera {
                name: format!("{}{base}{}", site.prefix, site.suffix),
                eye: frame.translation,
                aim: Aim::Direction(forward),
                up: Some(up),
                projection: Projection::Pinhole { focal: [1.0; 2], center: [0.5; 2], size: [1, 1] },
                sensor: Sensor { range_max, ..Sensor::default() },
                hidden: geoms.start as u32..geoms.end as u32,
                carrier: carriers[site.body].clone(),
                parent: None,
                place: place_of(sensor),
            });
        }
    }
    Ok(cameras)
}
