//! What a scene has on a device, until that is lost.

use super::chunk_buffers::ChunkBuffers;
use super::pipeline::Pipelines;
use super::ring::RING;
use super::shader::Variant;
use super::{Fault, Gpu, GpuError, buffer, scene};
use crate::packed::PackedScene;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A scene's buffers and kernels on one device.
#[derive(Debug)]
pub(super) struct Resident {
    pub gpu: Gpu,
    pub pipelines: Pipelines,
    pub scene: wgpu::BindGroup,
    /// What is bound where a kernel reads nothing.
    pub nothing: wgpu::Buffer,
    /// And where it writes nothing.
    pub nowhere: wgpu::Buffer,
    /// Of chunks that are done, kept for the next.
    idle: Mutex<Vec<ChunkBuffers>>,
}

impl Resident {
    /// Compiles and uploads; what does not fit the device is refused before that.
    pub async fn new(
        gpu: Gpu,
        packed: &PackedScene,
        fault: Option<&Fault>,
    ) -> Result<Self, GpuError> {
        scene::check_size(&gpu, packed)?;
        let pipelines =
            Pipelines::new(&gpu, Variant::of(gpu.record_storage, packed), fault).await?;
        let scene = scene::bind(&gpu, &pipelines, packed).await?;
        let nothing = buffer::upload(&gpu, "nothing", &[]).await?;
        let nowhere = buffer::upload(&gpu, "nothing", &[]).await?;
        Ok(Self { gpu, pipelines, scene, nothing, nowhere, idle: Mutex::default() })
    }

    /// Buffers for a chunk of that many rays; new ones have place for a few more, up to `most`.
    pub async fn buffers(&self, rays: usize, most: usize) -> Result<ChunkBuffers, GpuError> {
        let idle = lock(&self.idle).pop();
        match idle.filter(|buffers| buffers.capacity >= rays) {
            Some(buffers) => Ok(buffers),
            // So that chunks which grow little by little do not each want new ones.
            None => {
                ChunkBuffers::new(&self.gpu, rays.next_power_of_two().min(most).max(rays)).await
            }
        }
    }

    /// Keeps a chunk's buffers for another.
    pub fn keep(&self, buffers: ChunkBuffers) {
        let mut idle = lock(&self.idle);
        // Calls from many threads at once leave more than one needs.
        if idle.len() < RING {
            idle.push(buffers);
        }
    }
}

/// A panic elsewhere leaves nothing half done behind these locks.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
