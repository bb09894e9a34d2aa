//! The types of messages that are written, as ROS 2's interfaces define their fields.

/// A type of messages, with the types that its fields have and those of theirs.
#[derive(Debug)]
pub(super) struct MessageType {
    package: &'static str,
    name: &'static str,
    fields: &'static str,
    parts: &'static [&'static Self],
}

impl MessageType {
    /// Returns the full name, such as `sensor_msgs/msg/Image`.
    pub fn full_name(&self) -> String {
        format!("{}/msg/{}", self.package, self.name)
    }

    /// Returns the fields, and those of each part below a line that names it.
    pub fn definition(&self) -> String {
        let mut text = self.fields.to_owned();
        for part in self.parts {
            let Self { package, name, fields, .. } = part;
            let rule = "=".repeat(80);
            text += &format!("{rule}\nMSG: {package}/{name}\n{fields}");
        }
        text
    }
}

const TIME: MessageType = MessageType {
    package: "builtin_interfaces",
    name: "Time",
    fields: "int32 sec\nuint32 nanosec\n",
    parts: &[],
};

const HEADER: MessageType = MessageType {
    package: "std_msgs",
    name: "Header",
    fields: "builtin_interfaces/Time stamp\nstring frame_id\n",
    parts: &[&TIME],
};

const POINT_FIELD: MessageType = MessageType {
    package: "sensor_msgs",
    name: "PointField",
    fields: "\
uint8 INT8=1
uint8 UINT8=2
uint8 INT16=3
uint8 UINT16=4
uint8 INT32=5
uint8 UINT32=6
uint8 FLOAT32=7
uint8 FLOAT64=8
string name
uint32 offset
uint8 datatype
uint32 count
",
    parts: &[],
};

pub(super) const POINT_CLOUD: MessageType = MessageType {
    package: "sensor_msgs",
    name: "PointCloud2",
    fields: "\
std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
",
    parts: &[&HEADER, &TIME, &POINT_FIELD],
};

pub(super) const LASER_SCAN: MessageType = MessageType {
    package: "sensor_msgs",
    name: "LaserScan",
    fields: "\
std_msgs/Header header
float32 angle_min
float32 angle_max
float32 angle_increment
float32 time_increment
float32 scan_time
float32 range_min
float32 range_max
float32[] ranges
float32[] intensities
",
    parts: &[&HEADER, &TIME],
};

pub(super) const IMAGE: MessageType = MessageType {
    package: "sensor_msgs",
    name: "Image",
    fields: "\
std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
",
    parts: &[&HEADER, &TIME],
};

const REGION_OF_INTEREST: MessageType = MessageType {
    package: "sensor_msgs",
    name: "RegionOfInterest",
    fields: "\
uint32 x_offset
uint32 y_offset
uint32 height
uint32 width
bool do_rectify
",
    parts: &[],
};

pub(super) const CAMERA_INFO: MessageType = MessageType {
    package: "sensor_msgs",
    name: "CameraInfo",
    fields: "\
std_msgs/Header header
uint32 height
uint32 width
string distortion_model
float64[] d
float64[9] k
float64[9] r
float64[12] p
uint32 binning_x
uint32 binning_y
sensor_msgs/RegionOfInterest roi
",
    parts: &[&HEADER, &TIME, &REGION_OF_INTEREST],
};

const VECTOR: MessageType = MessageType {
    package: "geometry_msgs",
    name: "Vector3",
    fields: "float64 x\nfloat64 y\nfloat64 z\n",
    parts: &[],
};

const QUATERNION: MessageType = MessageType {
    package: "geometry_msgs",
    name: "Quaternion",
    fields: "float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n",
    parts: &[],
};

const TRANSFORM: MessageType = MessageType {
    package: "geometry_msgs",
    name: "Transform",
    fields: "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n",
    parts: &[&VECTOR, &QUATERNION],
};

const TRANSFORM_STAMPED: MessageType = MessageType {
    package: "geometry_msgs",
    name: "TransformStamped",
    fields: "\
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
",
    parts: &[&HEADER, &TIME, &TRANSFORM, &VECTOR, &QUATERNION],
};

pub(super) const TRANSFORMS: MessageType = MessageType {
    package: "tf2_msgs",
    name: "TFMessage",
    fields: "geometry_msgs/TransformStamped[] transforms\n",
    parts: &[&TRANSFORM_STAMPED, &HEADER, &TIME, &TRANSFORM, &VECTOR, &QUATERNION],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_that_a_definition_mentions_is_in_it_once() {
        for message in [POINT_CLOUD, LASER_SCAN, IMAGE, CAMERA_INFO, TRANSFORMS] {
            let text = message.definition();
            for line in text.lines() {
                let kind = line.split(['[', ' ']).next().unwrap();
                if kind.contains('/') {
                    assert_eq!(text.matches(&format!("\nMSG: {kind}\n")).count(), 1, "{kind}");
                }
            }
        }
        assert_eq!(POINT_CLOUD.full_name(), "sensor_msgs/msg/PointCloud2");
        let start = format!("uint8[] data\n{}\nMSG: std_msgs/Header\n", "=".repeat(80));
        assert!(IMAGE.definition().contains(&start));
    }
}
