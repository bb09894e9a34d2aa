//! Cameras and rangefinders. A MuJoCo camera looks along its −z axis, with +y upwards in the image.

use super::attributes::Attributes;
use super::document::Element;
use super::model::Model;
use super::tree::{BodyTree, Site};
use crate::camera::{Camera, CameraError, Projection, Sensor};
use crate::import::Warning;
use crate::io::FileError;
use crate::math::{Similarity, radians};
use crate::scene::Scene;
use glam::DVec3;
use std::collections::HashMap;

/// The default angle between the top and the bottom of an image, in degrees whatever the model's unit is.
const FOV_Y_DEGREES: f64 = 45.0;

/// The most geoms that all rangefinders may hide, which bounds the memory for their names.
const MAX_HIDDEN: usize = 1 << 20;

/// A camera of a body.
pub(super) struct CameraItem<'a> {
    pub name: Option<String>,
    element: &'a Element,
    body: usize,
    body_from_camera: Similarity,
    mode: CameraMode,
    /// The name of the body that it looks at, if its mode asks for one.
    pub target: Option<String>,
    projection: Projection,
}

/// The way in which a camera follows its body.
#[derive(Clone, Copy, PartialEq)]
enum CameraMode {
    Fixed,
    /// It keeps the orientation that it has in the reference pose.
    Track,
    /// It does the same, from the body's centre of mass.
    TrackMass,
    Target,
    TargetMass,
}

impl<'a> CameraItem<'a> {
    /// Reads a camera of a body.
    pub fn read(
        attributes: &Attributes<'a>,
        body: usize,
        body_from_camera: Similarity,
    ) -> Result<Self, FileError> {
        let mode = match attributes.text("mode").unwrap_or("fixed") {
            "fixed" => CameraMode::Fixed,
            "track" => CameraMode::Track,
            "trackcom" => CameraMode::TrackMass,
            "targetbody" => CameraMode::Target,
            "targetbodycom" => CameraMode::TargetMass,
            _ => {
                let reason = "must be fixed, track, trackcom, targetbody or targetbodycom";
                return Err(attributes.refuse("mode", reason));
            }
        };
        let looks_at_body = matches!(mode, CameraMode::Target | CameraMode::TargetMass);
        let target = attributes.text("target").filter(|_| looks_at_body).map(str::to_owned);
        let projection = projection(attributes)?;
        let element = attributes.element;
        Ok(Self { name: None, element, body, body_from_camera, mode, target, projection })
    }
}

fn projection(attributes: &Attributes<'_>) -> Result<Projection, FileError> {
    let [fov_y] = attributes.numbers_or("fovy", [FOV_Y_DEGREES])?;
    let is_orthographic = match attributes.text("projection") {
        Some("orthographic") => true,
        Some("perspective") => false,
        Some(_) => {
            return Err(attributes.refuse("projection", "must be perspective or orthographic"));
        }
        None => attributes.flag("orthographic")?.unwrap_or(false),
    };
    if is_orthographic {
        return Ok(Projection::Orthographic { height: fov_y });
    }
    let resolution = attributes.numbers_or::<2>("resolution", [1.0; 2])?;
    let is_size = |side: &f64| side.fract() == 0.0 && (1.0..f64::from(u32::MAX)).contains(side);
    if !resolution.iter().all(is_size) {
        return Err(attributes.refuse("resolution", "must be two whole numbers from 1"));
    }
    let size = resolution.map(|side| side as u32);
    let [width, height] = resolution;
    let Some(sensor) = attributes.numbers::<2>("sensorsize")? else {
        if size == [1, 1] {
            return Ok(Projection::Perspective { fov_y_degrees: fov_y });
        }
        let focal = 0.5 * height / libm::tan(radians(0.5 * fov_y));
        return Ok(Projection::Pinhole {
            focal: [focal, focal],
            center: [0.5 * width, 0.5 * height],
            size,
        });
    };
    if sensor.iter().any(|side| *side <= 0.0) {
        return Err(attributes.refuse("sensorsize", "must be two numbers above 0"));
    }
    // Lengths on the sensor become pixels; pixels that are given go before them.
    let in_pixels = |lengths: &str, pixels: &str| {
        let lengths = attributes.numbers_or::<2>(lengths, [0.0; 2])?;
        let pixels = attributes.numbers_or::<2>(pixels, [0.0; 2])?;
        Ok::<_, FileError>([0, 1].map(|axis| match pixels[axis] {
            0.0 => lengths[axis] / sensor[axis] * resolution[axis],
            pixels => pixels,
        }))
    };
    let focal = in_pixels("focal", "focalpixel")?;
    let [right, up] = in_pixels("principal", "principalpixel")?;
    Ok(Projection::Pinhole { focal, center: [0.5 * width - right, 0.5 * height + up], size })
}

