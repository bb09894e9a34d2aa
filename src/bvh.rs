//! The bounding volume hierarchy that both tracers traverse.
//!
//! It is built by PLOC and reinsertion, and made wide, with parts of the library `obvhs`. It is
//! used only after a check, which also measures its depth; the GPU's stack is sized by that depth.
//! Boxes are computed in float64, rounded outwards and grown by 8 u of their own largest
//! coordinate. The traversal in float32 has a margin for this, so it loses no hit.

mod box_tester;
mod build;
mod cluster;
mod collapse;
mod forest;
mod nearest;
mod node;
mod nodes;
mod octants;
mod overlap;
mod packet;
mod packet_lines;
mod partners;
mod planes;
mod ray_lanes;
mod ray_packet;
mod refit;
mod reinsert;
mod traversal_lanes;
mod traversal_ray;
mod tree;
mod uncompressed_node;
mod validate;
mod walk;
mod wide;
mod wide_layout;
mod wide_node;

pub(crate) use box_tester::{BoxTester, Portable};
pub use build::Quality;
pub(crate) use build::outward;
pub(crate) use nearest::NearestStack;
#[cfg(any(test, feature = "gpu"))]
pub(crate) use node::Link;
pub use node::MAX_DEPTH;
pub(crate) use node::take_lowest;
pub(crate) use packet::{PacketStack, PacketVisitor};
pub(crate) use packet_lines::PacketLines;
pub(crate) use ray_lanes::{OfRays, PACKET, RayLanes};
pub(crate) use ray_packet::RayPacket;
pub(crate) use traversal_lanes::TraversalLanes;
pub use tree::Tree;
pub use validate::TreeError;
pub(crate) use walk::{INTERLEAVED_RAYS, RayFeeder, Start, TraversalState};
#[cfg(test)]
pub(crate) use wide::ROOT;
#[cfg(test)]
pub(crate) use wide_node::ALIGNMENT;
