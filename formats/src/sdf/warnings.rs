//! Warnings of what a world holds and a scene lacks.

use crate::Warning;

/// The warnings of a world.
pub(super) struct WorldWarnings {
    pub unread_shapes: Warning,
    pub colors: Warning,
    pub labels: Warning,
    pub reflectances: Warning,
    pub includes: Warning,
    pub elements: Warning,
    pub repeated: Warning,
    pub sensors: Warning,
    pub inexact_sensors: Warning,
    pub states: Warning,
    pub other_worlds: Warning,
}

impl WorldWarnings {
    pub fn new(which: &str) -> Self {
        Self {
            unread_shapes: Warning::unread(&format!("{which} geometries")),
            colors: Warning::about_read(
                "colours could not be read; shaded.png shows others in their place",
            ),
            labels: Warning::about_read("models or shapes have labels that could not be read"),
            reflectances: Warning::about_read(
                "shapes have a laser_retro that is no share of light from 0 to 1, and reflect as if they had none",
            ),
            includes: Warning::new(
                "models that are included could not be read; later ids will shift once they can be",
            ),
            elements: Warning::new(
                "elements of types that are not read, which Gazebo shows, were left out",
            ),
            repeated: Warning::new("elements after the one that is read were left out"),
            sensors: Warning::new("sensors could not be read, and are no cameras"),
            inexact_sensors: Warning::about_read("sensors were read, though not exactly"),
            states: Warning::about_read(
                "states that were saved with a world are not followed; models stand where they are described",
            ),
            other_worlds: Warning::new("elements beside the first world of the file were left out"),
        }
    }

    /// All of them, the one of shapes first.
    pub fn into_list(self) -> impl Iterator<Item = Warning> {
        [
            self.unread_shapes,
            self.colors,
            self.labels,
            self.reflectances,
            self.includes,
            self.elements,
            self.repeated,
            self.sensors,
            self.inexact_sensors,
            self.states,
            self.other_worlds,
        ]
        .into_iter()
    }
}
