//! Warnings about the parts of a world that were not read, by reason.

use crate::warning::warnings;
use crate::{Remedy, Warning};

warnings! {
    /// The warnings about a world.
    TreeWarnings() {
        unread_shapes = Warning::unread("shapes"),
        incomplete_shapes = Warning::about_read(
            "shapes were read without some faces or lines, whose corners are not points or all in one place",
        ),
        surplus = Warning::new(
            "fields have more values than raytwin needs, and the rest was left out",
        ),
        unknown_nodes = Warning::new("nodes are of types that are not read"),
        external_prototypes = Warning::new(
            "nodes are of prototypes in other files, which raytwin does not read",
        ),
        inlines = Warning::new(
            "files of the world could not be read; later ids will change when they can be read",
        ),
        imports = Warning::new(
            "uses of nodes from an IMPORT were left out, because X3D up to 4.0 allows them only in a ROUTE; use an Inline of the file instead",
        ),
        stray_imports = Warning::new(
            "IMPORT statements do not name an Inline of the file, so there is nothing to import",
        ),
        undefined = Warning::new(
            "uses of nodes were left out, because no earlier DEF has their names; put a DEF before each USE",
        ),
        points = Warning::new(
            "sets of points were left out, because points have no size; set a point radius to read them as spheres",
        )
        .with_remedy(Remedy::PointRadius),
        transforms = Warning::new(
            "nodes were left out, because their transforms flatten space or stretch it too unevenly; their shapes keep their ids, but no ray can hit them",
        ),
        colors = Warning::of_colors(),
        viewpoints = Warning::new("viewpoints could not be read"),
    }
}
