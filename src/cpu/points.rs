//! The nearest surface to a point, in float64: by a traversal of the tree, and by brute force.

use super::containment::Containment;
use super::leaves::PreparedItem;
use super::ray_sort::morton_order;
use super::tracer::CpuTracer;
use crate::bvh::Stack;
use crate::query::{PointAnswer, PointHit};
use crate::ray::{NONE, Ray};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// The nearest point of all surfaces, in float64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestSurface {
    /// The point; of several that are equally near, any one.
    pub point: DVec3,
    /// Its distance.
    pub distance: f64,
    /// The geometry; of several that are equally near, the lowest.
    pub geometry_id: u32,
    /// The primitive of that geometry; of several that are equally near, the lowest.
    pub primitive_id: u32,
}

/// The nearest primitive so far.
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

    /// Stands for no primitive: every one is nearer.
    const NOTHING: Self = Self { point: DVec3::NAN, squared: f64::INFINITY, primitive: NONE };

    /// Returns the nearer of two; of two that are equally near, the lower primitive.
    fn or(self, other: Self) -> Self {
        let rank = |best: &Self| (best.squared, best.primitive);
        if rank(&other) < rank(&self) { other } else { self }
    }
}

/// The state that a thread keeps from one point to the next.
#[derive(Default)]
struct Search {
    stack: Stack,
    /// The item nearest to the last point, if it has a box. Asked first, it leaves little to search around the next
    /// point.
    last: Option<usize>,
}

/// How many points a thread sorts at a time. Neighbours then follow each other and find in the cache what the one
/// before has read.
const BLOCK: Range<usize> = 1 << 10..1 << 19;

impl CpuTracer {
    /// Returns the nearest surface to each point, by traversals of the tree on all cores; `None` if there is no
    /// surface, and for points that are not finite or have a coordinate beyond 1e9.
    pub fn nearest_surfaces(&self, points: &[[f32; 3]]) -> Vec<Option<NearestSurface>> {
        self.each_point(points, Self::nearest_surface)
    }

