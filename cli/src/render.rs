//! `raytwin render`: renders a scene to images.

use super::Failure;
use super::console::{Console, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::source::{SceneArguments, ViewArguments};
use clap::Args;
use raytwin::image::{Image, RenderWriter, Shading};
use raytwin::io::FileError;
use raytwin::{Tracer, View};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

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
    /// Shade shaded.png with this many rays of the camera for each pixel; 0 writes no such file. By default there are
    /// eight, and fewer for a large image.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=4096))]
    shading: Option<u32>,
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
    let loaded = arguments.scene.load(console)?;
    let view = arguments.view.view(&loaded.scene, console)?;
    let mut writer = RenderWriter::new(&arguments.out, &view).map_err(size_error)?;
    let tracer = DeviceFlag::new(device).tracer(&loaded, None, console)?;

    let mut time = Duration::ZERO;
    let [mut hit_count, mut invalid_count] = [0; 2];
    console.by_strides("render", view.pixels(), |pixels| {
        let start = Instant::now();
        let hits = tracer.render(&view, pixels.clone())?;
        time += start.elapsed();
        let image = Image::new(&loaded.scene, &view, pixels.start, &hits);
        hit_count += image.hits.hit_count();
        invalid_count += image.hits.invalid_count();
        Ok(writer.add(&image)?)
    })?;

    let shading_time = match arguments.shading {
        Some(0) => None,
        samples => Some(shade(tracer.as_ref(), &view, samples, &mut writer, console)?),
    };

    let written = writer.finish(&loaded.scene, arguments.depth_png)?;
    let files: Vec<String> = written.files.iter().map(|file| file.display().to_string()).collect();
    let saturated = arguments.depth_png.map(|_| written.saturated);
    if let Some(saturated) = saturated {
        console.say(&format!("z_16bit.png: {saturated} pixels saturated"));
    }
    console.summary(
        &json!({
            "command": "render", "scene": loaded.name, "camera": view.camera.name,
            "device": tracer.device(), "width": view.width, "height": view.height,
            "rays": view.pixels(), "hits": hit_count, "invalid": invalid_count,
            "load_s": loaded.load_time.as_secs_f64(), "trace_s": time.as_secs_f64(),
            "shading_s": shading_time.map(|time| time.as_secs_f64()),
            "mrays_per_s": mrays_per_s(view.pixels(), time), "saturated": saturated, "files": files,
        }),
        &format!(
            "{}x{} pixels by camera {}, {hit_count} hits, {} -> {}",
            view.width,
            view.height,
            view.camera.name,
            speed(view.pixels(), time),
            arguments.out.display()
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Shades the view for `shaded.png`, and returns how long that took.
fn shade(
    tracer: &dyn Tracer,
    view: &View,
    samples: Option<u32>,
    writer: &mut RenderWriter,
    console: &Console,
) -> Result<Duration, Failure> {
    let start = Instant::now();
    let mut shading = Shading::new(tracer, view, samples)?;
    let [width, height] = shading.size();
    let bar = console.bar("shade", "pixels", width * height);
    for tile in shading.tiles() {
        shading.shade(tile)?;
        bar.inc(tile.pixels() as u64);
    }
    bar.finish_and_clear();
    let time = start.elapsed();
    log::info!(
        "shaded.png: {width}x{height} pixels of {} samples in {time:.2?}",
        shading.samples()
    );
    writer.add_shaded(&shading)?;
    Ok(time)
}
