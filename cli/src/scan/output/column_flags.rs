//! Refuses flags that ask for columns of points where no output has them.

use crate::cloud::positions_alone;
use crate::failure::Failure;
use crate::scan::Arguments;
use crate::scan::format_flag::FormatFlag;
use raytwin_files::clouds::CloudFormat;

/// Returns an error for a flag that asks for what no output holds: neither the files of clouds, nor
/// points or ranges in messages.
pub(super) fn refuse_useless_columns(
    arguments: &Arguments,
    clouds: &[&CloudFormat],
    has_cloud: bool,
    has_ranges: bool,
) -> Result<(), Failure> {
    if arguments.intensity.is_some() && !has_cloud && !has_ranges {
        return Err(Failure::usage(
            "--intensity: neither a cloud nor a LaserScan is written, so leave it out",
        ));
    }
    if arguments.cloud_normals && !has_cloud {
        return Err(Failure::usage("--cloud-normals: no cloud is written, so leave it out"));
    }
    if !arguments.keep.is_empty() && !has_cloud {
        return Err(Failure::usage("--keep: no cloud is written, so leave it out"));
    }
    if arguments.label_ids && !has_cloud && !arguments.each.contains(&FormatFlag::Npz) {
        let reason = "--label-ids: neither a cloud nor an .npz is written, so leave it out";
        return Err(Failure::usage(reason));
    }
    let colors = arguments.color_by.color_by();
    if colors.is_some() && clouds.is_empty() {
        return Err(Failure::usage("--color-by: no cloud is written to a file, so leave it out"));
    }
    let has_columns = clouds.is_empty() || clouds.iter().any(|format| format.has_columns);
    let of_arrays = arguments.each.contains(&FormatFlag::Npz);
    let of_columns = [
        ("--intensity", arguments.intensity.is_some()),
        ("--cloud-normals", arguments.cloud_normals),
        ("--keep", !arguments.keep.is_empty()),
        ("--label-ids", arguments.label_ids && !of_arrays),
        ("--color-by", colors.is_some()),
    ];
    if let (false, Some((flag, _))) = (has_columns, of_columns.iter().find(|it| it.1)) {
        return Err(positions_alone(flag));
    }
    Ok(())
}
