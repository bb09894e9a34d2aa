//! Sweeps of a lidar as `sensor_msgs/msg/PointCloud2`.

use super::cdr::CdrMessage;
use super::stamp::Stamp;
use crate::clouds::{CloudField, CloudLayout, CloudPoint, PointNumber};
use std::cmp::Reverse;

#[derive(Clone, Debug)]
enum PointField {
    /// The coordinate of an axis, in float32.
    Position(usize),
    /// The seconds since the time of the message.
    Time,
    /// The row, in 16 bits, as in drivers of lidars.
    Ring,
    /// A number that clouds in files also have.
    Cloud(CloudField),
}

/// The largest number of rows that a ring can number.
pub(super) const MAX_RINGS: u32 = 1 << 16;

impl PointField {
    fn name(&self) -> &str {
        match self {
            Self::Position(axis) => ["x", "y", "z"][*axis],
            Self::Time => "time",
            Self::Ring => "ring",
            Self::Cloud(field) => field.pcl_name(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Ring => 2,
            Self::Position(_) | Self::Time => 4,
            Self::Cloud(field) => field.number_type().byte_count(),
        }
    }

    /// The number of the type in `sensor_msgs/msg/PointField`.
    fn datatype(&self) -> u8 {
        match self {
            Self::Ring => 4,
            Self::Position(_) | Self::Time => 7,
            Self::Cloud(field) => match field.zero() {
                PointNumber::U8(_) => 2,
                PointNumber::I32(_) => 5,
                PointNumber::U32(_) => 6,
                PointNumber::F32(_) => 7,
                PointNumber::F64(_) => 8,
            },
        }
    }

    fn write(&self, point: &CloudPoint, start: f64, data: &mut Vec<u8>) {
        match self {
            Self::Position(axis) => data.extend((point.position[*axis] as f32).to_le_bytes()),
            Self::Time => data.extend(((point.time - start) as f32).to_le_bytes()),
            Self::Ring => data.extend((point.pixel[0] as u16).to_le_bytes()),
            Self::Cloud(field) => {
                // Writing to memory never fails.
                let _ = field.write(point, data);
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct SweepPoints {
    layout: CloudLayout,
    fields: Vec<PointField>,
    data: Vec<u8>,
}

impl SweepPoints {
    pub fn new(layout: &CloudLayout) -> Self {
        use PointField::{Cloud, Position, Ring, Time};
        let mut fields = vec![Position(0), Position(1), Position(2), Time];
        let is_written = |field: &CloudField| {
            matches!(
                field,
                CloudField::GeometryId
                    | CloudField::Label
                    | CloudField::Kept(..)
                    | CloudField::Intensity
                    | CloudField::ReturnNumber
                    | CloudField::NumberOfReturns
                    | CloudField::Normal(_)
            )
        };
        fields.extend(layout.fields().into_iter().filter(is_written).map(Cloud));
        fields.push(Ring);
        // With the long ones first, all are aligned.
        fields.sort_by_key(|field| Reverse(field.size()));
        Self { layout: layout.clone(), fields, data: Vec::new() }
    }

    /// The fields of points.
    pub fn layout(&self) -> &CloudLayout {
        &self.layout
    }

    /// The bytes from one point to the next, a multiple of four.
    pub fn point_step(&self) -> usize {
        let size: usize = self.fields.iter().map(|field| field.size()).sum();
        size.next_multiple_of(4)
    }

    /// Adds points of a sweep that begins at the time `start`.
    pub fn add(&mut self, points: &[CloudPoint], start: f64) {
        let step = self.point_step();
        self.data.reserve(points.len() * step);
        for point in points {
            let next = self.data.len() + step;
            self.fields.iter().for_each(|field| field.write(point, start, &mut self.data));
            self.data.resize(next, 0);
        }
    }

    /// Returns the message of the sweep, and begins the next one.
    pub fn take_message(&mut self, stamp: Stamp, frame: &str) -> CdrMessage {
        let step = self.point_step();
        let mut message = CdrMessage::with_header(stamp, frame);
        // The points are in one row, because rays without a return have none.
        message.number(1_u32.to_le_bytes());
        message.size(self.data.len() / step);
        message.size(self.fields.len());
        let mut offset = 0;
        for field in &self.fields {
            message.text(field.name());
            message.size(offset);
            message.number([field.datatype()]);
            message.size(1);
            offset += field.size();
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
