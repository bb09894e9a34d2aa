//! The device of a tracer, and how the tracer is made again when more of its scene changes than the
//! places of instances.

use crate::error::OrException;
use crate::on_card;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::device::AutoTracer;
use raytwin::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer, OpeningGpu};
use raytwin::{CanonicalTracer, CpuTracer, DeviceChoice, PackedScene, Tracer as LibraryTracer};
use std::sync::Arc;

/// The choice of a device, and whether answers are canonical.
pub(super) struct Engine {
    choice: DeviceChoice,
    is_canonical: bool,
}

/// A tracer that is ready to cast.
pub(super) enum Caster {
    /// On a GPU, which can also keep the answers.
    Device(Box<GpuTracer>),
    /// On the CPU, or on the CPU and a GPU.
    Host(Box<dyn LibraryTracer>),
}

impl AsRef<dyn LibraryTracer> for Caster {
    fn as_ref(&self) -> &(dyn LibraryTracer + 'static) {
        match self {
            Self::Device(tracer) => &**tracer,
            Self::Host(tracer) => &**tracer,
        }
    }
}

impl AsMut<dyn LibraryTracer> for Caster {
    fn as_mut(&mut self) -> &mut (dyn LibraryTracer + 'static) {
        match self {
            Self::Device(tracer) => &mut **tracer,
            Self::Host(tracer) => &mut **tracer,
        }
    }
}

/// A tracer with the device that it runs on.
pub(super) struct OpenTracer {
    pub tracer: Caster,
    /// `None` for the float64 tracer.
    pub gpu: Option<Arc<Gpu>>,
    /// The reason why `auto` casts on the CPU.
    pub reason: Option<String>,
}

impl Engine {
    /// Reads the text `auto`, `cpu`, `gpu` or part of an adapter's name. If the text names no adapter,
    /// the environment variable WGPU_ADAPTER_NAME may name one.
    pub fn new(device: &str, is_canonical: bool) -> PyResult<Self> {
        let named = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.trim().is_empty());
        let choice: DeviceChoice = device.parse().map_err(|_| {
            PyValueError::new_err(
                "device must be 'auto', 'gpu', 'cpu' or part of an adapter's name: see raytwin.devices()",
            )
        })?;
        let choice = match (choice, named) {
            (DeviceChoice::Auto | DeviceChoice::Gpu(AdapterChoice::Any), Some(name)) => {
                DeviceChoice::Gpu(AdapterChoice::Named(name))
            }
            (choice, _) => choice,
        };
        Ok(Self { choice, is_canonical })
    }

    /// Returns the adapter that is chosen; `None` for the CPU.
    fn adapter(&self) -> Option<AdapterChoice> {
        match &self.choice {
            DeviceChoice::Gpu(choice) => Some(choice.clone()),
            DeviceChoice::Auto => Some(AdapterChoice::Hardware),
            _ => None,
        }
    }

    /// Begins to open the GPU. Returns `None` if the CPU is chosen, or if the GPU is open already.
    pub fn opening(&self) -> Option<OpeningGpu> {
        let adapter = self.adapter()?;
        on_card::kept(&adapter).is_none().then(|| Gpu::opening(&adapter))
    }

    /// Makes a tracer on the device that is being opened.
    pub fn open(&self, packed: &PackedScene, gpu: Option<OpeningGpu>) -> PyResult<OpenTracer> {
        let on_cpu = |tracer: CpuTracer, reason| OpenTracer {
            tracer: Caster::Host(Box::new(tracer)),
            gpu: None,
            reason,
        };
        let Some(adapter) = self.adapter() else {
            return Ok(on_cpu(CpuTracer::new(packed), None));
        };
        let opened = match (on_card::kept(&adapter), gpu) {
            (Some(gpu), _) => Ok(gpu),
            (None, Some(gpu)) => gpu.wait(),
            (None, None) => Gpu::open(&adapter),
        };
        let opened = match &self.choice {
            DeviceChoice::Auto => AutoTracer::new(opened, packed).map(|tracer| match tracer {
                AutoTracer::Gpu(tracer) => self.on_gpu(*tracer),
                AutoTracer::Cpu(tracer, error) => on_cpu(*tracer, Some(reason_for_cpu(&error))),
            }),
            _ => opened
                .and_then(|gpu| GpuTracer::new(&gpu, packed))
                .map(|tracer| self.on_gpu(tracer)),
        };
        opened.or_exception()
    }

    /// Makes a tracer. It uses a device that is open already, which has its compiled kernels, unless
    /// that device fails.
    pub fn reopen(&self, packed: &PackedScene, opened: Option<&Gpu>) -> PyResult<OpenTracer> {
        match opened.and_then(|gpu| GpuTracer::new(gpu, packed).ok()) {
            Some(tracer) => Ok(self.on_gpu(tracer)),
            None => self.open(packed, self.opening()),
        }
    }

    fn on_gpu(&self, tracer: GpuTracer) -> OpenTracer {
        let gpu = Arc::new(tracer.gpu());
        on_card::register(&gpu);
        let tracer = match self.is_canonical {
            true => Caster::Host(Box::new(CanonicalTracer::new(tracer))),
            false => Caster::Device(Box::new(tracer)),
        };
        OpenTracer { tracer, gpu: Some(gpu), reason: None }
    }
}

/// Returns the reason why `auto` falls back to the CPU.
fn reason_for_cpu(error: &GpuError) -> String {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => {
            "no hardware GPU; device='gpu' uses the software adapter".to_owned()
        }
        error => error.to_string(),
    }
}
