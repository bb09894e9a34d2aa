//! The names of the arrays of answers.

/// The arrays that files of answers may have; some are not judged.
pub(super) const NAMES: [&str; 24] = [
    "t_hit",
    "distance",
    "geometry_ids",
    "primitive_ids",
    "occluded",
    "intersections",
    "ray_splits",
    "contains",
    "containing_ids",
    "ray_ids",
    "z",
    "primitive_normals",
    "albedo",
    "primitive_uvs",
    "faces",
    "instance_ids",
    "label_ids",
    "closest_points",
    "signed_distance",
    "world_ids",
    "innermost_ids",
    "path_splits",
    "path_geometry_ids",
    "path_lengths",
];

/// Lists the arrays that a file of answers may have, for messages.
pub(super) const RULE: &str = "give t_hit, distance (along the ray) or z (along a camera's axis), geometry_ids and primitive_ids, or some of them; or give occluded, intersections or ray_splits";
