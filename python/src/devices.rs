//! The devices of this machine.

use crate::error::detached;
use pyo3::prelude::*;
use raytwin::gpu::{AdapterInfo, adapters};

/// A device that can cast rays.
///
/// - ``name``: the name to pass to `Tracer`.
/// - ``kind``: ``"discrete"``, ``"integrated"``, ``"virtual"``, ``"software"``, ``"other"`` or
///   ``"cpu"``.
/// - ``backend``, ``driver``: texts that describe the interface and the driver.
/// - ``max_binding_bytes``: the size in bytes of the largest buffer that a kernel can read; None for
///   the CPU.
#[pyclass(frozen, get_all, module = "raytwin")]
pub(crate) struct Device {
    name: String,
    kind: &'static str,
    backend: String,
    driver: String,
    max_binding_bytes: Option<u64>,
}

impl From<AdapterInfo> for Device {
    fn from(adapter: AdapterInfo) -> Self {
        let AdapterInfo { name, kind, backend, driver, max_binding_bytes } = adapter;
        Self { name, kind, backend, driver, max_binding_bytes: Some(max_binding_bytes) }
    }
}

#[pymethods]
impl Device {
    fn __repr__(&self) -> String {
        let Self { name, kind, backend, driver, .. } = self;
        format!("Device(name='{name}', kind='{kind}', backend='{backend}', driver='{driver}')")
    }
}

/// Returns the devices of this machine: the GPUs, best first, and then the CPU.
///
///     >>> import raytwin as rt
///     >>> rt.devices()[-1].name
///     'cpu'
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> PyResult<Vec<Device>> {
    let threads = rayon::current_num_threads();
    let cpu = Device {
        name: "cpu".to_owned(),
        kind: "cpu",
        backend: "float64".to_owned(),
        driver: format!("{threads} threads"),
        max_binding_bytes: None,
    };
    let adapters = detached(py, || Ok(adapters()))?;
    Ok(adapters.into_iter().map(Device::from).chain([cpu]).collect())
}
