//! A GPU device: opening it, and opening it again after it was lost.

use super::adapter::{AdapterChoice, AdapterInfo, backends, narrowed_by, ranked_adapters};
use super::kernel_variant::KernelVariant;
use super::pipeline_cache::PipelineCache;
use crate::gpu_error::GpuError;
use std::sync::{Arc, OnceLock};

/// A device and its queue, with the compiled kernels, which scenes share. A clone is the same
/// device.
#[derive(Clone, Debug)]
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    name: String,
    pub(super) kernel_variant: KernelVariant,
    /// The adapter of a device that was opened here, so that the device can be opened again; `None`
    /// for a device of the caller.
    adapter: Option<AdapterInfo>,
    /// The first fault that no call could report, which the device's own handlers set.
    fault: Arc<OnceLock<String>>,
    /// The modules and pipelines that were compiled for the device, which clones share.
    pub(super) pipelines: Arc<PipelineCache>,
}

impl Gpu {
    /// Opens the best adapter that matches, with the largest limits that it allows. The environment
    /// variable `RAYTWIN_KERNELS`, `hardware` or `software`, selects its [kernels](KernelVariant).
    /// [`Self::with_kernels`] overrides it.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`], [`GpuError::NoDevice`] and [`GpuError::UnknownKernels`].
    pub fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        pollster::block_on(Self::open_async(choice))
    }

    /// Does the same as [`Self::open`] without blocking.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub async fn open_async(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let adapters = ranked_adapters().await;
        let Some((info, adapter)) = adapters.iter().find(|(info, _)| info.fits(choice)) else {
            return Err(GpuError::NoAdapter {
                wanted: choice.to_string(),
                found: adapters.iter().map(|(info, _)| info.to_string()).collect(),
                narrowed_by: narrowed_by(),
                backends: backends(),
            });
        };
        Self::of(info, adapter).await
    }

    /// Opens every adapter of this machine, best first, each with its own result.
    pub fn open_all() -> Vec<(AdapterInfo, Result<Self, GpuError>)> {
        pollster::block_on(Self::open_all_async())
    }

    /// Does the same as [`Self::open_all`] without blocking.
    pub async fn open_all_async() -> Vec<(AdapterInfo, Result<Self, GpuError>)> {
        let mut opened = Vec::new();
        for (info, adapter) in ranked_adapters().await {
            let gpu = Self::of(&info, &adapter).await;
            opened.push((info, gpu));
        }
        opened
    }

    async fn of(info: &AdapterInfo, adapter: &wgpu::Adapter) -> Result<Self, GpuError> {
        // The host's memory is a software driver's own.
        let of_shared_memory = match adapter.get_info().device_type {
            wgpu::DeviceType::Cpu => wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
            _ => wgpu::Features::empty(),
        };
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("raytwin"),
                // The default limits are smaller than the buffers that the adapter allows.
                required_limits: adapter.limits(),
                required_features: adapter.features()
                    & (wgpu::Features::TIMESTAMP_QUERY
                        | wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD
                        | of_shared_memory),
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
            // The device was dropped at the end, which is not an error.
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
            kernel_variant: KernelVariant::of(&device)?,
            device,
            queue,
            name: info.to_string(),
            adapter: Some(info.clone()),
            fault,
            pipelines: Arc::default(),
        })
    }

    /// Uses a device that the caller already has. The caller keeps its error handlers, and must
    /// open the device again after it is lost.
    ///
    /// # Errors
    /// [`GpuError::UnknownKernels`].
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self, GpuError> {
        Ok(Self {
            name: device.adapter_info().name,
            kernel_variant: KernelVariant::of(&device)?,
            device,
            queue,
            adapter: None,
            fault: Arc::default(),
            pipelines: Arc::default(),
        })
    }

    /// Uses these kernels instead of those that are faster on such a device.
    pub fn with_kernels(self, kernel_variant: KernelVariant) -> Self {
        Self { kernel_variant, ..self }
    }

    /// Opens another device of the same adapter in place of this one, which is lost. If there is no
    /// such adapter, returns the error that reported the loss.
    pub(super) async fn reopened(&self, lost: GpuError) -> Result<Self, GpuError> {
        let adapters = ranked_adapters().await;
        let same = adapters.iter().find(|(info, _)| Some(info) == self.adapter.as_ref());
        match same {
            Some((info, adapter)) => {
                let new = Self::of(info, adapter).await.map_err(|_| lost)?;
                Ok(new.with_kernels(self.kernel_variant))
            }
            None => Err(lost),
        }
    }

    /// Returns the name of its adapter, followed by the type and the backend if the device was
    /// opened here.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the wgpu device and its queue, for buffers that a program shares with the tracer.
    pub fn wgpu(&self) -> (&wgpu::Device, &wgpu::Queue) {
        (&self.device, &self.queue)
    }

    /// Returns the properties of its adapter, or `None` for a device that the caller brought.
    pub fn adapter(&self) -> Option<&AdapterInfo> {
        self.adapter.as_ref()
    }

    /// Returns true if the device reads the host's memory as fast as its own.
    pub(super) fn shares_memory(&self) -> bool {
        self.kernel_variant == KernelVariant::Software
            && self.device.features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS)
    }

    /// Returns true if the device can measure the time that its kernels take.
    pub(super) fn has_clock(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Returns an error if the device reported a fault outside of any call.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        self.fault.get().map_or(Ok(()), |fault| Err(GpuError::Lost(fault.clone())))
    }
}
