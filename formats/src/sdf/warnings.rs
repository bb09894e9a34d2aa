//! Warnings about parts of a world that are not in the scene.

use crate::Warning;
use crate::warning::warnings;

warnings! {
    /// The warnings about a world, the one about shapes first.
    WorldWarnings(which: &str) {
        unread_shapes = Warning::unread(&format!("{which} geometries")),
        colors = Warning::of_colors(),
        labels = Warning::about_read("models or shapes have labels that could not be read"),
        reflectances = Warning::about_read(
            "shapes have a laser_retro that is not from 0 to 1, and reflect as if they had none",
        ),
        includes = Warning::new(
            "included models could not be read; later ids will change when they can be read",
        ),
        elements = Warning::new(
            "elements that Gazebo shows were left out, because raytwin does not read their types",
        ),
        repeated = Warning::new("elements after the first of their kind were left out"),
        sensors = Warning::new("sensors could not be read, so the scene has no cameras for them"),
        inexact_sensors = Warning::about_read("sensors were read, but not exactly"),
        states = Warning::about_read(
            "states saved with a world are ignored; models are where they are described",
        ),
        other_worlds = Warning::new("elements other than the file's first world were left out"),
    }
}
