//! What tests share: a device, the stand-in, and arrays of NumPy that pass for those of the card.

pub mod device;
pub mod python;
pub mod stand_in;

use device::Device;
use pyo3::prelude::*;
use raytwin_cuda::{Card, SharedBuffer};
use stand_in::StandIn;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// What a test works with. Tests run one after another, because the stand-in counts what is alive.
pub struct Bench {
    pub device: &'static Device,
    pub stand_in: &'static StandIn,
    _alone: MutexGuard<'static, ()>,
}

impl Bench {
    /// Waits for its turn, and lets the stand-in have the card of the device alone.
    pub fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        static DEVICE: OnceLock<Device> = OnceLock::new();
        static STAND_IN: OnceLock<StandIn> = OnceLock::new();
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let device = DEVICE.get_or_init(Device::open);
        let stand_in = STAND_IN.get_or_init(StandIn::load);
        stand_in.set_cards(&[device.uuid()]);
        stand_in.let_nothing_fail();
        stand_in.forget_misuse();
        Python::initialize();
        Self { device, stand_in, _alone: alone }
    }

    pub fn card(&self) -> Card {
        Card::of(&self.device.device).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Makes a buffer for shaders and copies.
    pub fn buffer(&self, bytes: u64) -> SharedBuffer {
        self.try_buffer(&self.card(), bytes).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_buffer(
        &self,
        card: &Card,
        bytes: u64,
    ) -> Result<SharedBuffer, raytwin_cuda::CudaError> {
        use wgpu::BufferUsages;
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        SharedBuffer::new(card, &self.device.device, bytes, usage)
    }

    /// Makes a buffer that holds these numbers, which the device writes.
    pub fn filled(&self, numbers: &[f32]) -> SharedBuffer {
        let buffer = self.buffer(4 * numbers.len() as u64);
        self.device.write(buffer.buffer(), bytemuck::cast_slice(numbers));
        buffer
    }
}

impl Drop for Bench {
    /// Whatever a test did, nothing is left, and the driver was used as it is to be.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // What refers to itself is freed when Python looks for such.
            Python::attach(|py| py.import("gc")?.call_method0("collect").map(drop)).unwrap();
            self.stand_in.assert_nothing_is_left();
        }
    }
}

/// Reads all numbers of a buffer by CUDA.
pub fn numbers(buffer: &SharedBuffer) -> Vec<f32> {
    let mut numbers = vec![0.0; buffer.bytes() as usize / 4];
    buffer.read(0, bytemuck::cast_slice_mut(&mut numbers)).unwrap();
    numbers
}
