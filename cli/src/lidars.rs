//! The lidars of `--lidar`: the published ones, and those of files.

mod lidar_file;

pub(super) use lidar_file::LidarFile;

use super::Failure;
use super::console::Console;
use super::summary::{LidarList, LidarSummary, Summary};
use raytwin::Lidar;
use raytwin::camera::ProjectionFields;
use raytwin::lidar::Instrument;
use std::fmt::Write;
use std::process::ExitCode;

/// The value of `--lidar`.
#[derive(Clone, Debug)]
pub(super) enum LidarChoice {
    Published(&'static Lidar),
    File(LidarFile),
}

/// Reads the value of `--lidar`.
pub(super) fn lidar(text: &str) -> Result<LidarChoice, String> {
    if let Some(lidar) = Lidar::named(text) {
        return Ok(LidarChoice::Published(lidar));
    }
    match LidarFile::named(text)? {
        Some(file) => Ok(LidarChoice::File(file)),
        None => {
            let known = Lidar::ALL.map(|lidar| lidar.name).join(", ");
            Err(format!("'{text}' is not a known lidar: give {known}, or a .csv of your own"))
        }
    }
}

pub(super) fn list(console: &Console) -> Result<ExitCode, Failure> {
    let summaries: Vec<LidarSummary> = Lidar::ALL.iter().map(summary).collect();
    let mut table = String::new();
    let _ = writeln!(
        table,
        "{:<12} {:>8} {:>8} {:>14} {:>10} {:>13} {:>8} {:>7}  sources",
        "lidar", "rows", "columns", "elevations", "range", "beam", "returns", "noise"
    );
    for lidar in &summaries {
        let elevations = &lidar.elevation_table_degrees;
        let elevations = match (elevations.first(), elevations.last()) {
            (Some(first), Some(last)) => format!("{first:.2} to {last:.2}"),
            _ => "a pattern".to_owned(),
        };
        let _ = writeln!(
            table,
            "{:<12} {:>8} {:>8} {:>14} {:>10} {:>13} {:>8} {:>7}  {}{}. {}{}",
            lidar.name,
            lidar.rows,
            lidar.columns,
            elevations,
            format!("{} to {}", lidar.range[0], lidar.range[1]),
            format!("{:.2} mrad x{}", lidar.divergence_mrad, lidar.subrays),
            lidar.max_returns,
            format!("{} m", lidar.range_stddev),
            lidar.source,
            approximate(lidar.is_approximate),
            lidar.instrument_source,
            approximate(lidar.is_approximate_instrument)
        );
    }
    console.result(Summary::Lidars(LidarList { lidars: summaries }), &table)?;
    Ok(ExitCode::SUCCESS)
}

fn approximate(is_approximate: bool) -> &'static str {
    if is_approximate { " (approximate)" } else { "" }
}

fn summary(lidar: &Lidar) -> LidarSummary {
    let Instrument { beam, returns, range_stddev, source, is_approximate } = lidar.instrument;
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
        divergence_mrad: beam.divergence_mrad,
        exit_diameter: beam.exit_diameter,
        subrays: beam.subrays,
        max_returns: returns.max,
        return_mode: returns.mode.name(),
        range_resolution: returns.range_resolution,
        range_stddev,
        instrument_source: source,
        is_approximate_instrument: is_approximate,
    }
}
