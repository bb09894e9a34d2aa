//! The columns of tables of answers.

use raytwin::query::{Answers, HitArrays, Query, SolidPaths};
use std::borrow::Cow;

/// A column's name and numbers: one for each ray, for each crossing of [`Query::All`], or for each
/// path.
pub(super) struct AnswerColumn<'a> {
    pub name: &'static str,
    pub numbers: ColumnNumbers<'a>,
}

pub(super) enum ColumnNumbers<'a> {
    Float(Cow<'a, [f32]>),
    Double(&'a [f64]),
    Unsigned(&'a [u32]),
    /// 16-bit numbers, stored in 32 bits, which is the least width of Parquet.
    Unsigned16(Vec<i32>),
    Bool(&'a [bool]),
}

pub(super) fn columns(answers: &Answers, query: Query) -> Vec<AnswerColumn<'_>> {
    use ColumnNumbers::{Bool, Float, Unsigned, Unsigned16};
    let column = |name, numbers| AnswerColumn { name, numbers };
    match answers {
        Answers::Closest(hits) => {
            let normals = |axis: usize| {
                hits.primitive_normals.iter().map(|normal| normal[axis]).collect::<Vec<f32>>()
            };
            let label_ids = hits.label_ids.iter().map(|&label| label.into()).collect();
            let columns = [
                (HitArrays::T_HIT, column("t_hit", Float(hits.t_hit[..].into()))),
                (HitArrays::GEOMETRY_IDS, column("geometry_id", Unsigned(&hits.geometry_ids))),
                (HitArrays::PRIMITIVE_IDS, column("primitive_id", Unsigned(&hits.primitive_ids))),
                (HitArrays::PRIMITIVE_NORMALS, column("nx", Float(normals(0).into()))),
                (HitArrays::PRIMITIVE_NORMALS, column("ny", Float(normals(1).into()))),
                (HitArrays::PRIMITIVE_NORMALS, column("nz", Float(normals(2).into()))),
                (HitArrays::FACES, column("face", Unsigned(&hits.faces))),
                (HitArrays::INSTANCE_IDS, column("instance_id", Unsigned(&hits.instance_ids))),
                (HitArrays::LABEL_IDS, column("label_id", Unsigned16(label_ids))),
            ];
            let columns = columns.into_iter().filter(|(array, _)| query.asks_for(*array));
            columns.map(|(_, column)| column).collect()
        }
        Answers::Any(occluded) => vec![column("occluded", Bool(occluded))],
        Answers::Count(intersections) => vec![column("intersections", Unsigned(intersections))],
        Answers::All(all) => vec![
            column("t_hit", Float(all.t_hit[..].into())),
            column("geometry_id", Unsigned(&all.geometry_ids)),
            column("primitive_id", Unsigned(&all.primitive_ids)),
        ],
    }
}

/// The columns of paths. A ray has a list in each of them.
pub(super) fn path_columns(paths: &SolidPaths) -> [AnswerColumn<'_>; 2] {
    let ids = ColumnNumbers::Unsigned(&paths.path_geometry_ids);
    let lengths = ColumnNumbers::Double(&paths.path_lengths);
    [
        AnswerColumn { name: "path_geometry_id", numbers: ids },
        AnswerColumn { name: "path_length", numbers: lengths },
    ]
}
