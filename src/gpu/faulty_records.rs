//! Records with a deliberate fault, as a device gets them from
//! [`GpuTracer::with_fault`](crate::gpu::GpuTracer::with_fault).

use super::fault_site::RecordFault;
use crate::packed::{PackedScene, Record, SHAPE_MARK};
use crate::shapes::PrimitiveKind;
use std::ops::Range;

/// One in this many records or instances is changed, so that a large scene shows the fault too.
const ONE_OF: usize = 16;

/// The distance between two records that are swapped.
const APART: usize = ONE_OF / 2;

impl PackedScene {
    /// Writes some of the records, with a fault if one is given.
    pub(super) fn records_with(
        &self,
        indices: Range<usize>,
        fault: Option<RecordFault>,
    ) -> Vec<Record> {
        let mut records = self.records(indices);
        if let Some(fault) = fault {
            fault.spoil(&mut records);
        }
        records
    }
}

impl RecordFault {
    fn spoil(self, records: &mut [Record]) {
        match self {
            Self::RoundedToHalf => {
                for record in records.iter_mut().filter(|record| kind_of(record).is_some()) {
                    for bits in &mut record.0[..3] {
                        *bits = rounded_to_half(*bits);
                    }
                }
            }
            Self::Swapped => {
                let is_shape = |index: &usize| kind_of(&records[*index]).is_some();
                let shapes: Vec<usize> = (0..records.len()).filter(is_shape).collect();
                for some in shapes.chunks(ONE_OF).filter(|some| some.len() > APART) {
                    records.swap(some[0], some[APART]);
                }
            }
            Self::InstanceTransposed => {
                let is_spoilt = |record: &&mut Record| {
                    kind_of(record) == Some(PrimitiveKind::Instance)
                        && (record.0[13] as usize).is_multiple_of(ONE_OF)
                };
                for record in records.iter_mut().filter(is_spoilt) {
                    // Each column takes four numbers, the last of which belongs to the translation.
                    for (above, below) in [(1, 4), (2, 8), (6, 9)] {
                        record.0.swap(above, below);
                    }
                }
            }
        }
    }
}

/// Returns the kind of the shape in a record; `None` for a node and an empty record.
fn kind_of(record: &Record) -> Option<PrimitiveKind> {
    let number = (record.0[12] ^ SHAPE_MARK) | record.0[14];
    PrimitiveKind::ALL.get(number as usize).copied()
}

/// Rounds a float32 number to the eleven bits of a float16, to the nearest and to even, by its
/// bits.
fn rounded_to_half(bits: u32) -> u32 {
    const LOST: u32 = 0x1fff;
    let is_odd = bits >> 13 & 1;
    (bits + (LOST >> 1) + is_odd) & !LOST
}
