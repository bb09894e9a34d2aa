//! Lidars: the published models, and what each measures. A beam is one or more rays, their hits are
//! echoes, and the instrument makes returns of these. What a camera holds of a lidar, its pattern, its
//! light and its noise, is in [`camera`](crate::camera).

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
