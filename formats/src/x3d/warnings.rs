//! Warnings of the parts of a world that were not read, by the reason.

use crate::warning::warnings;
use crate::{Remedy, Warning};

warnings! {
    /// The warnings of a world.
    TreeWarnings() {
        unread_shapes = Warning::unread("shapes"),
        incomplete_shapes = Warning::about_read(
            "shapes were read without some faces or lines, whose corners are no points or all in one place",
        ),
        surplus = Warning::new(
            "fields hold more than there is a use for, and the rest was left out",
        ),
        unknown_nodes = Warning::new("nodes are of types that are not read"),
        external_prototypes = Warning::new(
            "nodes are of prototypes that other files declare, which are not read",
        ),
        inlines = Warning::new(
            "files of the world could not be read; later ids will shift once they can be",
        ),
        imports = Warning::new(
            "nodes that IMPORT names are used, which X3D up to 4.0 allows in a ROUTE alone, and were left out; use an Inline of the file in their place",
        ),
        stray_imports = Warning::new(
            "IMPORT statements name no Inline of the file, so there is nothing to import",
        ),
        undefined = Warning::new(
            "nodes are used that no DEF has named before, and were left out; name each by DEF before its USE",
        ),
        points = Warning::new(
            "sets of points have no size, and were left out; points become spheres if they are given a radius",
        )
        .with_remedy(Remedy::PointRadius),
        transforms = Warning::new(
            "nodes were left out, and no ray meets the ids of what is in them, because their transforms flatten space or stretch it too unevenly",
        ),
        colors = Warning::of_colors(),
        viewpoints = Warning::new("viewpoints could not be read"),
    }
}
