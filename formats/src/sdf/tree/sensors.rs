//! Reads the sensors of links, with the views that each has.

use super::WorldReader;
use crate::sdf::element::SdfElement;
use crate::sdf::frames::Within;
use crate::sdf::repeats::left_out_of_view;
use crate::sdf::sensor::SensorKind;
use crate::sdf::world::WorldSensor;
use raytwin::scene::Name;
use raytwin_files::FileError;

impl WorldReader<'_> {
    /// Reads a sensor. One that cannot be read is a warning.
    pub(super) fn sensor(
        &mut self,
        sensor: &SdfElement,
        path: &Name,
        link_frame: usize,
        within: Within,
    ) -> Result<(), FileError> {
        self.count(sensor)?;
        if let Err(fault) = self.views(sensor, path, link_frame, within) {
            self.warnings.sensors.add(|| format!("{path} ({fault})"));
        }
        Ok(())
    }

    /// Reads the views of a sensor: a lidar or a camera has one, and a `multicamera` has several.
    fn views(
        &mut self,
        sensor: &SdfElement,
        path: &Name,
        link_frame: usize,
        within: Within,
    ) -> Result<(), FileError> {
        let kind = SensorKind::of(sensor.required_attribute("type")?);
        let tags = match kind {
            SensorKind::Blind => return Ok(()),
            SensorKind::Unread => return Err(sensor.refuse("its type is not read")),
            SensorKind::Lidar => ["lidar", "ray"],
            SensorKind::Camera { .. } => ["camera", "camera"],
        };
        let pose = self.pose(sensor)?;
        let frame = self.frames.add_optional(within, link_frame, &pose);
        let views: Vec<&SdfElement> =
            sensor.elements().iter().filter(|it| tags.contains(&it.tag.as_str())).collect();
        if views.is_empty() {
            return Err(sensor.refuse(format!("it has no <{}>", tags[0])));
        }
        for (number, &view) in views.iter().enumerate() {
            let path = match (views.len(), view.attribute("name")) {
                (1, _) => path.clone(),
                (_, Some(own)) => path.child(own),
                (_, None) => path.child(format!("{}[{number}]", view.tag)),
            };
            self.leave_out(left_out_of_view(view).into_iter().filter(|it| it.tag != "pose"));
            let read = kind.sight(sensor, view).and_then(|sight| Ok((sight, self.pose(view)?)));
            let (sight, pose) = match read {
                Ok(read) => read,
                Err(fault) => {
                    self.warnings.sensors.add(|| format!("{path} ({fault})"));
                    continue;
                }
            };
            let doubts: Vec<String> = sight.doubts().collect();
            if !doubts.is_empty() {
                self.warnings.inexact_sensors.add(|| format!("{path} ({})", doubts.join("; ")));
            }
            let frame = self.frames.add_optional(within, frame, &pose);
            let place = view.place().clone();
            self.sensors.push(WorldSensor { path, frame, sight, carrier: 0..0, place });
        }
        Ok(())
    }
}
