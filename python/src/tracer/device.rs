//! The device that a text names.

use raytwin::DeviceChoice;
use raytwin::gpu::AdapterChoice;

/// Returns the device of a text: `auto`, `cpu`, `gpu`, or a part of an adapter's name. The variable WGPU_ADAPTER_NAME names
/// an adapter where the text names none.
pub(super) fn choice(text: &str) -> DeviceChoice {
    let named = std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.trim().is_empty());
    let adapter = |name| DeviceChoice::Gpu(AdapterChoice::Named(name));
    match text.trim() {
        "cpu" => DeviceChoice::Cpu,
        "auto" => named.map_or(DeviceChoice::Auto, adapter),
        "gpu" => named.map_or(DeviceChoice::Gpu(AdapterChoice::Any), adapter),
        name => adapter(name.to_owned()),
    }
}
