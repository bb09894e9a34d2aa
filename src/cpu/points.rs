//! What surface is nearest to a point, in float64 by a walk of the tree, and by asking all.

use super::containment::Containment;
use super::ray_sort::morton_order;
use super::{CpuTracer, Item};
use crate::answers::{PointAnswer, PointHit};
use crate::bvh::Stack;
use crate::ray::{NONE, Ray};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// The nearest point of all surfaces, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSurface {
    /// Where it is; of several such points any one.
    pub point: DVec3,
    /// How far away that is.
    pub distance: f64,
    /// Which geometry, of several as near the lowest.
    pub geometry_id: u32,
    /// Which part of it, of several as near the lowest.
    pub primitive_id: u32,
}

/// The best so far, by the number of its primitive.
#[derive(Clone, Copy)]
struct NearestPrimitive {
    point: DVec3,
    squared: f64,
    primitive: u32,
}

impl NearestPrimitive {
    fn new(from: DVec3, point: DVec3, primitive: u32) -> Self {
        Self { point, squared: point.distance_squared(from), primitive }
    }

    /// Nothing, which all is nearer than.
    const NOTHING: Self = Self { point: DVec3::NAN, squared: f64::INFINITY, primitive: NONE };

    /// The nearer of two; of two as near that of the lower primitive.
    fn or(self, other: Self) -> Self {
        let rank = |best: &Self| (best.squared, best.primitive);
        if rank(&other) < rank(&self) { other } else { self }
    }
}

/// What a thread keeps from one point to the next.
#[derive(Default)]
struct Search {
    stack: Stack,
    /// What was the nearest to the last point, if it has a box. Asked first, it leaves little to look for around the
    /// next.
    last: Option<usize>,
}

/// The points of which a thread sorts as many at a time, so that near ones are asked for one after another: what one
/// reads of the tree the next finds at hand.
const BLOCK: Range<usize> = 1 << 10..1 << 19;

impl<'a> CpuTracer<'a> {
    /// The nearest surface to each point, by walks of the tree on all cores; `None` where there is no surface, and for
    /// points that are not finite or have a coordinate beyond 1e9.
    pub fn nearest_surfaces(&self, points: &[[f32; 3]]) -> Vec<Option<NearestSurface>> {
        self.each_point(points, Self::nearest_surface)
    }

    /// What is around each point, by ids.
    pub(super) fn point_hits(&self, points: &[[f32; 3]]) -> Vec<PointHit> {
        self.each_point(points, Self::point_hit)
    }

    fn each_point<T, A>(&self, points: &[[f32; 3]], ask: A) -> Vec<T>
    where
        T: Send,
        A: Fn(&Self, [f32; 3], &mut Search) -> T + Copy + Sync,
    {
        let block = points.len() / (4 * rayon::current_num_threads());
        let block = block.clamp(BLOCK.start, BLOCK.end);
        let of_block = |points| Block { tracer: self, points, ask }.answers();
        points.par_chunks(block).flat_map_iter(of_block).collect()
    }

    #[inline(always)]
    fn point_hit(&self, point: [f32; 3], search: &mut Search) -> PointHit {
        if !PointAnswer::exist_at(point) {
            return PointHit::NONE;
        }
        let line = Ray::upwards(point).line();
        let mut containment = Containment::NOBODY;
        let around = |leaf_index| self.add_container(leaf_index, &line, 0.0, &mut containment);
        let [geometry_id, primitive_id] = match self.search(point, search, around).primitive {
            NONE => [NONE; 2],
            primitive => self.scene.primitive_ids().ids(primitive),
        };
        self.add_other_containers(point, &mut containment);
        let Containment { count, lowest_id } = containment;
        PointHit { contains: count, containing_id: lowest_id, geometry_id, primitive_id }
    }

    #[inline(always)]
    fn nearest_surface(&self, point: [f32; 3], search: &mut Search) -> Option<NearestSurface> {
        let is_point = PointAnswer::exist_at(point);
        is_point.then(|| self.search(point, search, |_| {})).and_then(|best| self.surface_of(best))
    }

