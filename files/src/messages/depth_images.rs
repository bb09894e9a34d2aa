//! Depth images as `sensor_msgs/msg/Image`, each with its `sensor_msgs/msg/CameraInfo`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use raytwin::camera::View;

/// The depths of the current image, and the numbers of its camera.
#[derive(Debug)]
pub(super) struct DepthPixels {
    size: [u32; 2],
    /// The focal lengths and the principal point, in pixels, counted from the middle of the top
    /// left pixel.
    intrinsics: [f64; 4],
    /// The float32 depths along the optical axis, row by row.
    data: Vec<u8>,
}

impl DepthPixels {
    /// Returns them for a view; `None` if it has no optical axis with a focal length.
    pub fn new(view: &View) -> Option<Self> {
        let [fx, fy, cx, cy] = view.intrinsics()?;
        // The view counts from the corner of the image, and ROS counts from the middle of its first
        // pixel.
        let intrinsics = [fx, fy, cx - 0.5, cy - 0.5];
        Some(Self { size: [view.width, view.height], intrinsics, data: Vec::new() })
    }

    pub fn add(&mut self, depths: &[f32]) {
        self.data.extend(depths.iter().flat_map(|depth| depth.to_le_bytes()));
    }

    fn with_size(&self, stamp: Stamp, frame: &str) -> CdrMessage {
        let [width, height] = self.size;
        let mut message = CdrMessage::with_header(stamp, frame);
        message.number(height.to_le_bytes());
        message.number(width.to_le_bytes());
        message
    }

    pub fn camera_info(&self, stamp: Stamp, frame: &str) -> CdrMessage {
        const NO_DISTORTION: [f64; 5] = [0.0; 5];
        let [fx, fy, cx, cy] = self.intrinsics;
        let mut message = self.with_size(stamp, frame);
        message.text("plumb_bob");
        message.size(NO_DISTORTION.len());
        message.float64_array(&NO_DISTORTION);
        message.float64_array(&[fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0]);
        message.float64_array(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        message.float64_array(&[fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0]);
        // No pixels are binned, and the region of interest is the whole image. Zeros state both.
        let [binning, region] = [[0_u32; 2].as_slice(), &[0; 4]];
        binning.iter().chain(region).for_each(|number| message.number(number.to_le_bytes()));
        let is_to_be_rectified = false;
        message.number([is_to_be_rectified.into()]);
        message
    }

    /// Returns the image, and begins the next one.
    pub fn take_image(&mut self, stamp: Stamp, frame: &str) -> CdrMessage {
        let mut message = self.with_size(stamp, frame);
        message.text("32FC1");
        let is_big_endian = false;
        message.number([is_big_endian.into()]);
        message.number((4 * self.size[0]).to_le_bytes());
        message.byte_sequence(&self.data);
        self.data.clear();
        message
    }
}
