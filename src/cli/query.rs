//! `raytwin query`: rays from a file, answers to a file.

use super::Failure;
use super::device::Wish;
use super::report::{Report, mrays_per_s, speed};
use super::source::SceneArguments;
use crate::diff::as_flag;
use crate::files::probe_output;
use crate::ray::Ray;
use crate::rays::{read_rays, write_hits};
use crate::tracer::Hits;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// The rays: an .npy of (N, 6) or (N, 8) float32, or an .npz with such an array named rays.
    rays: PathBuf,
    /// The answers: an .npz of t_hit, geometry_ids, primitive_ids and primitive_normals.
    #[arg(short, long, value_name = "HITS.npz")]
    output: PathBuf,
    /// What to ask of each ray.
    #[arg(long, value_enum, default_value_t = Kind::Closest)]
    kind: Kind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// The first surface that it meets.
    Closest,
}

/// With `strict`, an error that names the first ray that cannot be cast.
pub(super) fn refuse_invalid(rays: &[Ray], path: &Path, strict: bool) -> Result<(), Failure> {
    let invalid = rays.iter().position(|ray| strict && !ray.is_valid());
    match invalid {
        Some(index) => Err(Failure::input(format!(
            "{}: ray {index} cannot be cast, {}: {}",
            path.display(),
            as_flag(&rays[index]),
            Ray::RULE
        ))),
        None => Ok(()),
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    report: &Report,
) -> Result<ExitCode, Failure> {
    let extension = arguments.output.extension();
    if !extension.is_some_and(|extension| extension.eq_ignore_ascii_case("npz")) {
        return Err(Failure::usage(format!(
            "-o {}: answers are written as an .npz file",
            arguments.output.display()
        )));
    }
    let loaded = arguments.scene.load(report)?;
    let rays = read_rays(&arguments.rays)?;
    refuse_invalid(&rays, &arguments.rays, arguments.scene.strict)?;
    probe_output(&arguments.output)?;
    let tracer = Wish::new(device).tracer(&loaded, None, report)?;

    let start = Instant::now();
    let Kind::Closest = arguments.kind;
    let mut answers = Vec::with_capacity(rays.len());
    report.by_strides("query", rays.len(), |batch| {
        answers.extend(tracer.closest(&rays[batch])?);
        Ok(())
    })?;
    let time = start.elapsed();

    let hits = Hits::new(&loaded.scene, &rays, &answers);
    write_hits(&arguments.output, &hits)?;
    report.summary(
        &json!({
            "command": "query", "kind": "closest", "scene": loaded.name,
            "device": tracer.device(), "rays": hits.len(), "hits": hits.hit_count(),
            "invalid": hits.invalid_count(), "load_s": loaded.load_time.as_secs_f64(),
            "trace_s": time.as_secs_f64(), "mrays_per_s": mrays_per_s(hits.len(), time),
            "files": [arguments.output.display().to_string()],
        }),
        &format!(
            "{} rays, {} hits, {} invalid, {} -> {}",
            hits.len(),
            hits.hit_count(),
            hits.invalid_count(),
            speed(hits.len(), time),
            arguments.output.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}
