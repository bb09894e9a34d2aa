//! Why rays cannot be sampled, and why tallies cannot be added.

use thiserror::Error;

/// The reason why rays cannot be sampled.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// A number is out of range.
    #[error("{field} is {value}: {rule}")]
    Field {
        /// What the number is.
        field: &'static str,
        /// The number.
        value: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// There are no views, or they differ in size.
    #[error("the views of a sweep must be of one size, and there must be one at least: {0}")]
    Views(String),
    /// The views have fewer rays.
    #[error("the rays {first}..{end} are asked for, and the views have {rays}, numbered from 0")]
    Range {
        /// The first ray.
        first: u64,
        /// The ray after the last one.
        end: u64,
        /// How many there are.
        rays: u64,
    },
    /// The scene has more geometries than sums are kept for.
    #[error("sums are kept for each geometry, and {geometries} are too many: at most {most}")]
    TooManyGeometries {
        /// How many the scene has.
        geometries: u32,
        /// How many it may have.
        most: u32,
    },
    /// The sampler was made for another scene.
    #[error(
        "the sampler is for a scene of {expected} geometries, and this one has {geometries}: make it for this scene"
    )]
    OtherScene {
        /// How many geometries the tracer's scene has.
        geometries: u32,
        /// How many the sampler's scene has.
        expected: u32,
    },
}

/// The reason why two tallies cannot be added, or why a text is none.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum TallyError {
    /// The tallies are of different runs.
    #[error("the tallies differ in their {what}: {one} and {other}; add only parts of one run")]
    Other {
        /// What they differ in.
        what: &'static str,
        /// What one of them has.
        one: String,
        /// What the other one has.
        other: String,
    },
    /// Both tallies hold the same rays.
    #[error("both tallies hold the rays {first}..{end}: add each part once")]
    Overlap {
        /// The first ray that both hold.
        first: u64,
        /// The end of the rays that both hold.
        end: u64,
    },
    /// The text is no tally.
    #[error("it is no tally: {0}")]
    Text(String),
}
