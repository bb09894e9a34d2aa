//! The published lidars that `--lidar` knows.

use super::Failure;
use super::console::Console;
use super::summary::{LidarList, LidarSummary, Summary};
use raytwin::Lidar;
use raytwin::camera::ProjectionFields;
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
        "{:<12} {:>8} {:>8} {:>14} {:>12}  source",
        "lidar", "rows", "columns", "elevations", "range"
    );
    for lidar in &summaries {
        let elevations = &lidar.elevation_table_degrees;
        let elevations = match (elevations.first(), elevations.last()) {
            (Some(first), Some(last)) => format!("{first:.2} to {last:.2}"),
            _ => "a pattern".to_owned(),
        };
        let _ = writeln!(
            table,
            "{:<12} {:>8} {:>8} {:>14} {:>12}  {}{}",
            lidar.name,
            lidar.rows,
            lidar.columns,
            elevations,
            format!("{} to {}", lidar.range[0], lidar.range[1]),
            lidar.source,
            if lidar.is_approximate { " (approximate)" } else { "" }
        );
    }
    console.result(Summary::Lidars(LidarList { lidars: summaries }), &table)?;
    Ok(ExitCode::SUCCESS)
}

fn summary(lidar: &Lidar) -> LidarSummary {
    let projection = lidar.projection();
    let (columns, rows) = projection.default_size();
    LidarSummary {
        name: lidar.name,
        elevation_table_degrees: ProjectionFields::from(&projection)
            .elevation_table_degrees
            .unwrap_or_default(),
        rows,
        columns,
        sweep_s: projection.sweep_s(),
        range: lidar.range,
        source: lidar.source,
        is_approximate: lidar.is_approximate,
    }
}
