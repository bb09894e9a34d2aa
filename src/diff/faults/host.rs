//! Faults of the host's dispatches and buffers.

use super::fault::{Fault, FaultSite, HostFault};
use super::need::Need;
use super::question::Question;

pub(super) const FAULTS: &[Fault] = &[
    Fault {
        name: "last-workgroup-dropped",
        about: "One workgroup fewer is dispatched than the batch takes.",
        needs: &[],
        shown_by: &[Question::Closest, Question::Count, Question::Points, Question::Image],
        site: FaultSite::Host(HostFault::LastWorkgroupDropped),
    },
    Fault {
        name: "rays-stale",
        about: "A chunk's rays are not uploaded; those of an earlier chunk stay in the buffer.",
        needs: &[],
        shown_by: &[Question::Closest, Question::Any, Question::Points],
        site: FaultSite::Host(HostFault::StaleRays),
    },
    Fault {
        name: "moved-records-kept",
        about: "An update does not upload the records of what moved.",
        needs: &[Need::Motion],
        shown_by: &[Question::Update],
        site: FaultSite::Host(HostFault::MovedRecordsKept),
    },
];
