//! The answers of the library's tracers to a query, as the bytes of the arrays in files of answers.

use super::workspace::float32;
use raytwin::query::Rays;
use raytwin::{Answers, HitArrays, Query, Scene, Tracer};

/// The flags of each query.
pub const QUERIES: [(&[&str], Query); 8] = [
    (&[], Query::CLOSEST),
    (&["--faces"], Query::Closest(HitArrays::DEFAULT.and(HitArrays::FACES))),
    (&["--faces", "--instances", "--label-ids"], Query::Closest(HitArrays::ALL)),
    (
        &["--outputs", "geometry_ids,t_hit"],
        Query::Closest(HitArrays::T_HIT.and(HitArrays::GEOMETRY_IDS)),
    ),
    (
        &["--outputs", "faces", "--label-ids"],
        Query::Closest(HitArrays::FACES.and(HitArrays::LABEL_IDS)),
    ),
    (&["--kind", "any"], Query::Any),
    (&["--kind", "count"], Query::Count),
    (&["--kind", "all"], Query::All),
];

/// Asks the tracer for all rays at once.
pub fn ask(tracer: &dyn Tracer, scene: &Scene, query: Query, rays: &Rays, solid: bool) -> Answers {
    let batch = rays.batch().unwrap();
    let batch = if solid { batch.solid() } else { batch };
    let mut answers = tracer.ask(query, batch).unwrap();
    answers.complete(scene, batch, HitArrays::ALL);
    answers
}

/// Returns the name of each array, its type in NumPy's notation, its shape as in the header, and its bytes.
pub fn arrays(
    answers: &Answers,
    query: Query,
) -> Vec<(&'static str, &'static str, String, Vec<u8>)> {
    let words = |ids: &[u32]| ids.iter().flat_map(|id| id.to_le_bytes()).collect::<Vec<u8>>();
    let shape_of = |count: usize| format!("({count},)");
    match answers {
        Answers::Closest(hits) => {
            let shape = shape_of(hits.len());
            let normals = float32(hits.primitive_normals.as_flattened());
            let labels = hits.label_ids.iter().flat_map(|id| id.to_le_bytes()).collect();
            let mut arrays = vec![
                ("t_hit", "<f4", shape.clone(), float32(&hits.t_hit)),
                ("geometry_ids", "<u4", shape.clone(), words(&hits.geometry_ids)),
                ("primitive_ids", "<u4", shape.clone(), words(&hits.primitive_ids)),
                ("primitive_normals", "<f4", format!("({}, 3)", hits.len()), normals),
                ("faces", "<u4", shape.clone(), words(&hits.faces)),
                ("instance_ids", "<u4", shape.clone(), words(&hits.instance_ids)),
                ("label_ids", "<u2", shape, labels),
            ];
            arrays.retain(|(name, ..)| {
                HitArrays::named(name).is_some_and(|array| query.asks_for(array))
            });
            arrays
        }
        Answers::Any(occluded) => {
            let bytes = occluded.iter().map(|&stopped| u8::from(stopped)).collect();
            vec![("occluded", "|b1", shape_of(occluded.len()), bytes)]
        }
        Answers::Count(counts) => {
            vec![("intersections", "<u4", shape_of(counts.len()), words(counts))]
        }
        Answers::All(all) => {
            let shape = shape_of(all.len());
            let splits = all.ray_splits.iter().flat_map(|split| split.to_le_bytes()).collect();
            vec![
                ("ray_splits", "<u8", shape_of(all.ray_count() + 1), splits),
                ("ray_ids", "<u4", shape.clone(), words(&all.ray_ids)),
                ("t_hit", "<f4", shape.clone(), float32(&all.t_hit)),
                ("geometry_ids", "<u4", shape.clone(), words(&all.geometry_ids)),
                ("primitive_ids", "<u4", shape, words(&all.primitive_ids)),
            ]
        }
    }
}
