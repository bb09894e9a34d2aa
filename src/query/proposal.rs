//! The answer that a device proposes for a ray, to be completed in float64.

/// A query whose answers a device may propose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProposedQuery {
    Closest,
    Any,
}

/// The proposed answer to a ray.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proposal {
    Invalid,
    /// The ray certainly hits nothing.
    Miss,
    /// The ray certainly hits this primitive, and first if the query is for the closest hit.
    Primitive {
        /// [`NONE`](crate::NONE) for one of the scene's own primitives.
        instance: u32,
        /// The record of the scene, or of the instance's definition, that holds the primitive.
        record: u32,
    },
    /// Float32 does not decide it.
    InDoubt,
}