    /// The nearest primitive to a point; also tells the places of all that has a bounding_sphere around it which holds the point.
    #[inline(always)]
    fn search(
        &self,
        point: [f32; 3],
        Search { stack, last }: &mut Search,
        mut around: impl FnMut(usize),
    ) -> NearestPrimitive {
        let at = Vec3::from(point).as_dvec3();
        let mut best = NearestPrimitive::NOTHING;
        for leaf_index in (0..self.packed.unbounded).chain(*last) {
            best = self.ask(leaf_index, at, best);
        }
        let first = *last;
        self.packed.tree.walk_from(point, best.squared, stack, |leaf_index| {
            let leaf_index = self.packed.unbounded + leaf_index as usize;
            let away = self.bounding_spheres[leaf_index].distance_squared(at);
            // No box that holds the point is too far away to be visited.
            if away == 0.0 {
                around(leaf_index);
            }
            if first != Some(leaf_index) && away <= best.squared {
                let so_far = best.primitive;
                best = self.ask(leaf_index, at, best);
                if best.primitive != so_far {
                    *last = Some(leaf_index);
                }
            }
            best.squared
        });
        best
    }

    /// As [`Self::nearest_surfaces`] of one point, by asking every primitive.
    pub fn nearest_surface_by_brute_force(&self, point: [f32; 3]) -> Option<NearestSurface> {
        if !PointAnswer::exist_at(point) {
            return None;
        }
        let from = Vec3::from(point).as_dvec3();
        let primitives = self.scene.visible().flat_map(|(geometry_id, geometry)| {
            let first = self.scene.primitive_ids().first(geometry_id);
            let found = move |primitive_id| {
                let point = geometry.closest_point(primitive_id, from)?;
                Some(NearestPrimitive::new(from, point, first + primitive_id))
            };
            (0..geometry.primitive_count() as u32).filter_map(found)
        });
        let best = primitives.fold(NearestPrimitive::NOTHING, NearestPrimitive::or);
        self.surface_of(best)
    }

    /// Asks what stands at a place of all, those that have no box first.
    fn ask(&self, leaf_index: usize, from: DVec3, best: NearestPrimitive) -> NearestPrimitive {
        let primitive = self.packed.primitives_at[leaf_index];
        let found = match &self.items[leaf_index] {
            Item::Nothing => None,
            Item::Shape(_) | Item::MeshTriangle(_) => {
                let [geometry_id, primitive_id] = self.scene.primitive_ids().ids(primitive);
                let geometry = self.scene.geometry(geometry_id);
                let found = geometry.and_then(|own| own.closest_point(primitive_id, from));
                found.map(|point| NearestPrimitive::new(from, point, primitive))
            }
            Item::Heightfield(field) => {
                let found = field.closest_point(from, best.squared);
                found.map(|(point, triangle)| {
                    NearestPrimitive::new(from, point, primitive + triangle)
                })
            }
        };
        found.map_or(best, |found| best.or(found))
    }

    fn surface_of(&self, best: NearestPrimitive) -> Option<NearestSurface> {
        if best.primitive == NONE {
            return None;
        }
        let [geometry_id, primitive_id] = self.scene.primitive_ids().ids(best.primitive);
        Some(NearestSurface {
            point: best.point,
            distance: best.squared.sqrt(),
            geometry_id,
            primitive_id,
        })
    }
}

/// Points that follow one another, and what is asked of them.
struct Block<'a, 's, A> {
    tracer: &'a CpuTracer<'s>,
    points: &'a [[f32; 3]],
    ask: A,
}

impl<'s, T, A: Fn(&CpuTracer<'s>, [f32; 3], &mut Search) -> T> Block<'_, 's, A> {
    fn answers(self) -> Vec<T> {
        #[cfg(target_arch = "x86_64")]
        if let Some(lanes) = self.tracer.wide {
            return lanes.vectorize(VectorizedBlock(self));
        }
        self.answers_in_order()
    }

    #[inline(always)]
    fn answers_in_order(self) -> Vec<T> {
        let Self { tracer, points, ask } = self;
        let rays: Vec<Ray> = points.iter().map(|&point| Ray::upwards(point)).collect();
        let order = morton_order(&rays, tracer.packed.tree.size);
        let mut search = Search::default();
        let mut answers = Vec::with_capacity(points.len());
        for &leaf_index in &order {
            answers.push((leaf_index, ask(tracer, points[leaf_index as usize], &mut search)));
        }
        answers.sort_unstable_by_key(|(leaf_index, _)| *leaf_index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// What is compiled for the wide instructions. Not a closure, which a compiler may leave to itself.
#[cfg(target_arch = "x86_64")]
struct VectorizedBlock<B>(B);

#[cfg(target_arch = "x86_64")]
impl<'s, T, A: Fn(&CpuTracer<'s>, [f32; 3], &mut Search) -> T> pulp::NullaryFnOnce
    for VectorizedBlock<Block<'_, 's, A>>
{
    type Output = Vec<T>;

    #[inline(always)]
    fn call(self) -> Vec<T> {
        self.0.answers_in_order()
    }
}
