//! The items over which the tree of a scene is built: every primitive of its own, and each
//! heightfield as a whole.

use crate::geometry::Geometry;
use crate::math::Bounds;
use crate::scene::Scene;
use crate::shapes::{Heightfield, PrimitiveKind, Shape};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// An item of the tree: a primitive, or a whole heightfield.
pub(super) enum Item<'a> {
    Shape(Shape),
    MeshTriangle(Shape),
    LineSegment(Shape),
    /// All triangles of a heightfield, which are found by its own traversal.
    Heightfield(&'a Heightfield),
}

impl<'a> Item<'a> {
    /// It is `None` for a primitive that the scene has not.
    pub fn new(scene: &'a Scene, primitive: u32) -> Option<Self> {
        let [geometry_id, primitive_id] = scene.primitive_ids().ids(primitive);
        let geometry = scene.geometries().get(geometry_id as usize)?;
        if let Geometry::Heightfield(field) = geometry {
            return Some(Item::Heightfield(field));
        }
        let shape = geometry.shape(primitive_id)?;
        Some(match geometry {
            Geometry::Mesh(_) => Item::MeshTriangle(shape),
            Geometry::Lines(_) => Item::LineSegment(shape),
            Geometry::Shape(_) | Geometry::Heightfield(_) | Geometry::Empty => Item::Shape(shape),
        })
    }

    pub fn primitive_kind(&self) -> PrimitiveKind {
        match self {
            Self::Shape(shape) => shape.primitive_kind(),
            Self::MeshTriangle(_) => PrimitiveKind::MeshTriangle,
            Self::LineSegment(_) => PrimitiveKind::LineSegment,
            Self::Heightfield(field) => field.primitive_kind(),
        }
    }

    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.bounds()
            }
            Self::Heightfield(field) => Some(field.bounds()),
        }
    }

    /// Appends the params that the GPU reads.
    pub fn pack(&self, params: &mut Vec<[f32; 4]>) {
        match self {
            Self::Shape(shape) | Self::MeshTriangle(shape) | Self::LineSegment(shape) => {
                shape.pack(params)
            }
            Self::Heightfield(field) => field.pack(params),
        }
    }
}

/// The number of items that one thread handles.
pub(super) const CHUNK: usize = 1 << 10;

/// The items of a scene side by side. An item has the number of its first primitive, and after all
/// primitives those of instances follow.
#[derive(Default)]
pub(super) struct Items {
    /// The items that have a box, and their boxes.
    pub bounded: Vec<u32>,
    pub bounds: Vec<Bounds>,
    /// The items that have none.
    pub unbounded: Vec<u32>,
    kind_bits: u64,
}

impl Items {
    /// Returns the items of a scene's own geometries.
    pub fn of_geometries(scene: &Scene) -> Self {
        let mut items = Self { bounded: first_primitives(scene), ..Self::default() };
        let all_have_boxes = AtomicBool::new(true);
        let facts = |&primitive: &u32| {
            let item = Item::new(scene, primitive);
            let bounds = item.as_ref().and_then(Item::bounds).unwrap_or_else(|| {
                all_have_boxes.store(false, Ordering::Relaxed);
                Bounds::EMPTY
            });
            (bounds, item.map(|item| item.primitive_kind()))
        };
        let facts = items.bounded.par_iter().with_min_len(CHUNK).map(facts);
        let mut kinds = Vec::new();
        facts.unzip_into_vecs(&mut items.bounds, &mut kinds);
        let bit = |kind: &Option<PrimitiveKind>| kind.map_or(0, bit);
        let bits = kinds.par_iter().with_min_len(CHUNK).map(bit);
        items.kind_bits = bits.reduce(|| 0, |a, b| a | b);
        if !all_have_boxes.into_inner() {
            items.set_apart_unbounded(&kinds);
        }
        items
    }

    fn set_apart_unbounded(&mut self, kinds: &[Option<PrimitiveKind>]) {
        let has_box: Vec<bool> =
            self.bounds.iter().map(|bounds| *bounds != Bounds::EMPTY).collect();
        let all = self.bounded.iter().zip(&has_box).zip(kinds);
        let unbounded = all.filter(|((_, has_box), kind)| !**has_box && kind.is_some());
        self.unbounded = unbounded.map(|((item, _), _)| *item).collect();
        fn keep<T>(row: &mut Vec<T>, flags: &[bool]) {
            let mut flags = flags.iter();
            row.retain(|_| flags.next().is_some_and(|flag| *flag));
        }
        keep(&mut self.bounded, &has_box);
        keep(&mut self.bounds, &has_box);
    }

    /// Appends an item.
    pub fn push(&mut self, item: u32, kind: PrimitiveKind, bounds: Option<Bounds>) {
        self.kind_bits |= bit(kind);
        match bounds {
            Some(bounds) => {
                self.bounded.push(item);
                self.bounds.push(bounds);
            }
            None => self.unbounded.push(item),
        }
    }

    /// Each kind comes once, in the order of [`PrimitiveKind::ALL`].
    pub fn primitive_kinds(&self) -> impl Iterator<Item = PrimitiveKind> {
        PrimitiveKind::ALL.iter().copied().filter(|kind| self.kind_bits & bit(*kind) != 0)
    }

    /// It is `None` if one of the items has no box.
    pub fn bounds_of_all(&self) -> Option<Bounds> {
        let all = self.bounds.par_iter().with_min_len(CHUNK).copied();
        self.unbounded.is_empty().then(|| all.reduce(|| Bounds::EMPTY, Bounds::union))
    }
}

fn bit(kind: PrimitiveKind) -> u64 {
    1 << kind as u32
}

/// Geometries that are hidden have no items, and a heightfield is one.
fn first_primitives(scene: &Scene) -> Vec<u32> {
    let ids = scene.primitive_ids();
    let geometries = scene.geometries();
    let mut items = Vec::with_capacity(geometries.len());
    // Shapes that follow each other have primitives that do.
    let shapes = |range: Range<u32>| {
        let numbers = range.clone().zip(ids.first(range.start)..);
        numbers.filter(|(own, _)| scene.is_visible(*own)).map(|(_, primitive)| primitive)
    };
    let mut next = 0;
    for compound in ids.compounds() {
        items.extend(shapes(next..compound));
        next = compound + 1;
        let primitives = ids.of_geometry(compound);
        match &geometries[compound as usize] {
            _ if !scene.is_visible(compound) => {}
            Geometry::Heightfield(_) => items.push(primitives.start),
            _ => items.extend(primitives),
        }
    }
    items.extend(shapes(next..geometries.len() as u32));
    items
}
