//! Faults of the host's dispatches and buffers.

use super::fault::{ALL, Fault, RAYS};
use super::need::Need;
use raytwin::gpu::{FaultSite, HostFault};
use raytwin::question::{Circumstance, QuestionKind};

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "last-workgroup-dropped",
        about: "One workgroup fewer is dispatched than the batch needs.",
        needs: &[],
        shown_by: ALL,
        site: FaultSite::Host(HostFault::LastWorkgroupDropped),
    },
    Fault {
        name: "rays-stale",
        about: "A chunk's rays are not uploaded; those of an earlier chunk stay in the buffer.",
        needs: &[],
        shown_by: &QuestionKind::OF_RAYS_AND_POINTS,
        site: FaultSite::Host(HostFault::StaleRays),
    },
    Fault {
        name: "moved-records-kept",
        about: "An update does not upload the records of moved shapes.",
        needs: &[Need::Circumstance(Circumstance::Update)],
        shown_by: RAYS,
        site: FaultSite::Host(HostFault::MovedRecordsKept),
    },
];
