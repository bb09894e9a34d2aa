//! The records that the GPU reads: one of 64 bytes for each slot of the tree, and after them those
//! of unbounded shapes.
//!
//! A shape's record holds its first three *params*, rows of four float32 numbers, then its kind and
//! its primitive. Records and nodes share one row of slots, as they share one row of indices in the
//! tree.
//!
//! Records are written when they are uploaded, piece by piece, and not kept. So a program that
//! casts on the CPU never pays for them, and a device that is opened again gets them written again.

use super::PackedScene;
use super::items::Item;
use super::record::{RECORD_PARAMS, Record, SHAPE_MARK, ShapeRecord};
use crate::parallel::{ITEMS_A_TASK, mapped};
use crate::ray::NONE;
use bytemuck::Zeroable;
use std::ops::Range;

impl PackedScene {
    /// Returns how many records there are: those of the scene's own tree, then those of each
    /// definition.
    pub fn record_count(&self) -> usize {
        self.ends.records
    }

    /// Writes some of the records.
    pub fn records(&self, indices: Range<usize>) -> Vec<Record> {
        let record = |index: usize| match index.checked_sub(self.own_record_count()) {
            None => self.record(index, self.own_first_row()),
            Some(_) => self.definition_record(index),
        };
        mapped(indices.len(), ITEMS_A_TASK, |index| record(indices.start + index))
    }

    /// Returns each item of the scene's own with the index of its record.
    pub(crate) fn items_with_records(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = self.primitives_at.iter().enumerate().filter(|(_, item)| **item != NONE);
        all.map(|(leaf, &item)| (item, self.record_at_leaf(leaf)))
    }

    pub(crate) fn first_record_of(&self, definition: usize) -> u32 {
        self.starts[definition].records as u32
    }

    /// Returns the index of the record that stands at an index in the row of unbounded items and
    /// leaves. The unbounded shapes come first there, and last among the records.
    pub(super) fn record_at_leaf(&self, leaf: usize) -> u32 {
        leaf.checked_sub(self.unbounded).unwrap_or(self.tree.items().len() + leaf) as u32
    }

    /// Returns the item of a record of the scene's own; `None` for a node and an empty record.
    pub(crate) fn item_at_record(&self, record: u32) -> Option<u32> {
        let item = self.primitives_at[self.leaf_of_record(record as usize)];
        (item != NONE).then_some(item)
    }

    fn leaf_of_record(&self, record: usize) -> usize {
        record.checked_sub(self.tree.items().len()).unwrap_or(self.unbounded + record)
    }

    /// Returns how many records the scene's own tree has.
    pub(super) fn own_record_count(&self) -> usize {
        self.primitives_at.len()
    }

    /// Writes a record of the scene's own, whose rows of params begin at `first_row`.
    pub(super) fn record(&self, index: usize, first_row: u32) -> Record {
        match self.primitives_at[self.leaf_of_record(index)] {
            NONE => bytemuck::cast(self.tree.slots()[index]),
            item => match self.instance_of(item) {
                Some(instance) => self.instance_record(instance),
                None => self.shape_record(item, first_row),
            },
        }
    }

    fn shape_record(&self, primitive: u32, first_row: u32) -> Record {
        let Some(item) = Item::new(self.all_worlds(), primitive) else { return Record::zeroed() };
        let [geometry_id, _] = self.all_worlds().primitive_ids().ids(primitive);
        let field = self.params.field_row(primitive);
        let rows: Vec<[u32; 4]> = match field {
            Some(first) => self.params.rows[first as usize..][..RECORD_PARAMS].to_vec(),
            None => {
                let mut rows = Vec::with_capacity(RECORD_PARAMS);
                item.pack(&mut rows);
                bytemuck::cast_vec(rows)
            }
        };
        let row = |index: usize| bytemuck::cast(rows.get(index).copied().unwrap_or_default());
        let beside = field.or_else(|| self.params.mesh_row(geometry_id));
        bytemuck::cast(ShapeRecord {
            params: std::array::from_fn(row),
            kind: SHAPE_MARK | item.primitive_kind() as u32,
            primitive,
            zero: 0,
            mask_or_params: match beside {
                Some(row) => first_row + row,
                None => self.all_worlds().own_mask(geometry_id),
            },
        })
    }
}
