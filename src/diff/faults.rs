//! Deliberate faults of the GPU engine, and the self-test that plants each of them. A comparison that cannot fail is worth
//! nothing; with these anyone can see it fail.
//!
//! Each [`Fault`] has a name, says what a scene must have for it to show ([`Need`]) and what must be asked ([`QuestionTraits`]),
//! and stands in the table of what it spoils. [`GpuTracer::with_fault`](crate::gpu::GpuTracer::with_fault) plants one.
//! [`SelfTest`] plants all of them in turn, in [built-in scenes](BuiltInScene) or in one of yours.

mod built_in;
mod built_in_shapes;
mod fault;
mod host;
mod need;
mod packing;
mod queries;
mod self_test;
mod shapes;
mod test_scene;
mod tree;

pub use built_in::BuiltInScene;
#[cfg(feature = "io")]
pub(in crate::diff) use built_in::balls_in_worlds;
#[cfg(feature = "io")]
pub(in crate::diff) use built_in_shapes::{geometry, stretch, vector};
pub use fault::{Fault, FaultSite, HostFault, RecordFault};
pub use need::Need;
pub use self_test::{FaultFindings, SelfTest};
pub use test_scene::{Finding, TestScene, TestSceneError};

/// Returns all faults that have a name of their own.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    let tables = [shapes::FAULTS, tree::FAULTS, queries::FAULTS, packing::FAULTS, host::FAULTS];
    tables.into_iter().flatten()
}

/// Returns the fault of that name.
pub fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}
