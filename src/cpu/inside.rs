//! What holds a point: a line through it tells of each solid whether the point lies inside.

use super::{CpuTracer, Item, One};
use crate::batch::{Batch, Choice};
use crate::bvh::{Portable, Stack};
use crate::geometry::Geometry;
use crate::ray::{NONE, Ray};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The solids that hold a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holders {
    pub count: u32,
    /// [`NONE`] where there is none.
    pub lowest_id: u32,
}

impl Holders {
    const NOBODY: Self = Self { count: 0, lowest_id: NONE };

    fn add(&mut self, geometry_id: u32) {
        self.count += 1;
        self.lowest_id = self.lowest_id.min(geometry_id);
    }
}

impl CpuTracer<'_> {
    /// The solids in or on which a valid ray's point at t lies, a finite one. Half-spaces are none.
    pub(super) fn holders(&self, ray: &Ray, t: f32, choice: &Choice) -> Holders {
        let mut holders = Holders::NOBODY;
        let line = ray.line();
        let at = f64::from(t);
        let here = ray.within(t, t);
        self.each_near(&here, choice, |place| {
            if let Item::Shape(shape) = &self.items[place]
                && let [geometry_id, _] = self.ids_at(place)
                && self.scene.geometry(geometry_id).is_some_and(Geometry::is_solid)
                && shape.crossings(&line).hold(at)
            {
                holders.add(geometry_id);
            }
        });
        if self.has_closed_mesh {
            self.each_mesh_around(ray, t, choice, |geometry_id| holders.add(geometry_id));
        }
        holders
    }

    /// The solids in or on which a finite point lies, and the half-spaces that hold it.
    pub(crate) fn holders_of_point(&self, point: [f32; 3]) -> Holders {
        let upwards = Ray::new(point, [0.0, 0.0, 1.0]);
        let mut holders = self.holders(&upwards, 0.0, &Choice::ALL);
        for place in 0..self.packed.unbounded {
            let [geometry_id, primitive_id] = self.ids_at(place);
            let shape = self.scene.geometry(geometry_id).and_then(|own| own.shape(primitive_id));
            if shape.is_some_and(|shape| shape.half_space_holds(upwards.line().origin)) {
                holders.add(geometry_id);
            }
        }
        holders
    }

    /// Tells of each answer to a ray of a solid batch that begins in or on a solid, and of the lowest such.
    pub(super) fn each_from_within<T: Send>(
        &self,
        batch: Batch<'_>,
        answers: &mut [T],
        tell: impl Fn(&mut T, &Ray, u32) + Sync,
    ) {
        if !batch.is_solid() {
            return;
        }
        answers.par_iter_mut().enumerate().for_each(|(place, answer)| {
            let ray = &batch.rays()[place];
            if ray.is_valid() && ray.t_min.is_finite() {
                let choice = Choice::of(&batch, place, self.scene.parts());
                match self.holders(ray, ray.t_min, &choice).lowest_id {
                    NONE => {}
                    lowest_id => tell(answer, ray, lowest_id),
                }
            }
        });
    }

    /// Tells of each closed mesh that the ray leaves more often than it enters, from t on, or is on at t.
    fn each_mesh_around(&self, ray: &Ray, t: f32, choice: &Choice, mut tell: impl FnMut(u32)) {
        let line = ray.line();
        let onwards = [f64::from(t), f64::INFINITY];
        // Of each whether it is around.
        let mut met = BTreeMap::<u32, Met>::new();
        self.each_near(&ray.within(t, f32::INFINITY), choice, |place| {
            let Item::Facet(facet) = &self.items[place] else { return };
            let [geometry_id, _] = self.ids_at(place);
            if !self.scene.geometry(geometry_id).is_some_and(Geometry::is_solid) {
                return;
            }
            for crossing in facet.own_crossings(&line).within(onwards) {
                let met = met.entry(geometry_id).or_default();
                met.is_on |= crossing.t == onwards[0];
                met.is_odd ^= true;
            }
        });
        let around = met.iter().filter(|(_, met)| met.is_on || met.is_odd);
        around.for_each(|(geometry_id, _)| tell(*geometry_id));
    }

    fn ids_at(&self, place: usize) -> [u32; 2] {
        self.scene.parts().ids(self.packed.parts_at[place])
    }

    /// Tells the places of what has a box which a valid ray meets, and which it may meet.
    fn each_near(&self, ray: &Ray, choice: &Choice, mut tell: impl FnMut(usize)) {
        let t_max = f64::from(ray.t_max);
        let visit = |place| {
            let place = self.packed.unbounded + place as usize;
            if self.may_meet(place, choice) {
                tell(place);
            }
            t_max
        };
        let start = self.packed.tree.start(ray, t_max, 0.0);
        let mut one = One { start, visit };
        self.packed.tree.walk(Portable, &mut Stack::default(), &mut one);
    }
}

/// How often a mesh is crossed.
#[derive(Clone, Copy, Default)]
struct Met {
    is_on: bool,
    is_odd: bool,
}
