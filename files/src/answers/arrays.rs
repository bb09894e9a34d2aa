//! The arrays of answers, by the names that Open3D gives them.

use crate::bytes::npz::{ArrayLayout, Number};
use raytwin::query::{HitArrays, Query};

/// NumPy's letters and widths of numbers that are written and never read.
const BOOL: &str = "b1";
const UINT64: &str = "u8";
const UINT16: &str = "u2";

/// The arrays of the answers to points.
pub(crate) const POINT_ANSWER_ARRAYS: [ArrayLayout; 6] = [
    ArrayLayout::new("contains", u32::DESCR),
    ArrayLayout::new("containing_ids", u32::DESCR),
    ArrayLayout { columns: Some(3), ..ArrayLayout::new("closest_points", f32::DESCR) },
    ArrayLayout::new("signed_distance", f32::DESCR),
    ArrayLayout::new("geometry_ids", u32::DESCR),
    ArrayLayout::new("primitive_ids", u32::DESCR),
];

/// The arrays of the answers to rays that are cast with a query.
pub(crate) fn ray_answer_arrays(query: Query) -> Vec<ArrayLayout> {
    let array = ArrayLayout::new;
    let t_hit = array("t_hit", f32::DESCR);
    let geometry_ids = array("geometry_ids", u32::DESCR);
    let primitive_ids = array("primitive_ids", u32::DESCR);
    match query {
        Query::Closest(asked) => {
            let normals =
                ArrayLayout { columns: Some(3), ..array("primitive_normals", f32::DESCR) };
            let faces = array("faces", u32::DESCR);
            let instance_ids = array("instance_ids", u32::DESCR);
            let label_ids = array("label_ids", UINT16);
            let all = [t_hit, geometry_ids, primitive_ids, normals, faces, instance_ids, label_ids];
            let is_asked = |array: &ArrayLayout| asked.names().any(|name| name == array.name);
            all.into_iter().filter(is_asked).collect()
        }
        Query::Any => vec![array("occluded", BOOL)],
        Query::Count => vec![array("intersections", u32::DESCR)],
        Query::All => {
            let ray_splits = array("ray_splits", UINT64);
            let ray_ids = array("ray_ids", u32::DESCR);
            vec![ray_splits, ray_ids, t_hit, geometry_ids, primitive_ids]
        }
    }
}

/// Returns the names of the files in a folder of answers to rays that are cast with this query.
pub fn ray_answer_files(query: Query) -> impl Iterator<Item = String> {
    ray_answer_arrays(query).into_iter().map(|array| array.file_name())
}

/// Returns the names of the files in a folder of answers to points.
pub fn point_answer_files() -> impl Iterator<Item = String> {
    POINT_ANSWER_ARRAYS.into_iter().map(|array| array.file_name())
}

/// The names that the files in a folder of answers may have, whether they answer rays or points.
pub(crate) fn answer_files() -> impl Iterator<Item = String> {
    // A query of closest hits may write more files than its plain kind.
    let closest = Query::Closest(HitArrays::ALL);
    Query::KINDS.into_iter().chain([closest]).flat_map(ray_answer_files).chain(point_answer_files())
}
