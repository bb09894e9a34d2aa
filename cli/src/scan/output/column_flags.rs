//! Errors for flags that add columns to points when no output has them.

use crate::cloud::positions_alone;
use crate::failure::Failure;
use crate::scan::Arguments;
use crate::scan::format_flag::FormatFlag;
use raytwin_files::clouds::CloudFormat;

const INTENSITIES: &str = "neither a cloud nor a LaserScan is written";
const LABELS: &str = "neither a cloud nor an .npz is written";

/// Returns an error for a flag whose columns no output has: neither the files of clouds, nor the
/// points or ranges in messages.
pub(super) fn refuse_useless_columns(
    arguments: &Arguments,
    clouds: &[&CloudFormat],
    has_cloud: bool,
    has_ranges: bool,
) -> Result<(), Failure> {
    let of_arrays = arguments.each.contains(&FormatFlag::Npz);
    let has_colors = arguments.color_by.color_by().is_some();
    // Each flag, with true if it is given, true if an output for its column is written, and the
    // reason if not.
    let cloud = "no cloud is written";
    let columns = [
        ("--intensity", arguments.intensity.is_some(), has_cloud || has_ranges, INTENSITIES),
        ("--cloud-normals", arguments.cloud_normals, has_cloud, cloud),
        ("--keep", !arguments.keep.is_empty(), has_cloud, cloud),
        ("--label-ids", arguments.label_ids, has_cloud || of_arrays, LABELS),
        ("--color-by", has_colors, !clouds.is_empty(), "no cloud is written to a file"),
    ];
    let mut given = columns.into_iter().filter(|(_, is_given, ..)| *is_given);
    if let Some((flag, .., lack)) = given.clone().find(|(_, _, is_written, _)| !is_written) {
        return Err(Failure::usage(format!("{flag}: {lack}: leave it out")));
    }
    let has_columns = clouds.is_empty() || clouds.iter().any(|format| format.has_columns);
    match given.find(|(flag, ..)| !(*flag == "--label-ids" && of_arrays)) {
        Some((flag, ..)) if !has_columns => Err(positions_alone(flag)),
        _ => Ok(()),
    }
}
