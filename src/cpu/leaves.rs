//! The item at each leaf index of the tree, prepared to be intersected.

use super::bounding_sphere::BoundingSphere;
use super::crossing_bounds::{CrossingBounds, RoughShape};
use super::leaf_triangle::{LeafTriangle, LeafTriangles, PrimitiveCrossing};
use super::line_in_float32::LineInFloat32;
use super::triangle_bounds::triangle_bounds;
use crate::bvh::{OfRays, RayPacket, Tree};
use crate::geometry::Geometry;
use crate::lanes::Lanes;
use crate::packed::{PackedScene, Update};
use crate::parallel::{ITEMS_A_TASK, filled};
use crate::placement::ObjectFromWorld;
use crate::prefetch::prefetch;
use crate::query::RayFilter;
use crate::ray::{Line, NONE};
use crate::shapes::{Heightfield, PreparedShape, PreparedTriangle};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// A geometry is prefetched this many items before it is prepared.
const AHEAD: usize = 12;

/// An item of the tree, prepared to be intersected, or nothing.
#[derive(Debug)]
pub(super) enum PreparedItem {
    Nothing,
    Shape(PreparedShape),
    /// A triangle of a mesh, which stands among the triangles of [`Leaves`].
    MeshTriangle,
    Heightfield(Arc<Heightfield>),
    Instance(LeafInstance),
}

/// An item that begins with a cache line and spreads over no more of them than it must.
#[repr(align(64))]
#[derive(Debug)]
struct AlignedItem(PreparedItem);

/// An instance, with what a ray needs to meet it beside its number: it is met at random places of
/// memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafInstance {
    /// The index of the instance.
    pub index: u32,
    pub definition: u32,
    pub object_from_world: ObjectFromWorld,
}

/// The items of a scene: the unbounded ones, then one for each leaf index of the tree. Indices here
/// count from the first unbounded item.
#[derive(Debug)]
pub(super) struct Leaves {
    packed: PackedScene,
    /// A sphere around each item. It has an array of its own because most items are rejected by it.
    bounding_spheres: Vec<BoundingSphere>,
    rough_shapes: Vec<RoughShape>,
    items: Vec<AlignedItem>,
    triangles: LeafTriangles,
    /// The mask of each item; empty if all masks are all ones.
    masks: Vec<u32>,
    /// The centre and the radius of a sphere around all items.
    sphere: (DVec3, f64),
    /// The index of the one item, if there are no others and it has a box.
    only: Option<usize>,
}

impl Leaves {
    /// Prepares the items of a scene, given those of its definitions.
    pub fn new(packed: &PackedScene, definitions: &[Self]) -> Self {
        let scene = packed.all_worlds();
        let geometry = |&primitive: &u32| match primitive {
            NONE => None,
            _ => scene.geometries().get(scene.primitive_ids().ids(primitive)[0] as usize),
        };
        let count = packed.primitives_at().len();
        let mut bounding_spheres = filled(count, || BoundingSphere::EVERYWHERE);
        let mut rough_shapes = filled(count, || RoughShape::NOTHING);
        let mut items = filled(count, || AlignedItem(PreparedItem::Nothing));
        let places = (
            packed.primitives_at().par_chunks(ITEMS_A_TASK),
            bounding_spheres.par_chunks_mut(ITEMS_A_TASK),
            rough_shapes.par_chunks_mut(ITEMS_A_TASK),
            items.par_chunks_mut(ITEMS_A_TASK),
        );
        places.into_par_iter().for_each(|(primitives, spheres, rough_shapes, items)| {
            for (index, primitive) in primitives.iter().enumerate() {
                // The tree's order leads through the scene's at random.
                if let Some(soon) = primitives.get(index + AHEAD).and_then(geometry) {
                    prefetch(soon);
                }
                if *primitive != NONE
                    && let Some(item) = bounded_item(packed, definitions, *primitive)
                {
                    (spheres[index], rough_shapes[index], items[index].0) = item;
                }
            }
        });
        let is_mesh = |geometry: &Geometry| matches!(geometry, Geometry::Mesh(_));
        let triangles = match scene.geometries().iter().any(is_mesh) {
            true => LeafTriangles::new(scene, packed.primitives_at()),
            false => LeafTriangles::default(),
        };
        let mask = |&primitive: &u32| match (primitive, packed.instance_of(primitive)) {
            (NONE, _) => 0,
            // Its primitives have masks of their own.
            (_, Some(_)) => u32::MAX,
            _ => scene.own_mask(scene.primitive_ids().ids(primitive)[0]),
        };
        let masks = match scene.has_masks() {
            true => packed.primitives_at().iter().map(mask).collect(),
            false => Vec::new(),
        };
        let sphere = match packed.bounds() {
            Some(bounds) => sphere_around(&bounding_spheres, bounds.center()),
            None => (DVec3::ZERO, f64::INFINITY),
        };
        let mut there =
            packed.primitives_at().iter().enumerate().filter(|(_, primitive)| **primitive != NONE);
        let only = match (packed.unbounded(), there.next(), there.next()) {
            (0, Some((leaf, _)), None) => Some(leaf),
            _ => None,
        };
        Self {
            packed: packed.clone(),
            bounding_spheres,
            rough_shapes,
            items,
            triangles,
            masks,
            sphere,
            only,
        }
    }

