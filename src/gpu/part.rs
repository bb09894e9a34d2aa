//! Parts of a scene. Kernels traverse the whole of it, but a driver may give up on a ray that takes
//! long: Mesa's software driver ends all loops of a thread after 65,535 iterations. Such a ray is
//! cast at each part of the scene instead, and a part that takes too long as well is divided again.

use crate::bvh::Link;
use crate::geometry::Geometry;
use crate::packed::PackedScene;
use crate::ray::NONE;
use std::ops::Range;

/// A part of a scene, to which a traversal is confined.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ScenePart {
    /// The world in which rays are cast.
    world: u32,
    /// The instance of whose tree it is a part; `None` for the scene's own tree.
    instance: Option<PlacedTree>,
    /// A node of that tree, with all below it.
    root: Option<u32>,
    /// Records of that tree, each with a shape, counted from the tree's first.
    records: Range<u32>,
    /// Of a heightfield only this block.
    block: Block,
}

/// The tree of a definition, as an instance places it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PlacedTree {
    record: u32,
    definition: usize,
}

/// A block of a heightfield's cells, which has 2^`level` of them a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub level: u32,
    pub row: u32,
    pub column: u32,
}

impl Block {
    /// More cells than a heightfield has.
    const ALL: Self = Self { level: 31, row: 0, column: 0 };

    /// Divides the block into those that contain some of this many cells; none for a single cell.
    fn divided(self, cells: [usize; 2]) -> Vec<Self> {
        let top = usize::BITS - (cells[0].max(cells[1]) - 1).leading_zeros();
        let Some(level) = self.level.min(top).checked_sub(1) else { return Vec::new() };
        let child = |number: u32| Self {
            level,
            row: 2 * self.row + number / 2,
            column: 2 * self.column + number % 2,
        };
        let has_cells = |block: &Self| {
            let first = [block.row, block.column].map(|index| (index as usize) << level);
            first[0] < cells[0] && first[1] < cells[1]
        };
        (0..4).map(child).filter(has_cells).collect()
    }
}

impl ScenePart {
    /// Returns all that rays may hit in a world.
    pub fn whole(packed: &PackedScene, world: u32) -> Self {
        let first = packed.tree().items().len() as u32;
        Self {
            world,
            instance: None,
            root: packed.tree().root(world),
            records: first..first + packed.unbounded() as u32,
            block: Block::ALL,
        }
    }

    /// Returns the record of the instance of whose tree it is a part, [`NONE`] for the scene's own
    /// tree.
    pub fn instance_record(&self) -> u32 {
        self.instance.map_or(NONE, |placed| placed.record)
    }

    /// Returns the node at which its traversal begins. Kernels add the world's number to that of
    /// the scene's own tree.
    pub fn root(&self) -> Option<u32> {
        self.root.map(|node| if self.instance.is_some() { node } else { node - self.world })
    }

    pub fn records(&self) -> &Range<u32> {
        &self.records
    }

    pub fn block(&self) -> Block {
        self.block
    }

    /// Divides the part of a scene into smaller ones, which hold the same between them; none for
    /// what cannot be divided.
    pub fn divided(&self, packed: &PackedScene) -> Vec<Self> {
        let tree = match self.instance {
            None => packed,
            Some(placed) => &packed.definitions()[placed.definition],
        };
        let of_records = |records| Self { root: None, records, ..self.clone() };
        if let Some(node) = self.root {
            let mut parts: Vec<Self> = tree
                .tree()
                .links(node)
                .into_iter()
                .map(|link| match link {
                    Link::Node(child) => Self { root: Some(child), records: 0..0, ..self.clone() },
                    Link::Leaf(leaf) => of_records(leaf..leaf + 1),
                })
                .collect();
            if !self.records.is_empty() {
                parts.push(of_records(self.records.clone()));
            }
            return parts;
        }
        let Range { start, end } = self.records;
        if end > start + 1 {
            let middle = start + (end - start) / 2;
            return vec![of_records(start..middle), of_records(middle..end)];
        }
        match tree.item_at_record(start) {
            Some(item) => self.divided_item(packed, tree, item),
            None => Vec::new(),
        }
    }

    /// Divides a part that is one item of a tree: an instance into the parts of its definition, and
    /// a heightfield into blocks.
    fn divided_item(&self, packed: &PackedScene, tree: &PackedScene, item: u32) -> Vec<Self> {
        let scene = tree.all_worlds();
        if let Some(instance) = tree.instance_of(item) {
            let definition = scene.instances()[instance as usize].definition();
            let placed = PlacedTree { record: self.records.start, definition };
            let whole = Self::whole(&packed.definitions()[definition], 0);
            return Self { instance: Some(placed), ..whole }.divided(packed);
        }
        let [geometry_id, _] = scene.primitive_ids().ids(item);
        match scene.geometries().get(geometry_id as usize) {
            Some(Geometry::Heightfield(field)) => {
                let blocks = self.block.divided(field.cells()).into_iter();
                blocks.map(|block| Self { block, ..self.clone() }).collect()
            }
            _ => Vec::new(),
        }
    }
}
