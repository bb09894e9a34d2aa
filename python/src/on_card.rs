//! The devices of this process whose memory CUDA can share, and rays in that memory.

use crate::error::{DeviceError, IntoException, detached};
use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple};
use raytwin::gpu::{AdapterChoice, Gpu, wgpu};
use raytwin_cuda::{Card, CudaError, DeviceArray, Element, SharedBuffer};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use wgpu::BufferUsages;

pub(crate) const RAY_BYTES: u64 = size_of::<raytwin::Ray>() as u64;

/// The number of rays that are written to the device. The rest are copied from them on the device.
const RAYS_AT_ONCE: u64 = 1 << 15;

/// The usages of buffers of rays and answers.
pub(crate) const USAGE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

#[derive(Default)]
struct Devices {
    /// The process that the devices belong to. A fork cannot use them.
    process: u32,
    /// The devices of tracers, the newest last.
    of_tracers: Vec<Weak<Gpu>>,
    /// The device that was opened for rays before there was a tracer. A later tracer uses it, so that
    /// it can cast these rays without a copy.
    of_rays: Option<Arc<Gpu>>,
}

static DEVICES: Mutex<Option<Devices>> = Mutex::new(None);

/// Does some work on the devices of this process.
fn with_devices<T>(work: impl FnOnce(&mut Devices) -> T) -> T {
    let mut devices: MutexGuard<'_, Option<Devices>> =
        DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if devices.as_ref().is_some_and(|devices| devices.process != process) {
        // A fork must not close its parent's device.
        std::mem::forget(devices.take());
    }
    work(devices.get_or_insert_with(|| Devices { process, ..Devices::default() }))
}

/// Registers the device of a tracer.
pub(crate) fn register(gpu: &Arc<Gpu>) {
    with_devices(|devices| {
        devices.of_tracers.retain(|gpu| gpu.strong_count() > 0);
        devices.of_tracers.push(Arc::downgrade(gpu));
    });
}

/// Returns the device on which rays were made before there was a tracer, if it fits this choice.
pub(crate) fn kept(adapter: &AdapterChoice) -> Option<Gpu> {
    let gpu = with_devices(|devices| devices.of_rays.clone())?;
    gpu.adapter().is_some_and(|info| info.fits(adapter)).then(|| Gpu::clone(&gpu))
}

/// Returns true if an argument is a tensor in GPU memory.
pub(crate) fn is_on_card(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_plain = given.is_instance_of::<PyUntypedArray>()
        || given.is_instance_of::<PyList>()
        || given.is_instance_of::<PyTuple>();
    let py = given.py();
    if is_plain || !given.get_type().hasattr(intern!(py, "__dlpack_device__"))? {
        return Ok(false);
    }
    static IS_ON_CARD: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    IS_ON_CARD.import(py, "raytwin.on_card", "is_on_card")?.call1((given,))?.extract()
}

/// Returns answers of the host unchanged, or copies them to the GPU if the argument is there.
pub(crate) fn back_on_card<'py>(
    answers: Bound<'py, PyAny>,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if !is_on_card(given)? {
        return Ok(answers);
    }
    static BACK: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    BACK.import(given.py(), "raytwin.on_card", "back_on_card")?.call1((answers, given))
}

pub(crate) fn card_error(error: CudaError) -> PyErr {
    match error {
        CudaError::OutOfBounds { .. } | CudaError::Strides { .. } | CudaError::ReadOnly => {
            error.into()
        }
        error => DeviceError::new_err(error.to_string()),
    }
}

/// Returns a buffer of rays without an end, which start at the origin and have no direction yet.
pub(crate) fn endless_rays(gpu: &Gpu, card: &Card, count: u64) -> PyResult<SharedBuffer> {
    let (device, queue) = gpu.wgpu();
    let bytes = count.saturating_mul(RAY_BYTES);
    let buffer = SharedBuffer::new(card, device, bytes, USAGE).map_err(card_error)?;
    if count == 0 {
        return Ok(buffer);
    }
    let first = count.min(RAYS_AT_ONCE);
    let ray = raytwin::Ray::new([0.0; 3], [0.0; 3]);
    let rays = vec![ray; first as usize];
    queue.write_buffer(buffer.buffer(), 0, bytemuck::cast_slice(&rays));
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut done = first;
    // A buffer cannot be copied to itself.
    let source = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("rays without direction"),
        size: first * RAY_BYTES,
        usage: USAGE,
        mapped_at_creation: false,
    });
    encoder.copy_buffer_to_buffer(buffer.buffer(), 0, &source, 0, first * RAY_BYTES);
    while done < count {
        let next = (count - done).min(first);
        let to = done * RAY_BYTES;
        encoder.copy_buffer_to_buffer(&source, 0, buffer.buffer(), to, next * RAY_BYTES);
        done += next;
    }
    let submission = queue.submit([encoder.finish()]);
    let until = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
    device.poll(until).map_err(|error| DeviceError::new_err(error.to_string()))?;
    Ok(buffer)
}

/// Returns rays on the CUDA device with this number, or on any CUDA device.
fn make(count: u64, ordinal: Option<i32>) -> PyResult<SharedBuffer> {
    let gpus: Vec<Arc<Gpu>> = with_devices(|devices| {
        let newest = devices.of_tracers.iter().rev().filter_map(Weak::upgrade);
        newest.chain(devices.of_rays.clone()).collect()
    });
    let is_wanted = |card: &Card| ordinal.is_none_or(|ordinal| ordinal == card.ordinal());
    let mut refused = None;
    for gpu in gpus {
        match Card::of(gpu.wgpu().0) {
            Ok(card) if is_wanted(&card) => return endless_rays(&gpu, &card, count),
            Ok(_) => {}
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let opened = match (Gpu::open(&AdapterChoice::Hardware), refused) {
        (Ok(opened), _) => opened,
        // The reason why a tracer's device cannot share memory is more helpful than "no other device".
        (Err(_), Some(error)) => return Err(card_error(error)),
        (Err(error), None) => return Err(error.into_exception()),
    };
    let card = Card::of(opened.wgpu().0).map_err(card_error)?;
    if !is_wanted(&card) {
        return Err(PyValueError::new_err(format!(
            "the rays were requested on cuda:{}, and Vulkan's first GPU is {card:?}: first make a tracer with the name of that GPU's adapter",
            ordinal.unwrap_or_default()
        )));
    }
    let opened = Arc::new(opened);
    with_devices(|devices| devices.of_rays = Some(Arc::clone(&opened)));
    endless_rays(&opened, &card, count)
}

/// Returns rays of shape (count, 8) in GPU memory, which a tracer on that GPU casts without a copy.
///
/// Fill in their origins and directions. Each has the ``t_min`` 0 and no end.
#[pyfunction]
#[pyo3(signature = (count, *, ordinal = None))]
pub(crate) fn empty_rays(
    py: Python<'_>,
    count: u32,
    ordinal: Option<i32>,
) -> PyResult<DeviceArray> {
    let buffer = detached(py, || make(count.into(), ordinal))?;
    DeviceArray::new(buffer, 0, vec![count as usize, 8], Element::F32).map_err(card_error)
}