    /// Lets go of the packed scene; [`Self::update`] takes one over.
    pub fn release(&mut self) {
        self.packed = PackedScene::empty();
    }

    /// Takes over a packed scene whose items have moved, with the tree of the last one.
    pub fn update(&mut self, packed: &PackedScene, definitions: &[Self], update: &Update) {
        self.packed = packed.clone();
        let leaf_of = |&item: &u32| Some((packed.leaf_of_item(item)?, item));
        let mut moved: Vec<(usize, u32)> = update.items.iter().filter_map(leaf_of).collect();
        moved.par_sort_unstable();
        let places = (
            self.bounding_spheres.par_chunks_mut(ITEMS_A_TASK),
            self.rough_shapes.par_chunks_mut(ITEMS_A_TASK),
            self.items.par_chunks_mut(ITEMS_A_TASK),
        );
        let places = places.into_par_iter().enumerate();
        places.for_each(|(chunk, (spheres, rough_shapes, items))| {
            let first = chunk * ITEMS_A_TASK;
            let end = first + items.len();
            let after = moved.partition_point(|(leaf, _)| *leaf < first);
            for &(leaf, item) in moved[after..].iter().take_while(|(leaf, _)| *leaf < end) {
                if let Some(item) = bounded_item(packed, definitions, item) {
                    let index = leaf - first;
                    (spheres[index], rough_shapes[index], items[index].0) = item;
                }
            }
        });
    }

    /// Returns the tree over the items that have a box.
    #[inline(always)]
    pub fn tree(&self) -> &Tree {
        self.packed.tree()
    }

    #[inline(always)]
    pub fn instance(&self, leaf: usize) -> Option<&LeafInstance> {
        match self.item(leaf) {
            PreparedItem::Instance(instance) => Some(instance),
            _ => None,
        }
    }

    /// Returns the index of the one item, if there are no others and it has a box.
    #[inline(always)]
    pub fn only(&self) -> Option<usize> {
        self.only
    }

    /// Returns how many items have no box.
    #[inline(always)]
    pub fn unbounded(&self) -> usize {
        self.packed.unbounded()
    }

    /// Converts the number of a record that devices read, in which the unbounded items come last,
    /// to an index into these arrays; `None` if the index is out of range.
    pub fn index_of_record(&self, record: u32) -> Option<usize> {
        let (unbounded, record) = (self.packed.unbounded(), record as usize);
        let leaf = match record.checked_sub(self.items.len() - unbounded) {
            Some(number) => number,
            None => unbounded + record,
        };
        (leaf < self.items.len()).then_some(leaf)
    }

    /// Converts a leaf index of the tree to an index into these arrays, in which the unbounded
    /// items come first.
    #[inline(always)]
    pub fn index_of(&self, leaf_index: u32) -> usize {
        self.packed.unbounded() + leaf_index as usize
    }

    #[inline(always)]
    pub fn item(&self, leaf: usize) -> &PreparedItem {
        &self.items[leaf].0
    }

    /// Returns an item's first primitive.
    #[inline(always)]
    pub fn primitive(&self, leaf: usize) -> u32 {
        self.packed.primitives_at()[leaf]
    }

