//! The tracer on a GPU, by wgpu: Vulkan, Metal, DirectX 12, and WebGPU in a browser.
//!
//! Types are named by their lifetime: [`Gpu`] is what a device owns, [`GpuTracer`] what a scene owns
//! there, also through the loss of a device, and a chunk of rays owns a slot of buffers. Every entry is `async` underneath; the
//! names without the ending block until it is done, which a browser must not.
//!
//! A batch that already lies on the device is cast where it is, with [`GpuTracer::closest_on_device`].

mod adapter;
mod all;
mod buffer;
mod chunk_buffers;
mod chunk_tuner;
mod clock;
mod copy;
mod error;
mod fault;
mod pipeline;
mod point_in_shape;
mod points;
mod resident;
mod ring;
mod scene;
mod shader;
mod stream;
mod view;

pub use adapter::{AdapterChoice, AdapterInfo, adapters};
pub use error::GpuError;
pub use fault::{FAULTS, Fault};
pub use point_in_shape::{PointTestError, PointTester};
pub use stream::GpuHit;
pub use wgpu;

use crate::query::{AllHits, PointHit};
use crate::query::{Batch, BatchError};
use crate::camera::View;
use crate::packed::PackedScene;
use crate::ray::{Hit, Ray};
use crate::tracer::{TraceError, Tracer};
use adapter::ranked_adapters;
use chunk_tuner::ChunkTuner;
use resident::{Resident, lock};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// How a device reads what stands in the tree. Answers do not depend on it, to the bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordStorage {
    /// From a buffer, as hardware does.
    Buffer,
    /// From a texture, which in software is faster.
    Texture,
}

impl RecordStorage {
    fn fastest_on(device: &wgpu::Device) -> Self {
        match device.adapter_info().device_type {
            wgpu::DeviceType::Cpu if scene::fits_rows(&device.limits()) => Self::Texture,
            _ => Self::Buffer,
        }
    }
}

/// A device and its queue.
#[derive(Clone, Debug)]
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    record_storage: RecordStorage,
    /// Of a device that was opened here: another like it can be.
    adapter: Option<AdapterInfo>,
    /// The first fault that no call could report; set by the device's own handlers.
    fault: Arc<OnceLock<String>>,
}

impl Gpu {
    /// Opens the best adapter that fits, with all that it allows.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] and [`GpuError::NoDevice`].
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        pollster::block_on(Self::open_async(choice))
    }

    /// As [`Self::open`].
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_async(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let adapters = ranked_adapters().await;
        let Some((info, adapter)) = adapters.iter().find(|(info, _)| info.fits(choice)) else {
            return Err(GpuError::NoAdapter {
                wanted: choice.to_string(),
                found: adapters.iter().map(|(info, _)| info.to_string()).collect(),
                narrowed_by: adapter::narrowed_by(),
            });
        };
        Self::of(info, adapter).await
    }

    async fn of(info: &AdapterInfo, adapter: &wgpu::Adapter) -> Result<Self, GpuError> {
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("raytwin"),
                // The defaults would refuse a buffer that the adapter can hold.
                required_limits: adapter.limits(),
                required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
                memory_hints: wgpu::MemoryHints::Performance,
                ..Default::default()
            })
            .await
            .map_err(|error| GpuError::NoDevice {
                adapter: info.to_string(),
                reason: error.to_string(),
            })?;
        let fault = Arc::new(OnceLock::new());
        let lost = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            // Dropping the device at the end is no fault.
            if reason != wgpu::DeviceLostReason::Destroyed {
                let _ = lost.set(message);
            }
        });
        let uncaptured = Arc::clone(&fault);
        // The default handler panics.
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let _ = uncaptured.set(error.to_string());
        }));
        Ok(Self {
            record_storage: RecordStorage::fastest_on(&device),
            device,
            queue,
            name: info.to_string(),
            adapter: Some(info.clone()),
            fault,
        })
    }

    /// A device that the caller already has; its error handlers stay the caller's, and once lost it is
    /// for the caller to open again.
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self {
            name: device.adapter_info().name,
            record_storage: RecordStorage::fastest_on(&device),
            device,
            queue,
            adapter: None,
            fault: Arc::default(),
        }
    }

    /// Has scenes read in this way, not in the one that is the fastest on such a device.
    pub fn with_record_storage(self, record_storage: RecordStorage) -> Self {
        Self { record_storage, ..self }
    }

    /// Another device of the same adapter, in place of this one, which is lost; else why that was.
    async fn reopened(&self, lost: GpuError) -> Result<Self, GpuError> {
        let adapters = ranked_adapters().await;
        let same = adapters.iter().find(|(info, _)| Some(info) == self.adapter.as_ref());
        match same {
            Some((info, adapter)) => {
                let new = Self::of(info, adapter).await.map_err(|_| lost)?;
                Ok(new.with_record_storage(self.record_storage))
            }
            None => Err(lost),
        }
    }

    /// What it is called, of which type and by which interface.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the adapter says of itself; `None` of a device that the caller brought.
    pub fn adapter(&self) -> Option<&AdapterInfo> {
        self.adapter.as_ref()
    }

    /// Whether the device tells the time that its kernels take.
    fn has_clock(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// An error if the device reported a fault outside of any call.
    fn check(&self) -> Result<(), GpuError> {
        self.fault.get().map_or(Ok(()), |fault| Err(GpuError::Lost(fault.clone())))
    }
}