/// Makes the cameras of a model, given the frames of its bodies in the world, in the requested pose and in the reference
/// pose. The warning names cameras that follow a centre of mass, for which the body's own origin is taken.
pub(super) fn cameras(
    tree: &BodyTree<'_>,
    origin: DVec3,
    world_from_bodies: &[Similarity],
    reference: &[Similarity],
) -> Result<(Vec<Camera>, Warning), FileError> {
    let mut inexact = Warning::new(
        "cameras follow a centre of mass; they are placed by their bodies' origins instead",
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
                        let reason = format!("target=\"{target}\" is no body of the model");
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
        let eye = eye - origin;
        cameras.push(
            Camera::look_at(name, eye, eye + forward, up, item.projection.clone())
                .map_err(|error| refused(item.element, &error))?,
        );
    }
    Ok((cameras, inexact))
}

fn refused(element: &Element, error: &CameraError) -> FileError {
    match error {
        CameraError::Field { field, value, rule } => {
            element.refuse(format!("the camera's {field} is {value}: {rule}"))
        }
        error => element.refuse(error.to_string()),
    }
}

/// Makes a camera of one ray for each rangefinder at a site. Its ray leads along the site's z axis and passes through the
/// geoms of the site's own body, whose ids `ids_of_body` returns.
pub(super) fn rangefinders(
    model: &Model<'_>,
    tree: &BodyTree<'_>,
    scene: &Scene,
    world_from_bodies: &[Similarity],
    ids_of_body: impl Fn(usize) -> Vec<u32>,
) -> Result<Vec<Camera>, FileError> {
    let mut sites: HashMap<&str, Vec<&Site<'_>>> = HashMap::new();
    for site in &tree.sites {
        sites.entry(site.element.attribute("name").unwrap_or_default()).or_default().push(site);
    }
    let mut cameras = Vec::new();
    let mut hidden = 0;
    for (index, (owner, sensor)) in model.rangefinders().into_iter().enumerate() {
        let Some(wanted) = sensor.attribute("site") else { continue };
        let attributes = Attributes::of(sensor)?;
        let [cutoff] = attributes.numbers_or("cutoff", [0.0])?;
        let here = sites.get(wanted).into_iter().flatten();
        for site in here.filter(|site| std::ptr::eq(site.root, owner)) {
            let hide = ids_of_body(site.body);
            hidden += hide.len();
            if hidden > MAX_HIDDEN {
                let reason =
                    format!("rangefinders hide more than {MAX_HIDDEN} geoms of their bodies");
                return Err(sensor.refuse(reason));
            }
            let base = match sensor.attribute("name") {
                Some(name) => name.to_owned(),
                None => format!("rangefinder[{index}]"),
            };
            let frame = world_from_bodies[site.body].then_inner(&site.body_from_site);
            let eye = frame.translation - scene.origin();
            let [forward, up] = [DVec3::Z, DVec3::Y].map(|axis| frame.rotation * axis);
            let projection =
                Projection::Pinhole { focal: [1.0; 2], center: [0.5; 2], size: [1, 1] };
            let properties = Sensor {
                range_max: if cutoff > 0.0 { cutoff } else { f64::INFINITY },
                hide: hide.iter().map(u32::to_string).collect(),
                ..Sensor::default()
            };
            let name = format!("{}{base}{}", site.prefix, site.suffix);
            let camera = Camera::look_at(name, eye, eye + forward, up, projection)
                .and_then(|camera| camera.with_sensor(properties));
            cameras.push(camera.map_err(|error| refused(sensor, &error))?);
        }
    }
    Ok(cameras)
}
