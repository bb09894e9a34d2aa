//! Writes a comparison as the files of a folder.

mod answer_summary;
#[cfg(feature = "gpu")]
mod arithmetic_summary;
mod conclusion;
mod distance_errors;
mod heading;
mod html;
mod junit;
mod markdown;
mod needed_tolerance;
mod pictures;
#[cfg(feature = "gpu")]
pub mod proof;
mod rounding;
mod side_view;
mod summary;
mod worst_answer;

pub use answer_summary::AnswerSummary;
#[cfg(feature = "gpu")]
pub use arithmetic_summary::{ArithmeticSummary, RoundingSummary};
pub use distance_errors::DistanceErrorSummary;
pub use heading::ReportHeading;
pub use markdown::markdown;
pub use needed_tolerance::{NeededToleranceSummary, ToleranceSizes};
pub use side_view::side_view;
pub use summary::{
    BiasSummary, ClassCounts, OutcomeSummary, PartSummary, RateSummary, ToleranceSummary,
    TypeSummary,
};
pub use worst_answer::{AnswerTexts, CauseSummary, RayText, WorstAnswer};

use crate::{ComparedPart, Outcome, Probe, Worst};
use glam::DVec3;
use pictures::ImagePictures;
use raytwin::cpu::CpuTracer;
use raytwin::ray::{NONE, Ray};
use raytwin::tracer::Tracer;
use raytwin_files::npz::{NpzWriter, write_npy};
use raytwin_files::{FileError, Outputs};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The number of worst answers that have a picture in the page.
const SHOWN: usize = 12;

/// All files that a report may have.
const FILES: [&str; 7] = [
    "report.json",
    "report.html",
    "junit.xml",
    "worst.npy",
    "worst.npz",
    "mismatches.npz",
    "classes.png",
];

/// Returns the paths of all files that a report in this folder may have.
pub fn report_files(folder: &Path) -> Vec<PathBuf> {
    FILES.into_iter().map(|name| folder.join(name)).collect()
}

/// Writes the files of a report:
///
/// - `report.html`, a page that needs no other file;
/// - `report.json`, which is `object`;
/// - `junit.xml`;
/// - `worst.npy`, the rays of the worst answers, (N, 8) float32, or float64 if they are relative to
///   an origin; `worst.npz` if they have filters;
/// - `mismatches.npz`, the numbers of all rays and points whose answers are wrong, a uint64 array
///   for each part;
/// - `classes.png` for an image.
///
/// The files appear when the returned outputs are published. `reference` returns the float64 tracer
/// of the scene of an answer. The rays of several scenes are not written, because no single file
/// contains these scenes.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_report<'t>(
    folder: &Path,
    heading: &ReportHeading<'_>,
    object: &impl Serialize,
    (outcome, summary): (&Outcome, &OutcomeSummary),
    reference: &dyn Fn(&Worst) -> Option<&'t CpuTracer>,
) -> Result<Outputs, FileError> {
    let mut outputs = Outputs::set(folder, FILES)?;
    let path = |name: &str| folder.join(name);
    outputs.add(&path("report.json"), |file| {
        serde_json::to_writer_pretty(&mut *file, object)?;
        writeln!(file)
    })?;
    outputs.add(&path("junit.xml"), |file| {
        file.write_all(junit::junit(heading, summary).as_bytes())
    })?;
    let worst = outcome.worst();
    // A scene's file does not show what rays hit after the scene moved, or what a camera hides.
    let in_file = worst.iter().filter(|(part, worst)| !part.is_altered && worst.scene.is_none());
    let in_file: Vec<&Worst> = in_file.map(|(_, worst)| *worst).collect();
    let tracer = in_file.first().and_then(|worst| reference(worst));
    let origin = tracer.map_or(DVec3::ZERO, |tracer| tracer.scene().origin());
    write_worst(&mut outputs, folder, &in_file, origin)?;
    outputs.add(&path("mismatches.npz"), |file| {
        let mut archive = NpzWriter::new(file);
        for part in outcome.parts() {
            let mismatches = part.counts.mismatches();
            archive.numbers(&part.array_name(), mismatches.len(), mismatches.iter())?;
        }
        archive.finish()
    })?;
    let mut pictures = None;
    if let Some(image) = outcome.image() {
        outputs.add(&path("classes.png"), |file| file.write_all(&pictures::classes(image)?))?;
        let drawn = ImagePictures::of(image).map_err(FileError::write(&path("report.html")))?;
        pictures = Some(drawn);
    }
    let view_of = |(part, worst): &(&ComparedPart, &Worst)| match part.is_altered {
        true => None,
        false => side_view(reference(worst)?, worst).ok().flatten(),
    };
    // A ray that is too far away for a camera beside it has no picture.
    let views: Vec<Option<Vec<u8>>> = worst.iter().take(SHOWN).map(view_of).collect();
    outputs.add(&path("report.html"), |file| {
        file.write_all(html::page(heading, summary, pictures.as_ref(), &views).as_bytes())
    })?;
    Ok(outputs)
}

/// Writes the rays of answers, so that they can be cast on their own.
fn write_worst(
    outputs: &mut Outputs,
    folder: &Path,
    worst: &[&Worst],
    origin: DVec3,
) -> Result<(), FileError> {
    let of_worst = |worst: &&Worst| match worst.probe {
        Probe::Ray { ray, mask, ignored, world } => Some((ray, [mask, ignored, world])),
        Probe::Point(_) => None,
    };
    let (rays, filters): (Vec<Ray>, Vec<[u32; 3]>) = worst.iter().filter_map(of_worst).unzip();
    let numbers: &[f32] = bytemuck::cast_slice(&rays);
    let shape = [rays.len(), 8];
    let added = origin.to_array().into_iter().chain([0.0; 5]).cycle();
    let sums = numbers.iter().zip(added).map(|(number, added)| f64::from(*number) + added);
    let sums: Vec<f64> = sums.collect();
    if filters.iter().all(|filter| *filter == [u32::MAX, NONE, 0]) {
        return outputs.add(&folder.join("worst.npy"), |file| match origin == DVec3::ZERO {
            true => write_npy(file, &shape, numbers),
            false => write_npy(file, &shape, &sums),
        });
    }
    outputs.add(&folder.join("worst.npz"), |file| {
        let mut archive = NpzWriter::new(file);
        archive.array("rays", &shape, &sums)?;
        for (index, name) in ["ray_masks", "ignore_ids", "world_ids"].into_iter().enumerate() {
            let ids: Vec<u32> = filters.iter().map(|filter| filter[index]).collect();
            // The rays of a scene with one world have no world numbers.
            if name != "world_ids" || ids.iter().any(|&world| world > 0) {
                archive.array(name, &[ids.len()], &ids)?;
            }
        }
        archive.finish()
    })
}
