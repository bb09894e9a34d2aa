//! Reads cameras.

use super::element::SdfElement;
use super::sensor_names::SensorNames;
use super::sight::{Noise, Sight};
use raytwin::camera::Projection;
use raytwin_files::FileError;
use std::f64::consts::PI;

/// The view of a sensor with a `<camera>`. SDFormat has a default for everything that it omits. The
/// clip planes limit distances along its rays. The noise of colours is ignored.
pub(super) fn camera(element: &SdfElement, is_ranging: bool) -> Result<Sight, FileError> {
    let [fov] = element.numbers_or("horizontal_fov", [1.047])?;
    let size = match element.child("image") {
        Some(image) => [image.count_or("width", 320)?, image.count_or("height", 240)?],
        None => [320, 240],
    };
    let [width, height] = size.map(f64::from);
    let mut range = clip(element, [0.1, 100.0])?;
    if let Some(depth) = element.child("depth_camera").filter(|_| is_ranging) {
        range = clip(depth, range)?;
    }
    let intrinsics = element.child("lens").and_then(|lens| lens.child("intrinsics"));
    let (focal, center) = match intrinsics {
        Some(intrinsics) => {
            let number = |tag| intrinsics.numbers_of::<1>(tag).map(|[number]| number);
            ([number("fx")?, number("fy")?], [number("cx")?, number("cy")?])
        }
        None if !(fov > 0.0 && fov < PI) => {
            return Err(element.refuse(format!(
                "its horizontal_fov is {fov} radians: a flat image must span less than half a turn"
            )));
        }
        None => {
            let focal = 0.5 * width / libm::tan(0.5 * fov);
            ([focal, focal], [0.5 * width, 0.5 * height])
        }
    };
    let distortion = element.child("distortion");
    let bends = |tag| -> Result<bool, FileError> {
        let distortion = distortion.map_or(Ok([0.0]), |it| it.numbers_or(tag, [0.0]))?;
        Ok(distortion != [0.0])
    };
    let mut is_distorted = false;
    for tag in ["k1", "k2", "k3", "p1", "p2"] {
        is_distorted |= bends(tag)?;
    }
    Ok(Sight {
        projection: Projection::Pinhole { focal, center, size },
        range,
        noise: if is_ranging { Noise::of(element)? } else { None },
        names: SensorNames::default(),
        update_rate_hz: None,
        doubts: Vec::from_iter(is_distorted.then(|| "its distortion is ignored".to_owned())),
    })
}

/// The distances to the clip planes of an element.
fn clip(element: &SdfElement, [near, far]: [f64; 2]) -> Result<[f64; 2], FileError> {
    let Some(clip) = element.child("clip") else { return Ok([near, far]) };
    let [near] = clip.numbers_or("near", [near])?;
    Ok([near, clip.child("far").map_or(Ok(far), SdfElement::limit)?])
}