/// A scene on a device, ready to be cast at.
///
/// A device that [`Gpu::open`] opened and that is lost while rays are cast is opened again, and the batch
/// goes on where it was: the answers are the same, to the bit.
#[derive(Debug)]
pub struct GpuTracer {
    /// To upload again.
    packed: PackedScene,
    fault: Option<Fault>,
    /// Replaced when the device is lost.
    resident: Mutex<Arc<Resident>>,
    tuner: ChunkTuner,
}

impl GpuTracer {
    /// Uploads a packed scene.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where it does not fit the device's bindings, before any of it is uploaded;
    /// [`GpuError::OutOfMemory`].
    pub fn new(gpu: &Gpu, packed: &PackedScene) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, packed, None))
    }

    /// As [`Self::new`], on the caller's own device.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_device(
        device: wgpu::Device,
        queue: wgpu::Queue,
        packed: &PackedScene,
    ) -> Result<Self, GpuError> {
        Self::new(&Gpu::from_wgpu(device, queue), packed)
    }

    /// As [`Self::new`], with one deliberate fault in the shader, to see a check fail.
    ///
    /// # Errors
    /// As [`Self::new`], and [`GpuError::StaleFault`].
    pub fn with_fault(gpu: &Gpu, packed: &PackedScene, fault: &Fault) -> Result<Self, GpuError> {
        pollster::block_on(Self::new_async(gpu, packed, Some(fault)))
    }

    /// As [`Self::new`], with a fault if one is given.
    ///
    /// # Errors
    /// As [`Self::with_fault`].
    pub async fn new_async(
        gpu: &Gpu,
        packed: &PackedScene,
        fault: Option<&Fault>,
    ) -> Result<Self, GpuError> {
        let resident = Resident::new(gpu.clone(), packed, fault).await?;
        Ok(Self {
            packed: packed.clone(),
            fault: fault.copied(),
            resident: Mutex::new(Arc::new(resident)),
            tuner: ChunkTuner::new(&gpu.device.limits()),
        })
    }

    /// Casts batches in chunks of at most this many rays. Answers do not depend on it.
    pub fn with_chunk(mut self, rays: usize) -> Self {
        self.tuner.limit(rays);
        self
    }

    /// The device that it runs on.
    pub fn gpu(&self) -> Gpu {
        self.resident().gpu.clone()
    }

    /// How long kernels took by the device's own clock since this was last asked, those of
    /// [`Self::closest_on_device`] left out; `None` where the device has no such clock.
    pub fn take_kernel_time(&self) -> Option<Duration> {
        let time = self.tuner.take_kernel_time();
        self.resident().gpu.has_clock().then_some(time)
    }

    fn resident(&self) -> Arc<Resident> {
        Arc::clone(&lock(&self.resident))
    }

    /// The scene on another device of the same adapter, in place of one that is lost.
    async fn reopened(
        &self,
        old: &Arc<Resident>,
        lost: GpuError,
    ) -> Result<Arc<Resident>, GpuError> {
        let current = self.resident();
        // Another call has seen to it.
        if !Arc::ptr_eq(&current, old) {
            return Ok(current);
        }
        let gpu = old.gpu.reopened(lost).await?;
        log::warn!("{} was lost; it was opened again, and the batch goes on", gpu.name);
        let new = Arc::new(Resident::new(gpu, &self.packed, self.fault.as_ref()).await?);
        *lock(&self.resident) = Arc::clone(&new);
        Ok(new)
    }

    /// As [`Tracer::closest`].
    ///
    /// # Errors
    /// As [`Tracer::closest`].
    pub async fn closest_async(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        Ok(stream::closest(self, self.checked(batch)?).await?)
    }

    /// As [`Tracer::any`].
    ///
    /// # Errors
    /// As [`Tracer::any`].
    pub async fn any_async(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        Ok(stream::any(self, self.checked(batch)?).await?)
    }

    /// As [`Tracer::count`].
    ///
    /// # Errors
    /// As [`Tracer::count`].
    pub async fn count_async(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        Ok(stream::count(self, self.checked(batch)?).await?)
    }

    /// As [`Tracer::all`].
    ///
    /// # Errors
    /// As [`Tracer::all`]; [`GpuError::TooLarge`] where the crossings of one ray do not fit the device,
    /// [`GpuError::HostMemory`] where those of all rays do not fit the host.
    pub async fn all_async(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        Ok(all::all(self, self.checked(batch)?).await?)
    }

    fn checked<'a>(&self, batch: Batch<'a>) -> Result<Batch<'a>, BatchError> {
        batch.check(self.packed.primitive_ids.geometries())?;
        Ok(batch)
    }

    /// What is around each point, by ids.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub async fn points_async(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, GpuError> {
        points::point_hits(self, points).await
    }

    /// The closest hit of each ray of `pixels` of a view, generated on the device.
    ///
    /// # Errors
    /// [`GpuError`], only from a device that fails.
    pub async fn render_async(
        &self,
        view: &View,
        pixels: Range<usize>,
    ) -> Result<Vec<Hit>, GpuError> {
        stream::render(self, view, pixels).await
    }

    /// Records the cast of `count` rays that already lie on the device; submit `encoder` when you like.
    ///
    /// `rays` holds a [`Ray`] each (32 bytes), `found` gets a [`GpuHit`] each (8 bytes). Both are storage
    /// buffers, read and written from their beginning. Of a direction's length the device itself judges,
    /// in float32: a thousandth beyond 1e-12 and 1e12 is still cast.
    ///
    /// # Errors
    /// [`GpuError::TooLarge`] where the buffers are smaller than `count` asks, or larger than a binding
    /// or a dispatch may be.
    pub fn closest_on_device(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        rays: &wgpu::Buffer,
        found: &wgpu::Buffer,
        count: u32,
    ) -> Result<(), GpuError> {
        stream::record_on_device(self, encoder, [rays, found], count)
    }
}

impl Tracer for GpuTracer {
    fn closest(&self, batch: Batch<'_>) -> Result<Vec<Hit>, TraceError> {
        pollster::block_on(self.closest_async(batch))
    }

    fn any(&self, batch: Batch<'_>) -> Result<Vec<bool>, TraceError> {
        pollster::block_on(self.any_async(batch))
    }

    fn count(&self, batch: Batch<'_>) -> Result<Vec<u32>, TraceError> {
        pollster::block_on(self.count_async(batch))
    }

    fn all(&self, batch: Batch<'_>) -> Result<AllHits, TraceError> {
        pollster::block_on(self.all_async(batch))
    }

    fn points(&self, points: &[[f32; 3]]) -> Result<Vec<PointHit>, TraceError> {
        Ok(pollster::block_on(self.points_async(points))?)
    }

    fn camera_rays(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Ray>, TraceError> {
        Ok(pollster::block_on(stream::camera_rays(self, view, pixels))?)
    }

    fn render(&self, view: &View, pixels: Range<usize>) -> Result<Vec<Hit>, TraceError> {
        Ok(pollster::block_on(stream::render(self, view, pixels))?)
    }

    fn device(&self) -> String {
        self.resident().gpu.name.clone()
    }
}
