//! The errors of batches.

use thiserror::Error;

/// The reason why a batch cannot be cast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// An array of masks, ids or worlds has another length than the rays.
    #[error("there are {given} {what} for {rays} rays: give one for each ray, or none at all")]
    Count {
        /// The kind of array: masks, or ids to ignore.
        what: &'static str,
        /// How many numbers it has.
        given: usize,
        /// How many rays there are.
        rays: usize,
    },
    /// The number of answers differs from the number of rays or points.
    #[error("there are {given} answers for {asked} rays or points: give one answer for each")]
    Answers {
        /// How many answers there are.
        given: usize,
        /// How many rays or points there are.
        asked: usize,
    },
    /// No geometry has the id to ignore.
    #[error(
        "ray {ray} ignores geometry {geometry_id}, but the scene has {geometries}, numbered from 0: \
         give the id of one of these, or 4294967295 for none"
    )]
    Ignored {
        /// The ray's index in the batch.
        ray: usize,
        /// The id to ignore.
        geometry_id: u32,
        /// How many geometries the scene has.
        geometries: u32,
    },
    /// The scene has no world with that number.
    #[error("ray {ray} is cast in world {world}, but the scene has {worlds}, numbered from 0")]
    World {
        /// The ray's index in the batch.
        ray: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
    /// The scene has no world with the number that an image has.
    #[error(
        "image {image} is rendered in world {world}, but the scene has {worlds}, numbered from 0"
    )]
    WorldOfImage {
        /// The image's index.
        image: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
    /// More pixels are requested than the images have.
    #[error("pixels up to {end} are requested, but there are only {pixels}")]
    Pixels {
        /// The end of the requested range.
        end: usize,
        /// The number of pixels.
        pixels: usize,
    },
}
