//! The names that users bring from other programs, and raytwin's names for the same things.

use raytwin_files::nearest;

/// The names that users try, the names here, and how the number differs, if it does. A name applies
/// only where the key or type exists.
const ALIASES: &[[&str; 3]] = &[
    ["fov", "fov_y_degrees", ""],
    ["fov_degrees", "fov_y_degrees", ""],
    ["fovy", "fov_y_degrees", ""],
    ["yfov", "fov_y_degrees", "an angle in degrees"],
    ["position", "center", ""],
    ["pos", "center", ""],
    ["origin", "center", ""],
    ["position", "eye", ""],
    ["pos", "eye", ""],
    ["origin", "eye", ""],
    ["from", "eye", ""],
    ["look_at", "target", ""],
    ["lookat", "target", ""],
    ["to", "target", ""],
    ["position", "translation", ""],
    ["pos", "translation", ""],
    ["origin", "translation", ""],
    ["translate", "translation", ""],
    ["r", "radius", ""],
    ["diameter", "radius", "half of the diameter"],
    ["size", "half_extents", "half of the size"],
    ["extents", "half_extents", "half of the extents"],
    ["dimensions", "half_extents", "half of the dimensions"],
    ["half_size", "half_extents", ""],
    ["quat", "rotation_xyzw", "with w last"],
    ["quaternion", "rotation_xyzw", "with w last"],
    ["orientation", "rotation_xyzw", "a quaternion with w last"],
    ["p0", "start", ""],
    ["p1", "end", ""],
    ["verts", "vertices", ""],
    ["faces", "triangles", ""],
    ["indices", "triangles", ""],
    ["path", "file", ""],
    ["filename", "file", ""],
    ["objects", "shapes", ""],
    ["geometries", "shapes", ""],
    ["camera", "cameras", "a list"],
    ["children", "nodes", ""],
    ["cube", "box", ""],
    ["cuboid", "box", ""],
    ["ball", "sphere", ""],
    ["tube", "cylinder", "with an inner_radius"],
    ["pipe", "cylinder", "with an inner_radius"],
    ["ring", "torus", ""],
    ["donut", "torus", ""],
    ["circle", "disc", ""],
    ["disk", "disc", ""],
    ["hfield", "heightfield", ""],
    ["terrain", "heightfield", ""],
];

/// Suggests the known name that was probably meant, or lists the known names if none is similar.
pub(super) fn suggestion(word: &str, known: &[&str]) -> String {
    let lowercase = word.to_lowercase();
    let alias = ALIASES.iter().find(|[tried, here, _]| *tried == lowercase && known.contains(here));
    match (alias, nearest(word, known)) {
        (Some([_, here, ""]), _) => format!("did you mean {here}?"),
        (Some([_, here, difference]), _) => format!("did you mean {here}, {difference}?"),
        (None, Some(near)) => format!("did you mean {near}?"),
        (None, None) => format!("allowed here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_known_where_they_apply() {
        let of_box = ["center", "half_extents", "rotation_xyzw", "type", "name", "mask"];
        for (word, suggested) in [
            ("size", "did you mean half_extents, half of the size?"),
            ("position", "did you mean center?"),
            ("half_extent", "did you mean half_extents?"),
            ("color", "allowed here: center, half_extents, rotation_xyzw, type, name, mask"),
            ("fov", "allowed here: center, half_extents, rotation_xyzw, type, name, mask"),
        ] {
            assert_eq!(suggestion(word, &of_box), suggested);
        }
        let of_camera = ["eye", "fy", "fov_y_degrees"];
        for word in ["fov", "fov_y", "FOV"] {
            assert_eq!(suggestion(word, &of_camera), "did you mean fov_y_degrees?");
        }
    }
}
