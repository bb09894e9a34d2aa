//! Reads the cameras of bodies.

use super::attributes::{Attributes, ORIENTATIONS};
use super::document::Element;
use super::scope::Scope;
use glam::DVec3;
use raytwin::camera::{Camera, Projection};
use raytwin::math::{Similarity, radians};
use raytwin_files::FileError;

/// The default vertical field of view, in degrees whatever the model's unit is.
const FOV_Y_DEGREES: f64 = 45.0;

/// The attributes with the numbers of a camera's place and view, except those that turn it.
const NUMBERS: [&str; 8] = [
    "pos",
    "fovy",
    "resolution",
    "sensorsize",
    "focal",
    "focalpixel",
    "principal",
    "principalpixel",
];

pub(super) struct CameraItem<'a> {
    pub name: Option<String>,
    pub element: &'a Element,
    pub body: usize,
    pub body_from_camera: Similarity,
    pub mode: CameraMode,
    /// The name of the body that it looks at, if its mode needs one.
    pub target: Option<String>,
    pub projection: Projection,
}

/// The way in which a camera follows its body.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum CameraMode {
    Fixed,
    /// It keeps the orientation that it has in the reference pose.
    Track,
    /// It does the same, from the body's centre of mass.
    TrackMass,
    Target,
    TargetMass,
}

impl<'a> CameraItem<'a> {
    /// Reads a camera; the inner error is the reason why its numbers are invalid.
    pub fn read(
        attributes: &Attributes<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<Result<Self, String>, FileError> {
        let fault = attributes.not_finite(&NUMBERS);
        if let Some(reason) = fault.or_else(|| attributes.not_finite(&ORIENTATIONS)) {
            return Ok(Err(reason));
        }
        let element = attributes.element;
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
        let target = attributes.text("target").filter(|_| looks_at_body);
        let frame = scope.model.compiler.frame(attributes)?;
        let projection = projection(attributes)?.and_then(|projection| {
            let camera = Camera::look_at("", DVec3::ZERO, DVec3::X, DVec3::Z, projection.clone());
            camera
                .map(|_| projection)
                .map_err(|error| element.refuse(error.to_string()).to_string())
        });
        Ok(projection.map(|projection| Self {
            name: scope.name_of(element),
            element,
            body: scope.body,
            body_from_camera: scope.body_from_frame.then_inner(&frame),
            mode,
            target: target.map(|name| scope.full_name(name)),
            projection,
        }))
    }
}

/// Reads the view of a camera; the inner error is the reason why it has none.
fn projection(attributes: &Attributes<'_>) -> Result<Result<Projection, String>, FileError> {
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
        return Ok(Ok(Projection::Orthographic { height: fov_y }));
    }
    let resolution = attributes.numbers_or::<2>("resolution", [1.0; 2])?;
    let is_size = |side: &f64| side.fract() == 0.0 && (1.0..f64::from(u32::MAX)).contains(side);
    if !resolution.iter().all(is_size) {
        let fault = attributes.refuse("resolution", "must be two whole numbers from 1");
        return Ok(Err(fault.to_string()));
    }
    let size = resolution.map(|side| side as u32);
    let [width, height] = resolution;
    let Some(sensor) = attributes.numbers::<2>("sensorsize")? else {
        if size == [1, 1] {
            return Ok(Ok(Projection::Perspective { fov_y_degrees: fov_y }));
        }
        let focal = 0.5 * height / libm::tan(radians(0.5 * fov_y));
        let center = [0.5 * width, 0.5 * height];
        return Ok(Ok(Projection::Pinhole { focal: [focal, focal], center, size }));
    };
    if sensor.iter().any(|side| *side <= 0.0) {
        let fault = attributes.refuse("sensorsize", "must be two numbers above 0");
        return Ok(Err(fault.to_string()));
    }
    // Lengths on the sensor are converted to pixels; given pixels take precedence.
    let in_pixels = |lengths: &str, pixels: &str| {
        let lengths = attributes.numbers_or::<2>(lengths, [0.0; 2])?;
        let pixels = attributes.numbers_or::<2>(pixels, [0.0; 2])?;
        Ok::<_, FileError>([0, 1].map(|axis| match pixels[axis] {
            0.0 => lengths[axis] / sensor[axis] * resolution[axis],
            pixels => pixels,
        }))
    };
    let focal = in_pixels("focal", "focalpixel")?;
    // Since version 3.6, MuJoCo moves the image's centre upwards by the second number.
    let [right, up] = in_pixels("principal", "principalpixel")?;
    let center = [0.5 * width - right, 0.5 * height - up];
    Ok(Ok(Projection::Pinhole { focal, center, size }))
}
