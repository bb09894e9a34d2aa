//! A device that is opened on a thread of its own.

use super::adapter::AdapterChoice;
use super::device::Gpu;
use crate::gpu_error::GpuError;
use std::thread::{Builder, JoinHandle};

/// A device that a thread opens, which needs some tenths of a second. Read and pack scenes
/// meanwhile.
///
/// Dropping it waits for the device, because drivers can crash if a process ends while they open a
/// device.
///
/// ```
/// use raytwin::gpu::{AdapterChoice, Gpu, GpuTracer};
/// use raytwin::{PackedScene, Scene};
///
/// let gpu = Gpu::opening(&AdapterChoice::Any);
/// let packed = PackedScene::new(Scene::new())?;
/// let tracer = GpuTracer::new(&gpu.wait()?, &packed)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OpeningGpu {
    choice: AdapterChoice,
    /// `None` where no thread could be started, and once it was waited for.
    thread: Option<JoinHandle<Result<Gpu, GpuError>>>,
}

impl Gpu {
    /// Begins to open a device, as [`Self::open`] does, on a thread of its own.
    pub fn opening(choice: &AdapterChoice) -> OpeningGpu {
        let of_thread = choice.clone();
        let thread = Builder::new().spawn(move || Self::open(&of_thread));
        OpeningGpu { choice: choice.clone(), thread: thread.ok() }
    }
}

impl OpeningGpu {
    /// Waits for the device.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn wait(mut self) -> Result<Gpu, GpuError> {
        match self.thread.take() {
            Some(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => Gpu::open(&self.choice),
        }
    }
}

impl Drop for OpeningGpu {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Nobody asks for the device, nor for its error.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_opens_the_same_device_and_returns_the_same_error() {
        let known = AdapterChoice::Any;
        let opening = Gpu::opening(&known);
        assert!(opening.thread.is_some());
        let name = |gpu: Gpu| gpu.name().to_owned();
        assert_eq!(opening.wait().map(name), Gpu::open(&known).map(name));
        let unknown = AdapterChoice::Named("no such adapter".to_owned());
        let [waited, opened] = [Gpu::opening(&unknown).wait(), Gpu::open(&unknown)];
        assert_eq!(waited.map(name), opened.map(name));
    }
}
