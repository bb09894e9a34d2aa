//! `raytwin devices`: lists the devices that can cast rays.

use super::Failure;
use super::console::Console;
use super::device::DeviceFlag;
use raytwin::gpu::{AdapterChoice, Gpu, adapters};
use serde_json::json;
use std::process::ExitCode;

/// Lists the adapters, best first, and then the CPU. If no adapter matches `--device`, the exit code is 4.
pub(super) fn run(device: &str, console: &Console) -> Result<ExitCode, Failure> {
    if let DeviceFlag::Gpu(choice, _) = DeviceFlag::new(device) {
        Gpu::open(&choice)?;
    }
    let adapters = adapters();
    if adapters.is_empty()
        && let Err(error) = Gpu::open(&AdapterChoice::Any)
    {
        console.say(&error.to_string());
    }
    let threads = rayon::current_num_threads();
    let rows: Vec<_> = adapters
        .iter()
        .map(|adapter| {
            json!({
                "name": adapter.name, "type": adapter.kind, "backend": adapter.backend,
                "driver": adapter.driver, "max_binding_bytes": adapter.max_binding_bytes,
            })
        })
        .collect();
    let mut table = String::new();
    for adapter in &adapters {
        table += &format!(
            "{}\n    {}, {}, driver {}, bindings up to {} MiB\n",
            adapter.name,
            adapter.kind,
            adapter.backend,
            adapter.driver,
            adapter.max_binding_bytes >> 20
        );
    }
    table += &format!("cpu\n    the float64 tracer on {threads} threads\n");
    console.result(&json!({ "adapters": rows, "cpu": { "threads": threads } }), &table)?;
    Ok(ExitCode::SUCCESS)
}
