//! What the GPU reads of a test. Its namesakes in `shaders/point_in_shape/` say what their params mean.

use crate::fields::within_float32;
use crate::shapes::near_unit;
use glam::DVec3;

/// What `shaders/point_in_shape.wgsl` tells tests apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(clippy::enum_variant_names, reason = "without its ending each would be a shape's name")]
pub enum Form {
    CylinderTest,
    ConeTest,
    EllipsoidTest,
    SphereTest,
    AlignedBoxTest,
    OrientedBoxTest,
    PlaneTest,
    LineTest,
    RayTest,
    SegmentTest,
}

/// A test's numbers in float32, each rounded once from float64.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TestParams {
    pub first: [f32; 4],
    pub second: [f32; 4],
    pub third: [f32; 4],
}

/// A test that has kernels; there are no others.
pub trait Packing: Copy + Sync {
    /// By which the kernels know it.
    const FORM: Form;

    /// What they read of it. Of what can be touched, the last number is free for the tolerance.
    fn params(&self) -> TestParams;
}

/// A direction near unit length: a world axis exactly, any other by a power of two. Neither rounds.
pub fn near_unit_axis(direction: DVec3) -> DVec3 {
    let direction = within_float32(direction);
    if direction.cmpeq(DVec3::ZERO).bitmask().count_ones() == 2 {
        return direction / direction.abs().max_element();
    }
    near_unit(direction)
}
