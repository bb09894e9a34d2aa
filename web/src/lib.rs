//! The module of the browser page: scenes from bytes, pictures from the GPU or the float64 tracer,
//! and exact answers for single pixels. It runs in a worker, so that the page stays responsive.
#![allow(
    clippy::missing_errors_doc,
    reason = "an exception in JavaScript is a sentence for the user"
)]

mod answers;
mod caster;
mod contents;
mod features;
mod linked_report;
mod look;
mod paint;
mod parts;
mod prove;
mod session;
mod shading;
mod source;
mod tile;

pub use caster::Device;
pub use linked_report::{LinkedReport, report_link};
pub use prove::{Prover, proof_faults};
pub use session::Session;
pub use source::Files;
pub use tile::Tile;
