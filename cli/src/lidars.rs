//! The published lidars that `--lidar` knows.

use super::Failure;
use super::console::Console;
use super::summary::{LidarList, LidarSummary, Summary};
use raytwin::Lidar;
use std::fmt::Write;
use std::process::ExitCode;

/// Reads the value of `--lidar`.
pub(super) fn lidar(name: &str) -> Result<&'static Lidar, String> {
    Lidar::named(name).ok_or_else(|| {
        let known = Lidar::ALL.map(|lidar| lidar.name).join(", ");
        format!("'{name}' is no known lidar, which are {known}")
    })
}

pub(super) fn list(console: &Console) -> Result<ExitCode, Failure> {
    let summaries: Vec<LidarSummary> = Lidar::ALL.iter().map(summary).collect();
    let mut table = String::new();
    let _ = writeln!(
        table,
        "{:<12} {:>8} {:>8} {:>5} {:>14} {:>12}  source",
        "lidar", "channels", "columns", "Hz", "elevations", "range"
    );
    for lidar in &summaries {
        let elevations = &lidar.elevation_table_degrees;
        let [first, last] =
            [elevations.first(), elevations.last()].map(|angle| angle.copied().unwrap_or(0.0));
        let _ = writeln!(
            table,
            "{:<12} {:>8} {:>8} {:>5} {:>14} {:>12}  {}",
            lidar.name,
            elevations.len(),
            lidar.columns,
            lidar.turns_per_s,
            format!("{first} to {last}"),
            format!("{} to {}", lidar.range[0], lidar.range[1]),
            lidar.source
        );
    }
    console.result(Summary::Lidars(LidarList { lidars: summaries }), &table)?;
    Ok(ExitCode::SUCCESS)
}

fn summary(lidar: &Lidar) -> LidarSummary {
    LidarSummary {
        name: lidar.name,
        elevation_table_degrees: lidar.elevations(),
        columns: lidar.columns,
        turns_per_s: lidar.rate,
        range: lidar.range,
        source: lidar.source,
    }
}
