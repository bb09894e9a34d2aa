//! Sweeps of a lidar as `sensor_msgs/msg/PointCloud2`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use crate::clouds::{CloudLayout, CloudPoint};
use std::cmp::Reverse;

/// A field that each point has.
#[derive(Clone, Copy, Debug)]
struct PointField {
    name: &'static str,
    number: FieldNumber,
}

/// How a field is computed from a point of the sensor's frame and the time of the message.
#[derive(Clone, Copy, Debug)]
enum FieldNumber {
    Float32(fn(&CloudPoint, f64) -> f32),
    Uint32(fn(&CloudPoint) -> u32),
    Uint16(fn(&CloudPoint) -> u16),
}

use FieldNumber::{Float32, Uint16, Uint32};

/// The fields of every point; its `time` is that in seconds since the message's.
const FIELDS: [PointField; 6] = [
    PointField { name: "x", number: Float32(|point, _| point.position[0] as f32) },
    PointField { name: "y", number: Float32(|point, _| point.position[1] as f32) },
    PointField { name: "z", number: Float32(|point, _| point.position[2] as f32) },
    PointField { name: "time", number: Float32(|point, start| (point.time - start) as f32) },
    PointField { name: "geometry_id", number: Uint32(|point| point.geometry_id) },
    PointField { name: "ring", number: Uint16(|point| point.pixel[0] as u16) },
];

/// The field of labels, of the name and the type of the Point Cloud Library.
const LABEL_FIELD: PointField =
    PointField { name: "label", number: Uint32(|point| point.label.into()) };

/// The fields of normals, by the names of the Point Cloud Library.
const NORMAL_FIELDS: [PointField; 3] = [
    PointField { name: "normal_x", number: Float32(|point, _| point.normal[0]) },
    PointField { name: "normal_y", number: Float32(|point, _| point.normal[1]) },
    PointField { name: "normal_z", number: Float32(|point, _| point.normal[2]) },
];

/// The most rows whose numbers a ring can be.
pub(super) const MAX_RINGS: u32 = 1 << 16;

impl FieldNumber {
    fn size(self) -> usize {
        match self {
            Float32(_) | Uint32(_) => 4,
            Uint16(_) => 2,
        }
    }

    /// The number of the type in `sensor_msgs/msg/PointField`.
    fn datatype(self) -> u8 {
        match self {
            Uint16(_) => 4,
            Uint32(_) => 6,
            Float32(_) => 7,
        }
    }

    fn write(self, point: &CloudPoint, start: f64, data: &mut Vec<u8>) {
        match self {
            Float32(number) => data.extend(number(point, start).to_le_bytes()),
            Uint32(number) => data.extend(number(point).to_le_bytes()),
            Uint16(number) => data.extend(number(point).to_le_bytes()),
        }
    }
}

/// The points of the current sweep.
#[derive(Debug)]
pub(super) struct SweepPoints {
    fields: Vec<PointField>,
    data: Vec<u8>,
}

impl SweepPoints {
    pub fn new(layout: CloudLayout) -> Self {
        let mut fields = FIELDS.to_vec();
        fields.extend(layout.has_labels.then_some(LABEL_FIELD));
        if layout.has_normals {
            fields.extend(NORMAL_FIELDS);
        }
        // With the long ones first all are aligned.
        fields.sort_by_key(|field| Reverse(field.number.size()));
        Self { fields, data: Vec::new() }
    }

    /// The bytes from one point to the next, a multiple of four.
    pub fn point_step(&self) -> usize {
        let size: usize = self.fields.iter().map(|field| field.number.size()).sum();
        size.next_multiple_of(4)
    }

    /// Adds points of a sweep that begins at the time `start`.
    pub fn add(&mut self, points: &[CloudPoint], start: f64) {
        let step = self.point_step();
        self.data.reserve(points.len() * step);
        for point in points {
            let next = self.data.len() + step;
            self.fields.iter().for_each(|field| field.number.write(point, start, &mut self.data));
            self.data.resize(next, 0);
        }
    }

    /// Returns the message of the sweep, after which the next one begins.
    pub fn take_message(&mut self, stamp: Stamp, frame: &str) -> CdrMessage {
        let step = self.point_step();
        let mut message = CdrMessage::with_header(stamp, frame);
        // The points lie in one row, because rays without a return have none.
        message.number(1_u32.to_le_bytes());
        message.size(self.data.len() / step);
        message.size(self.fields.len());
        let mut offset = 0;
        for field in &self.fields {
            message.text(field.name);
            message.size(offset);
            message.number([field.number.datatype()]);
            message.size(1);
            offset += field.number.size();
        }
        let is_big_endian = false;
        message.number([is_big_endian.into()]);
        message.size(step);
        message.size(self.data.len());
        message.byte_sequence(&self.data);
        let is_dense = true;
        message.number([is_dense.into()]);
        self.data.clear();
        message
    }
}
