//! Memory that a Vulkan device and CUDA share, so that Python programs pass tensors and get answers
//! without a copy to the host.
//!
//! Vulkan cannot import memory that CUDA allocates. So a [`SharedBuffer`] is Vulkan memory that the
//! CUDA driver imports. A [`ForeignTensor`] is a tensor of another library, which is copied into
//! such a buffer on the card, or is already in one. A [`DeviceArray`] is a part of such a buffer
//! that other libraries use as a tensor. The CUDA driver is loaded at run time, and nothing of CUDA
//! is needed to compile.
//!
//! The work of Vulkan and CUDA is not synchronised automatically. Wait for the device
//! ([`wgpu::Device::poll`]) before CUDA reads what the device wrote, and for the card
//! ([`Card::wait`]) before the device reads what a CUDA program wrote. [`SharedBuffer::copy_from`],
//! [`SharedBuffer::copy_to`], [`SharedBuffer::read`] and [`ForeignTensor::take`] wait themselves.
#![expect(
    unsafe_code,
    reason = "the CUDA and Vulkan drivers and the capsules of DLPack have C interfaces"
)]

mod capsule;
mod card;
mod device_array;
mod dlpack;
mod driver;
mod element;
mod error;
mod foreign_tensor;
mod mapping;
#[cfg(not(target_os = "linux"))]
mod no_vulkan;
mod registry;
mod rows;
mod shared_buffer;
#[cfg(target_os = "linux")]
mod vulkan;

pub use card::Card;
pub use device_array::DeviceArray;
pub use element::Element;
pub use error::CudaError;
pub use foreign_tensor::ForeignTensor;
#[cfg(not(target_os = "linux"))]
use no_vulkan as vulkan;
pub use shared_buffer::SharedBuffer;

/// Returns the features with which a device must be opened to share memory. An adapter without them
/// cannot share memory.
pub fn features() -> wgpu::Features {
    wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD
}
