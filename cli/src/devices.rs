//! `raytwin devices`: lists the devices that can cast rays, and measures their arithmetic.

use super::Failure;
use super::console::Console;
use super::device::DeviceFlag;
use super::summary::{AdapterSummary, CpuSummary, DevicesSummary, Summary};
use clap::Args;
use raytwin::gpu::{AdapterChoice, AdapterInfo, Gpu, GpuError, adapters};
use raytwin_verify::reports::ArithmeticSummary;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Measure each device's arithmetic, and report if its precision holds.
    ///
    /// raytwin measures how each device divides, takes square roots, rounds, and fuses products
    /// with sums. The exit code is 1 if a device does not keep the promised precision.
    #[arg(long, help_heading = "Measurement")]
    check: bool,
}

const EXAMPLES: &str = "\
raytwin devices
raytwin devices --device cpu --json";

/// Lists the adapters that `--device` allows, best first, and then the CPU. If it allows no
/// adapter, the exit code is 4.
pub(super) fn run(
    arguments: &Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let choice = match DeviceFlag::new(device) {
        DeviceFlag::Auto => Some(AdapterChoice::Any),
        DeviceFlag::Gpu(choice, _) => {
            Gpu::open(&choice)?;
            Some(choice)
        }
        DeviceFlag::Cpu => None,
    };
    let mut adapters: Vec<(AdapterInfo, Option<Result<Gpu, GpuError>>)> = match arguments.check {
        true => Gpu::open_all().into_iter().map(|(adapter, gpu)| (adapter, Some(gpu))).collect(),
        false => adapters().into_iter().map(|adapter| (adapter, None)).collect(),
    };
    adapters.retain(|(adapter, _)| choice.as_ref().is_some_and(|choice| adapter.fits(choice)));
    if choice.is_some()
        && adapters.is_empty()
        && let Err(error) = Gpu::open(&AdapterChoice::Any)
    {
        console.say(&error.to_string());
    }
    let threads = rayon::current_num_threads();
    let mut rows = Vec::new();
    let mut table = String::new();
    let mut all_keep_promises = true;
    for (adapter, opened) in adapters {
        let mut row = AdapterSummary {
            name: adapter.name.clone(),
            kind: adapter.kind.to_owned(),
            backend: adapter.backend.clone(),
            driver: adapter.driver.clone(),
            max_binding_bytes: adapter.max_binding_bytes,
            arithmetic: None,
            error: None,
        };
        table += &format!(
            "{}\n    {}, {}, driver {}, bindings up to {} MiB\n",
            adapter.name,
            adapter.kind,
            adapter.backend,
            adapter.driver,
            adapter.max_binding_bytes >> 20
        );
        match opened.map(|gpu| gpu?.measure_arithmetic()) {
            None => {}
            Some(Ok(measured)) => {
                all_keep_promises &= measured.keeps_promises();
                let measured = ArithmeticSummary::from(&measured);
                for line in measured.lines() {
                    table += &format!("    {line}\n");
                }
                row.arithmetic = Some(measured);
            }
            Some(Err(error)) => {
                all_keep_promises = false;
                row.error = Some(error.to_string());
                table += &format!("    cannot be measured: {error}\n");
            }
        }
        rows.push(row);
    }
    table += &format!("cpu\n    the float64 tracer on {threads} threads\n");
    let summary = DevicesSummary { adapters: rows, cpu: CpuSummary { threads } };
    console.result(Summary::Devices(summary), &table)?;
    Ok(if all_keep_promises { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
