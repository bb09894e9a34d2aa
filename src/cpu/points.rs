//! The nearest surface to a point, in float64: with a traversal of the tree, and by brute force.

use super::containment::holds;
use super::leaves::{LeafInstance, PreparedItem};
use super::ray_sort::morton_order;
use super::space::Space;
use super::tracer::CpuTracer;
use crate::bvh::NearestStack;
use crate::query::{Containment, PointAnswer, PointHit, RaySource};
use crate::ray::{Line, NONE, Ray};
use crate::scene::{Instance, PrimitiveRef, Scene};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

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

#[derive(Clone, Copy)]
struct NearestPrimitive {
    point: DVec3,
    squared: f64,
    primitive: PrimitiveRef,
}

impl NearestPrimitive {
    fn new(from: DVec3, point: DVec3, primitive: PrimitiveRef) -> Self {
        Self { point, squared: point.distance_squared(from), primitive }
    }

    /// Stands for no primitive: every one is nearer.
    const NOTHING: Self =
        Self { point: DVec3::NAN, squared: f64::INFINITY, primitive: PrimitiveRef::own(NONE) };

    /// Returns the nearer of two; of two that are equally near, the lower primitive.
    #[inline(always)]
    fn or(self, other: Self, world: &Scene) -> Self {
        let is_nearer = other.squared < self.squared
            || (other.squared == self.squared && world.precedes(other.primitive, self.primitive));
        if is_nearer { other } else { self }
    }
}

/// The state that a thread keeps from one point to the next.
#[derive(Default)]
struct Search {
    stack: NearestStack,
    /// The stack of a traversal within an instance.
    in_instance: NearestStack,
    /// The item nearest to the last point, if it has a box. If it is tested first, little remains
    /// to search around the next point.
    last: Option<usize>,
}

/// Returns how many of some points a thread sorts at a time. Neighbours then follow each other and
/// find in the cache what the one before has read.
pub(super) fn points_a_block(points: usize) -> usize {
    (points / (4 * rayon::current_num_threads())).clamp(1 << 10, 1 << 19)
}

impl CpuTracer {
    /// Returns the nearest surface to each point, by traversals of the tree on all cores; `None` if
    /// there is no surface, and for points that are not finite or have a coordinate above 1e9.
    pub fn nearest_surfaces(&self, points: &[[f32; 3]]) -> Vec<Option<NearestSurface>> {
        self.each_point(points, Self::nearest_surface)
    }

    /// Returns the solids that contain each point and the nearest surface, by ids.
    pub(crate) fn point_hits(&self, points: &[[f32; 3]]) -> Vec<PointHit> {
        self.each_point(points, Self::point_hit)
    }

