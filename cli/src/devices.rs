//! `raytwin devices`: what can be cast on.

use super::Failure;
use super::device::DeviceFlag;
use super::report::Report;
use raytwin::gpu::{AdapterChoice, Gpu, adapters};
use serde_json::json;
use std::process::ExitCode;

/// Lists the adapters, best first, and the CPU. A `--device` that none fits ends with exit code 4.
pub(super) fn run(device: &str, report: &Report) -> Result<ExitCode, Failure> {
    if let DeviceFlag::Gpu(choice, _) = DeviceFlag::new(device) {
        Gpu::open(&choice)?;
    }
    let adapters = adapters();
    if adapters.is_empty()
        && let Err(error) = Gpu::open(&AdapterChoice::Any)
    {
        report.say(&error.to_string());
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
    report.result(&json!({ "adapters": rows, "cpu": { "threads": threads } }), &table)?;
    Ok(ExitCode::SUCCESS)
}
