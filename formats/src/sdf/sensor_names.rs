//! Reads the names in a sensor's messages.

use super::element::SdfElement;

/// The topic and the frame of a sensor's messages.
#[derive(Clone, Default)]
pub(super) struct SensorNames {
    pub topic: Option<String>,
    pub frame_id: Option<String>,
}

impl SensorNames {
    /// Reads the names of a sensor for one of its views.
    pub fn of(sensor: &SdfElement, view: &SdfElement) -> Self {
        let topic = given(sensor, "topic");
        let topic = match sensor.attribute("type") {
            // All its views would have the same topic.
            Some("multicamera") => None,
            Some("rgbd" | "rgbd_camera") => topic.map(|topic| format!("{topic}/depth_image")),
            _ => topic.map(str::to_owned),
        };
        // As in Gazebo, the frame whose z axis is the optical one comes first.
        let optical = given(view, "optical_frame_id");
        let frame_id = optical.or_else(|| frame_id(sensor)).map(str::to_owned);
        Self { topic, frame_id }
    }
}

/// The frame that a sensor names: in the standard element, in those of Gazebo versions, or in a
/// plugin of `gazebo_ros`.
fn frame_id(sensor: &SdfElement) -> Option<&str> {
    let tags = ["frame_id", "gz_frame_id", "ignition_frame_id"];
    let own = tags.into_iter().find_map(|tag| given(sensor, tag));
    own.or_else(|| sensor.elements().iter().find_map(frame_of_plugin))
}

fn frame_of_plugin(element: &SdfElement) -> Option<&str> {
    given(element, "frame_name").filter(|_| element.tag == "plugin")
}

/// The text of a child, unless it is SDFormat's word for none.
fn given<'a>(element: &'a SdfElement, tag: &str) -> Option<&'a str> {
    element.text_of(tag).filter(|text| *text != "__default__")
}
