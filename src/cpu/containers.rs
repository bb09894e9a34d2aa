//! The solids that contain each of many points, without the nearest surfaces: each point is the
//! start of a ray upwards, and the rays are cast together as any others are.

use super::batch::Order;
use super::containment::{ContainerSet, PassedMesh, half_space_holds, holds, passed_mesh};
use super::hit_collector::{Certain, HitCollector};
use super::points::points_a_block;
use super::space::Space;
use super::tracer::CpuTracer;
use super::volumes::InnermostOrder;
use crate::math::Bounds;
use crate::query::{Batch, PointAnswer};
use crate::ray::{Line, NONE, Ray};
use crate::scene::Scene;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

impl CpuTracer {
    /// Returns the solid of least volume that contains each point.
    pub(super) fn innermost_solids(&self, points: &[[f32; 3]]) -> Vec<u32> {
        let scene = self.packed.all_worlds();
        let innermost = |ids: Vec<u32>| {
            let solids = ids.iter().filter_map(|&id| self.volumes().order(scene, 0, id));
            solids.min_by(InnermostOrder::compare).map_or(NONE, |solid| solid.geometry_id)
        };
        self.containers::<Vec<u32>>(points).into_par_iter().map(innermost).collect()
    }

    /// Returns the solids that contain each point.
    pub(super) fn containers<K: ContainerSet>(&self, points: &[[f32; 3]]) -> Vec<K> {
        let block = points_a_block(points.len());
        // The box is that of the places at which the tree was built.
        let bounds = self.packed.bounds().filter(|_| !self.packed.tree().was_refitted());
        let shadow = bounds.map(Shadow::of);
        let mut found = vec![K::NOTHING; points.len()];
        let of_block = |(points, found): (&[[f32; 3]], &mut [K])| {
            self.find_containers(points, shadow, found);
        };
        points.par_chunks(block).zip(found.par_chunks_mut(block)).for_each(of_block);
        found
    }

    fn find_containers<K: ContainerSet>(
        &self,
        points: &[[f32; 3]],
        shadow: Option<Shadow>,
        found: &mut [K],
    ) {
        let may_be_inside = |point: &[f32; 3]| {
            PointAnswer::is_valid_point(*point) && shadow.is_none_or(|shadow| shadow.holds(*point))
        };
        let indices: Vec<usize> =
            (0..points.len()).filter(|&index| may_be_inside(&points[index])).collect();
        let rays: Vec<Ray> = indices.iter().map(|&index| Ray::upwards(points[index])).collect();
        let mut answers = vec![ContainerCollector::INVALID; rays.len()];
        self.cast_in_order::<ContainerCollector<K>, _>(
            Batch::new(&rays),
            Order::Morton,
            &mut answers,
        );
        for (index, answer) in indices.into_iter().zip(answers) {
            found[index] = answer.unwrap_or_else(|| self.containers_of(points[index]));
        }
    }
}

/// The space below a scene: a ray upwards from elsewhere meets nothing.
#[derive(Clone, Copy)]
struct Shadow {
    low: DVec3,
    high: DVec3,
}

impl Shadow {
    /// It is wider than the box by far more than rounding moves any point of a surface.
    fn of(bounds: Bounds) -> Self {
        let margin = 1e-6 * (bounds.min.abs().max(bounds.max.abs()).max_element() + 1.0);
        let low = DVec3 { z: f64::NEG_INFINITY, ..bounds.min - margin };
        Self { low, high: bounds.max + margin }
    }

    fn holds(&self, point: [f32; 3]) -> bool {
        let point = Vec3::from(point).as_dvec3();
        self.low.cmple(point).all() && point.cmple(self.high).all()
    }
}

/// Collects the solids that contain the start of a ray.
pub(super) struct ContainerCollector<K> {
    /// Those that are known, the closed meshes aside.
    known: K,
    /// The closed meshes that are crossed an odd number of times so far: one of them, or [`NONE`],
    /// and the others. Most rays meet no more than one mesh, for which no memory is needed.
    odd: u32,
    other_odd: Vec<u32>,
    is_on_mesh: bool,
}

impl<K> ContainerCollector<K> {
    fn cross(&mut self, mesh: u32) {
        if self.odd == mesh {
            self.odd = NONE;
        } else if let Some(place) = self.other_odd.iter().position(|&odd| odd == mesh) {
            self.other_odd.swap_remove(place);
        } else if self.odd == NONE {
            self.odd = mesh;
        } else {
            self.other_odd.push(mesh);
        }
    }
}

impl<K: ContainerSet> HitCollector for ContainerCollector<K> {
    /// `None` for a ray that starts on a closed mesh. How wide the boxes are that lead there then
    /// matters, and [`CpuTracer::containers_of`] decides.
    type Answer = Option<K>;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Nothing;
    const INVALID: Option<K> = Some(K::NOTHING);

    #[inline(always)]
    fn new() -> Self {
        Self { known: K::NOTHING, odd: NONE, other_odd: Vec::new(), is_on_mesh: false }
    }

    #[inline(always)]
    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, [t, end]: [f64; 2]) -> f64 {
        if let Some(triangle) = space.leaves.triangle(leaf) {
            if let Some(PassedMesh { is_on, is_odd }) = passed_mesh(space, leaf, triangle, line, t)
            {
                self.is_on_mesh |= is_on;
                if is_odd {
                    self.cross(space.ids(leaf)[0]);
                }
            }
            return end;
        }
        let is_inside = match leaf < space.leaves.unbounded() {
            true => half_space_holds(space, leaf, line.at(t)),
            false => holds(space, leaf, line, t),
        };
        if is_inside {
            self.known.add(space.ids(leaf)[0]);
        }
        end
    }

    fn answer(self, _: &Scene) -> Option<K> {
        let mut containers = self.known;
        let odd = self.other_odd.into_iter().chain(Some(self.odd).filter(|&odd| odd != NONE));
        odd.for_each(|mesh| containers.add(mesh));
        (!self.is_on_mesh).then_some(containers)
    }
}

#[cfg(test)]
mod tests;
