//! The tracer on a GPU, by wgpu: Vulkan, Metal, DirectX 12, and WebGPU in a browser.
//!
//! [`Gpu`] is a device with the kernels that were compiled for it, [`GpuTracer`] a scene on it, also through the loss of
//! the device. Every entry is `async` underneath; the names without the ending block until it is done, which a browser
//! must not.
//!
//! A program that has a wgpu device of its own casts on that one, with [`Gpu::from_wgpu`], and a batch that already
//! lies on the device is cast where it is, with [`GpuTracer::closest_on_device`].

mod adapter;
mod all;
mod bindings;
mod buffer;
mod capabilities;
mod chunk_buffers;
mod chunk_tuner;
mod clock;
mod copy;
mod device;
mod dispatch;
mod error;
mod fault;
mod header;
mod hit;
mod kernel;
mod lock;
mod once_map;
mod pipeline_cache;
mod pipelines;
mod point_in_shape;
mod points;
mod rays;
mod record_storage;
mod recovery;
mod ring;
mod scene;
mod scene_on_device;
mod shader;
mod tracer;
mod view;

pub use adapter::{AdapterChoice, AdapterInfo, adapters};
pub use device::Gpu;
pub use error::GpuError;
pub use fault::{FAULTS, Fault};
pub use hit::GpuHit;
pub use point_in_shape::{PointTestError, PointTester};
pub use record_storage::RecordStorage;
pub use tracer::GpuTracer;
pub use wgpu;
