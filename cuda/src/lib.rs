//! Memory that a Vulkan device and CUDA share, so that the tensors of a program in Python go in and
//! answers come out without the host.
//!
//! Vulkan cannot import what CUDA allocates. So a [`SharedBuffer`] is memory of Vulkan that CUDA's
//! driver imports. A [`ForeignTensor`] is a tensor of another library, which is copied into such a
//! buffer on the card, or lies in one already. A [`DeviceArray`] is a part of such a buffer that
//! other libraries take as a tensor. CUDA's driver is looked for at run time, and nothing of CUDA
//! is needed to compile.
//!
//! Nothing here orders the work of Vulkan and CUDA by itself: wait for the device
//! ([`wgpu::Device::poll`]) before CUDA reads what it wrote, and for the card ([`Card::wait`])
//! before the device reads what a program in CUDA wrote. [`SharedBuffer::copy_from`],
//! [`SharedBuffer::copy_to`], [`SharedBuffer::read`] and [`ForeignTensor::take`] wait themselves.
#![expect(
    unsafe_code,
    reason = "the drivers of CUDA and Vulkan and the capsules of DLPack are interfaces of C"
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

/// Returns the features that a device has to be opened with, so that it shares memory. An adapter
/// that lacks them shares none.
pub fn features() -> wgpu::Features {
    wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD
}
