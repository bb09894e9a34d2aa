//! Warnings about what could not be read of a scene, with the flags that help against them.

use raytwin_formats::{Remedy, Warning};

/// The text of a warning, with the flag that removes its cause.
pub(super) fn warning_text(warning: &Warning) -> String {
    let hint = match warning.remedy {
        Some(Remedy::Joints) => "; set them with --joint NAME=VALUE",
        Some(Remedy::Packages) => "; give a package's folder with --package NAME=DIR",
        Some(Remedy::Origin) => "; --origin auto takes one",
        Some(Remedy::PointRadius) => "; give one with --point-radius RADIUS",
        _ => "",
    };
    format!("{warning}{hint}")
}