    /// Returns the index of the geometry and the `primitive_id` of an item's first primitive.
    pub fn ids(&self, leaf: usize) -> [u32; 2] {
        self.packed.all_worlds().primitive_ids().ids(self.primitive(leaf))
    }

    pub fn geometry(&self, leaf: usize) -> Option<&Geometry> {
        self.packed.all_worlds().geometries().get(self.ids(leaf)[0] as usize)
    }

    /// Returns the triangles of meshes.
    #[inline(always)]
    pub fn triangles(&self) -> &LeafTriangles {
        &self.triangles
    }

    /// Returns an item that is a triangle of a mesh.
    #[inline(always)]
    pub fn triangle(&self, leaf: usize) -> Option<&PreparedTriangle> {
        self.triangles.at(leaf).map(|LeafTriangle { triangle, .. }| triangle)
    }

    /// Returns true if the ray's line certainly misses the bounding sphere of an item. That of a
    /// mesh's triangle is not fetched: [`LeafTriangles::sift`] rejects more.
    #[inline(always)]
    pub fn is_missed(&self, leaf: usize, line: &LineInFloat32) -> bool {
        self.triangles.at(leaf).is_none() && self.bounding_spheres[leaf].is_missed(line)
    }

    /// Prefetches what the test of an item reads first.
    #[inline(always)]
    pub fn prefetch(&self, leaf: usize) {
        match self.triangles.get(leaf) {
            Some(triangle) => prefetch(triangle),
            None => {
                prefetch(&self.bounding_spheres[leaf]);
                prefetch(&self.items[leaf]);
            }
        }
    }

    /// Prefetches what [`Self::crossing_bounds`] reads of an item.
    #[inline(always)]
    pub fn prefetch_bounds(&self, leaf: usize) {
        match self.triangles.get(leaf) {
            Some(triangle) => prefetch(triangle),
            None => prefetch(&self.rough_shapes[leaf]),
        }
    }

    /// Returns a sphere around an item.
    #[inline(always)]
    pub fn bounding_sphere(&self, leaf: usize) -> &BoundingSphere {
        &self.bounding_spheres[leaf]
    }

    /// Bounds the first crossing of an item and each ray of a packet.
    #[inline(always)]
    pub fn crossing_bounds<L: Lanes>(
        &self,
        leaf: usize,
        lanes: L,
        packet: &RayPacket,
        reach: &OfRays,
    ) -> CrossingBounds {
        match self.triangles.at(leaf) {
            Some(LeafTriangle { triangle, .. }) => triangle_bounds(triangle, lanes, packet, reach),
            None => self.rough_shapes[leaf].crossing_bounds(lanes, packet, reach),
        }
    }

    /// Returns true if a ray with this filter may hit an item, given the instance that these items
    /// are of.
    #[inline(always)]
    pub fn may_be_hit(&self, leaf: usize, filter: &RayFilter, instance: u32) -> bool {
        let is_everything = filter.mask == u32::MAX && filter.ignored == 0;
        is_everything || self.passes(leaf, filter, instance)
    }

    fn passes(&self, leaf: usize, filter: &RayFilter, instance: u32) -> bool {
        let mask = self.masks.get(leaf).copied().unwrap_or(u32::MAX);
        let is_ignored = filter.instance == instance
            && self.primitive(leaf).wrapping_sub(filter.first_ignored) < filter.ignored;
        !is_ignored && mask & filter.mask != 0
    }

    /// Returns the first crossing of an item in a closed interval.
    #[inline(always)]
    pub fn first_crossing(
        &self,
        leaf: usize,
        line: &Line,
        [t_min, t_max]: [f64; 2],
    ) -> Option<PrimitiveCrossing> {
        if let Some(triangle) = self.triangles.at(leaf) {
            return triangle.first_crossing(line, [t_min, t_max]);
        }
        match self.item(leaf) {
            PreparedItem::Nothing | PreparedItem::MeshTriangle | PreparedItem::Instance(_) => None,
            PreparedItem::Shape(shape) => {
                let crossing = shape.first_crossing(line, t_min)?;
                let primitive = || self.primitive(leaf);
                (crossing.t <= t_max)
                    .then(|| PrimitiveCrossing { crossing, primitive: primitive() })
            }
            PreparedItem::Heightfield(field) => {
                let (crossing, triangle) = field.first_crossing(line, [t_min, t_max])?;
                Some(PrimitiveCrossing { crossing, primitive: self.primitive(leaf) + triangle })
            }
        }
    }

