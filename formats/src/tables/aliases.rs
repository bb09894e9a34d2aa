//! Types of shapes whose tables have the same columns.

/// Two such types. A table of pipes or branches without a type has the first.
pub(super) const ALIKE: [&str; 2] = ["cylinder", "capsule"];
