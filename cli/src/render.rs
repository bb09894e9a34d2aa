//! `raytwin render`: renders a scene to images.

mod names;

use super::Failure;
use super::cloud::{CloudArguments, FrameFlag};
use super::color_by::ColorByArgument;
use super::compiling::CastTimes;
use super::console::{Console, mrays_per_s, speed};
use super::device::DeviceFlag;
use super::folders::folder_parser;
use super::hits_per::{self, HitsPerArgument, require_columns};
use super::source::{InstrumentArguments, SceneArguments, SiteArgument, ViewArguments};
use super::summary::{PathText, RenderSummary, Summary};
use clap::Args;
use raytwin::image::{Background, Image, Shading};
use raytwin::returns::{RayScope, cast_beams};
use raytwin::scan::PosedView;
use raytwin::scene::Scene;
use raytwin::tracer::TraceError;
use raytwin::{Batch, Ray, Tracer};
use raytwin_files::FileError;
use raytwin_files::clouds::{CloudFormat, CloudLayout, CloudPoint, CloudSource, ColorBy};
use raytwin_files::image::{DistanceRange, RenderOptions, RenderWriter, render_files};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Output")]
pub(super) struct Arguments {
    #[command(flatten)]
    scene: SceneArguments,
    /// Write the images to this folder.
    ///
    /// The files are render.npz, render.exr, geometries.json and the pictures. Writing them needs
    /// 12 bytes of memory and up to 100 bytes of disk for each pixel.
    #[arg(short, long, visible_alias = "output", value_name = "DIR", default_value = "out")]
    #[arg(value_parser = folder_parser("the images"))]
    out: PathBuf,
    /// Also write depths times SCALE to z_16bit.png.
    ///
    /// Each pixel is round(z * SCALE), or 0 for a miss.
    #[arg(long, value_name = "SCALE", allow_hyphen_values = true, value_parser = scale)]
    depth_png: Option<f64>,
    /// Colour distance.png from the distance NEAR to FAR.
    ///
    /// The default range includes most pixels, but not a far horizon.
    #[arg(long, value_name = "NEAR,FAR", allow_hyphen_values = true, value_parser = range)]
    range: Option<[f64; 2]>,
    /// Cast this many camera rays for each pixel of shaded.png.
    ///
    /// 0 writes no shaded.png. Default: 8, and fewer for a large image.
    #[arg(long, value_name = "N", value_parser = samples)]
    shading: Option<u32>,
    /// Put white, black, #rrggbb or none behind the scene.
    ///
    /// For a miss, every colour picture shows this colour. The shaded pictures then have no sky,
    /// and no floor with shadows. With none, pixels that show no shape are transparent. z_16bit.png
    /// and the arrays do not change.
    #[arg(long, value_name = "COLOUR")]
    background: Option<Background>,
    /// Also write named.png, the shaded picture with shape names.
    ///
    /// Choose the shapes as for --ignore, by the end of a path such as N1, or by a type such as
    /// sphere. raytwin writes a name on its shape if a pixel shows the shape. The name is the
    /// shortest end of the path that no other shape in the picture has. raytwin leaves out names
    /// that would overlap others. For texts of your own, geometries.json lists the column and the
    /// row of the middle of each shape.
    #[arg(long, value_name = "ID|PATH|PATTERN", value_delimiter = ',', allow_hyphen_values = true)]
    names: Vec<String>,
    /// Also write instance_ids, the instance that each pixel shows.
    ///
    /// An instance_id is the number of the outermost instance that contains the shape. Nodes with a
    /// file count as instances.
    #[arg(long)]
    instances: bool,
    /// Also write label_ids, the label that each pixel shows.
    ///
    /// The label is 0 for a shape without one, and for a miss. labels.png shows the labels. With
    /// --cloud, each point of the cloud also gets its label.
    #[arg(long)]
    label_ids: bool,
    // The picture of ids also gives each group one colour.
    #[command(flatten)]
    hits_per: HitsPerArgument,
    #[command(flatten)]
    cloud: CloudArguments,
    /// Write this column of each point's shape, such as tree_id.
    ///
    /// It is a column of the scene's table. Points of the cloud whose shapes have no number in it
    /// get 0. May be repeated, or separated by commas.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', requires = "cloud")]
    #[arg(hide_short_help = true)]
    keep: Vec<String>,
    #[command(flatten)]
    color_by: ColorByArgument,
    /// The cloud's frame.
    ///
    /// raytwin writes the points of the cloud in this frame.
    #[arg(long, value_enum, default_value = "world", requires = "cloud")]
    frame: FrameFlag,
    // It is the last field, because its heading also applies to the fields after it.
    #[command(flatten, next_help_heading = "Camera")]
    view: ViewArguments,
    #[command(flatten, next_help_heading = "Camera")]
    site: SiteArgument,
    #[command(flatten, next_help_heading = "Camera")]
    instrument: InstrumentArguments,
}

const EXAMPLES: &str = "\
raytwin render examples/scenes/pipe_rack.json -o pictures
raytwin render examples/worlds/garden.x3d --eye 9,-9,6 --target 0,0,1 --size 320x240 -o pictures";

