//! The distance between the middles of two shapes.

use crate::failure::Failure;
use crate::shape_names::{LISTED, chosen, listed};
use crate::summary::{DistanceSummary, NamedGeometry};
use raytwin::geometry::Geometry;
use raytwin::glam::DVec3;
use raytwin::scene::Scene;
use raytwin::shapes::{Shape, Sphere};

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

/// The id of the one shape that a text names: by its id, by its whole path, or by a path, a pattern
/// or the end of a path that chooses no other.
fn found(scene: &Scene, text: &str) -> Result<u32, Failure> {
    let refuse = |reason: String| Failure::input(format!("--distance {text}: {reason}"));
    let ranges = chosen(scene, text).map_err(refuse)?;
    let ids: Vec<u32> = ranges.into_iter().flatten().take(100_000).collect();
    if let [id] = ids[..] {
        return Ok(id);
    }
    let whole: Vec<u32> = ids.iter().copied().filter(|&id| scene.path(id) == text).collect();
    match &whole[..] {
        [id] => Ok(*id),
        [] => Err(refuse(format!("names several shapes: give one of {}", listed(scene, &ids)))),
        same => Err(refuse(format!(
            "is the path of several shapes: give the id of one of {}",
            same.iter().take(LISTED).map(u32::to_string).collect::<Vec<_>>().join(", ")
        ))),
    }
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
