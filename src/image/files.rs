//! The files that an image is written to: arrays, OpenEXR, and pictures for eyes.

mod npz;
mod openexr;
pub(crate) mod picture;
pub(super) mod posed;
mod spilled;
pub(super) mod write;
mod z16;
