//! The known pixels of the current sweep, and the messages that it gives.

use super::cdr::CdrMessage;
use super::depth_images::DepthPixels;
use super::laser_scans::SweepRanges;
use super::message_types::{CAMERA_INFO, IMAGE, LASER_SCAN, MessageType, POINT_CLOUD};
use super::names::CAMERA_INFO_PART;
use super::point_clouds::{MAX_RINGS, SweepPoints};
use super::stamp::Stamp;
use crate::clouds::{CloudFrame, CloudLayout, CloudPoint};
use glam::DVec3;
use rayon::prelude::*;
use raytwin::camera::View;
use raytwin::image::Image;
use raytwin::ray::Hit;
use raytwin::returns::Return;
use raytwin::scan::PosedView;
use raytwin::scene::Scene;
use std::ops::Range;

/// A sweep, by the type of its messages.
#[derive(Debug)]
pub(super) enum Sweep {
    Points(SweepPoints),
    Ranges(SweepRanges),
    Depths(DepthPixels),
}

impl Sweep {
    /// Chooses the type of messages that describe a view. An error is the reason why there is none.
    pub fn new(view: &View, layout: &CloudLayout) -> Result<Self, String> {
        let (name, [width, height]) = (&view.camera.name, [view.width, view.height]);
        let projection = &view.camera.projection;
        if !projection.is_lidar() {
            let kind = projection.name();
            return DepthPixels::new(view).map(Self::Depths).ok_or_else(|| {
                format!("no ROS message describes the {kind} camera {name}: choose a perspective, calibrated or panoramic camera")
            });
        }
        if let Some(ranges) = SweepRanges::new(view) {
            return Ok(Self::Ranges(ranges));
        }
        let points = SweepPoints::new(layout);
        let byte_count = view.pixels() as u64 * points.point_step() as u64;
        if height > MAX_RINGS || byte_count > u64::from(u32::MAX) {
            return Err(format!(
                "an image of {width}x{height} is too large for a message, which can have at most {MAX_RINGS} rows and 4 GiB of points: scan a smaller image"
            ));
        }
        Ok(Self::Points(points))
    }

    /// The topics of its messages, below the camera's name, with their types.
    pub fn topics(&self) -> &'static [(&'static str, MessageType)] {
        match self {
            Self::Points(_) => &[("points", POINT_CLOUD)],
            Self::Ranges(_) => &[("scan", LASER_SCAN)],
            Self::Depths(_) => &[(CAMERA_INFO_PART, CAMERA_INFO), ("image", IMAGE)],
        }
    }

    /// Adds the next pixels of a sweep that began at `start`. Points have these normals, if they
    /// are given. Returns the number of points that this adds.
    pub fn add(
        &mut self,
        posed: &PosedView,
        first_pixel: usize,
        hits: &[Hit],
        normals: Option<&[[f32; 3]]>,
        (scene, start): (&Scene, f64),
    ) -> usize {
        let sensor = &posed.view().camera.sensor;
        let distance = |index: usize| sensor.reported(first_pixel + index, hits[index].t);
        match self {
            Self::Points(points) => {
                // The origin of the scene does not matter in the sensor's frame.
                let (frame, origin) = (CloudFrame::Sensor, DVec3::ZERO);
                let mut next =
                    CloudPoint::of_posed(hits, normals, posed, first_pixel, frame, origin);
                points.layout().complete(&mut next, scene);
                points.add(&next, start);
                return next.len();
            }
            Self::Ranges(ranges) => ranges.add((0..hits.len()).map(distance)),
            Self::Depths(pixels) => {
                let forward = posed.view().camera.forward;
                let depth = |index: usize| match distance(index) {
                    distance if distance.is_finite() => {
                        let line = posed.line(first_pixel + index);
                        (f64::from(distance) * line.direction.dot(forward)) as f32
                    }
                    no_return => no_return,
                };
                let depths: Vec<f32> = (0..hits.len()).into_par_iter().map(depth).collect();
                pixels.add(&depths);
            }
        }
        0
    }

    /// Adds the returns of the next pixels of a sweep that began at `start`. Returns the number of
    /// points that this adds.
    pub fn add_returns(
        &mut self,
        posed: &PosedView,
        pixels: Range<usize>,
        returns: &[Return],
        (scene, start): (&Scene, f64),
    ) -> usize {
        match self {
            Self::Points(points) => {
                let (frame, origin) = (CloudFrame::Sensor, DVec3::ZERO);
                let mut next = CloudPoint::of_returns(returns, posed, frame, origin);
                points.layout().complete(&mut next, scene);
                points.add(&next, start);
                return next.len();
            }
            Self::Ranges(ranges) => ranges.add_returns(pixels, returns),
            Self::Depths(depths) => {
                depths.add(&Image::of_returns(scene, posed, pixels, returns).z);
            }
        }
        0
    }

    /// Returns the message for each topic, and begins the next sweep. `None` if the time is outside
    /// the range of stamps.
    pub fn take_messages(&mut self, start: f64, frame: &str) -> Option<Vec<CdrMessage>> {
        let stamp = Stamp::new(start)?;
        Some(match self {
            Self::Points(points) => vec![points.take_message(stamp, frame)],
            Self::Ranges(ranges) => {
                let first_ray = Stamp::new(start + ranges.delay_s())?;
                vec![ranges.take_message(first_ray, frame)]
            }
            Self::Depths(pixels) => {
                vec![pixels.camera_info(stamp, frame), pixels.take_image(stamp, frame)]
            }
        })
    }
}
