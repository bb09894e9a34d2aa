//! The distance between the middles of two shapes.

use crate::failure::Failure;
use crate::summary::{DistanceSummary, NamedGeometry};
use raytwin::geometry::Geometry;
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
use raytwin::shapes::{Shape, Sphere};
use raytwin_files::nearest;

/// The most candidates that a message lists.
const LISTED: usize = 8;

/// The most shapes among whose paths one is looked for that is like a misspelt one.
const LOOKED_THROUGH: u32 = 1_000_000;

/// Measures from one shape to another, each given by its path or id.
pub(super) fn distance(scene: &Scene, [a, b]: [&str; 2]) -> Result<DistanceSummary, Failure> {
    let [from, to] = [found(scene, a)?, found(scene, b)?];
    let [(start, near), (end, far)] = [middle(scene, from)?, middle(scene, to)?];
    let distance = start.distance(end);
    let named = |geometry_id: u32| NamedGeometry { geometry_id, path: scene.path(geometry_id) };
    Ok(DistanceSummary {
        a: named(from),
        b: named(to),
        distance,
        gap: near.zip(far).map(|(near, far)| distance - near - far),
    })
}

/// The id of the one shape that a text names: by its id, by its whole path, by a path or a pattern
/// that chooses no other, or by the end of a path, if no other ends so.
fn found(scene: &Scene, text: &str) -> Result<u32, Failure> {
    let refuse = |reason: String| Failure::input(format!("--distance {text}: {reason}"));
    let ids: Vec<u32> = scene.select_ranges(text).into_iter().flatten().take(100_000).collect();
    if let [id] = ids[..] {
        return Ok(id);
    }
    let whole: Vec<u32> = ids.iter().copied().filter(|&id| scene.path(id) == text).collect();
    match (&ids[..], &whole[..]) {
        ([], _) => match ending(scene, text)[..] {
            [id] => Ok(id),
            ref ids => {
                Err(refuse(format!("the scene has no such shape{}", alike(scene, text, ids))))
            }
        },
        (_, [id]) => Ok(*id),
        (ids, []) => {
            Err(refuse(format!("names several shapes: give one of {}", listed(scene, ids))))
        }
        (_, same) => Err(refuse(format!(
            "is the path of several shapes: give the id of one of {}",
            same.iter().take(LISTED).map(u32::to_string).collect::<Vec<_>>().join(", ")
        ))),
    }
}

fn listed(scene: &Scene, ids: &[u32]) -> String {
    let paths: Vec<String> = ids.iter().take(LISTED).map(|&id| scene.path(id)).collect();
    let more = match ids.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    paths.join(", ") + &more
}

/// The shapes whose paths end in a text, behind a slash.
fn ending(scene: &Scene, text: &str) -> Vec<u32> {
    if scene.geometry_count() > LOOKED_THROUGH || text.is_empty() {
        return Vec::new();
    }
    let is_ending =
        |id: &u32| scene.path(*id).strip_suffix(text).is_some_and(|before| before.ends_with('/'));
    (0..scene.geometry_count()).filter(is_ending).collect()
}

/// What a path may have been meant to be: one that goes on as it begins, one of those that end as it
/// does, or one with a few other letters.
fn alike(scene: &Scene, text: &str, ending: &[u32]) -> String {
    const ADVICE: &str = ": give a path as pick and info --geometries print it";
    if scene.geometry_count() > LOOKED_THROUGH || text.is_empty() {
        return ADVICE.to_owned();
    }
    let paths: Vec<String> = (0..scene.geometry_count()).map(|id| scene.path(id)).collect();
    let begin: Vec<u32> =
        (0..).zip(&paths).filter(|(_, path)| path.starts_with(text)).map(|(id, _)| id).collect();
    for candidates in [&begin[..], ending] {
        if !candidates.is_empty() {
            return format!("; it has {}", listed(scene, candidates));
        }
    }
    let known: Vec<&str> = paths.iter().map(String::as_str).collect();
    nearest(text, &known).map_or(ADVICE.to_owned(), |near| format!("; did you mean {near}?"))
}

/// The middle of a shape in the world, and its radius if it is a sphere.
fn middle(scene: &Scene, id: u32) -> Result<(DVec3, Option<f64>), Failure> {
    let geometry = scene.geometry(id);
    let own = match geometry {
        Some(Geometry::Shape(shape)) if shape.bounds().is_some() => Some(shape.center()),
        Some(geometry) => {
            geometry.bounds().map(|bounds| bounds.center()).filter(|middle| middle.is_finite())
        }
        None => None,
    };
    let own = own.ok_or_else(|| {
        let path = scene.path(id);
        Failure::input(format!("--distance {path}: has no middle: give a shape with an extent"))
    })?;
    let radius = match geometry {
        Some(Geometry::Shape(Shape::Sphere(Sphere { radius, .. }))) => Some(*radius),
        _ => None,
    };
    Ok(match scene.placement(id) {
        None => (own, radius),
        Some(placement) => {
            let grown = radius.filter(|_| placement.keeps_angles());
            let [_, stretch] = placement.stretches();
            (placement.world_from_object().point(own), grown.map(|radius| stretch * radius))
        }
    })
}
