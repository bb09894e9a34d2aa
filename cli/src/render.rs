//! `raytwin render`: renders a scene to images.

use super::Failure;
use super::cloud::{CloudArguments, FrameFlag};
use super::compiling::CastTimes;
use super::console::{Console, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::source::{SceneArguments, ViewArguments};
use super::stages::refuse_own_input;
use super::summary::{RenderSummary, Summary};
use clap::Args;
use raytwin::image::{Image, RenderWriter};
use raytwin::io::FileError;
use raytwin::io::clouds::{CloudPoint, CloudSource};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    #[command(flatten)]
    view: ViewArguments,
    /// The folder for render.npz, render.exr, geometries.json and the pictures. Writing them takes 12 bytes of memory
    /// and up to 100 bytes of disk for each pixel.
    #[arg(long, value_name = "DIR", default_value = "out")]
    out: PathBuf,
    /// Also write z_16bit.png, which holds round(z * SCALE), or 0 where nothing was hit.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true, value_parser = scale)]
    depth_png: Option<f64>,
    #[command(flatten)]
    cloud: CloudArguments,
    /// The space in which the cloud's points are given.
    #[arg(long, value_enum, default_value = "world", requires = "cloud")]
    frame: FrameFlag,
}

fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
    scale.ok_or_else(|| format!("'{text}' must be a number above 0, such as 1000 for millimetres"))
}

/// Adds the flag to the writer's only complaint about a view, that its image is too large.
fn size_error(error: FileError) -> Failure {
    match error {
        FileError::Meaning { .. } => Failure::input(format!("{error} (--size)")),
        other => other.into(),
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let clouds: Vec<PathBuf> = arguments.cloud.path().cloned().into_iter().collect();
    refuse_own_input(&clouds, &[arguments.scene.path()])?;
    let (loaded, view) = arguments.scene.load_with_view(&arguments.view, console)?;
    let mut writer = RenderWriter::new(&arguments.out, &view).map_err(size_error)?;
    let mut cloud = arguments.cloud.output(CloudSource::Image)?;
    let tracer = DeviceFlag::new(device).tracer(&loaded, None, console)?;

    let mut times = CastTimes::default();
    let [mut hit_count, mut invalid_count] = [0; 2];
    console.by_strides("render", view.pixels(), |pixels| {
        let first = pixels.start..pixels.start + 1;
        let hits = times.measure(
            || tracer.render(&view, first).map(drop),
            || tracer.render(&view, pixels.clone()),
        )?;
        let image = Image::new(&loaded.scene, &view, pixels.start, &hits);
        hit_count += image.hits.hit_count();
        invalid_count += image.hits.invalid_count();
        cloud.add(|| {
            let frame = arguments.frame.into();
            Ok(CloudPoint::of_image(&image, &view, pixels.start, frame))
        })?;
        Ok(writer.add(&image)?)
    })?;

    let mut written = writer.finish(&loaded.scene, arguments.depth_png)?;
    let cloud = cloud.finish()?;
    if let Some((path, points)) = &cloud {
        console.say(&format!("{points} points -> {}", path.display()));
        written.files.push(path.clone());
    }
    let saturated = arguments.depth_png.map(|_| written.saturated);
    if let Some(saturated) = saturated {
        console.say(&format!("z_16bit.png: {saturated} pixels saturated"));
    }
    console.summary(
        Summary::Render(RenderSummary {
            scene: loaded.name.clone(),
            camera: view.camera.name.clone(),
            device: tracer.device(),
            width: view.width,
            height: view.height,
            rays: view.pixels(),
            hits: hit_count,
            invalid: invalid_count,
            times: loaded.times(&times),
            mrays_per_s: mrays_per_s(view.pixels(), times.trace),
            saturated,
            cloud_points: cloud.map(|(_, points)| points),
            files: written.files,
        }),
        &format!(
            "{}x{} pixels by camera {}, {hit_count} hits, {}{} -> {}",
            view.width,
            view.height,
            view.camera.name,
            times.compiling(),
            speed(view.pixels(), times.trace),
            arguments.out.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}
