//! Writes a comparison as the files of a folder.

use super::Class;
use crate::image::picture::Picture;
use crate::io::npz::write_npy;
use crate::io::{FileError, Outputs};
use crate::ray::Ray;
use glam::DVec3;
use image::Rgb;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Writes `report.json` and `mismatches.npy` (the rays of wrong answers, (N, 8) float32, or float64 if the rays are relative
/// to an origin, which is added to them). If the size of an image is
/// given, it also writes `classes.png`: grey if the answer is exact or within its bound, blue for a tie, green for a
/// silhouette, yellow for a range, red for a mismatch. Each file appears whole or not at all.
///
/// # Errors
/// [`FileError::Write`].
pub fn write_report(
    folder: &Path,
    report: &impl Serialize,
    (mismatches, origin): (&[Ray], DVec3),
    classes: &[Class],
    image_size: Option<(u32, u32)>,
) -> Result<(), FileError> {
    let mut outputs = Outputs::set(folder, ["report.json", "mismatches.npy", "classes.png"]);
    outputs.add(&folder.join("report.json"), |file| {
        serde_json::to_writer_pretty(&mut *file, report)?;
        writeln!(file)
    })?;
    let numbers: &[f32] = bytemuck::cast_slice(mismatches);
    let shape = [mismatches.len(), 8];
    outputs.add(&folder.join("mismatches.npy"), |file| match origin == DVec3::ZERO {
        true => write_npy(file, &shape, numbers),
        false => {
            let added = origin.to_array().into_iter().chain([0.0; 5]).cycle();
            let sums = numbers.iter().zip(added).map(|(number, added)| f64::from(*number) + added);
            write_npy(file, &shape, &sums.collect::<Vec<f64>>())
        }
    })?;
    if let Some((width, height)) = image_size {
        let size = [width as usize, height as usize];
        let colors = classes.iter().map(|&class| Ok(color(class)));
        outputs.add(&folder.join("classes.png"), |file| {
            Picture::of_pixels(size, colors)?.write(file)
        })?;
    }
    outputs.publish()
}

fn color(class: Class) -> Rgb<u8> {
    Rgb(match class {
        Class::Exact => [60, 60, 60],
        Class::Within => [110, 110, 110],
        Class::Tie => [70, 120, 255],
        Class::Silhouette => [60, 220, 90],
        Class::Range => [240, 210, 60],
        Class::Mismatch => [255, 40, 40],
    })
}
