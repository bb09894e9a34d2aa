//! The numbers that the GPU reads for a test. The file with the test's name in
//! `shaders/point_in_shape/` documents its params.

use crate::fields::within_float32;
use crate::shapes::near_unit;
use glam::DVec3;

/// The number by which `shaders/point_in_shape.wgsl` distinguishes tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
#[expect(
    clippy::enum_variant_names,
    reason = "without its ending, each variant would have the name of a shape"
)]
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

/// A test that also runs on the GPU. Every test does; the trait seals the public ones.
pub trait Packing: Copy + Sync {
    /// The number of the test in the kernels.
    const FORM: Form;

    /// Returns the params that the kernels read. For a test with a tolerance the last number is
    /// left free for it.
    fn params(&self) -> TestParams;
}

/// Scales a direction to near unit length without rounding: a world axis to exactly unit length,
/// any other direction by a power of two.
pub fn near_unit_axis(direction: DVec3) -> DVec3 {
    let direction = within_float32(direction);
    if direction.cmpeq(DVec3::ZERO).bitmask().count_ones() == 2 {
        return direction / direction.abs().max_element();
    }
    near_unit(direction)
}
