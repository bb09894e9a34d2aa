//! The CUDA card of a Vulkan device.

use crate::driver::{Context, DEINITIALIZED, Device, Driver, LEGACY_STREAM, Stream, Uuid};
use crate::error::CudaError;
use crate::vulkan;
use std::fmt;
use std::sync::Arc;

/// The CUDA driver, with the card of a Vulkan device. Clones share it.
#[derive(Clone)]
pub struct Card(Arc<PrimaryContext>);

/// A card's primary context, in which the libraries of a process share the card's memory.
struct PrimaryContext {
    driver: &'static Driver,
    context: Context,
    device: Device,
    ordinal: i32,
    name: String,
    uuid: Uuid,
}

// SAFETY: a context may be pushed by several threads at once, and is no memory of this process.
unsafe impl Send for PrimaryContext {}
// SAFETY: as above.
unsafe impl Sync for PrimaryContext {}

impl Card {
    /// Loads the CUDA driver, and finds the device's card by its identity.
    ///
    /// # Errors
    /// [`CudaError::Platform`], [`CudaError::SharesNothing`], [`CudaError::NoDriver`],
    /// [`CudaError::OldDriver`], [`CudaError::NoCard`] and [`CudaError::Call`].
    pub fn of(device: &wgpu::Device) -> Result<Self, CudaError> {
        let wanted = vulkan::uuid(device)?;
        let driver = Driver::load()?;
        // SAFETY: zero is the only value that is allowed.
        let status = unsafe { (driver.init)(0) };
        driver.check("begin", "cuInit", status)?;
        let mut count = 0;
        // SAFETY: `count` is written.
        let status = unsafe { (driver.device_get_count)(&raw mut count) };
        driver.check("count the cards", "cuDeviceGetCount", status)?;
        let mut found = Vec::new();
        for ordinal in 0..count {
            let mut handle = 0;
            // SAFETY: `handle` is written.
            let status = unsafe { (driver.device_get)(&raw mut handle, ordinal) };
            driver.check("find a card", "cuDeviceGet", status)?;
            let (uuid, name) = (driver.uuid(handle)?, driver.name(handle)?);
            if uuid == wanted {
                return Self::retain(driver, handle, ordinal, name, uuid);
            }
            found.push(format!("cuda:{ordinal}, {name}, {}", written(&uuid)));
        }
        let device = device.adapter_info().name;
        Err(CudaError::NoCard { device, wanted: written(&wanted), found })
    }

    fn retain(
        driver: &'static Driver,
        device: Device,
        ordinal: i32,
        name: String,
        uuid: Uuid,
    ) -> Result<Self, CudaError> {
        let mut context = std::ptr::null_mut();
        // SAFETY: `context` is written.
        let status = unsafe { (driver.primary_context_retain)(&raw mut context, device) };
        driver.check("open the card", "cuDevicePrimaryCtxRetain", status)?;
        Ok(Self(Arc::new(PrimaryContext { driver, context, device, ordinal, name, uuid })))
    }

    /// Returns its number among the cards that CUDA sees: 0 for `cuda:0`.
    pub fn ordinal(&self) -> i32 {
        self.0.ordinal
    }

    /// Returns its name in CUDA.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Waits until the card has finished all work of the libraries of this process.
    ///
    /// # Errors
    /// [`CudaError::Call`], also for an error of that work.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.within(|driver| {
            // SAFETY: the context is current.
            let status = unsafe { (driver.context_synchronize)() };
            driver.check("wait for the card", "cuCtxSynchronize", status)
        })
    }

    /// Waits for the stream of copies without a stream.
    pub(crate) fn wait_for_copies(&self) -> Result<(), CudaError> {
        self.within(|driver| {
            let stream = std::ptr::without_provenance_mut::<std::ffi::c_void>(LEGACY_STREAM);
            // SAFETY: the number stands for a stream that every context has.
            let status = unsafe { (driver.stream_synchronize)(stream as Stream) };
            driver.check("wait for its copies", "cuStreamSynchronize", status)
        })
    }

    /// Returns an error for a device that is another card.
    pub(crate) fn check(&self, device: &wgpu::Device) -> Result<(), CudaError> {
        match vulkan::uuid(device)? == self.0.uuid {
            true => Ok(()),
            false => Err(CudaError::OtherDevice {
                device: device.adapter_info().name,
                card: format!("{self:?}"),
            }),
        }
    }

    /// Calls the driver with the card's context as the current one of this thread. The thread's own
    /// context is restored in any case.
    pub(crate) fn within<T>(
        &self,
        calls: impl FnOnce(&Driver) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let driver = self.0.driver;
        // SAFETY: the context is retained.
        let status = unsafe { (driver.context_push)(self.0.context) };
        driver.check("use the card", "cuCtxPushCurrent", status)?;
        let _pushed = ContextGuard(driver);
        calls(driver)
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrimaryContext { ordinal, name, uuid, .. } = &*self.0;
        write!(formatter, "cuda:{ordinal}, {name}, {}", written(uuid))
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // SAFETY: it was retained once, and nothing that is left uses it.
        let status = unsafe { (self.driver.primary_context_release)(self.device) };
        warn(self.driver.check("close the card", "cuDevicePrimaryCtxRelease", status));
    }
}

/// Pops the current context when it is dropped.
struct ContextGuard<'a>(&'a Driver);

impl Drop for ContextGuard<'_> {
    fn drop(&mut self) {
        let mut popped = std::ptr::null_mut();
        // SAFETY: a context was pushed by this thread, and `popped` is written.
        let status = unsafe { (self.0.context_pop)(&raw mut popped) };
        warn(self.0.check("leave the card", "cuCtxPopCurrent", status));
    }
}

/// Logs an error that cannot be returned to a caller.
pub(crate) fn warn(result: Result<(), CudaError>) {
    match result {
        // At a program's end the driver has freed everything already.
        Ok(()) | Err(CudaError::Call { code: DEINITIALIZED, .. }) => (),
        Err(error) => log::warn!("{error}"),
    }
}

/// Returns a card's identity, as `nvidia-smi -L` writes it.
fn written(uuid: &Uuid) -> String {
    let mut text = "GPU".to_owned();
    for (at, byte) in uuid.iter().enumerate() {
        if [0, 4, 6, 8, 10].contains(&at) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}
