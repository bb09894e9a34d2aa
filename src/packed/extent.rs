//! The beginnings of the records and params of a scene's own geometries and of its definitions.

use crate::scene::Scene;

/// The number of rows of params of an instance; those of all instances come first.
pub(crate) const INSTANCE_ROWS: usize = 3;

/// Returns the row at which the params of a scene's own geometries begin.
pub(super) fn own_first_row(scene: &Scene) -> usize {
    INSTANCE_ROWS * scene.instances().len()
}

/// A number of records, and one of rows of params.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub records: usize,
    pub rows: usize,
}

/// Returns what lies before each definition's records and params, and what lies before their end.
/// Each definition has a row of numbers before the params of all.
pub(super) fn starts(
    own: Extent,
    definitions: impl ExactSizeIterator<Item = Extent>,
) -> (Vec<Extent>, Extent) {
    let mut end = Extent { rows: own.rows + definitions.len(), ..own };
    let starts = definitions.map(|definition| {
        let start = end;
        end.records += definition.records;
        end.rows += definition.rows;
        start
    });
    (starts.collect(), end)
}
