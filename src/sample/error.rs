//! The errors of sampling and of tallies.

use thiserror::Error;

/// The reason why rays cannot be sampled.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SampleError {
    /// A number is out of range.
    #[error("{field} is {value}: {rule}")]
    Field {
        /// The name of the field.
        field: &'static str,
        /// The number.
        value: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// There are no views, or they differ in size.
    #[error("there must be at least one view, and all views must have the same size: {0}")]
    Views(String),
    /// The views have fewer rays.
    #[error("rays {first}..{end} are requested, but the views have {rays}, numbered from 0")]
    Range {
        /// The first ray.
        first: u64,
        /// The ray after the last one.
        end: u64,
        /// The number of rays that there are.
        rays: u64,
    },
    /// The scene has too many geometries.
    #[error(
        "the scene has {geometries} geometries, which is too many: sums are possible for at most {most}"
    )]
    TooManyGeometries {
        /// The number that the scene has.
        geometries: u32,
        /// The largest number that it may have.
        most: u32,
    },
    /// The sampler was made for another scene.
    #[error(
        "the sampler is for a scene of {expected} geometries, but this scene has {geometries}: make a sampler for this scene"
    )]
    OtherScene {
        /// The number of geometries of the tracer's scene.
        geometries: u32,
        /// The number of geometries of the sampler's scene.
        expected: u32,
    },
}

/// The reason why two tallies cannot be added, or why a text is not a tally.
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
    /// Both tallies contain the same rays.
    #[error("both tallies contain the rays {first}..{end}: add each part once")]
    Overlap {
        /// The first ray in both.
        first: u64,
        /// The end of the rays in both.
        end: u64,
    },
    /// The text is not a tally.
    #[error("not a tally: {0}")]
    Text(String),
}
