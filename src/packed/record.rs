//! A record that the GPU reads.

use bytemuck::{Pod, Zeroable};

/// One slot as the GPU reads it: a shape, a wide node, or nothing. `shaders/packed.wgsl` and
/// `shaders/trace/wide.wgsl` say what the numbers are.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Record(pub [u32; 16]);

/// How many rows of params a record holds.
pub(super) const RECORD_PARAMS: usize = 3;

/// The bits that distinguish a shape from a node; `shaders/packed.wgsl` explains why they do.
pub(crate) const SHAPE_MARK: u32 = 0x0101_0100;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct ShapeRecord {
    pub params: [[f32; 4]; RECORD_PARAMS],
    /// [`SHAPE_MARK`] | the primitive's kind.
    pub kind: u32,
    /// The primitive; a heightfield's first.
    pub primitive: u32,
    pub zero: u32,
    /// The geometry's mask; for a heightfield and a mesh's triangle the row of the scene's params
    /// that has it.
    pub mask_or_params: u32,
}