pub(super) fn scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
    scale.ok_or_else(|| format!("'{text}' must be a number above 0, such as 1000 for millimetres"))
}

fn samples(text: &str) -> Result<u32, String> {
    super::numbers::count(text).and_then(|samples| match samples {
        0..=4096 => Ok(samples),
        _ => Err(format!("'{text}' must be at most 4096")),
    })
}

fn range(text: &str) -> Result<[f64; 2], String> {
    let range = super::numbers::comma_separated(text)
        .ok()
        .filter(|[near, far]: &[f64; 2]| *near >= 0.0 && near < far && far.is_finite());
    range.ok_or_else(|| {
        format!("'{text}' must be two distances, the first below the second, such as 0.5,20")
    })
}

/// Adds the flag --size to the only error of the writer about a view: its image is too large.
fn size_error(error: FileError) -> Failure {
    match error {
        FileError::Meaning { .. } => Failure::input(error.to_string()).with_flags(&["--size"]),
        other => other.into(),
    }
}

pub(super) fn run(
    arguments: Arguments,
    device: &str,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let device = DeviceFlag::new(device).opening(Some(arguments.scene.path()));
    let (loaded, view) = arguments.scene.load_with_sensor(
        &arguments.view,
        |read| arguments.site.mount(read.sites()),
        console,
    )?;
    let view = arguments.instrument.with_instrument_flags(view, arguments.view.lidar())?;
    arguments.hits_per.refuse_unknown(&loaded.scene)?;
    require_columns("--keep", &arguments.keep, &loaded.scene)?;
    arguments.color_by.refuse_unknown(&loaded.scene)?;
    let color_by = arguments.color_by.color_by();
    let has_colors = arguments.cloud.path().is_some() && color_by.is_some();
    if color_by == Some(&ColorBy::Height) && !has_colors {
        return Err(Failure::usage(
            "--color-by height colours the points of a cloud: also give --cloud",
        ));
    }
    let of_columns = [("--keep", !arguments.keep.is_empty()), ("--color-by", has_colors)];
    arguments.cloud.refuse_columns(&of_columns)?;
    if !arguments.names.is_empty() && arguments.shading == Some(0) {
        return Err(Failure::usage(
            "--names writes on shaded.png, which --shading 0 leaves out: leave one of the two out",
        ));
    }
    let options = RenderOptions {
        named: names::ids(&loaded.scene, &arguments.names)?,
        distance_range: arguments.range,
        z_scale: arguments.depth_png,
        instances: arguments.instances,
        labels: arguments.label_ids,
        groups: arguments.hits_per.groups().cloned(),
        background: arguments.background.unwrap_or_default(),
    };
    let is_shaded = arguments.shading != Some(0);
    let files = render_files(is_shaded, &options).map(|name| arguments.out.join(name));
    let outputs: Vec<PathBuf> = files.chain(arguments.cloud.path().cloned()).collect();
    arguments.scene.check_outputs(&outputs, arguments.view.lidar_file())?;
    let mut writer = RenderWriter::new(&arguments.out, &view).map_err(size_error)?;
    if matches!(arguments.frame, FrameFlag::World) {
        arguments.cloud.warn_of_rounding(loaded.scene.origin(), console);
    }
    let formats = arguments.cloud.format().into_iter();
    let has_returns = CloudFormat::have_returns(formats, &view.camera.sensor);
    let posed = PosedView::from(view.clone());
    let layout = CloudLayout {
        has_labels: arguments.label_ids,
        has_returns,
        color_by: color_by.cloned(),
        kept: arguments.keep.clone(),
        ..CloudLayout::of(CloudSource::Image)
    };
    let mut cloud = arguments.cloud.output(layout, &loaded.scene)?;
    let mut counts = arguments.hits_per.counts();
    let tracer = device.tracer(&loaded, console)?;

    let mut times = CastTimes::default();
    let of_shadows = is_shaded.then_some(tracer.as_ref());
    let [mut hit_count, mut invalid_count] = [0; 2];
    console.by_strides("render", view.pixels(), |pixels| {
        let first = pixels.start..pixels.start + 1;
        let mut returned = None;
        let image = if has_returns {
            let returns = times.measure(
                || {
                    let cast = || cast_beams(tracer.as_ref(), &posed, first, RayScope::default());
                    beside_shadow(of_shadows, cast)
                },
                || cast_beams(tracer.as_ref(), &posed, pixels.clone(), RayScope::default()),
            )?;
            let image = Image::of_returns(&loaded.scene, &posed, pixels.clone(), &returns);
            returned = Some(returns);
            image
        } else {
            let hits = times.measure(
                || beside_shadow(of_shadows, || tracer.render(&view, first)),
                || tracer.render(&view, pixels.clone()),
            )?;
            Image::new(&loaded.scene, &view, pixels.start, &hits)
        };
        let met = image.hits.geometry_ids.iter().zip(&image.distance);
        counts.add(met.filter(|(_, distance)| distance.is_finite()).map(|(id, _)| *id));
        hit_count += image.hits.hit_count();
        invalid_count += image.hits.invalid_count();
        cloud.add(&loaded.scene, || {
            let frame = arguments.frame.into();
            let origin = loaded.scene.origin();
            Ok(match &returned {
                Some(returns) => CloudPoint::of_returns(returns, &posed, frame, origin),
                None => {
                    let Image { hits, distance, .. } = &image;
                    CloudPoint::of_image(hits, distance, &view, pixels.start, frame, origin)
                }
            })
        })?;
        Ok(writer.add(&image)?)
    })?;

    let shading_time = match is_shaded {
        true => {
            let mut shading = Shading::new(tracer.as_ref(), &view, arguments.shading)?;
            if let Some(colors) = arguments.color_by.of_geometries(&loaded.scene) {
                shading = shading.painted(colors.into());
            }
            let shading = shading.on(options.background);
            Some(shade(shading, &mut writer, (&loaded.scene, &options), console)?)
        }
        false => None,
    };

    let (mut written, cloud) = console.phase("writing the images", || -> Result<_, Failure> {
        let (written, mut outputs) = writer.complete(&loaded.scene, &options)?;
        let cloud = cloud.complete(&mut outputs, |text| console.say(text))?;
        console.publish(outputs)?;
        Ok((written, cloud))
    })?;
    if let Some((path, points)) = &cloud {
        console.say(&format!("{points} points -> {}", path.display()));
        written.files.push(path.clone());
    }
    let saturated = arguments.depth_png.map(|_| written.saturated);
    if let Some(saturated) = saturated {
        console.say(&format!("z_16bit.png: {saturated} pixels saturated"));
    }
    names::print(&options, &written, console);
    let beyond = written.distance_range.as_ref().map_or_else(String::new, beyond_text);
    let hits_per = counts.of(&loaded.scene);
    hits_per::print(hits_per.as_deref(), console)?;
    console.summary(
        Summary::Render(RenderSummary {
            scene: loaded.name.clone(),
            camera: view.camera.name.clone(),
            device: tracer.device(),
            width: view.width,
            height: view.height,
            rays: view.pixels(),
            hits: hit_count,
            hits_per,
            invalid: invalid_count,
            times: loaded.times(&times),
            shading_s: shading_time.map(|time| time.as_secs_f64()),
            mrays_per_s: mrays_per_s(view.pixels(), times.trace),
            saturated,
            distance_range: written.distance_range.as_ref().map(|range| [range.near, range.far]),
            beyond_range: written.distance_range.as_ref().map(|range| range.beyond),
            cloud_points: cloud.map(|(_, points)| points),
            files: PathText::all(written.files),
        }),
        &format!(
            "{}x{} pixels by camera {}, {hit_count} hits, {}{} -> {}{}",
            view.width,
            view.height,
            view.camera.name,
            times.compiling(),
            speed(view.pixels(), times.trace),
            arguments.out.display(),
            beyond
        ),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the shares of hits outside the range of `distance.png`, if there are any.
fn beyond_text(range: &DistanceRange) -> String {
    let parts: Vec<String> = ["nearer", "farther"]
        .into_iter()
        .zip(range.beyond)
        .filter(|(_, share)| *share >= 0.0005)
        .map(|(what, share)| format!("{:.1} % of the hits are {what}", 100.0 * share))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => {
            format!("; distance.png shows {} to {}: {}", range.near, range.far, parts.join(", "))
        }
    }
}

/// Casts the first ray of an image, and at the same time a shadow ray if there are shadows. A
/// driver then compiles the kernels of both at once.
fn beside_shadow<T: Send>(
    tracer: Option<&dyn Tracer>,
    cast: impl FnOnce() -> Result<T, TraceError> + Send,
) -> Result<(), TraceError> {
    let ray = [Ray::new([0.0; 3], [0.0, 0.0, 1.0])];
    // An error of the shadow ray occurs again, and is reported, when the picture is shaded.
    let shadow = || tracer.map(|tracer| tracer.any(Batch::new(&ray)));
    rayon::join(cast, shadow).0.map(drop)
}

/// Shades a view for `shaded.png`, and returns the time that it took.
fn shade(
    mut shading: Shading<'_>,
    writer: &mut RenderWriter,
    (scene, options): (&Scene, &RenderOptions),
    console: &Console,
) -> Result<Duration, Failure> {
    let start = Instant::now();
    let [width, height] = shading.size();
    let bar = console.bar("shade", "pixels", width * height);
    let mut shade = || -> Result<(), Failure> {
        for tile in shading.tiles() {
            shading.shade(tile)?;
            bar.inc(tile.pixels() as u64);
        }
        Ok(())
    };
    match bar.is_hidden() {
        true => console.phase("shading", shade)?,
        false => shade()?,
    }
    bar.finish_and_clear();
    let time = start.elapsed();
    log::info!(
        "shaded.png: {width}x{height} pixels of {} samples in {time:.2?}",
        shading.samples()
    );
    writer.add_shaded(shading, scene, options)?;
    Ok(time)
}
