//! Why rays cannot be sampled, and why tallies cannot be added.

use thiserror::Error;

/// The reason why rays cannot be sampled.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// A number is out of range.
    #[error("{field} is {value}: {rule}")]
    Field {
        /// The field that the number is of.
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
        /// The number of rays that there are.
        rays: u64,
    },
    /// The scene has more geometries than sums are kept for.
    #[error("sums are kept for each geometry, and {geometries} are too many: at most {most}")]
    TooManyGeometries {
        /// The number that the scene has.
        geometries: u32,
        /// The largest number that it may have.
        most: u32,
    },
    /// The sampler was made for another scene.
    #[error(
        "the sampler is for a scene of {expected} geometries, and this one has {geometries}: make it for this scene"
    )]
    OtherScene {
        /// The number of geometries of the tracer's scene.
        geometries: u32,
        /// The number of geometries of the sampler's scene.
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
        /// The part in which they differ.
        what: &'static str,
        /// One of them in that part.
        one: String,
        /// The other one in that part.
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
