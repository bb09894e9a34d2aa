//! The two ways in which a device reads the records of a scene.

use crate::packed::Record;

pub(super) const RECORD_BYTES: u64 = size_of::<Record>() as u64;

/// How many records lie in a row of the texture.
pub(super) const RECORDS_PER_ROW: u32 = 1024;

/// A texel is 16 bytes, and a record has four.
pub(super) const TEXELS_PER_RECORD: u32 = (RECORD_BYTES / 16) as u32;

/// The way in which a device reads the records of a scene. Answers do not depend on it, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordStorage {
    /// From a buffer, as hardware does.
    Buffer,
    /// From a texture, which in software is faster.
    Texture,
}

impl RecordStorage {
    pub(super) fn fastest_on(device: &wgpu::Device) -> Self {
        let fits_row =
            device.limits().max_texture_dimension_2d >= RECORDS_PER_ROW * TEXELS_PER_RECORD;
        match device.adapter_info().device_type {
            wgpu::DeviceType::Cpu if fits_row => Self::Texture,
            _ => Self::Buffer,
        }
    }
}
