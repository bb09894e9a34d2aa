//! The pairs of a scene whose boxes meet, found with a tree over the boxes.

use super::compound::Compound;
use super::options::OverlapOptions;
use super::overlap::Overlaps;
use super::pair::{Pair, PairFinding};
use super::solid::{Solid, SolidForm};
use crate::bvh::{Quality, Tree};
use crate::geometry::{Geometry, Primitive};
use crate::math::Bounds;
use crate::packed::PackError;
use crate::scene::{Adjacency, Position, Scene};
use rayon::prelude::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

/// The solids of a scene, ready to be searched for overlaps.
pub struct OverlapSearch {
    /// In the order of their ids, those with a box before the half-spaces.
    solids: Vec<Solid>,
    bounded: usize,
    tree: Tree,
    adjacency: Adjacency,
    options: OverlapOptions,
}

impl OverlapSearch {
    /// Prepares the visible solids of a scene, in the first of its worlds.
    ///
    /// # Errors
    /// [`PackError`], if there are too many for a tree.
    pub fn new(scene: &Scene, options: OverlapOptions) -> Result<Self, PackError> {
        let (mut solids, half_spaces) = solids(scene)?;
        let bounded = solids.len();
        let boxes: Vec<Bounds> =
            solids.iter().map(|solid| grown_bounds(solid, options.clearance)).collect();
        let tree = Tree::build(&boxes, Quality::Fast)?;
        if options.includes_half_spaces {
            solids.extend(half_spaces);
        }
        let adjacency = scene.adjacency().clone();
        Ok(Self { solids, bounded, tree, adjacency, options })
    }

    /// Returns how many bytes the search of a scene needs, without the trees of meshes.
    pub fn bytes(scene: &Scene) -> u64 {
        // The bytes of a box and the tree's nodes for each solid.
        const OF_TREE: usize = 128;
        scene.solid_count() * (size_of::<Solid>() + OF_TREE) as u64
    }

    /// Returns how many solids there are.
    pub fn len(&self) -> usize {
        self.bounded
    }

    /// Returns true if there are no solids.
    pub fn is_empty(&self) -> bool {
        self.bounded == 0
    }

    /// Returns the overlaps of some solids, given by their numbers from 0, with all solids of
    /// higher ids. Ranges that together cover all solids find each pair once.
    pub fn among(&self, solids: Range<usize>) -> Overlaps {
        let of_each: Vec<Overlaps> =
            solids.into_par_iter().map(|number| self.of_solid(number)).collect();
        let mut all = Overlaps::default();
        of_each.into_iter().for_each(|overlaps| all += overlaps);
        all
    }

    fn of_solid(&self, number: usize) -> Overlaps {
        let mut others = Vec::new();
        let solid = &self.solids[number];
        let bounds = grown_bounds(solid, self.options.clearance);
        self.tree.visit_overlapping(&bounds, |other| others.push(other as usize));
        others.retain(|other| *other > number);
        others.extend(self.bounded..self.solids.len());
        others.sort_unstable_by_key(|other| self.solids[*other].geometry_id);
        let mut found = Overlaps::default();
        for other in others {
            self.examine(solid, &self.solids[other], &mut found);
        }
        found
    }

    /// Returns true if two solids belong together: as parts of one body, as parts of two connected
    /// bodies, or as pieces of a pipe.
    fn belong_together(&self, a: &Solid, b: &Solid) -> bool {
        self.adjacency.connects(a.geometry_id, b.geometry_id) || a.goes_on_with(b)
    }

    fn examine(&self, a: &Solid, b: &Solid, found: &mut Overlaps) {
        let solids = if a.geometry_id < b.geometry_id { [a, b] } else { [b, a] };
        if !self.options.asks_for(a.geometry_id, b.geometry_id) {
            return;
        }
        found.counts.candidates += 1;
        if !self.options.includes_adjacent && self.belong_together(a, b) {
            found.counts.adjacent += 1;
            return;
        }
        let pair = Pair { solids, options: &self.options };
        match pair.finding() {
            PairFinding::Apart { is_proved: true } => found.counts.apart_proved += 1,
            PairFinding::Apart { is_proved: false } => {
                found.counts.apart_by_lines += 1;
                found.spacing = found.spacing.max(pair.spacing());
            }
            PairFinding::Listed(overlap) => found.pairs.push(overlap),
        }
    }
}

/// Returns the box of a solid, grown by half the clearance and by the doubt about its surface, so
/// that the boxes of every pair to list meet.
fn grown_bounds(solid: &Solid, clearance: f64) -> Bounds {
    let margin = 0.5 * clearance + solid.doubt(solid.bounds.center());
    Bounds { min: solid.bounds.min - margin, max: solid.bounds.max + margin }
}

/// Returns the visible solids of a scene, and the half-spaces behind its planes.
fn solids(scene: &Scene) -> Result<(Vec<Solid>, Vec<Solid>), PackError> {
    let mut compounds = HashMap::<(usize, u32), Arc<Compound>>::new();
    let (mut solids, mut half_spaces) = (Vec::new(), Vec::new());
    for id in 0..scene.geometry_count() {
        let Some(position) = scene.position(id) else { continue };
        let (keeper, own, placement) = match position {
            Position::Own(own) => (scene, own, None),
            Position::In(instance, local) => {
                let placement = scene.instances()[instance as usize].placement();
                (scene.definition_of(instance), local, Some(*placement))
            }
        };
        let geometry = &keeper.geometries()[own as usize];
        if keeper.own_mask(own) == 0 {
            continue;
        }
        let bounds = geometry.bounds();
        let in_world = |bounds: Bounds| placement.map_or(bounds, |it| it.bounds_in_world(&bounds));
        let form = match (geometry, bounds) {
            (Geometry::Shape(shape), None) => {
                let plane = Primitive::from(*shape).placed(placement.as_ref());
                if plane.half_space_contains(plane.center()) {
                    half_spaces.push(Solid::half_space(id, plane));
                }
                continue;
            }
            (geometry, _) if !geometry.is_solid() => continue,
            (Geometry::Shape(shape), _) => {
                SolidForm::Shape(Primitive::from(*shape).placed(placement.as_ref()).into())
            }
            _ => match compounds.entry((std::ptr::from_ref(keeper) as usize, own)) {
                Entry::Occupied(known) => SolidForm::Compound(Arc::clone(known.get())),
                Entry::Vacant(place) => {
                    let compound = Arc::new(Compound::new(keeper, own)?);
                    SolidForm::Compound(Arc::clone(place.insert(compound)))
                }
            },
        };
        let bounds = in_world(bounds.unwrap_or(Bounds::EMPTY));
        solids.push(Solid::new(id, form, placement, bounds));
    }
    Ok((solids, half_spaces))
}