    /// Calls `visit` with the t and the primitive of every crossing of an item in a closed
    /// interval.
    pub fn each_crossing(
        &self,
        leaf: usize,
        line: &Line,
        interval: [f64; 2],
        mut visit: impl FnMut(f64, u32),
    ) {
        let first = self.primitive(leaf);
        let crossings = match self.item(leaf) {
            PreparedItem::Nothing | PreparedItem::Instance(_) => return,
            PreparedItem::Shape(shape) => shape.crossings(line),
            PreparedItem::MeshTriangle => match self.triangle(leaf) {
                Some(triangle) if triangle.may_be_crossed(line) => triangle.own_crossings(line),
                _ => return,
            },
            PreparedItem::Heightfield(field) => {
                return field
                    .each_crossing(line, interval, |t, triangle| visit(t, first + triangle));
            }
        };
        for crossing in crossings.within(interval) {
            visit(crossing.t, first);
        }
    }
}

/// An item with a sphere around it, and with what bounds its crossings.
type BoundedItem = (BoundingSphere, RoughShape, PreparedItem);

/// Prepares the item that begins with a primitive; `None` if there is none.
fn bounded_item(
    packed: &PackedScene,
    definitions: &[Leaves],
    primitive: u32,
) -> Option<BoundedItem> {
    if let Some(instance) = packed.instance_of(primitive) {
        return Some(instance_item(packed, definitions, instance));
    }
    let scene = packed.all_worlds();
    let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
    match scene.geometries().get(geometry_id as usize)? {
        Geometry::Heightfield(field) => {
            let sphere = BoundingSphere::new(field.center, field.bounding_radius());
            let rough = RoughShape::bounded(&sphere, &field.bounds());
            Some((sphere, rough, PreparedItem::Heightfield(Arc::clone(field))))
        }
        geometry => {
            let shape = geometry.shape(primitive_id)?;
            let sphere = match shape.bounds() {
                Some(_) => BoundingSphere::new(shape.center(), shape.bounding_radius()),
                None => BoundingSphere::EVERYWHERE,
            };
            let rough = RoughShape::new(&shape, &sphere);
            let item = match geometry {
                Geometry::Mesh(_) => PreparedItem::MeshTriangle,
                _ => PreparedItem::Shape(shape.into()),
            };
            Some((sphere, rough, item))
        }
    }
}

fn instance_item(packed: &PackedScene, definitions: &[Leaves], index: u32) -> BoundedItem {
    let instance = &packed.all_worlds().instances()[index as usize];
    let placement = instance.placement();
    let item = PreparedItem::Instance(LeafInstance {
        index,
        definition: instance.definition() as u32,
        object_from_world: placement.object_from_world(),
    });
    let Some(bounds) = packed.instance_bounds(index) else {
        return (BoundingSphere::EVERYWHERE, RoughShape::NOTHING, item);
    };
    // The image of a sphere around the definition is mostly smaller than the sphere around the box
    // of its image.
    let (center, radius) = definitions[instance.definition()].sphere;
    let radius = radius * placement.stretches()[1];
    let sphere = match radius < bounds.radius() {
        true => BoundingSphere::new(placement.world_from_object().point(center), radius),
        false => BoundingSphere::new(bounds.center(), bounds.radius()),
    };
    (sphere, RoughShape::bounded(&sphere, &bounds), item)
}

/// Returns the centre of the box around some items and the radius of a sphere around it that holds
/// the spheres around them.
fn sphere_around(bounding_spheres: &[BoundingSphere], center: DVec3) -> (DVec3, f64) {
    let reach = |sphere: &BoundingSphere| {
        center.distance(Vec3::from(sphere.center()).as_dvec3()) + f64::from(sphere.radius())
    };
    // Slots without an item have an infinite sphere.
    let reaches = bounding_spheres.iter().map(reach).filter(|reach| reach.is_finite());
    (center, reaches.fold(0.0, f64::max))
}