    fn each_point<T, A>(&self, points: &[[f32; 3]], ask: A) -> Vec<T>
    where
        T: Send,
        A: Fn(&Self, [f32; 3], &mut Search) -> T + Copy + Sync,
    {
        let block = points_a_block(points.len());
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
        let around = |space: Space<'_>, leaf, line: &Line| {
            if holds(space, leaf, line, 0.0) {
                containment.add(space.ids(leaf)[0]);
            }
        };
        let nearest = self.search(point, search, &line, around);
        let [geometry_id, primitive_id] = self.packed.all_worlds().ids_of(nearest.primitive);
        self.visit_other_containers(point, &mut |id| containment.add(id));
        let Containment { contains, containing_id } = containment;
        PointHit { contains, containing_id, geometry_id, primitive_id }
    }

    #[inline(always)]
    fn nearest_surface(&self, point: [f32; 3], search: &mut Search) -> Option<NearestSurface> {
        let is_point = PointAnswer::is_valid_point(point);
        let line = Ray::upwards(point).line();
        let nearest = is_point.then(|| self.search(point, search, &line, |_, _, _| {}))?;
        self.surface_of(nearest)
    }

    /// Returns the nearest primitive to the origin of a line, which is the point, and visits every
    /// item whose bounding sphere contains the point, each with the line in the item's space.
    #[inline(always)]
    fn search<'a>(
        &'a self,
        point: [f32; 3],
        Search { stack, in_instance, last }: &mut Search,
        line: &Line,
        mut around: impl FnMut(Space<'a>, usize, &Line),
    ) -> NearestPrimitive {
        let at = line.origin;
        let world = self.top_level();
        let mut best = NearestPrimitive::NOTHING;
        for leaf in (0..self.leaves.unbounded()).chain(*last) {
            best = match self.leaves.instance(leaf) {
                None => self.nearer(world, leaf, at, best),
                Some(instance) => {
                    self.search_instance(instance, line, in_instance, best, &mut around)
                }
            };
        }
        let first = *last;
        self.packed.tree().traverse_by_distance(point, best.squared, stack, |leaf_index| {
            let leaf = self.leaves.index_of(leaf_index);
            let squared = self.leaves.bounding_sphere(leaf).distance_squared(at);
            // A box that contains the point is never too far away to be visited.
            if self.has_instances()
                && let Some(instance) = self.leaves.instance(leaf)
            {
                if squared <= best.squared {
                    best = self.search_instance(instance, line, in_instance, best, &mut around);
                }
                return best.squared;
            }
            if squared == 0.0 {
                around(world, leaf, line);
            }
            if first != Some(leaf) && squared <= best.squared {
                let so_far = best.primitive;
                best = match self.leaves.triangle(leaf) {
                    Some(triangle) => {
                        let primitive = PrimitiveRef::own(self.leaves.primitive(leaf));
                        let found =
                            NearestPrimitive::new(at, triangle.closest_point(at), primitive);
                        best.or(found, self.packed.all_worlds())
                    }
                    None => self.nearer(world, leaf, at, best),
                };
                if best.primitive != so_far {
                    *last = Some(leaf);
                }
            }
            best.squared
        });
        best
    }

    /// Returns the nearer of the nearest primitive so far and an instance's, and visits what is
    /// around the point there. The distance to an image is at least the distance in object space
    /// times the least stretch.
    #[inline(never)]
    fn search_instance<'a>(
        &'a self,
        instance: &LeafInstance,
        line: &Line,
        stack: &mut NearestStack,
        so_far: NearestPrimitive,
        around: &mut dyn FnMut(Space<'a>, usize, &Line),
    ) -> NearestPrimitive {
        let space = self.space_of(instance);
        let line_in_object = instance.object_from_world.line(line);
        let at = line_in_object.origin;
        let least = space.least_stretch();
        // The point is rounded to float32 in object space, so each distance to a box may be off by
        // u of itself.
        let reach = |best: &NearestPrimitive| best.squared / (least * least) * (1.0 + 1e-5);
        let mut best = so_far;
        for leaf in 0..space.leaves.unbounded() {
            best = self.nearer(space, leaf, line.origin, best);
        }
        let point = at.as_vec3().to_array();
        let tree = space.leaves.tree();
        tree.traverse_by_distance(point, reach(&best), stack, |leaf_index| {
            let leaf = space.leaves.index_of(leaf_index);
            let squared = space.leaves.bounding_sphere(leaf).distance_squared(at);
            if squared == 0.0 {
                around(space, leaf, &line_in_object);
            }
            if squared <= reach(&best) {
                best = self.nearer(space, leaf, line.origin, best);
            }
            reach(&best)
        });
        best
    }

    /// Returns the nearest surface to one point as [`Self::nearest_surfaces`] does, by brute force.
    pub fn nearest_surface_by_brute_force(&self, point: [f32; 3]) -> Option<NearestSurface> {
        if !PointAnswer::is_valid_point(point) {
            return None;
        }
        let from = Vec3::from(point).as_dvec3();
        let scene = self.packed.all_worlds();
        let visible = scene.written_out().filter(|(number, ..)| scene.is_visible_in(0, *number));
        let mut nearest: Option<NearestSurface> = None;
        let mut least = f64::INFINITY;
        for (number, geometry, _) in visible {
            for primitive_id in 0..geometry.primitive_count() as u32 {
                let Some(primitive) = scene.primitive(number, primitive_id) else { continue };
                let point = primitive.closest_point(from);
                let squared = point.distance_squared(from);
                // The traversal compares squares too, which differ where their roots do not.
                if nearest.is_none() || squared < least {
                    least = squared;
                    nearest = Some(NearestSurface {
                        point,
                        distance: squared.sqrt(),
                        geometry_id: scene.id_of_number(number),
                        primitive_id,
                    });
                }
            }
        }
        nearest
    }

    /// Returns the nearer of the nearest primitive so far and that of an item, which may be placed.
    #[inline(never)]
    fn nearer(
        &self,
        space: Space<'_>,
        leaf: usize,
        from: DVec3,
        best: NearestPrimitive,
    ) -> NearestPrimitive {
        let world = self.packed.all_worlds();
        let first =
            PrimitiveRef { instance: space.instance, primitive: space.leaves.primitive(leaf) };
        let placement = world.instances().get(space.instance as usize).map(Instance::placement);
        let geometry = || space.leaves.geometry(leaf);
        match (space.leaves.item(leaf), placement) {
            (PreparedItem::Nothing | PreparedItem::Instance(_), _) => best,
            (PreparedItem::Heightfield(field), None) => {
                let found = field.closest_point(from, best.squared);
                found.map_or(best, |(point, triangle)| {
                    best.or(NearestPrimitive::new(from, point, first.plus(triangle)), world)
                })
            }
            (PreparedItem::Heightfield(_), Some(placement)) => {
                // The nearest primitive in object space need not be the nearest one in the world.
                let mut best = best;
                for (index, primitive) in
                    (0..).map_while(|id| Some((id, geometry()?.primitive(id)?)))
                {
                    let point = primitive.placed(Some(placement)).closest_point(from);
                    best = best.or(NearestPrimitive::new(from, point, first.plus(index)), world);
                }
                best
            }
            (PreparedItem::Shape(_) | PreparedItem::MeshTriangle, placement) => {
                let [_, primitive_id] = space.leaves.ids(leaf);
                let Some(primitive) = geometry().and_then(|found| found.primitive(primitive_id))
                else {
                    return best;
                };
                let point = primitive.placed(placement).closest_point(from);
                best.or(NearestPrimitive::new(from, point, first), world)
            }
        }
    }

    fn surface_of(&self, best: NearestPrimitive) -> Option<NearestSurface> {
        let [geometry_id, primitive_id] = self.packed.all_worlds().ids_of(best.primitive);
        if geometry_id == NONE {
            return None;
        }
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
        let order = morton_order(RaySource::Rays(&rays), tracer.packed.tree().size());
        let mut search = Search::default();
        let mut answers = Vec::with_capacity(points.len());
        for &leaf_index in &order {
            answers.push((leaf_index, ask(tracer, points[leaf_index as usize], &mut search)));
        }
        answers.sort_unstable_by_key(|(leaf_index, _)| *leaf_index);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// The answers to a block, compiled for AVX2. It is not a closure, because the compiler may not
/// inline one.
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
