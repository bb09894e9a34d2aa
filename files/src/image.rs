//! The files of an image: arrays, OpenEXR, and pictures for people.

pub mod color;
mod mapped_ids;
mod npz;
mod openexr;
mod picture;
mod posed;
mod seen;
mod spilled;
mod write;
mod z16;

pub use npz::write_npz;
pub use picture::{DistanceRange, png, png_of_rgb};
pub use posed::PosedImageWriter;
pub use write::{RenderFiles, RenderOptions, RenderWriter, render_files};
