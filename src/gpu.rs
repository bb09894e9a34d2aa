//! The tracer on a GPU, with wgpu: Vulkan, Metal, DirectX 12, and WebGPU in a browser.
//!
//! [`Gpu`] is a device with the kernels that were compiled for it. [`GpuTracer`] is a scene on a
//! device, and survives the loss of that device. Every call is `async` internally. The functions
//! without the ending `_async` block until the answer is there, which is not allowed in a browser.
//!
//! A program with its own wgpu device casts on that device with [`Gpu::from_wgpu`].
//! [`GpuTracer::closest_on_device`] casts rays that are already on the device.
//! [`GpuTracer::closest_to_device`] leaves their answers there as arrays of ids, and
//! [`GpuTracer::render_to_device`] does so for images.
//!
//! The types of this engine are named for their lifetimes. `Gpu` is a device with its compiled
//! kernels, `SceneOnDevice` is a scene until the device is lost, `RecoverableScene` is a scene that
//! survives the loss, and `ChunkBuffers` are the buffers of one chunk.

mod adapter;
mod all;
mod answers_on_device;
mod arithmetic;
mod beams;
mod bindings;
mod buffer;
mod capabilities;
mod chunk_buffers;
mod chunk_tuner;
mod clock;
mod copy;
mod crossings;
mod device;
mod dispatch;
mod elementwise;
mod fault_site;
mod faulty_records;
mod full_load;
mod header;
mod hit;
mod host_phases;
mod kernel;
mod kernel_times;
mod kernel_variant;
mod lock;
mod numbering;
mod once_map;
mod opening;
mod part;
mod pipeline_cache;
mod pipelines;
mod point_in_shape;
mod points;
mod preparation;
mod query_job;
mod ray_order;
mod rays;
mod recast;
mod record_texture;
mod recovery;
mod ring;
mod sample;
mod scene;
mod scene_on_device;
mod shader;
mod surfaces;
mod tracer;
mod view;

pub use crate::arithmetic::{Arithmetic, Fusion, Rounding};
pub use crate::gpu_error::GpuError;
pub use adapter::{AdapterChoice, AdapterInfo, adapters};
pub use answers_on_device::{AnswersOnDevice, ArrayOnDevice, RaysOnDevice};
pub use device::Gpu;
pub use fault_site::{FaultSite, HostFault, RecordFault};
pub use hit::{GpuHit, GpuPlacedHit};
pub use host_phases::HostPhases;
pub use kernel_variant::KernelVariant;
pub use opening::OpeningGpu;
pub use point_in_shape::{PointTestError, PointTester};
pub use tracer::GpuTracer;
pub use wgpu;
