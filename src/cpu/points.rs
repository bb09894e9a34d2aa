//! What surface is nearest to a point, in float64 by a walk of the tree, and by asking all.

use super::inside::Holders;
use super::ways::in_order_of_ways;
use super::{CpuTracer, Item};
use crate::answers::{Neighbour, Surroundings};
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

/// The best so far, by the number of its part.
#[derive(Clone, Copy)]
struct Best {
    point: DVec3,
    squared: f64,
    part: u32,
}

impl Best {
    fn new(from: DVec3, point: DVec3, part: u32) -> Self {
        Self { point, squared: point.distance_squared(from), part }
    }

    /// Nothing, which all is nearer than.
    const NOTHING: Self = Self { point: DVec3::NAN, squared: f64::INFINITY, part: NONE };

    /// The nearer of two; of two as near that of the lower part.
    fn or(self, other: Self) -> Self {
        let rank = |best: &Self| (best.squared, best.part);
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
    pub(super) fn neighbours(&self, points: &[[f32; 3]]) -> Vec<Neighbour> {
        self.each_point(points, Self::neighbour)
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
    fn neighbour(&self, point: [f32; 3], search: &mut Search) -> Neighbour {
        if !Surroundings::exist_at(point) {
            return Neighbour::NONE;
        }
        let line = Ray::upwards(point).line();
        let mut holders = Holders::NOBODY;
        let around = |place| self.add_holder(place, &line, 0.0, &mut holders);
        let [geometry_id, primitive_id] = match self.search(point, search, around).part {
            NONE => [NONE; 2],
            part => self.scene.parts().ids(part),
        };
        self.add_other_holders(point, &mut holders);
        let Holders { count, lowest_id } = holders;
        Neighbour { contains: count, containing_id: lowest_id, geometry_id, primitive_id }
    }

    #[inline(always)]
    fn nearest_surface(&self, point: [f32; 3], search: &mut Search) -> Option<NearestSurface> {
        let is_point = Surroundings::exist_at(point);
        is_point.then(|| self.search(point, search, |_| {})).and_then(|best| self.surface_of(best))
    }

    /// The nearest part to a point; also tells the places of all that has a ball around it which holds the point.
    #[inline(always)]
    fn search(
        &self,
        point: [f32; 3],
        Search { stack, last }: &mut Search,
        mut around: impl FnMut(usize),
    ) -> Best {
        let at = Vec3::from(point).as_dvec3();
        let mut best = Best::NOTHING;
        for place in (0..self.packed.unbounded).chain(*last) {
            best = self.ask(place, at, best);
        }
        let first = *last;
        self.packed.tree.walk_from(point, best.squared, stack, |place| {
            let place = self.packed.unbounded + place as usize;
            let away = self.balls[place].distance_squared(at);
            // No box that holds the point is too far away to be visited.
            if away == 0.0 {
                around(place);
            }
            if first != Some(place) && away <= best.squared {
                let so_far = best.part;
                best = self.ask(place, at, best);
                if best.part != so_far {
                    *last = Some(place);
                }
            }
            best.squared
        });
        best
    }

    /// As [`Self::nearest_surfaces`] of one point, by asking every part.
    pub fn nearest_surface_by_brute_force(&self, point: [f32; 3]) -> Option<NearestSurface> {
        if !Surroundings::exist_at(point) {
            return None;
        }
        let from = Vec3::from(point).as_dvec3();
        let parts = self.scene.visible().flat_map(|(geometry_id, geometry)| {
            let first = self.scene.parts().first(geometry_id);
            let found = move |primitive_id| {
                let point = geometry.closest_point(primitive_id, from)?;
                Some(Best::new(from, point, first + primitive_id))
            };
            (0..geometry.part_count() as u32).filter_map(found)
        });
        let best = parts.fold(Best::NOTHING, Best::or);
        self.surface_of(best)
    }

    /// Asks what stands at a place of all, those that have no box first.
    fn ask(&self, place: usize, from: DVec3, best: Best) -> Best {
        let part = self.packed.parts_at[place];
        let found = match &self.items[place] {
            Item::Nothing => None,
            Item::Shape(_) | Item::Facet(_) => {
                let [geometry_id, primitive_id] = self.scene.parts().ids(part);
                let geometry = self.scene.geometry(geometry_id);
                let found = geometry.and_then(|own| own.closest_point(primitive_id, from));
                found.map(|point| Best::new(from, point, part))
            }
            Item::Heightfield(field) => {
                let found = field.closest_point(from, best.squared);
                found.map(|(point, triangle)| Best::new(from, point, part + triangle))
            }
        };
        found.map_or(best, |found| best.or(found))
    }

    fn surface_of(&self, best: Best) -> Option<NearestSurface> {
        if best.part == NONE {
            return None;
        }
        let [geometry_id, primitive_id] = self.scene.parts().ids(best.part);
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
            return lanes.vectorize(Wide(self));
        }
        self.answers_in_order()
    }

    #[inline(always)]
    fn answers_in_order(self) -> Vec<T> {
        let Self { tracer, points, ask } = self;
        let rays: Vec<Ray> = points.iter().map(|&point| Ray::upwards(point)).collect();
        let order = in_order_of_ways(&rays, tracer.packed.tree.size);
        let mut search = Search::default();
        let mut answers = Vec::with_capacity(points.len());
        for &place in &order {
            answers.push((place, ask(tracer, points[place as usize], &mut search)));
        }
        answers.sort_unstable_by_key(|(place, _)| *place);
        answers.into_iter().map(|(_, answer)| answer).collect()
    }
}

/// What is compiled for the wide instructions. Not a closure, which a compiler may leave to itself.
#[cfg(target_arch = "x86_64")]
struct Wide<B>(B);

#[cfg(target_arch = "x86_64")]
impl<'s, T, A: Fn(&CpuTracer<'s>, [f32; 3], &mut Search) -> T> pulp::NullaryFnOnce
    for Wide<Block<'_, 's, A>>
{
    type Output = Vec<T>;

    #[inline(always)]
    fn call(self) -> Vec<T> {
        self.0.answers_in_order()
    }
}
