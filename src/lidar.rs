//! Lidars: the published models, and the returns that they measure. A beam is one or more rays.
//! Hits that are close together form an echo, and the instrument reports echoes as returns. The
//! lidar's pattern, light and noise are properties of a camera: see [`camera`](crate::camera).

mod beams;
mod echoes;
mod ground;
mod model;
pub mod returns;

#[cfg(feature = "gpu")]
pub(crate) use beams::BeamLine;
pub(crate) use beams::{Beams, NEAREST};
pub use ground::Ground;
pub use model::{Instrument, Lidar};
