//! Warnings of what a world holds and a scene lacks.

use crate::Warning;
use crate::warning::warnings;

warnings! {
    /// The warnings of a world, the one of shapes first.
    WorldWarnings(which: &str) {
        unread_shapes = Warning::unread(&format!("{which} geometries")),
        colors = Warning::of_colors(),
        labels = Warning::about_read("models or shapes have labels that could not be read"),
        reflectances = Warning::about_read(
            "shapes have a laser_retro that is no share of light from 0 to 1, and reflect as if they had none",
        ),
        includes = Warning::new(
            "models that are included could not be read; later ids will shift once they can be",
        ),
        elements = Warning::new(
            "elements of types that are not read, which Gazebo shows, were left out",
        ),
        repeated = Warning::new("elements after the one that is read were left out"),
        sensors = Warning::new("sensors could not be read, and are no cameras"),
        inexact_sensors = Warning::about_read("sensors were read, though not exactly"),
        states = Warning::about_read(
            "states that were saved with a world are not followed; models stand where they are described",
        ),
        other_worlds = Warning::new("elements beside the first world of the file were left out"),
    }
}