    /// Returns the solids that contain each point and the nearest surface, by ids.
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
        if !PointAnswer::is_valid_point(point) {
            return PointHit::NONE;
        }
        let line = Ray::upwards(point).line();
        let mut containment = Containment::NOTHING;
        let around = |leaf| self.add_container(leaf, &line, 0.0, &mut containment);
        let [geometry_id, primitive_id] = match self.search(point, search, around).primitive {
            NONE => [NONE; 2],
            primitive => self.packed.scene().primitive_ids().ids(primitive),
        };
        self.add_other_containers(point, &mut containment);
        let Containment { count, lowest_id } = containment;
        PointHit { contains: count, containing_id: lowest_id, geometry_id, primitive_id }
    }

    #[inline(always)]
    fn nearest_surface(&self, point: [f32; 3], search: &mut Search) -> Option<NearestSurface> {
        let is_point = PointAnswer::is_valid_point(point);
        is_point.then(|| self.search(point, search, |_| {})).and_then(|best| self.surface_of(best))
    }

    /// Returns the nearest primitive to a point, and visits every item whose bounding sphere contains the point.
    #[inline(always)]
    fn search(
        &self,
        point: [f32; 3],
        Search { stack, last }: &mut Search,
        mut around: impl FnMut(usize),
    ) -> NearestPrimitive {
        let at = Vec3::from(point).as_dvec3();
        let mut best = NearestPrimitive::NOTHING;
        for leaf in (0..self.leaves.unbounded()).chain(*last) {
            best = self.nearer(leaf, at, best);
        }
        let first = *last;
        self.packed.tree().traverse_by_distance(point, best.squared, stack, |leaf_index| {
            let leaf = self.leaves.index_of(leaf_index);
            let squared = self.leaves.bounding_sphere(leaf).distance_squared(at);
            // A box that contains the point is never too far away to be visited.
            if squared == 0.0 {
                around(leaf);
            }
            if first != Some(leaf) && squared <= best.squared {
                let so_far = best.primitive;
                best = self.nearer(leaf, at, best);
                if best.primitive != so_far {
                    *last = Some(leaf);
                }
            }
            best.squared
        });
        best
    }

    /// Returns the nearest surface to one point as [`Self::nearest_surfaces`] does, by brute force.
    pub fn nearest_surface_by_brute_force(&self, point: [f32; 3]) -> Option<NearestSurface> {
        if !PointAnswer::is_valid_point(point) {
            return None;
        }
        let from = Vec3::from(point).as_dvec3();
        let primitives = self.packed.scene().visible().flat_map(|(geometry_id, geometry)| {
            let first = self.packed.scene().primitive_ids().first(geometry_id);
            let found = move |primitive_id| {
                let point = geometry.primitive(primitive_id)?.closest_point(from);
                Some(NearestPrimitive::new(from, point, first + primitive_id))
            };
            (0..geometry.primitive_count() as u32).filter_map(found)
        });
        let best = primitives.fold(NearestPrimitive::NOTHING, NearestPrimitive::or);
        self.surface_of(best)
    }

    /// Returns the nearer of the nearest primitive so far and an item's.
    fn nearer(&self, leaf: usize, from: DVec3, best: NearestPrimitive) -> NearestPrimitive {
        let primitive = self.leaves.primitive(leaf);
        let found = match self.leaves.item(leaf) {
            PreparedItem::Nothing => None,
            PreparedItem::Shape(_) | PreparedItem::MeshTriangle => {
                let [geometry_id, primitive_id] =
                    self.packed.scene().primitive_ids().ids(primitive);
                let shape = self
                    .packed
                    .scene()
                    .geometry(geometry_id)
                    .and_then(|geometry| geometry.shape(primitive_id));
                shape.map(|shape| NearestPrimitive::new(from, shape.closest_point(from), primitive))
            }
            PreparedItem::Heightfield(field) => {
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
        let [geometry_id, primitive_id] = self.packed.scene().primitive_ids().ids(best.primitive);
        Some(NearestSurface {
            point: best.point,
            distance: best.squared.sqrt(),
            geometry_id,
            primitive_id,
        })
    }
}

/// Points that one thread answers, and the question.
struct Block<'a, A> {
    tracer: &'a CpuTracer,
    points: &'a [[f32; 3]],
    ask: A,
}

impl<T, A: Fn(&CpuTracer, [f32; 3], &mut Search) -> T> Block<'_, A> {
    fn answers(self) -> Vec<T> {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = self.tracer.avx2 {
            return avx2.vectorize(VectorizedBlock(self));
        }
        self.answers_in_order()
    }

    #[inline(always)]
    fn answers_in_order(self) -> Vec<T> {
        let Self { tracer, points, ask } = self;
        let rays: Vec<Ray> = points.iter().map(|&point| Ray::upwards(point)).collect();
        let order = morton_order(&rays, tracer.packed.tree().size());
        let mut search = Search::default();
        let mut answers = Vec::with_capacity(points.len());
        for &leaf_index in &order {
            answers.push((leaf_index, ask(tracer, points[leaf_index as usize], &mut search)));
        }
        answers.sort_unstable_by_key(|(leaf_index, _)| *leaf_index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// The answers to a block, compiled for AVX2. It is not a closure, because the compiler may not inline one.
#[cfg(target_arch = "x86_64")]
struct VectorizedBlock<B>(B);

#[cfg(target_arch = "x86_64")]
impl<T, A: Fn(&CpuTracer, [f32; 3], &mut Search) -> T> pulp::NullaryFnOnce
    for VectorizedBlock<Block<'_, A>>
{
    type Output = Vec<T>;

    #[inline(always)]
    fn call(self) -> Vec<T> {
        self.0.answers_in_order()
    }
}
