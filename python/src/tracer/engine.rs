//! The device of a tracer, and how the tracer is made anew when more of its scene has changed than
//! places.

use crate::error::IntoException;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raytwin::device::AutoTracer;
use raytwin::gpu::{AdapterChoice, Gpu, GpuError, GpuTracer};
use raytwin::{CanonicalTracer, CpuTracer, DeviceChoice, PackedScene, Tracer as LibraryTracer};

/// The choice of a device, and whether answers are to be canonical.
pub(super) struct Engine {
    choice: DeviceChoice,
    is_canonical: bool,
}

/// A tracer with the device that it runs on.
pub(super) struct OpenTracer {
    pub tracer: Box<dyn LibraryTracer>,
    /// `None` for the float64 tracer.
    pub gpu: Option<Gpu>,
    /// Tells why `auto` casts on the CPU.
    pub reason: Option<String>,
}

impl Engine {
    /// Reads a text: `auto`, `cpu`, `gpu`, or a part of an adapter's name. The variable
    /// WGPU_ADAPTER_NAME names an adapter where the text names none.
    pub fn new(device: &str, is_canonical: bool) -> PyResult<Self> {
        let named = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.trim().is_empty());
        let adapter = |name| DeviceChoice::Gpu(AdapterChoice::Named(name));
        let choice = match device.trim() {
            "" => {
                return Err(PyValueError::new_err(
                    "device must be 'auto', 'gpu', 'cpu' or part of an adapter's name: see raytwin.devices()",
                ));
            }
            "cpu" => DeviceChoice::Cpu,
            "auto" => named.map_or(DeviceChoice::Auto, adapter),
            "gpu" => named.map_or(DeviceChoice::Gpu(AdapterChoice::Any), adapter),
            name => adapter(name.to_owned()),
        };
        Ok(Self { choice, is_canonical })
    }

    /// Makes a tracer. A device that is open already is taken again, because it keeps its compiled
    /// kernels, unless it fails.
    pub fn open(&self, packed: &PackedScene, opened: Option<&Gpu>) -> PyResult<OpenTracer> {
        let again = opened.and_then(|gpu| GpuTracer::new(gpu, packed).ok());
        let opened = match (again, &self.choice) {
            (Some(tracer), _) => Ok(self.on_gpu(tracer)),
            (None, DeviceChoice::Gpu(choice)) => Gpu::open(choice)
                .and_then(|gpu| GpuTracer::new(&gpu, packed))
                .map(|tracer| self.on_gpu(tracer)),
            (None, DeviceChoice::Auto) => AutoTracer::new(packed).map(|tracer| match tracer {
                AutoTracer::Gpu(tracer) => self.on_gpu(*tracer),
                AutoTracer::Cpu(tracer, error) => {
                    OpenTracer { tracer, gpu: None, reason: Some(reason_for_cpu(&error)) }
                }
            }),
            (None, _) => {
                let tracer = Box::new(CpuTracer::new(packed));
                Ok(OpenTracer { tracer, gpu: None, reason: None })
            }
        };
        opened.map_err(IntoException::into_exception)
    }

    fn on_gpu(&self, tracer: GpuTracer) -> OpenTracer {
        let gpu = Some(tracer.gpu());
        let tracer: Box<dyn LibraryTracer> = match self.is_canonical {
            true => Box::new(CanonicalTracer::new(tracer)),
            false => Box::new(tracer),
        };
        OpenTracer { tracer, gpu, reason: None }
    }
}

/// Tells the user why `auto` falls back to the CPU.
fn reason_for_cpu(error: &GpuError) -> String {
    match error {
        GpuError::NoAdapter { found, .. } if !found.is_empty() => {
            "no hardware GPU; device='gpu' takes the software adapter".to_owned()
        }
        error => error.to_string(),
    }
}
