//! The arrays of answers. Their names are those of Open3D.

use crate::bytes::npz::{ArrayLayout, Number};
use bytemuck::{NoUninit, pod_collect_to_vec};
use raytwin::query::{Answers, HitArrays, Query, SolidPaths};
use std::borrow::Cow;

/// NumPy's letter and width of booleans.
const BOOL: &str = "b1";

/// The kind of answers to rays: those to a query, and with `has_paths` also the lengths of the rays
/// in solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerLayout {
    /// The query.
    pub query: Query,
    /// True if the answers have [`SolidPaths`].
    pub has_paths: bool,
}

impl From<Query> for AnswerLayout {
    fn from(query: Query) -> Self {
        Self { query, has_paths: false }
    }
}

impl AnswerLayout {
    /// The arrays. Those of paths come last.
    pub(crate) fn arrays(self) -> Vec<ArrayLayout> {
        let of_paths = self.has_paths.then_some(PATH_ARRAYS).into_iter().flatten();
        ray_answer_arrays(self.query).into_iter().chain(of_paths).collect()
    }
}

const PATH_ARRAYS: [ArrayLayout; 3] = [
    ArrayLayout::new("path_splits", u64::DESCR),
    ArrayLayout::new("path_geometry_ids", u32::DESCR),
    ArrayLayout::new("path_lengths", f64::DESCR),
];

/// The bytes of the arrays of paths. `before` counts the paths of earlier rays.
pub(crate) fn path_bytes(paths: &SolidPaths, before: u64) -> [Cow<'_, [u8]>; 3] {
    let splits: Vec<u64> = paths.path_splits[1..].iter().map(|split| split + before).collect();
    [
        pod_collect_to_vec(&splits).into(),
        bytemuck::cast_slice(&paths.path_geometry_ids).into(),
        bytemuck::cast_slice(&paths.path_lengths).into(),
    ]
}

/// The arrays of answers to points, optionally with the innermost solids.
pub(crate) fn point_answer_arrays(has_innermost: bool) -> Vec<ArrayLayout> {
    let innermost = has_innermost.then_some(ArrayLayout::new("innermost_ids", u32::DESCR));
    POINT_ANSWER_ARRAYS.into_iter().chain(innermost).collect()
}

const POINT_ANSWER_ARRAYS: [ArrayLayout; 6] = [
    ArrayLayout::new("contains", u32::DESCR),
    ArrayLayout::new("containing_ids", u32::DESCR),
    ArrayLayout { columns: Some(3), ..ArrayLayout::new("closest_points", f32::DESCR) },
    ArrayLayout::new("signed_distance", f32::DESCR),
    ArrayLayout::new("geometry_ids", u32::DESCR),
    ArrayLayout::new("primitive_ids", u32::DESCR),
];

pub(crate) fn ray_answer_arrays(query: Query) -> Vec<ArrayLayout> {
    let no_answers = query.unanswered();
    let arrays = ray_answer_bytes(&no_answers, query, [0; 2]).into_iter();
    arrays.map(|(layout, _)| layout).collect()
}

/// The arrays of answers to rays, with their bytes. The counts of rays and crossings in the arrays
/// continue from these.
pub(crate) fn ray_answer_bytes(
    answers: &Answers,
    query: Query,
    [first_ray, first_crossing]: [u64; 2],
) -> Vec<(ArrayLayout, Cow<'_, [u8]>)> {
    fn plain<T: NoUninit>(numbers: &[T]) -> Cow<'_, [u8]> {
        bytemuck::cast_slice(numbers).into()
    }
    let floats = |name| ArrayLayout::new(name, f32::DESCR);
    let ids = |name| ArrayLayout::new(name, u32::DESCR);
    match answers {
        Answers::Closest(hits) => {
            let normals = ArrayLayout { columns: Some(3), ..floats("primitive_normals") };
            let arrays = [
                (floats("t_hit"), plain(&hits.t_hit)),
                (ids("geometry_ids"), plain(&hits.geometry_ids)),
                (ids("primitive_ids"), plain(&hits.primitive_ids)),
                (normals, plain(&hits.primitive_normals)),
                (ids("faces"), plain(&hits.faces)),
                (ids("instance_ids"), plain(&hits.instance_ids)),
                (ArrayLayout::new("label_ids", u16::DESCR), plain(&hits.label_ids)),
            ];
            let is_asked = |array: &ArrayLayout| {
                HitArrays::named(array.name).is_some_and(|array| query.asks_for(array))
            };
            arrays.into_iter().filter(|(array, _)| is_asked(array)).collect()
        }
        Answers::Any(occluded) => vec![(ArrayLayout::new("occluded", BOOL), plain(occluded))],
        Answers::Count(intersections) => vec![(ids("intersections"), plain(intersections))],
        Answers::All(all) => {
            let splits = all.ray_splits[1..].iter().map(|split| split + first_crossing);
            let ray_ids = all.ray_ids.iter().map(|ray| ray + first_ray as u32);
            vec![
                (
                    ArrayLayout::new("ray_splits", u64::DESCR),
                    pod_collect_to_vec(&splits.collect::<Vec<u64>>()).into(),
                ),
                (ids("ray_ids"), pod_collect_to_vec(&ray_ids.collect::<Vec<u32>>()).into()),
                (floats("t_hit"), plain(&all.t_hit)),
                (ids("geometry_ids"), plain(&all.geometry_ids)),
                (ids("primitive_ids"), plain(&all.primitive_ids)),
            ]
        }
    }
}

/// Returns the names of the files in a folder with such answers to rays.
pub fn ray_answer_files(layout: impl Into<AnswerLayout>) -> impl Iterator<Item = String> {
    layout.into().arrays().into_iter().map(|array| array.file_name())
}

/// Returns the names of the files in a folder with answers to points, with or without the innermost
/// solids.
pub fn point_answer_files(has_innermost: bool) -> impl Iterator<Item = String> {
    point_answer_arrays(has_innermost).into_iter().map(|array| array.file_name())
}

/// The names of files in a folder of answers, to rays or to points.
pub(crate) fn answer_files() -> impl Iterator<Item = String> {
    // A query of closest hits may write more files than the plain query.
    let closest = Query::Closest(HitArrays::ALL);
    let queries = Query::KINDS.into_iter().chain([closest]);
    let paths = PATH_ARRAYS.into_iter().map(|array| array.file_name());
    queries.flat_map(ray_answer_files).chain(paths).chain(point_answer_files(true))
}
