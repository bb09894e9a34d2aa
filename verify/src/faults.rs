//! Deliberate faults of the GPU engine. A comparison that cannot fail is worth nothing; with these
//! anyone can see it fail.
//!
//! Each [`Fault`] has a name, says what a scene must have for it to show ([`Need`]) and what must
//! be asked ([`QuestionTraits`](raytwin::question::QuestionTraits)), and stands in the table of what
//! it spoils. [`GpuTracer::with_fault`](raytwin::gpu::GpuTracer::with_fault) plants one, and
//! [`SelfTest`](crate::self_test::SelfTest) all of them in turn.

mod fault;
mod host;
mod need;
mod packing;
mod queries;
mod shapes;
mod tree;

pub use fault::Fault;
pub use need::Need;

/// Returns all faults that have a name of their own.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    let tables = [shapes::FAULTS, tree::FAULTS, queries::FAULTS, packing::FAULTS, host::FAULTS];
    tables.into_iter().flatten()
}

/// Finds the fault of that name, letter for letter; `None` if there is no such fault.
pub fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}
