//! The instances of a scene as the GPU reads them: a record for each, rows of params beside it, and
//! after the world's own records and params those of each definition. An instance takes 112 bytes
//! of a device beside its part of the tree.

use super::PackedScene;
use super::extent::{Extent, INSTANCE_ROWS, own_first_row};
use super::record::{Record, SHAPE_MARK};
use crate::placement::Placement;
use crate::scene::Instance;
use crate::shapes::PrimitiveKind;
use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct InstanceRecord {
    /// The columns of the inverse of the placement's linear part, each with a coordinate of its
    /// translation.
    columns: [[f32; 4]; 3],
    /// [`SHAPE_MARK`] | the kind of instances.
    kind: u32,
    instance: u32,
    zero: u32,
    /// The row of params with the numbers of its definition.
    definition_row: u32,
}

/// The numbers of a definition, which take a row of params.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct DefinitionRow {
    /// Its first record among those of the scene.
    first_record: u32,
    tree_records: u32,
    /// The number of the records that follow those, which hold its primitives without a box.
    unbounded_records: u32,
    zero: u32,
}

/// Returns the columns of the inverse of a linear part, rounded to float32, and what rounding took
/// of them.
fn inverse_columns(placement: &Placement) -> [[[f32; 3]; 3]; 2] {
    let inverse = placement.inverse_linear();
    let rounded = inverse.as_mat3();
    let rest = (inverse - rounded.as_dmat3()).as_mat3();
    [rounded.to_cols_array_2d(), rest.to_cols_array_2d()]
}

impl InstanceRecord {
    fn new(number: u32, instance: &Instance, definition_row: u32) -> Self {
        let [inverse, _] = inverse_columns(instance.placement());
        let translation = instance.placement().world_from_object().translation.as_vec3();
        let column = |axis: usize| {
            let [x, y, z] = inverse[axis];
            [x, y, z, translation[axis]]
        };
        Self {
            columns: std::array::from_fn(column),
            kind: SHAPE_MARK | PrimitiveKind::Instance as u32,
            instance: number,
            zero: 0,
            definition_row,
        }
    }
}

impl PackedScene {
    pub(super) fn own_first_row(&self) -> u32 {
        own_first_row(self.all_worlds()) as u32
    }

    fn first_definition_row(&self) -> usize {
        own_first_row(self.all_worlds()) + self.params.rows.len()
    }

    /// Returns how many bytes the rows of params take.
    pub(crate) fn params_bytes(&self) -> u64 {
        (self.ends.rows * size_of::<[u32; 4]>()) as u64
    }

    pub(crate) fn params(&self) -> Cow<'_, [[u32; 4]]> {
        if self.definitions.is_empty() {
            return Cow::Borrowed(&self.params.rows);
        }
        let mut rows = Vec::with_capacity(self.ends.rows);
        rows.extend(
            self.all_worlds().instances().iter().flat_map(|instance| self.instance_rows(instance)),
        );
        rows.extend_from_slice(&self.params.rows);
        for (definition, start) in self.definitions.iter().zip(&*self.starts) {
            rows.push(bytemuck::cast(DefinitionRow {
                first_record: start.records as u32,
                tree_records: definition.tree.items().len() as u32,
                unbounded_records: definition.unbounded as u32,
                zero: 0,
            }));
        }
        rows.extend(self.definitions.iter().flat_map(|definition| &definition.params.rows));
        Cow::Owned(rows)
    }

    /// Returns the rows of params of an instance: what rounding took of its inverse, and how many
    /// of the scene's own primitives have lower ids.
    fn instance_rows(&self, instance: &Instance) -> [[u32; 4]; INSTANCE_ROWS] {
        let [_, rest] = inverse_columns(instance.placement());
        let own_before = self.all_worlds().primitive_ids().first(instance.own_before());
        std::array::from_fn(|axis| {
            let [x, y, z] = rest[axis].map(f32::to_bits);
            [x, y, z, if axis == 0 { own_before } else { 0 }]
        })
    }

    pub(crate) fn rows_of(&self, number: u32) -> [[u32; 4]; INSTANCE_ROWS] {
        self.instance_rows(&self.all_worlds().instances()[number as usize])
    }

    pub(super) fn instance_record(&self, number: u32) -> Record {
        let instance = &self.all_worlds().instances()[number as usize];
        let row = self.first_definition_row() + instance.definition();
        bytemuck::cast(InstanceRecord::new(number, instance, row as u32))
    }

    /// Writes a record of a definition, by its index among all records.
    pub(super) fn definition_record(&self, index: usize) -> Record {
        // An index beyond the scene's own records is at least that of the first definition.
        let definition = self.starts.partition_point(|start| start.records <= index) - 1;
        let Extent { records, rows } = self.starts[definition];
        self.definitions[definition].record(index - records, rows as u32)
    }
}
