//! The stretches of a ray in which surfaces may be crossed, and how often: the possible numbers of
//! crossings if every surface may be displaced.

use super::Judge;
use super::cast_primitive::{CastPrimitive, displacement};
use super::filtered_ray::FilteredRay;
use raytwin::crossings::ZoneKind;
use raytwin::geometry::SurfacePart;

/// An interval of t in which a surface may be crossed several possible numbers of times.
#[derive(Clone, Debug)]
pub(super) struct Stretch {
    pub geometry_id: u32,
    /// The primitives that may be crossed, ascending.
    pub primitive_ids: Vec<u32>,
    pub span: [f64; 2],
    pub least: u32,
    pub most: u32,
    /// True if the number can only change by two.
    pub keeps_parity: bool,
    /// True if it extends over an end of the ray's interval.
    pub is_cut: bool,
}

impl Stretch {
    /// Returns true if the surface may be crossed the given number of times.
    pub fn allows(&self, count: u32) -> bool {
        let is_even = |difference: u32| difference.is_multiple_of(2);
        (self.least..=self.most).contains(&count)
            && (!self.keeps_parity || is_even(count - self.least))
    }

    /// Returns true if several numbers of crossings are possible.
    pub fn is_free(&self) -> bool {
        self.least + u32::from(self.keeps_parity) < self.most
    }

    /// Returns true if a crossing could belong to either of two stretches.
    fn is_confused_with(&self, other: &Self) -> bool {
        let overlap = self.span[0] <= other.span[1] && other.span[0] <= self.span[1];
        let is_shared = |id: &u32| other.primitive_ids.binary_search(id).is_ok();
        overlap && self.primitive_ids.iter().any(is_shared)
    }

    fn joined_with(mut self, other: Self) -> Self {
        self.primitive_ids.extend(other.primitive_ids);
        self.primitive_ids.sort_unstable();
        self.primitive_ids.dedup();
        self.span = [self.span[0].min(other.span[0]), self.span[1].max(other.span[1])];
        self.least += other.least;
        self.most += other.most;
        self.keeps_parity &= other.keeps_parity;
        self.is_cut |= other.is_cut;
        self
    }

    /// Cuts the stretch by the ray's interval, given how far its crossings may extend (`from` to
    /// `to`). Returns `None` if the stretch is outside.
    fn within(self, [from, to]: [f64; 2], [t_min, t_max]: [f64; 2]) -> Option<Self> {
        if to < t_min || from > t_max {
            return None;
        }
        let is_cut = from < t_min || to > t_max;
        Some(match is_cut {
            true => Self { least: 0, keeps_parity: false, is_cut, ..self },
            false => self,
        })
    }
}

impl Judge {
    /// Returns where a ray may cross the given primitives if every surface may be displaced by a
    /// share of δ.
    pub(super) fn stretches(
        &self,
        ray: &FilteredRay<'_>,
        near: &[[u32; 2]],
        share: f64,
    ) -> Vec<Stretch> {
        let mut stretches = Vec::new();
        for of_geometry in near.chunk_by(|a, b| a[0] == b[0]) {
            let geometry_id = of_geometry[0][0];
            match self.surface_parts(ray, of_geometry, share) {
                Some(parts) => {
                    let of_parts = parts.into_iter().filter_map(|part| {
                        let span = part.span;
                        of_part(geometry_id, part).within(span, ray.interval)
                    });
                    stretches.extend(separated(of_parts));
                }
                None => {
                    for cast in of_geometry.iter().filter_map(|&ids| self.cast(ray, ids, share)) {
                        let of_zones = (0..cast.zones.len()).filter_map(|index| {
                            of_zone(&cast, index)?.within(reach(&cast, index), ray.interval)
                        });
                        stretches.extend(of_zones);
                    }
                }
            }
        }
        stretches
    }

    /// Returns the parts of one geometry's surface that a ray may cross; `None` if it is not made
    /// up of triangles.
    pub(super) fn surface_parts(
        &self,
        ray: &FilteredRay<'_>,
        of_geometry: &[[u32; 2]],
        share: f64,
    ) -> Option<Vec<SurfacePart>> {
        let geometry_id = of_geometry[0][0];
        if self.scene.geometry(geometry_id)?.primitive_count() == 1 {
            return None;
        }
        let delta = |&ids: &[u32; 2]| {
            let primitive = self.primitive(ray, ids);
            primitive.map_or(0.0, |primitive| displacement(&primitive, &ray.line, self.tolerance))
        };
        let delta = share * of_geometry.iter().map(delta).fold(0.0, f64::max);
        let primitive_ids: Vec<u32> = of_geometry.iter().map(|ids| ids[1]).collect();
        let world = ray.world();
        self.scene.surface_parts_in(world, geometry_id, &primitive_ids, &ray.line, delta)
    }
}

/// Joins the stretches of a geometry that an answer cannot tell apart: a side of a heightfield is
/// one primitive of many triangles, which may belong to several parts of the surface.
fn separated(of_parts: impl Iterator<Item = Stretch>) -> Vec<Stretch> {
    let mut apart: Vec<Stretch> = Vec::new();
    for mut stretch in of_parts {
        while let Some(index) = apart.iter().position(|other| other.is_confused_with(&stretch)) {
            stretch = stretch.joined_with(apart.swap_remove(index));
        }
        apart.push(stretch);
    }
    apart
}

fn of_part(geometry_id: u32, part: SurfacePart) -> Stretch {
    let SurfacePart { primitive_ids, span, counts: [least, most], keeps_parity, .. } = part;
    Stretch { geometry_id, primitive_ids, span, least, most, keeps_parity, is_cut: false }
}

/// Returns the stretch of a zone of a primitive, unless it is inside. A solid is entered and left
/// however it is displaced, so a layer between outside and inside is crossed an odd number of
/// times, and any other layer an even number.
fn of_zone(cast: &CastPrimitive, index: usize) -> Option<Stretch> {
    let zone = &cast.zones[index];
    let span = [zone.from.t, zone.to.t];
    let is_solid = cast.primitive.is_solid();
    let all = cast.primitive.most_crossings();
    let crossed = cast.zones.iter().filter(|zone| zone.kind == ZoneKind::Crossed).count() as u32;
    let [least, most] = match zone.kind {
        ZoneKind::Inside => return None,
        ZoneKind::Doubt => [0, all.saturating_sub(crossed)],
        // Only where two faces meet may a line enter a solid, leave it and enter it again within
        // one layer.
        ZoneKind::Crossed => {
            let is_simple = cast.only_crossing(zone).is_some();
            [1, if is_simple || !is_solid { 1 } else { (all + 1).saturating_sub(crossed).max(1) }]
        }
    };
    let [geometry_id, primitive_id] = cast.ids;
    Some(Stretch {
        geometry_id,
        primitive_ids: vec![primitive_id],
        span,
        least,
        most,
        keeps_parity: is_solid,
        is_cut: false,
    })
}

/// Returns the interval of a zone extended by the bounds on the t of its crossings, as far as the
/// primitive may be there.
fn reach(cast: &CastPrimitive, index: usize) -> [f64; 2] {
    let zone = &cast.zones[index];
    let [mut from, mut to] = [zone.from.t, zone.to.t];
    for crossing in cast.exact.within([from, to]) {
        let bound = cast.bound(&crossing);
        from = from.min(crossing.t - bound);
        to = to.max(crossing.t + bound);
    }
    let [first, last] = cast.zones.reach(index);
    [from.max(first), to.min(last)]
}
