//! Creates, fills and maps buffers on the device, and turns the device's errors into [`GpuError`]s.

use super::device::Gpu;
use crate::gpu_error::GpuError;
use futures_channel::oneshot::Receiver;
use wgpu::BufferUsages;

/// The errors of calls on the device.
struct Faults {
    /// True if the device ran out of memory.
    memory: bool,
    other: Option<wgpu::Error>,
}

/// The scopes that catch all errors of calls on the device, so that none reaches the device's
/// handler: a caller's handler may panic.
struct ErrorScopes {
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
    validation: wgpu::ErrorScopeGuard,
}

impl ErrorScopes {
    fn push(gpu: &Gpu) -> Self {
        let push = |filter| gpu.device.push_error_scope(filter);
        Self {
            internal: push(wgpu::ErrorFilter::Internal),
            memory: push(wgpu::ErrorFilter::OutOfMemory),
            validation: push(wgpu::ErrorFilter::Validation),
        }
    }

    /// Ends the scopes. They nest, so the last one pushed is popped first.
    async fn pop(self) -> Faults {
        let validation = self.validation.pop().await;
        let memory = self.memory.pop().await.is_some();
        let internal = self.internal.pop().await;
        Faults { memory, other: validation.or(internal) }
    }

    /// Ends the scopes, and returns the error that the calls caused.
    async fn end(self, gpu: &Gpu, what: &'static str) -> Result<(), GpuError> {
        let Faults { memory, other } = self.pop().await;
        gpu.check()?;
        if memory {
            return Err(GpuError::OutOfMemory(what));
        }
        match other {
            Some(error) if is_lost(gpu).await => Err(GpuError::Lost(error.to_string())),
            Some(error) => Err(GpuError::Refused { what, reason: error.to_string() }),
            None => Ok(()),
        }
    }
}

/// Runs calls on the device, and returns their result or the error that they caused.
pub(super) async fn scoped<T>(
    gpu: &Gpu,
    what: &'static str,
    calls: impl FnOnce() -> T,
) -> Result<T, GpuError> {
    let scopes = ErrorScopes::push(gpu);
    let done = calls();
    scopes.end(gpu, what).await?;
    Ok(done)
}

/// Returns the size of the largest buffer that a shader of the device can see, in bytes.
pub(super) fn most_bytes(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// Refuses a buffer that does not fit the device.
pub(super) fn check_size(
    gpu: &Gpu,
    what: &'static str,
    size: u64,
    usage: BufferUsages,
) -> Result<(), GpuError> {
    let limits = gpu.device.limits();
    let allowed = match usage.contains(BufferUsages::STORAGE) {
        true => most_bytes(&limits),
        false => limits.max_buffer_size,
    };
    if size > allowed {
        return Err(GpuError::TooLarge {
            what,
            needed: size,
            allowed,
            device: gpu.name().to_owned(),
        });
    }
    Ok(())
}

/// Returns true if the device fails even to create and write a small buffer. A lost device reports
/// its loss only to its own handler, which may be the caller's, and hands out invalid buffers.
async fn is_lost(gpu: &Gpu) -> bool {
    let scopes = ErrorScopes::push(gpu);
    let least = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 4,
        usage: BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&least, 0, &[0; 4]);
    let Faults { memory, other } = scopes.pop().await;
    memory || other.is_some()
}

/// Creates a buffer of `size` bytes. A buffer that does not fit the device is refused beforehand.
pub(super) async fn create(
    gpu: &Gpu,
    what: &'static str,
    size: u64,
    usage: BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    create_as(gpu, what, size, usage, false).await
}

/// Creates a buffer of `size` bytes for the host to write. It is mapped, so that the host may write
/// at once.
pub(super) async fn create_mapped(
    gpu: &Gpu,
    what: &'static str,
    size: u64,
    usage: BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    create_as(gpu, what, size, BufferUsages::MAP_WRITE | usage, true).await
}

async fn create_as(
    gpu: &Gpu,
    what: &'static str,
    size: u64,
    usage: BufferUsages,
    mapped_at_creation: bool,
) -> Result<wgpu::Buffer, GpuError> {
    check_size(gpu, what, size, usage)?;
    scoped(gpu, what, || {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(what),
            size,
            usage,
            mapped_at_creation,
        })
    })
    .await
}

/// Creates a storage buffer that holds these bytes.
pub(super) async fn upload(
    gpu: &Gpu,
    what: &'static str,
    bytes: &[u8],
) -> Result<wgpu::Buffer, GpuError> {
    upload_with(gpu, what, bytes, BufferUsages::STORAGE).await
}

/// Creates a buffer for `usage` that holds these bytes.
pub(super) async fn upload_with(
    gpu: &Gpu,
    what: &'static str,
    bytes: &[u8],
    usage: BufferUsages,
) -> Result<wgpu::Buffer, GpuError> {
    let usage = usage | BufferUsages::COPY_DST;
    // A binding must not be empty, not even that of an empty scene.
    let bytes = if bytes.is_empty() { &[0; 64] } else { bytes };
    let buffer = create(gpu, what, bytes.len() as u64, usage).await?;
    scoped(gpu, what, || gpu.queue.write_buffer(&buffer, 0, bytes)).await?;
    Ok(buffer)
}

/// Asks to map the first `bytes` of a buffer, which happens once the device is done with the
/// buffer.
pub(super) fn map(
    buffer: &wgpu::Buffer,
    mode: wgpu::MapMode,
    bytes: u64,
) -> Receiver<Result<(), wgpu::BufferAsyncError>> {
    let (sender, receiver) = futures_channel::oneshot::channel();
    buffer.map_async(mode, 0..bytes, move |mapped| {
        // The receiver is gone only if the caller gave up waiting.
        let _ = sender.send(mapped);
    });
    receiver
}

/// Waits until the device has finished a submission and its buffers are mapped. It does not wait
/// for later submissions.
pub(super) async fn wait(
    gpu: &Gpu,
    submission: wgpu::SubmissionIndex,
    mapped: Vec<Receiver<Result<(), wgpu::BufferAsyncError>>>,
) -> Result<(), GpuError> {
    let lost = |reason: String| GpuError::Lost(reason);
    // A browser polls the device itself and ignores this.
    let until = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
    gpu.device.poll(until).map_err(|error| lost(error.to_string()))?;
    for mapped in mapped {
        let mapped = mapped.await;
        gpu.check()?;
        mapped
            .map_err(|error| lost(error.to_string()))?
            .map_err(|error| lost(error.to_string()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::AdapterChoice;

    #[test]
    fn what_does_not_fit_a_binding_is_refused_with_both_figures() {
        let gpu = Gpu::open(&AdapterChoice::Any).unwrap_or_else(|error| panic!("{error}"));
        let limit = gpu.device.limits().max_storage_buffer_binding_size;
        let larger = create(&gpu, "the shapes", limit + 4, BufferUsages::STORAGE);
        let error = pollster::block_on(larger).unwrap_err();
        assert!(
            matches!(error, GpuError::TooLarge { needed, .. } if needed == limit + 4),
            "{error}"
        );
        assert!(error.to_string().contains(&limit.to_string()), "{error}");
    }
}
