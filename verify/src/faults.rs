//! Deliberate faults of the GPU engine. They show that the comparison can fail.
//!
//! Each [`Fault`] has a name, states what a scene must have to show it ([`Need`]) and which
//! questions show it ([`QuestionTraits`](raytwin::question::QuestionTraits)), and is listed in the
//! table of the code that it changes.
//! [`GpuTracer::with_fault`](raytwin::gpu::GpuTracer::with_fault) plants one, and
//! [`SelfTest`](crate::self_test::SelfTest) plants all of them, one after the other.

mod fault;
mod host;
mod need;
mod packing;
mod queries;
mod shapes;
mod tree;

pub use fault::Fault;
pub use need::Need;

/// Returns all named faults.
pub fn all() -> impl Iterator<Item = &'static Fault> {
    let tables = [shapes::FAULTS, tree::FAULTS, queries::FAULTS, packing::FAULTS, host::FAULTS];
    tables.into_iter().flatten()
}

/// Returns the fault with exactly that name; `None` if there is no such fault.
pub fn named(name: &str) -> Option<&'static Fault> {
    all().find(|fault| fault.name == name)
}
