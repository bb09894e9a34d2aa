//! Faults of the records that are packed for the device.

use super::fault::{ALL, Fault};
use super::need::Need;
use raytwin::gpu::{FaultSite, RecordFault};
use raytwin::shapes::PrimitiveKind;

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "records-of-half-precision",
        about: "The first three numbers of each shape are rounded to float16.",
        needs: &[],
        shown_by: ALL,
        site: FaultSite::Records(RecordFault::RoundedToHalf),
    },
    Fault {
        name: "records-swapped",
        about: "Two of every sixteen records of shapes are swapped.",
        needs: &[],
        shown_by: ALL,
        site: FaultSite::Records(RecordFault::Swapped),
    },
    Fault {
        name: "instance-transposed",
        about: "The transform of every sixteenth instance is transposed.",
        needs: &[Need::Primitive(PrimitiveKind::Instance)],
        shown_by: ALL,
        site: FaultSite::Records(RecordFault::InstanceTransposed),
    },
];
