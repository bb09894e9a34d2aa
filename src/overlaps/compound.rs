//! A closed mesh, or a heightfield with a base, as a solid in its own space.

use crate::bvh::NearestStack;
use crate::cpu::CpuTracer;
use crate::geometry::Geometry;
use crate::packed::{PackError, PackedScene};
use crate::ray::Line;
use crate::scene::Scene;
use glam::DVec3;
use std::collections::BTreeSet;

/// A closed mesh or a heightfield with a base, with a tree over its primitives.
pub(super) struct Compound {
    geometry: Geometry,
    packed: PackedScene,
    tracer: CpuTracer,
    /// The points whose convex hull is its own.
    pub hull: Vec<DVec3>,
}

impl Compound {
    /// Makes the solid of a geometry of the scene's own, given its index among these.
    pub fn new(scene: &Scene, own: u32) -> Result<Self, PackError> {
        let alone = scene.own_range(own..own + 1);
        let geometry = &scene.geometries()[own as usize];
        let packed = PackedScene::new(alone)?;
        let tracer = CpuTracer::new(&packed);
        let hull = match geometry {
            Geometry::Mesh(mesh) => {
                let used: BTreeSet<u32> = mesh.triangles().iter().flatten().copied().collect();
                used.into_iter().map(|index| mesh.vertices()[index as usize]).collect()
            }
            Geometry::Heightfield(field) => field.hull_points(),
            Geometry::Shape(_) | Geometry::Lines(_) | Geometry::Empty => Vec::new(),
        };
        Ok(Self { geometry: geometry.clone(), packed, tracer, hull })
    }

    /// Appends where a line crosses it, in the order of t: an entry, an exit, and so on.
    pub fn crossings(&self, line: &Line, crossings: &mut Vec<f64>) {
        self.tracer.own_crossings(line, crossings);
        crossings.sort_unstable_by(f64::total_cmp);
    }

    /// Returns true if it contains a point.
    pub fn holds(&self, point: DVec3) -> bool {
        match &self.geometry {
            Geometry::Heightfield(field) => field.holds(point),
            _ => {
                let mut crossings = Vec::new();
                self.tracer.own_crossings(&Line::upwards(point), &mut crossings);
                crossings.iter().filter(|t| **t >= 0.0).count() % 2 == 1
            }
        }
    }

    /// Returns the nearest point of its surface.
    pub fn closest_point(&self, point: DVec3) -> DVec3 {
        if let Geometry::Heightfield(field) = &self.geometry {
            return field.closest_point(point, f64::INFINITY).map_or(point, |(nearest, _)| nearest);
        }
        // The tree is searched from the nearest float32 point. Distances from there are larger by
        // at most this much.
        let rounded = point.as_vec3();
        let rounding = rounded.as_dvec3().distance(point);
        let mut best = (f64::INFINITY, point);
        let mut stack = NearestStack::default();
        let tree = self.packed.tree();
        tree.traverse_by_distance(rounded.to_array(), f64::INFINITY, &mut stack, |leaf_index| {
            let primitive = self.packed.primitives_at()[leaf_index as usize];
            if let Some(triangle) = self.geometry.shape(primitive) {
                let nearest = triangle.closest_point(point);
                let squared = nearest.distance_squared(point);
                if squared < best.0 {
                    best = (squared, nearest);
                }
            }
            let reach = best.0.sqrt() + rounding;
            reach * reach
        });
        best.1
    }
}
