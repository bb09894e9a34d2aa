//! The two ways to store the records of a scene on a device.

use crate::packed::Record;

pub(super) const RECORD_BYTES: u64 = size_of::<Record>() as u64;

/// How many records lie in a row of the texture.
pub(super) const RECORDS_PER_ROW: u32 = 1024;

/// A texel is 16 bytes, and a record has four.
pub(super) const TEXELS_PER_RECORD: u32 = (RECORD_BYTES / 16) as u32;

/// How the records of a scene are stored on a device. Answers do not depend on it, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordStorage {
    /// In a buffer, which is faster on hardware.
    Buffer,
    /// In a texture, which is faster for software drivers.
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
