//! Why a batch is refused.

use thiserror::Error;

/// The reason why a batch cannot be cast.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchError {
    /// The numbers of masks or ids and of rays differ.
    #[error("there are {given} {what} for {rays} rays: give one for each ray, or none at all")]
    Count {
        /// The kind of array: masks, or ids to ignore.
        what: &'static str,
        /// How many numbers it has.
        given: usize,
        /// How many rays there are.
        rays: usize,
    },
    /// The number of answers differs from that of the rays or points that they are to be answers
    /// to.
    #[error("there are {given} answers to {asked} rays or points: give the answers to these alone")]
    Answers {
        /// How many answers there are.
        given: usize,
        /// How many rays or points there are.
        asked: usize,
    },
    /// No geometry has the id to ignore.
    #[error(
        "ray {ray} ignores geometry {geometry_id}, and the scene has {geometries}, numbered from 0: \
         give one of these, or 4294967295 for none"
    )]
    Ignored {
        /// The ray's index in the batch.
        ray: usize,
        /// The id to ignore.
        geometry_id: u32,
        /// How many geometries the scene has.
        geometries: u32,
    },
    /// The scene has no world of that number.
    #[error("ray {ray} is cast in world {world}, and the scene has {worlds}, numbered from 0")]
    World {
        /// The ray's index in the batch.
        ray: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
    /// The scene has no world of the number that an image is taken in.
    #[error("image {image} is taken in world {world}, and the scene has {worlds}, numbered from 0")]
    WorldOfImage {
        /// The image's index.
        image: usize,
        /// The number of the world.
        world: u32,
        /// The number of the scene's worlds.
        worlds: u32,
    },
    /// The images have fewer pixels.
    #[error("the pixels up to {end} are asked for, and there are {pixels}")]
    Pixels {
        /// The end of the range that is asked for.
        end: usize,
        /// The number of pixels.
        pixels: usize,
    },
}
