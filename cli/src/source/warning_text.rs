//! Warnings about the parts of a scene that could not be read, with the flags that avoid them.

use raytwin_formats::{Remedy, Warning};

/// Returns the text of a warning, with the flag that removes its cause.
pub(super) fn warning_text(warning: &Warning) -> String {
    let hint = match warning.remedy {
        Some(Remedy::Joints) => "; set them with --joint NAME=VALUE",
        Some(Remedy::Packages) => "; give a package's folder with --package NAME=DIR",
        Some(Remedy::Origin) => "; give --origin auto",
        Some(Remedy::PointRadius) => "; give --point-radius RADIUS",
        _ => "",
    };
    format!("{warning}{hint}")
}
