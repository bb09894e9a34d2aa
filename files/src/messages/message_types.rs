//! The types of written messages, with fields as ROS 2's interfaces define them.

/// A type of messages, by its package and name.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageType(&'static str);

pub(super) const POINT_CLOUD: MessageType = MessageType("sensor_msgs/PointCloud2");
pub(super) const LASER_SCAN: MessageType = MessageType("sensor_msgs/LaserScan");
pub(super) const IMAGE: MessageType = MessageType("sensor_msgs/Image");
pub(super) const CAMERA_INFO: MessageType = MessageType("sensor_msgs/CameraInfo");
pub(super) const TRANSFORMS: MessageType = MessageType("tf2_msgs/TFMessage");

impl MessageType {
    /// Returns the full name, such as `sensor_msgs/msg/Image`.
    pub fn full_name(self) -> String {
        self.0.replace('/', "/msg/")
    }

    /// Returns the fields, and those of each type that they use, below a line that names it.
    pub fn definition(self) -> String {
        let mut names = vec![self.0];
        add_parts(self.0, &mut names);
        let rule = "=".repeat(80);
        let part = |name: &&str| format!("{rule}\nMSG: {name}\n{}", fields(name));
        fields(self.0).to_owned() + &names[1..].iter().map(part).collect::<String>()
    }
}

/// Adds the types that the fields of a type have, each before those of its own fields.
fn add_parts(name: &str, names: &mut Vec<&'static str>) {
    for field in fields(name).lines() {
        let part = field.split(['[', ' ']).next().unwrap_or_default();
        if part.contains('/') && !names.contains(&part) {
            names.push(part);
            add_parts(part, names);
        }
    }
}

/// Returns the fields of a type, each with the end of its line.
fn fields(name: &str) -> &'static str {
    let mut types = TYPES.split("MSG: ").filter_map(|text| text.split_once('\n'));
    types.find(|(known, _)| *known == name).map_or("", |(_, fields)| fields)
}

/// The types, each below a line with its name.
const TYPES: &str = "\
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
MSG: sensor_msgs/PointField
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
MSG: sensor_msgs/PointCloud2
std_msgs/Header header
uint32 height
uint32 width
sensor_msgs/PointField[] fields
bool is_bigendian
uint32 point_step
uint32 row_step
uint8[] data
bool is_dense
MSG: sensor_msgs/LaserScan
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
MSG: sensor_msgs/Image
std_msgs/Header header
uint32 height
uint32 width
string encoding
uint8 is_bigendian
uint32 step
uint8[] data
MSG: sensor_msgs/RegionOfInterest
uint32 x_offset
uint32 y_offset
uint32 height
uint32 width
bool do_rectify
MSG: sensor_msgs/CameraInfo
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
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
MSG: geometry_msgs/Quaternion
float64 x 0
float64 y 0
float64 z 0
float64 w 1
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
MSG: tf2_msgs/TFMessage
geometry_msgs/TransformStamped[] transforms
";

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
