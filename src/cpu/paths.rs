//! The lengths of rays in solids: from all crossings of a ray with a solid, also those beyond its
//! end, follows where it is inside.

use super::hit_collector::{Certain, HitCollector};
use super::space::Space;
use super::tracer::CpuTracer;
use super::volumes::InnermostOrder;
use crate::crossings::stretches;
use crate::geometry::Geometry;
use crate::parallel::{RAYS_A_TASK, mapped};
use crate::query::{Batch, PathRule, SolidPaths};
use crate::ray::{Line, Ray};
use crate::scene::Scene;
use std::collections::BTreeSet;

/// How many rays are cast before their crossings become lengths.
const PIECE: usize = 1 << 15;

/// The crossings of a ray with solids, as ids and t.
struct SolidCrossings(Vec<(u32, f64)>);

impl HitCollector for SolidCrossings {
    /// In the order of ids, then of t.
    type Answer = Vec<(u32, f64)>;
    const ENDS_EARLY: bool = false;
    const CERTAIN: Certain<Self> = Certain::Nothing;
    const INVALID: Self::Answer = Vec::new();

    fn new() -> Self {
        Self(Vec::new())
    }

    fn meet(&mut self, space: Space<'_>, leaf: usize, line: &Line, interval: [f64; 2]) -> f64 {
        if space.leaves.geometry(leaf).is_some_and(Geometry::is_solid) {
            let [geometry_id, _] = space.ids(leaf);
            // Adding zero turns −0 into +0: the two are one place.
            let add = |t: f64, _| self.0.push((geometry_id, t + 0.0));
            space.leaves.each_crossing(leaf, line, interval, add);
        }
        interval[1]
    }

    fn answer(mut self, _: &Scene) -> Self::Answer {
        self.0.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        self.0
    }
}

/// A part of a ray in a solid, which is not empty.
struct Stretch {
    geometry_id: u32,
    /// The t at its ends.
    ends: [f64; 2],
}

/// What a ray has of a solid.
struct Path {
    geometry_id: u32,
    /// The t at which it begins.
    entry: f64,
    /// The length in units of the direction's.
    length: f64,
}

impl CpuTracer {
    /// Returns the lengths of the rays of a checked batch in solids.
    pub(super) fn paths_in_solids(&self, batch: Batch<'_>, rule: PathRule) -> SolidPaths {
        let mut paths = SolidPaths::default();
        for first in (0..batch.len()).step_by(PIECE) {
            let piece = batch.slice(first..batch.len().min(first + PIECE));
            // Whether a ray ends in a solid shows only beyond its end.
            let endless = |ray: Ray| match ray.is_valid() {
                true => ray.within(ray.t_min, f32::INFINITY),
                false => ray,
            };
            let rays: Vec<Ray> = (0..piece.len()).map(|ray| endless(piece.ray(ray))).collect();
            let crossings: Vec<Vec<(u32, f64)>> =
                self.cast_batch::<SolidCrossings, _>(piece.with_rays(&rays));
            let lengths = |index: usize| {
                let ray = piece.ray(index);
                let stretches = stretches_of(&crossings[index], [ray.t_min, ray.t_max]);
                let mut paths = match rule {
                    PathRule::Each => in_each(&stretches),
                    PathRule::Innermost => self.in_innermost(&stretches, piece.world(index)),
                };
                paths.sort_unstable_by(|a, b| {
                    a.entry.total_cmp(&b.entry).then(a.geometry_id.cmp(&b.geometry_id))
                });
                let unit = ray.line().direction.length();
                paths.iter().map(|it| (it.geometry_id, it.length * unit)).collect::<Vec<_>>()
            };
            mapped(piece.len(), RAYS_A_TASK, lengths).into_iter().for_each(|it| paths.push(it));
        }
        paths
    }

    /// Returns what each solid has of a ray where no smaller one holds it.
    fn in_innermost(&self, stretches: &[Stretch], world: u32) -> Vec<Path> {
        let scene = self.packed.all_worlds();
        let order = |id: u32| self.volumes().order(scene, world, id);
        let solids = stretches.chunk_by(|a, b| a.geometry_id == b.geometry_id);
        let mut solids: Vec<(InnermostOrder, &[Stretch])> =
            solids.filter_map(|solid| Some((order(solid[0].geometry_id)?, solid))).collect();
        solids.sort_unstable_by(|(a, _), (b, _)| a.compare(b));
        let ends = (0..).zip(&solids).flat_map(|(rank, (_, stretches))| {
            let of_stretch = move |stretch: &Stretch| {
                [(stretch.ends[0], true, rank), (stretch.ends[1], false, rank)]
            };
            stretches.iter().flat_map(of_stretch)
        });
        let mut ends: Vec<(f64, bool, usize)> = ends.collect();
        // A solid that is left and entered again at one place is left first.
        ends.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut paths: Vec<Path> = solids
            .iter()
            .map(|(order, _)| Path { geometry_id: order.geometry_id, entry: 0.0, length: 0.0 })
            .collect();
        let mut around = BTreeSet::new();
        let mut before = f64::NEG_INFINITY;
        for (t, is_entry, rank) in ends {
            if let Some(&innermost) = around.first()
                && t > before
            {
                let path: &mut Path = &mut paths[innermost];
                if path.length == 0.0 {
                    path.entry = before;
                }
                path.length += t - before;
            }
            before = t;
            match is_entry {
                true => around.insert(rank),
                false => around.remove(&rank),
            };
        }
        paths.retain(|path| path.length > 0.0);
        paths
    }
}

/// Returns the parts of a ray in solids, solid by solid, given all crossings from its start on.
fn stretches_of(crossings: &[(u32, f64)], interval: [f32; 2]) -> Vec<Stretch> {
    let mut found = Vec::new();
    for of_solid in crossings.chunk_by(|a, b| a.0 == b.0) {
        let geometry_id = of_solid[0].0;
        let parts = stretches(of_solid.iter().map(|&(_, t)| t), interval.map(f64::from));
        let parts = parts.filter(|[enter, exit]| exit > enter);
        found.extend(parts.map(|ends| Stretch { geometry_id, ends }));
    }
    found
}

/// Returns what each solid has of a ray, whatever else holds it.
fn in_each(stretches: &[Stretch]) -> Vec<Path> {
    let path = |solid: &[Stretch]| Path {
        geometry_id: solid[0].geometry_id,
        entry: solid[0].ends[0],
        length: solid.iter().map(|stretch| stretch.ends[1] - stretch.ends[0]).sum(),
    };
    stretches.chunk_by(|a, b| a.geometry_id == b.geometry_id).map(path).collect()
}
